// Registers of AVX-512: 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registers_halves.hpp"

namespace hebbian_descent {

inline constexpr const char* level = "x86-64-v4";

template <class T>
struct Register;

template <>
struct Register<double> {
    using Mask = __mmask8;
    static constexpr std::size_t lanes = 8;
    __m512d v;

    static HD_INLINE Register all(double x) noexcept { return {_mm512_set1_pd(x)}; }
    static HD_INLINE Register load(const double* p) noexcept { return {_mm512_loadu_pd(p)}; }
    static HD_INLINE Register load(const double* p, std::size_t n) noexcept {
        return {_mm512_maskz_loadu_pd(first(n), p)};
    }
    HD_INLINE void store(double* p) const noexcept { _mm512_storeu_pd(p, v); }
    HD_INLINE void store(double* p, std::size_t n) const noexcept { _mm512_mask_storeu_pd(p, first(n), v); }

    static HD_INLINE Mask first(std::size_t n) noexcept { return static_cast<Mask>((1u << n) - 1u); }
    static HD_INLINE Mask first_lanes(std::size_t n) noexcept { return first(n); }
    static HD_INLINE bool any(Mask m) noexcept { return m != 0; }
    HD_INLINE double sum() const noexcept {
        const __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
        return sum_of_four(half);
    }
    HD_INLINE double largest() const noexcept { return _mm512_reduce_max_pd(v); }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept { return {_mm512_add_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept { return {_mm512_sub_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept { return {_mm512_mul_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept { return {_mm512_div_pd(a.v, b.v)}; }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept {
        return {_mm512_fmadd_pd(a.v, b.v, c.v)};
    }
    friend HD_INLINE Register abs(Register a) noexcept { return {_mm512_abs_pd(a.v)}; }
    friend HD_INLINE Register sqrt(Register a) noexcept { return {_mm512_sqrt_pd(a.v)}; }
    friend HD_INLINE Register max(Register a, Register b) noexcept { return {_mm512_max_pd(a.v, b.v)}; }
    friend HD_INLINE Register min(Register a, Register b) noexcept { return {_mm512_min_pd(a.v, b.v)}; }
    friend HD_INLINE Mask less(Register a, Register b) noexcept { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ); }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept {
        return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ);
    }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept {
        return _mm512_cmp_pd_mask(a.v, b.v, _CMP_NLE_UQ);
    }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return {_mm512_mask_blend_pd(m, b.v, a.v)};
    }
    HD_INLINE Register power_of_two_in_lowest_bits(std::int64_t bias) const noexcept {
        const __m512i n = _mm512_slli_epi64(_mm512_castpd_si512(v), 52);
        return {_mm512_castsi512_pd(_mm512_add_epi64(n, _mm512_set1_epi64(bias << 52)))};
    }
};

template <>
struct Register<float> {
    using Mask = __mmask16;
    static constexpr std::size_t lanes = 16;
    __m512 v;

    static HD_INLINE Register all(float x) noexcept { return {_mm512_set1_ps(x)}; }
    static HD_INLINE Register load(const float* p) noexcept { return {_mm512_loadu_ps(p)}; }
    static HD_INLINE Register load(const float* p, std::size_t n) noexcept {
        return {_mm512_maskz_loadu_ps(first(n), p)};
    }
    HD_INLINE void store(float* p) const noexcept { _mm512_storeu_ps(p, v); }
    HD_INLINE void store(float* p, std::size_t n) const noexcept { _mm512_mask_storeu_ps(p, first(n), v); }

    static HD_INLINE Mask first(std::size_t n) noexcept { return static_cast<Mask>((1u << n) - 1u); }
    static HD_INLINE Mask first_lanes(std::size_t n) noexcept { return first(n); }
    static HD_INLINE bool any(Mask m) noexcept { return m != 0; }
    HD_INLINE float sum() const noexcept {
        const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
        return sum_of_eight(half);
    }
    HD_INLINE float largest() const noexcept { return _mm512_reduce_max_ps(v); }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept { return {_mm512_add_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept { return {_mm512_sub_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept { return {_mm512_mul_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept { return {_mm512_div_ps(a.v, b.v)}; }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept {
        return {_mm512_fmadd_ps(a.v, b.v, c.v)};
    }
    friend HD_INLINE Register abs(Register a) noexcept { return {_mm512_abs_ps(a.v)}; }
    friend HD_INLINE Register sqrt(Register a) noexcept { return {_mm512_sqrt_ps(a.v)}; }
    friend HD_INLINE Register max(Register a, Register b) noexcept { return {_mm512_max_ps(a.v, b.v)}; }
    friend HD_INLINE Register min(Register a, Register b) noexcept { return {_mm512_min_ps(a.v, b.v)}; }
    friend HD_INLINE Mask less(Register a, Register b) noexcept { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ); }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept {
        return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ);
    }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept {
        return _mm512_cmp_ps_mask(a.v, b.v, _CMP_NLE_UQ);
    }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return {_mm512_mask_blend_ps(m, b.v, a.v)};
    }
    HD_INLINE Register power_of_two_in_lowest_bits(std::int32_t bias) const noexcept {
        const __m512i n = _mm512_slli_epi32(_mm512_castps_si512(v), 23);
        return {_mm512_castsi512_ps(_mm512_add_epi32(n, _mm512_set1_epi32(bias << 23)))};
    }
};

}  // namespace hebbian_descent
