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

#if defined(__AVX512F__)
#include "registers_v4.hpp"
#elif defined(__AVX2__) && defined(__FMA__)
#include "registers_v3.hpp"
#elif defined(__GNUC__)
#include "registers_vectors.hpp"
#else
#include "registers_plain.hpp"
#endif

namespace hebbian_descent {

inline constexpr std::size_t vector_bytes = 64;

}  // namespace hebbian_descent
