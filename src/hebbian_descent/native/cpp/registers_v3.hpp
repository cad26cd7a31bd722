// Registers of AVX2: 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registers_halves.hpp"

namespace hebbian_descent {

inline constexpr const char* level = "x86-64-v3";

template <class T>
struct Register;

template <>
struct Register<double> {
    using Mask = __m256d;
    static constexpr std::size_t lanes = 4;
    __m256d v;

    static HD_INLINE Register all(double x) noexcept { return {_mm256_set1_pd(x)}; }
    static HD_INLINE Register load(const double* p) noexcept { return {_mm256_loadu_pd(p)}; }
    static HD_INLINE Register load(const double* p, std::size_t n) noexcept {
        return {_mm256_maskload_pd(p, first(n))};
    }
    HD_INLINE void store(double* p) const noexcept { _mm256_storeu_pd(p, v); }
    HD_INLINE void store(double* p, std::size_t n) const noexcept { _mm256_maskstore_pd(p, first(n), v); }

    static HD_INLINE __m256i first(std::size_t n) noexcept {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), _mm256_setr_epi64x(0, 1, 2, 3));
    }
    static HD_INLINE Mask first_lanes(std::size_t n) noexcept { return _mm256_castsi256_pd(first(n)); }
    static HD_INLINE bool any(Mask m) noexcept { return _mm256_movemask_pd(m) != 0; }
    HD_INLINE double sum() const noexcept { return sum_of_four(v); }
    HD_INLINE double largest() const noexcept {
        const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
        return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
    }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept { return {_mm256_add_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept { return {_mm256_sub_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept { return {_mm256_mul_pd(a.v, b.v)}; }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept { return {_mm256_div_pd(a.v, b.v)}; }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept {
        return {_mm256_fmadd_pd(a.v, b.v, c.v)};
    }
    friend HD_INLINE Register abs(Register a) noexcept { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v)}; }
    friend HD_INLINE Register sqrt(Register a) noexcept { return {_mm256_sqrt_pd(a.v)}; }
    friend HD_INLINE Register max(Register a, Register b) noexcept { return {_mm256_max_pd(a.v, b.v)}; }
    friend HD_INLINE Register min(Register a, Register b) noexcept { return {_mm256_min_pd(a.v, b.v)}; }
    friend HD_INLINE Mask less(Register a, Register b) noexcept { return _mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ); }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept { return _mm256_cmp_pd(a.v, b.v, _CMP_LE_OQ); }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept {
        return _mm256_cmp_pd(a.v, b.v, _CMP_NLE_UQ);
    }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return {_mm256_blendv_pd(b.v, a.v, m)};
    }
    HD_INLINE Register power_of_two_in_lowest_bits(std::int64_t bias) const noexcept {
        const __m256i n = _mm256_slli_epi64(_mm256_castpd_si256(v), 52);
        return {_mm256_castsi256_pd(_mm256_add_epi64(n, _mm256_set1_epi64x(bias << 52)))};
    }
};

template <>
struct Register<float> {
    using Mask = __m256;
    static constexpr std::size_t lanes = 8;
    __m256 v;

    static HD_INLINE Register all(float x) noexcept { return {_mm256_set1_ps(x)}; }
    static HD_INLINE Register load(const float* p) noexcept { return {_mm256_loadu_ps(p)}; }
    static HD_INLINE Register load(const float* p, std::size_t n) noexcept { return {_mm256_maskload_ps(p, first(n))}; }
    HD_INLINE void store(float* p) const noexcept { _mm256_storeu_ps(p, v); }
    HD_INLINE void store(float* p, std::size_t n) const noexcept { _mm256_maskstore_ps(p, first(n), v); }

    static HD_INLINE __m256i first(std::size_t n) noexcept {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    static HD_INLINE Mask first_lanes(std::size_t n) noexcept { return _mm256_castsi256_ps(first(n)); }
    static HD_INLINE bool any(Mask m) noexcept { return _mm256_movemask_ps(m) != 0; }
    HD_INLINE float sum() const noexcept { return sum_of_eight(v); }
    HD_INLINE float largest() const noexcept {
        const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
        const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }
    friend HD_INLINE Register operator+(Register a, Register b) noexcept { return {_mm256_add_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator-(Register a, Register b) noexcept { return {_mm256_sub_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator*(Register a, Register b) noexcept { return {_mm256_mul_ps(a.v, b.v)}; }
    friend HD_INLINE Register operator/(Register a, Register b) noexcept { return {_mm256_div_ps(a.v, b.v)}; }
    friend HD_INLINE Register fma(Register a, Register b, Register c) noexcept {
        return {_mm256_fmadd_ps(a.v, b.v, c.v)};
    }
    friend HD_INLINE Register abs(Register a) noexcept { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
    friend HD_INLINE Register sqrt(Register a) noexcept { return {_mm256_sqrt_ps(a.v)}; }
    friend HD_INLINE Register max(Register a, Register b) noexcept { return {_mm256_max_ps(a.v, b.v)}; }
    friend HD_INLINE Register min(Register a, Register b) noexcept { return {_mm256_min_ps(a.v, b.v)}; }
    friend HD_INLINE Mask less(Register a, Register b) noexcept { return _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ); }
    friend HD_INLINE Mask less_equal(Register a, Register b) noexcept { return _mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ); }
    friend HD_INLINE Mask not_less_equal(Register a, Register b) noexcept {
        return _mm256_cmp_ps(a.v, b.v, _CMP_NLE_UQ);
    }
    static HD_INLINE Register choose(Mask m, Register a, Register b) noexcept {
        return {_mm256_blendv_ps(b.v, a.v, m)};
    }
    HD_INLINE Register power_of_two_in_lowest_bits(std::int32_t bias) const noexcept {
        const __m256i n = _mm256_slli_epi32(_mm256_castps_si256(v), 23);
        return {_mm256_castsi256_ps(_mm256_add_epi32(n, _mm256_set1_epi32(bias << 23)))};
    }
};

}  // namespace hebbian_descent
