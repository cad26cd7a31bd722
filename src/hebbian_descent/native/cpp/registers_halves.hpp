// Sums over an AVX2 register, which are also the last step for AVX-512.
#pragma once

#include <immintrin.h>

#include "inlining.hpp"

namespace hebbian_descent {

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

}  // namespace hebbian_descent
