// Some columns of patterns that are mostly zero, kept without their zeros.
//
// (x − μ)W = xW − μW: centering does not fill them up. A product goes through so many rows of W at a time that a panel
// of them stays in the first cache while patterns read it again and again.
#pragma once

#include "tied.hpp"

namespace hebbian_descent {

inline constexpr std::size_t rows_in_cache = 96, panel_width = 4;  // 24 of at least 32 KiB

// What is not zero, pattern by pattern; `bounds` has where each block of inputs begins, and where the last one ends.
template <class T>
struct SparseInputs {
    Table<const std::int64_t> bounds;  // (n_patterns, n_blocks + 1)
    const std::uint32_t* places;
    const T* values;

    // x = some patterns, with their zeros.
    void fill(const std::int64_t* rows, Table<T> x) const noexcept {
        std::fill_n(x.data, x.n_rows * x.n_columns, T(0));
        for (std::size_t i = 0; i < x.n_rows; ++i) {
            const std::int64_t* bound = bounds[static_cast<std::size_t>(rows[i])];
            for (std::int64_t e = bound[0]; e < bound[bounds.n_columns - 1]; ++e) x[i][places[e]] = values[e];
        }
    }

    // out = xW − μW for some patterns.
    void multiply(const std::int64_t* rows, Table<const T> weights, const T* product_of_offset,
                  Table<T> out) const noexcept {
        constexpr std::size_t lanes = Vector<T>::lanes;
        std::size_t column = 0;
        for (; column + panel_width * lanes <= out.n_columns; column += panel_width * lanes)
            multiply_panel<panel_width>(rows, weights, product_of_offset, out, column, lanes);
        for (; column < out.n_columns; column += lanes)
            multiply_panel<1>(rows, weights, product_of_offset, out, column, std::min(lanes, out.n_columns - column));
    }

  private:
    // `width` vectors of columns, of which `n` lanes count. A copy of the panel begins every row with a cache line.
    template <std::size_t width>
    void multiply_panel(const std::int64_t* rows, Table<const T> weights, const T* product_of_offset, Table<T> out,
                        std::size_t column, std::size_t n) const noexcept {
        using V = Vector<T>;
        alignas(vector_bytes) T panel[rows_in_cache][width * V::lanes];
        for (std::size_t block = 0; block + 1 < bounds.n_columns; ++block) {
            const std::size_t first = block * rows_in_cache, n_rows = std::min(rows_in_cache, weights.n_rows - first);
            for (std::size_t row = 0; row < n_rows; ++row)
                for (std::size_t v = 0; v < width; ++v)
                    V::load(weights[first + row] + column + v * V::lanes, n).store(panel[row] + v * V::lanes);
            for (std::size_t i = 0; i < out.n_rows; ++i) {
                T* target = out[i] + column;
                V sums[width];
                for (std::size_t v = 0; v < width; ++v)
                    sums[v] = block == 0 ? V(T(0)) - V::load(product_of_offset + column + v * V::lanes, n)
                                         : V::load(target + v * V::lanes, n);
                const std::int64_t* bound = bounds[static_cast<std::size_t>(rows[i])] + block;
                for (std::int64_t e = bound[0]; e < bound[1]; ++e) {
                    const T* row = panel[places[e] - first];
                    const V value(values[e]);
                    for (std::size_t v = 0; v < width; ++v) sums[v] = fma(value, V::load(row + v * V::lanes), sums[v]);
                }
                for (std::size_t v = 0; v < width; ++v) sums[v].store(target + v * V::lanes, n);
            }
        }
    }
};

// Find what is not zero in the columns from `first` on; there must be room for one entry more.
template <class T, class Input>
void find_entries(Table<const Input> patterns, std::size_t first, std::size_t n_columns, Table<std::int64_t> bounds,
                  std::uint32_t* places, T* values) noexcept {
    std::int64_t entry = 0;
    for (std::size_t row = 0; row < patterns.n_rows; ++row) {
        const Input* x = patterns[row] + first;
        bounds[row][0] = entry;
        for (std::size_t block = 0; block + 1 < bounds.n_columns; ++block) {
            const std::size_t end = std::min((block + 1) * rows_in_cache, n_columns);
            for (std::size_t i = block * rows_in_cache; i < end; ++i)  // written before it is known whether it stays
                places[entry] = static_cast<std::uint32_t>(i), values[entry] = static_cast<T>(x[i]),
                entry += x[i] != Input(0);
            bounds[row][block + 1] = entry;
        }
    }
}

}  // namespace hebbian_descent
