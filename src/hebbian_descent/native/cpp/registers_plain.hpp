// Plain loops over 16 bytes, for compilers without built-in vectors.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "inlining.hpp"

namespace hebbian_descent {

inline constexpr const char* level = "baseline";

template <class T>
struct Register {
    using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    using Unsigned = std::make_unsigned_t<Bits>;
    static constexpr std::size_t lanes = 16 / sizeof(T);
    struct Mask {
        bool m[lanes];
    };
    T v[lanes];

    template <class F>
    static HD_INLINE Register each(F f) noexcept {
        Register r;
        for (std::size_t i = 0; i < lanes; ++i) r.v[i] = f(i);
        return r;
    }
    template <class F>
    static HD_INLINE Mask each_bool(F f) noexcept {
        Mask r;
        for (std::size_t i = 0; i < lanes; ++i) r.m[i] = f(i);
        return r;
    }
    static HD_INLINE Register all(T x) noexcept {
        return each([&](std::size_t) { return x; });
    }
    static HD_INLINE Register load(const T* p) noexcept {
        return each([&](std::size_t i) { return p[i]; });
    }
    static HD_INLINE Register load(const T* p, std::size_t n) noexcept {
        return each([&](std::size_t i) { return i < n ? p[i] : T(0); });
    }
    HD_INLINE void store(T* p) const noexcept { std::memcpy(p, v, sizeof v); }
    HD_INLINE void store(T* p, std::size_t n) const noexcept { std::memcpy(p, v, sizeof(T) * (n < lanes ? n : lanes)); }
    static HD_INLINE Mask first_lanes(std::size_t n) noexcept {
        return each_bool([&](std::size_t i) { return i < n; });
    }
    static HD_INLINE bool any(Mask mask) noexcept {
        bool found = false;
        for (bool m : mask.m) found |= m;
        return found;
    }
    HD_INLINE T sum() const noexcept {
        Register s = *this;
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t i = 0; i < half; ++i) s.v[i] += s.v[i + half];
        return s.v[0];
    }
    HD_INLINE T largest() const noexcept {
        T found = v[0];
        for (std::size_t i = 1; i < lanes; ++i) found = found < v[i] ? v[i] : found;
        return found;
    }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] + b.v[i]; });
    }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] - b.v[i]; });
    }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] * b.v[i]; });
    }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] / b.v[i]; });
    }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept { return a * b + c; }
    friend HD_INLINE Register abs(Register a) noexcept {
        return each([&](std::size_t i) { return std::fabs(a.v[i]); });
    }
    friend HD_INLINE Register sqrt(Register a) noexcept {
        return each([&](std::size_t i) { return std::sqrt(a.v[i]); });
    }
    friend HD_INLINE Register max(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend HD_INLINE Register min(Register a, Register b) noexcept {
        return each([&](std::size_t i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend HD_INLINE Mask less(Register a, Register b) noexcept {
        return each_bool([&](std::size_t i) { return a.v[i] < b.v[i]; });
    }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept {
        return each_bool([&](std::size_t i) { return a.v[i] <= b.v[i]; });
    }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept {
        return each_bool([&](std::size_t i) { return !(a.v[i] <= b.v[i]); });
    }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return each([&](std::size_t i) { return m.m[i] ? a.v[i] : b.v[i]; });
    }
    HD_INLINE Register power_of_two_in_lowest_bits(Bits bias) const noexcept {
        constexpr int mantissa = std::numeric_limits<T>::digits - 1;
        return each([&](std::size_t i) {
            Unsigned bits;
            std::memcpy(&bits, &v[i], sizeof bits);
            bits = (bits << mantissa) + (static_cast<Unsigned>(bias) << mantissa);
            T power;
            std::memcpy(&power, &bits, sizeof bits);
            return power;
        });
    }
};

}  // namespace hebbian_descent
