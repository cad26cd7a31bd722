// A logical vector of 64 bytes: one, two or four hardware registers.
//
// All levels have the same lanes and add them in the same order, so that v3 and v4 give the same bits.
#pragma once

#include "registers.hpp"

namespace hebbian_descent {

template <class T>
struct Vector {
    using R = Register<T>;
    static constexpr std::size_t n_registers = vector_bytes / sizeof(R);
    static constexpr std::size_t lanes = vector_bytes / sizeof(T);
    struct Mask {
        typename R::Mask m[n_registers];
    };
    R r[n_registers];

    Vector() = default;
    HD_INLINE Vector(T x) noexcept {
        for (auto& part : r) part = R::all(x);
    }

    template <class F>
    static HD_INLINE Vector each(F f) noexcept {
        Vector out;
        for (std::size_t i = 0; i < n_registers; ++i) out.r[i] = f(i);
        return out;
    }
    template <class F>
    static HD_INLINE Mask each_mask(F f) noexcept {
        Mask out;
        for (std::size_t i = 0; i < n_registers; ++i) out.m[i] = f(i);
        return out;
    }

    static HD_INLINE Vector load(const T* p) noexcept {
        return each([&](std::size_t i) { return R::load(p + i * R::lanes); });
    }
    // The first n numbers, and zeros after them.
    static HD_INLINE Vector load(const T* p, std::size_t n) noexcept {
        if (n == lanes) return load(p);
        return each([&](std::size_t i) { return R::load(p + i * R::lanes, beyond(n, i)); });
    }
    HD_INLINE void store(T* p) const noexcept {
        for (std::size_t i = 0; i < n_registers; ++i) r[i].store(p + i * R::lanes);
    }
    HD_INLINE void store(T* p, std::size_t n) const noexcept {
        if (n == lanes) return store(p);
        for (std::size_t i = 0; i < n_registers; ++i) r[i].store(p + i * R::lanes, beyond(n, i));
    }
    static HD_INLINE std::size_t beyond(std::size_t n, std::size_t i) noexcept {
        const std::size_t before = i * R::lanes;
        return n <= before ? 0 : (n - before < R::lanes ? n - before : R::lanes);
    }

    friend HD_INLINE Vector operator+(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return a.r[i] + b.r[i]; });
    }
    friend HD_INLINE Vector operator-(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return a.r[i] - b.r[i]; });
    }
    friend HD_INLINE Vector operator*(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return a.r[i] * b.r[i]; });
    }
    friend HD_INLINE Vector operator/(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return a.r[i] / b.r[i]; });
    }
    friend HD_INLINE Vector fma(Vector a, Vector b, Vector c) noexcept {
        return each([&](std::size_t i) { return fma(a.r[i], b.r[i], c.r[i]); });
    }
    friend HD_INLINE Vector abs(Vector a) noexcept {
        return each([&](std::size_t i) { return abs(a.r[i]); });
    }
    friend HD_INLINE Vector sqrt(Vector a) noexcept {
        return each([&](std::size_t i) { return sqrt(a.r[i]); });
    }
    // The second one where a number is NaN, as on x86.
    friend HD_INLINE Vector max(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return max(a.r[i], b.r[i]); });
    }
    friend HD_INLINE Vector min(Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return min(a.r[i], b.r[i]); });
    }
    friend HD_INLINE Mask operator<(Vector a, Vector b) noexcept {
        return each_mask([&](std::size_t i) { return less(a.r[i], b.r[i]); });
    }
    friend HD_INLINE Mask operator<=(Vector a, Vector b) noexcept {
        return each_mask([&](std::size_t i) { return less_equal(a.r[i], b.r[i]); });
    }
    friend HD_INLINE Mask operator>(Vector a, Vector b) noexcept { return b < a; }
    friend HD_INLINE Mask operator>=(Vector a, Vector b) noexcept { return b <= a; }
    // Also true where a number is NaN.
    friend HD_INLINE Mask not_within(Vector a, Vector limit) noexcept {
        return each_mask([&](std::size_t i) { return not_less_equal(a.r[i], limit.r[i]); });
    }
    friend HD_INLINE Vector choose(Mask m, Vector a, Vector b) noexcept {
        return each([&](std::size_t i) { return R::choose(m.m[i], a.r[i], b.r[i]); });
    }
    friend HD_INLINE bool any(Mask m) noexcept {
        bool found = false;
        for (std::size_t i = 0; i < n_registers; ++i) found |= R::any(m.m[i]);
        return found;
    }
    HD_INLINE Vector power_of_two_in_lowest_bits(int bias) const noexcept {
        return each([&](std::size_t i) { return r[i].power_of_two_in_lowest_bits(bias); });
    }
};

// Σ over the lanes: the upper half is added to the lower one until one number is left.
template <class T>
HD_INLINE T sum(Vector<T> v) noexcept {
    for (std::size_t half = Vector<T>::n_registers / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) v.r[i] = v.r[i] + v.r[i + half];
    return v.r[0].sum();
}

// The largest lane; unspecified if one is NaN.
template <class T>
HD_INLINE T largest(Vector<T> v) noexcept {
    T found = v.r[0].largest();
    for (std::size_t i = 1; i < Vector<T>::n_registers; ++i) {
        const T other = v.r[i].largest();
        found = found < other ? other : found;
    }
    return found;
}

// a in the first n lanes, b in the others.
template <class T>
HD_INLINE Vector<T> choose_first(std::size_t n, Vector<T> a, Vector<T> b) noexcept {
    using V = Vector<T>;
    return choose(V::each_mask([&](std::size_t i) { return V::R::first_lanes(V::beyond(n, i)); }), a, b);
}

// v, or 0 where it is too small for full precision: processors are many times slower with such numbers.
template <class T>
HD_INLINE Vector<T> flushed(Vector<T> v) noexcept {
    return choose(abs(v) < Vector<T>(std::numeric_limits<T>::min()), Vector<T>(T(0)), v);
}

// Call f(i, n) for every vector of a row of `size` numbers: where it begins, and how many of its lanes count.
template <class T, class F>
HD_INLINE void for_vectors(std::size_t size, F f) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes;
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) f(i, lanes);
    if (i < size) f(i, size - i);
}

// The same with one piece of code for whole vectors and the last one: for what is slow to compile and fast to run.
template <class T, class F>
HD_INLINE void for_each_vector(std::size_t size, F f) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes;
    for (std::size_t i = 0; i < size; i += lanes) f(i, size - i < lanes ? size - i : lanes);
}

}  // namespace hebbian_descent
