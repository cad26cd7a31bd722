// What is known of the spread of inputs: 1/σ² with σ² = max(q − μ², ρq), see `learning.scaling`.
#pragma once

#include "vector.hpp"

namespace hebbian_descent {

template <class T>
inline constexpr T least_share = T(sizeof(T) == 8 ? 1e-8 : 1e-5);  // ρ, as `scaling.FLOORS`

// 0 where an input has always been 0: it has no spread.
template <class T>
HD_INLINE Vector<T> precision_of(Vector<T> squares, Vector<T> offset) noexcept {
    using V = Vector<T>;
    const V spread = max(squares - offset * offset, V(least_share<T>) * squares);
    return choose(spread > V(std::numeric_limits<T>::min()), V(T(1)) / spread, V(T(0)));
}

template <class T>
HD_INLINE T precision_of(T squares, T offset) noexcept {
    const T variance = squares - offset * offset, least = least_share<T> * squares;
    const T spread = variance > least ? variance : least;
    return spread > std::numeric_limits<T>::min() ? T(1) / spread : T(0);
}

// What fades below the normal numbers becomes 0.
template <class T>
HD_INLINE T flushed(T number) noexcept {
    return std::fabs(number) < std::numeric_limits<T>::min() ? T(0) : number;
}

}  // namespace hebbian_descent
