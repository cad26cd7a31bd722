// Matrix products whose sums stay in registers: a few rows by a few vectors of columns at a time.
//
// Every column is summed in the order of the terms, whatever stands beside it and wherever it is, which a BLAS does not
// promise. Rows of `out`, `start` and `terms` are whole vectors wide.
#pragma once

#include "vector.hpp"

namespace hebbian_descent {

// So many rows of sums by `tile_width` vectors, the terms and a coefficient fill the registers.
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

template <class T, std::size_t rows, std::size_t width>
HD_INLINE void add_tile(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                        std::size_t n_terms, std::size_t column) noexcept {
    using V = Vector<T>;
    V sums[rows][width];
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < width; ++c) {
            sums[r][c] = V::load(start[r] + column + c * V::lanes);
            if (keep != T(1)) sums[r][c] = V(keep) * sums[r][c];
        }
    for (std::size_t k = 0; k < n_terms; ++k) {
        V term[width];
        for (std::size_t c = 0; c < width; ++c) term[c] = V::load(terms[k] + column + c * V::lanes);
        for (std::size_t r = 0; r < rows; ++r) {
            const V coefficient(coefficients[r][k]);
            for (std::size_t c = 0; c < width; ++c) sums[r][c] = fma(coefficient, term[c], sums[r][c]);
        }
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < width; ++c) sums[r][c].store(out[r] + column + c * V::lanes);
}

template <class T, std::size_t rows>
HD_INLINE void add_rows(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                        std::size_t n_terms, std::size_t n_columns) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes, width = tile_width<T>;
    std::size_t column = 0;
    for (; column + width * lanes <= n_columns; column += width * lanes)
        add_tile<T, rows, width>(out, start, keep, coefficients, terms, n_terms, column);
    for (; column < n_columns; column += lanes)
        add_tile<T, rows, 1>(out, start, keep, coefficients, terms, n_terms, column);
}

// out = keep·start + coefficients @ terms; `out` may be `start`.
template <class T>
void add_product(Rows<T> out, Rows<const T> start, T keep, Rows<const T> coefficients, Rows<const T> terms,
                 std::size_t n_rows, std::size_t n_terms, std::size_t n_columns) noexcept {
    std::size_t row = 0;
    for (; row + tile_rows <= n_rows; row += tile_rows)
        add_rows<T, tile_rows>(out.from(row), start.from(row), keep, coefficients.from(row), terms, n_terms, n_columns);
    for (; row < n_rows; ++row)
        add_rows<T, 1>(out.from(row), start.from(row), keep, coefficients.from(row), terms, n_terms, n_columns);
}

}  // namespace hebbian_descent
