// One hardware register of numbers, for each instruction level.
//
// Every operation rounds in one defined way, and multiply-add is fused exactly where a hardware instruction does it:
// at x86-64-v3 and v4 always, at the baseline never. Compiled with -ffp-contract=off.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define HD_INLINE inline __attribute__((always_inline))
#define HD_NOINLINE __attribute__((noinline))
#define HD_LAMBDA_INLINE __attribute__((always_inline))
#else
#define HD_INLINE inline
#define HD_NOINLINE
#define HD_LAMBDA_INLINE
#endif

namespace hebbian_descent {

inline constexpr std::size_t vector_bytes = 64;

#if defined(__AVX2__) && defined(__FMA__)

// Upper half plus lower half, until one number is left.
HD_INLINE double sum_of_four(__m256d v) noexcept {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
HD_INLINE float sum_of_eight(__m256 v) noexcept {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

#endif

#if defined(__AVX512F__)

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

#elif defined(__AVX2__) && defined(__FMA__)

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

#else

inline constexpr const char* level = "baseline";

#if defined(__GNUC__)

// The compiler's own vectors of 16 bytes, for whatever processor.
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

#else

// Plain loops over 16 bytes, for compilers without vectors of their own.
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

#endif

#endif

}  // namespace hebbian_descent
