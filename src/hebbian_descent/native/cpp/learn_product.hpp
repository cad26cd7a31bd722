// The product by which weights learn: W ← keep·W + scale·pre·p, with one row of `pre` per input.
//
// As in product.hpp, the sums of every column are in the order of the patterns, whatever stands beside it.
#pragma once

#include <algorithm>

#include "panels.hpp"
#include "product.hpp"

namespace hebbian_descent {

inline constexpr std::size_t patterns_at_once = 128;  // of a panel of 256 bytes: 32 KiB

// Copy a panel of some rows, times a number, so that they are neighbours in memory.
template <class T>
HD_INLINE Rows<T> gathered(Rows<const T> p, std::size_t n_rows, std::size_t column, std::size_t width, T* room,
                           T scale = T(1)) noexcept {
    using V = Vector<T>;
    const Rows<T> copy{room, panel_columns<T>};
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t i = 0; i < width; i += V::lanes)
            (V(scale) * V::load(p[row] + column + i)).store(copy[row] + i);
    return copy;
}

template <class T>
void learn_product(Rows<T> weights, T keep, T scale, Rows<const T> pre, Rows<const T> p, std::size_t n_inputs,
                   std::size_t n_patterns, std::size_t n_columns) noexcept {
    alignas(vector_bytes) T room[patterns_at_once * panel_columns<T>];
    std::size_t first = 0;
    do {  // at least once: weights decay even if there are no patterns
        const std::size_t n = std::min(patterns_at_once, n_patterns - first);
        for_panels<T>(n_columns, [&](std::size_t column, std::size_t width) {
            const Rows<T> panel = weights.from(0, column);
            const Rows<const T> terms = gathered(p.from(first), n, column, width, room, scale);
            add_product<T>(panel, panel, first == 0 ? keep : T(1), pre.from(0, first), terms, n_inputs, n, width);
        });
        first += patterns_at_once;
    } while (first < n_patterns);
}

// turned = numbersᵀ, a small square at a time.
template <class T>
void transpose(Rows<const T> numbers, std::size_t n_rows, std::size_t n_columns, Rows<T> turned) noexcept {
    constexpr std::size_t side = 16;
    for (std::size_t column = 0; column < n_columns; column += side)
        for (std::size_t row = 0; row < n_rows; row += side) {
            const std::size_t height = std::min(side, n_rows - row), width = std::min(side, n_columns - column);
            for (std::size_t j = 0; j < width; ++j)
                for (std::size_t i = 0; i < height; ++i) turned[column + j][row + i] = numbers[row + i][column + j];
        }
}

}  // namespace hebbian_descent
