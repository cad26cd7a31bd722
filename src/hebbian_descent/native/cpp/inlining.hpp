// Whether a function becomes part of its callers, where the compiler can be told.
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
