// What a row of output units does for one pattern: outputs h and the pull-back of errors.
#pragma once

#include "units.hpp"

namespace hebbian_descent {

// h = φ(a).
template <class T, class Unit>
HD_INLINE void activate(const Unit& unit, const T* a, T* h, std::size_t n) noexcept {
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) { unit.value(Vector<T>::load(a + i, m)).store(h + i, m); });
}

template <class T>
HD_INLINE void activate(const Softmax&, const T* a, T* h, std::size_t n) noexcept {
    using V = Vector<T>;
    const T lowest = std::numeric_limits<T>::lowest();
    V highest(lowest);
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        V x = V::load(a + i, m);
        if (m < V::lanes) x = choose_first(m, x, V(lowest));
        highest = choose(highest > x, highest, x);  // NaN passes through
    });
    const V top(largest(highest));
    V total(T(0));
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        V e = exp(V::load(a + i, m) - top);
        if (m < V::lanes) e = choose_first(m, e, V(T(0)));
        e.store(h + i, m);
        total = total + e;
    });
    const V whole(sum(total));
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) { (V::load(h + i, m) / whole).store(h + i, m); });
}

// error ← error·∂h/∂a.
template <class T, class Unit>
HD_INLINE void pull_back(const Unit& unit, const T* a, const T* h, T* error, std::size_t n) noexcept {
    using V = Vector<T>;
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        const V slope = unit.slope(V::load(a + i, m), V::load(h + i, m));
        (V::load(error + i, m) * slope).store(error + i, m);
    });
}

template <class T>
HD_INLINE void pull_back(const Softmax&, const T*, const T* h, T* error, std::size_t n) noexcept {
    using V = Vector<T>;
    V products(T(0));
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        products = fma(V::load(error + i, m), V::load(h + i, m), products);
    });
    const V common(sum(products));
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        (V::load(h + i, m) * (V::load(error + i, m) - common)).store(error + i, m);
    });
}

}  // namespace hebbian_descent
