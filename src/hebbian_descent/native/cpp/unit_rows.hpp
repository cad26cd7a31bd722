// A row of output units for one pattern: outputs h and the pull-back of errors.
#pragma once

#include "units.hpp"

namespace hebbian_descent {

// h = φ(a).
template <class T, class Unit>
HD_INLINE void activate(const Unit& unit, const T* a, T* h, std::size_t n) noexcept {
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m)
                              HD_LAMBDA_INLINE { unit.value(Vector<T>::load(a + i, m)).store(h + i, m); });
}

template <class T>
HD_INLINE void activate(const Softmax&, const T* a, T* h, std::size_t n) noexcept {
    using V = Vector<T>;
    const T lowest = std::numeric_limits<T>::lowest();
    V highest(lowest);
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        const V x = choose_first(m, V::load(a + i, m), V(lowest));
        highest = choose(highest > x, highest, x);
    });
    const V top(largest(highest));  // a NaN makes its own exponential NaN, and so the whole sum
    V total(T(0));
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        const V e = exp(V::load(a + i, m) - top);
        e.store(h + i, m);
        total = total + choose_first(m, e, V(T(0)));
    });
    const V whole(sum(total));
    for_each_vector<T>(
        n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE { (V::load(h + i, m) / whole).store(h + i, m); });
}

// error ← error·∂h/∂a.
template <class T, class Unit>
HD_INLINE void pull_back(const Unit& unit, const T* a, const T* h, T* error, std::size_t n) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        const V slope = unit.slope(V::load(a + i, m), V::load(h + i, m));
        (V::load(error + i, m) * slope).store(error + i, m);
    });
}

template <class T>
HD_INLINE void pull_back(const Softmax&, const T*, const T* h, T* error, std::size_t n) noexcept {
    using V = Vector<T>;
    V products(T(0));
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m)
                              HD_LAMBDA_INLINE { products = fma(V::load(error + i, m), V::load(h + i, m), products); });
    const V common(sum(products));
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        (V::load(h + i, m) * (V::load(error + i, m) - common)).store(error + i, m);
    });
}

// The same for loops that are compiled once for all units.
template <class T>
class UnitRow {
  public:
    virtual ~UnitRow() = default;
    virtual void activate(const T* a, T* h, std::size_t n) const noexcept = 0;
    virtual void pull_back(const T* a, const T* h, T* error, std::size_t n) const noexcept = 0;
};

}  // namespace hebbian_descent
