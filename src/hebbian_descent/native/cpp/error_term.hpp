// The error terms E(t, h): h − t, saturation·tanh(steepness·(h − t)), or −t while t·h < 1, else leak.
#pragma once

#include "functions.hpp"

namespace hebbian_descent {

struct ErrorTerm {
    enum class Kind { difference, saturating, leaky_hinge };
    Kind kind = Kind::difference;
    double saturation = 1, steepness = 1, leak = 0;

    template <class T>
    HD_INLINE Vector<T> error(Vector<T> t, Vector<T> h) const noexcept {
        using V = Vector<T>;
        switch (kind) {
            case Kind::saturating:
                return V(T(saturation)) * tanh(V(T(steepness)) * (h - t));
            case Kind::leaky_hinge:
                return choose(t * h < V(T(1)), V(T(0)) - t, V(T(leak)));
            default:
                return h - t;
        }
    }
    template <class T>
    HD_INLINE void errors(const T* t, const T* h, T* out, std::size_t n) const noexcept {
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            error(Vector<T>::load(t + i, m), Vector<T>::load(h + i, m)).store(out + i, m);
        });
    }
};

}  // namespace hebbian_descent
