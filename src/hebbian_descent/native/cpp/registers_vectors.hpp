// The compiler's built-in vectors of 16 bytes, for any processor.
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
    typedef T Numbers __attribute__((vector_size(16)));
    typedef Bits Mask __attribute__((vector_size(16)));
    typedef std::make_unsigned_t<Bits> Unsigned __attribute__((vector_size(16)));
    static constexpr std::size_t lanes = 16 / sizeof(T);
    Numbers v;

    static HD_INLINE Register all(T x) noexcept {
        Register r;
        for (std::size_t i = 0; i < lanes; ++i) r.v[i] = x;
        return r;
    }
    static HD_INLINE Register load(const T* p) noexcept { return load(p, lanes); }
    static HD_INLINE Register load(const T* p, std::size_t n) noexcept {
        Register r{};
        std::memcpy(&r.v, p, sizeof(T) * n);
        return r;
    }
    HD_INLINE void store(T* p) const noexcept { store(p, lanes); }
    HD_INLINE void store(T* p, std::size_t n) const noexcept { std::memcpy(p, &v, sizeof(T) * n); }

    static HD_INLINE Mask first_lanes(std::size_t n) noexcept {
        Mask m;
        for (std::size_t i = 0; i < lanes; ++i) m[i] = i < n ? Bits(-1) : Bits(0);
        return m;
    }
    static HD_INLINE bool any(Mask m) noexcept {
        Bits found = 0;
        for (std::size_t i = 0; i < lanes; ++i) found |= m[i];
        return found != 0;
    }
    HD_INLINE T sum() const noexcept {
        T numbers[lanes];
        store(numbers);
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t i = 0; i < half; ++i) numbers[i] += numbers[i + half];
        return numbers[0];
    }
    HD_INLINE T largest() const noexcept {
        T found = v[0];
        for (std::size_t i = 1; i < lanes; ++i) found = found < v[i] ? v[i] : found;
        return found;
    }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept { return {a.v + b.v}; }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept { return {a.v - b.v}; }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept { return {a.v * b.v}; }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept { return {a.v / b.v}; }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept { return {a.v * b.v + c.v}; }
    friend HD_INLINE Register abs(Register a) noexcept {
        return {(Numbers)((Mask)a.v & std::numeric_limits<Bits>::max())};
    }
    friend HD_INLINE Register sqrt(Register a) noexcept {
        for (std::size_t i = 0; i < lanes; ++i) a.v[i] = std::sqrt(a.v[i]);
        return a;
    }
    friend HD_INLINE Register max(Register a, Register b) noexcept { return choose(less(b, a), a, b); }
    friend HD_INLINE Register min(Register a, Register b) noexcept { return choose(less(a, b), a, b); }
    friend HD_INLINE Mask less(Register a, Register b) noexcept { return (Mask)(a.v < b.v); }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept { return (Mask)(a.v <= b.v); }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept { return ~(Mask)(a.v <= b.v); }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return {(Numbers)((m & (Mask)a.v) | (~m & (Mask)b.v))};
    }
    HD_INLINE Register power_of_two_in_lowest_bits(Bits bias) const noexcept {
        constexpr int mantissa = std::numeric_limits<T>::digits - 1;
        const auto raised = static_cast<std::make_unsigned_t<Bits>>(bias) << mantissa;
        return {(Numbers)(((Unsigned)v << mantissa) + raised)};
    }
};

}  // namespace hebbian_descent
