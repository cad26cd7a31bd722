// What is known of the spread of inputs: 1/σ² with σ² = max(q − μ², ρ_n·q), see `learning.scaling`.
#pragma once

#include <algorithm>
#include <cmath>

#include "vector.hpp"

namespace hebbian_descent {

// ρ_n = max(ρ, ½·0.7^(1/ν)): a small spread of a few patterns may be chance.
template <class T>
T floor_of_spread(double shift) noexcept {
    constexpr double least = sizeof(T) == 8 ? 1e-8 : 1e-5;  // as `scaling.FLOORS`
    return static_cast<T>(shift < 1.0 / 64 ? least : std::max(least, 0.5 * std::pow(0.7, 1 / shift)));
}

// An input is new if its mean square has fallen to this share of x², as `scaling.LEFT_OF_NEW`; where the running means
// start, all inputs are.
template <class T>
T left_of_new(bool starts) noexcept {
    return starts ? std::numeric_limits<T>::infinity() : T(1e-12);
}

// 0 where an input has always been 0: it has no spread.
template <class T>
HD_INLINE Vector<T> precision_of(Vector<T> squares, Vector<T> offset, T floor) noexcept {
    using V = Vector<T>;
    const V spread = max(squares - offset * offset, V(floor) * squares);
    return choose(spread > V(std::numeric_limits<T>::min()), V(T(1)) / spread, V(T(0)));
}

template <class T>
HD_INLINE T precision_of(T squares, T offset, T floor) noexcept {
    const T variance = squares - offset * offset, least = floor * squares;
    const T spread = variance > least ? variance : least;
    return spread > std::numeric_limits<T>::min() ? T(1) / spread : T(0);
}

// Subnormal numbers become 0.
template <class T>
HD_INLINE T flushed(T number) noexcept {
    return std::fabs(number) < std::numeric_limits<T>::min() ? T(0) : number;
}

}  // namespace hebbian_descent
