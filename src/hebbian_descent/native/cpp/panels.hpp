// Panels: a few vectors of columns that a product processes at a time, so that their rows stay in the L1 cache.
#pragma once

#include <type_traits>

#include "vector.hpp"

namespace hebbian_descent {

inline constexpr std::size_t panel_vectors = 4;
template <class T>
inline constexpr std::size_t panel_columns = panel_vectors * Vector<T>::lanes;

// Call f(column, width) for every panel, width in columns; panels are about equally wide.
template <class T, class F>
HD_INLINE void for_panels(std::size_t n_columns, F f) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes;
    const std::size_t n_vectors = n_columns / lanes, n_panels = (n_vectors + panel_vectors - 1) / panel_vectors;
    for (std::size_t panel = 0; panel < n_panels; ++panel) {
        const std::size_t column = n_vectors * panel / n_panels * lanes;
        f(column, n_vectors * (panel + 1) / n_panels * lanes - column);
    }
}

// Call f with the width of a panel in vectors, known to the compiler.
template <class T, class F>
HD_INLINE void with_width(std::size_t n_columns, F f) noexcept {
    switch (n_columns / Vector<T>::lanes) {
        case 1:
            return f(std::integral_constant<std::size_t, 1>{});
        case 2:
            return f(std::integral_constant<std::size_t, 2>{});
        case 3:
            return f(std::integral_constant<std::size_t, 3>{});
        default:
            return f(std::integral_constant<std::size_t, panel_vectors>{});
    }
}

}  // namespace hebbian_descent
