// Compiler hints beyond the standard: inlining, and prefetching into the cache.
#pragma once

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

HD_INLINE void prefetch([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
}

}  // namespace hebbian_descent
