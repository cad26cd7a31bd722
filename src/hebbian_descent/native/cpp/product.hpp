// Matrix products whose sums stay in registers: a few rows by a few vectors of columns at a time.
//
// Every column is summed in the order of the terms, whatever its neighbours and position, which a BLAS does not
// guarantee. Rows of `out`, `start` and `terms` are whole vectors wide.
#pragma once

#include <algorithm>

#include "panels.hpp"
#include "vector.hpp"

namespace hebbian_descent {

// This many rows of sums by `tile_width` vectors, the terms and a coefficient fill the registers.
inline constexpr std::size_t tile_rows = 6;
template <class T>
inline constexpr std::size_t tile_width = Vector<T>::n_registers == 1 ? 4 : 1;

template <class T>
struct Rows {
    T* data;
    std::size_t stride;

    HD_INLINE T* operator[](std::size_t row) const noexcept { return data + row * stride; }
    HD_INLINE Rows from(std::size_t row, std::size_t column = 0) const noexcept {
        return {data + row * stride + column, stride};
    }
    HD_INLINE operator Rows<const T>() const noexcept { return {data, stride}; }
};

// A separate function, so that nothing but the tile competes for the registers. GCC keeps the sums there only if the
// loops over them are explicitly unrolled.
template <class T, bool scales, std::size_t rows, std::size_t width>
HD_NOINLINE void add_tile(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                          std::size_t n_terms) noexcept {
    using V = Vector<T>;
    V sums[rows][width];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (std::size_t c = 0; c < width; ++c) {
            sums[r][c] = V::load(start[r] + c * V::lanes);
            if constexpr (scales) sums[r][c] = V(keep) * sums[r][c];
        }
    for (std::size_t k = 0; k < n_terms; ++k) {
        V term[width];
#pragma GCC unroll 8
        for (std::size_t c = 0; c < width; ++c) term[c] = V::load(terms[k] + c * V::lanes);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < rows; ++r) {
            const V coefficient(coefficients[r][k]);
#pragma GCC unroll 8
            for (std::size_t c = 0; c < width; ++c) sums[r][c] = fma(coefficient, term[c], sums[r][c]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (std::size_t c = 0; c < width; ++c) sums[r][c].store(out[r] + c * V::lanes);
}

// All rows of `width` vectors of columns: their terms stay in the cache from one tile to the next.
template <class T, bool scales, std::size_t width>
HD_INLINE void add_columns(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                           std::size_t n_rows, std::size_t n_terms) noexcept {
    std::size_t row = 0;
    const auto tile = [&](auto rows) HD_LAMBDA_INLINE {
        add_tile<T, scales, decltype(rows)::value, width>(out.from(row), start.from(row), keep, coefficients.from(row),
                                                          terms, n_terms);
    };
    for (; row + tile_rows <= n_rows; row += tile_rows) tile(std::integral_constant<std::size_t, tile_rows>{});
    switch (n_rows - row) {
        case 5:
            return tile(std::integral_constant<std::size_t, 5>{});
        case 4:
            return tile(std::integral_constant<std::size_t, 4>{});
        case 3:
            return tile(std::integral_constant<std::size_t, 3>{});
        case 2:
            return tile(std::integral_constant<std::size_t, 2>{});
        case 1:
            return tile(std::integral_constant<std::size_t, 1>{});
    }
}

template <class T, bool scales>
HD_NOINLINE void add_tiles(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                           std::size_t n_rows, std::size_t n_terms, std::size_t n_columns) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes, width = tile_width<T>;
    std::size_t column = 0;
    for (; column + width * lanes <= n_columns; column += width * lanes)
        add_columns<T, scales, width>(out.from(0, column), start.from(0, column), keep, coefficients,
                                      terms.from(0, column), n_rows, n_terms);
    for (; column < n_columns; column += lanes)
        add_columns<T, scales, 1>(out.from(0, column), start.from(0, column), keep, coefficients, terms.from(0, column),
                                  n_rows, n_terms);
}

// out = keep·start + coefficients @ terms; `out` may be `start`.
template <class T>
void add_product(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                 std::size_t n_rows, std::size_t n_terms, std::size_t n_columns) noexcept {
    keep == T(1) ? add_tiles<T, false>(out, start, keep, coefficients, terms, n_rows, n_terms, n_columns)
                 : add_tiles<T, true>(out, start, keep, coefficients, terms, n_rows, n_terms, n_columns);
}

inline constexpr std::size_t patterns_at_once = 128;  // of a panel of 256 bytes: 32 KiB

// Copy a panel of some rows, times a number, so that they are contiguous in memory.
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

// The product by which weights learn: W ← keep·W + scale·pre·p, with one row of `pre` per input.
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

// turned = numbersᵀ, one small square at a time.
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
