// Patterns that are mostly zero: only the places and values of the rest take part in products.
//
// Centering keeps them sparse: with μ the offset, (X − 1μ)W = XW − 1(μW) and (X − 1μ)ᵀp = Xᵀp − μᵀ(1ᵀp). Both products
// process few enough rows at a time for a panel of them to stay in the L1 cache while it is read repeatedly.
#pragma once

#include "sparse_entries.hpp"

namespace hebbian_descent {

template <class T>
struct SparsePatterns {
    std::size_t n_inputs;
    Parts blocks;  // of the inputs
    Entries<T> entries;  // one list per pattern and block, pattern by pattern

    template <class Input>
    SparsePatterns(Rows<const Input> patterns, std::size_t n_patterns, std::size_t n_inputs)
        : n_inputs(n_inputs), blocks(n_inputs) {
        std::size_t n_entries = 0;
        for (std::size_t i = 0; i < n_patterns; ++i)
            for (std::size_t j = 0; j < n_inputs; ++j) n_entries += patterns[i][j] != Input(0);
        entries.resize(n_entries + 1);  // an entry is written before it is known whether it stays
        entries.bounds.reserve(n_patterns * blocks.count + 1);
        std::size_t entry = 0;
        for (std::size_t i = 0; i < n_patterns; ++i)
            for (std::size_t block = 0; block < blocks.count; ++block) {
                entries.bounds.push_back(entry);
                for (std::size_t j = blocks.begin(block); j < blocks.begin(block + 1); ++j) {
                    entries.places[entry] = static_cast<std::uint32_t>(j);
                    entries.values[entry] = static_cast<T>(patterns[i][j]);
                    entry += patterns[i][j] != Input(0);
                }
            }
        entries.bounds.push_back(entry);
    }

    std::size_t list(std::int64_t pattern, std::size_t block) const noexcept {
        return static_cast<std::size_t>(pattern) * blocks.count + block;
    }
    // Where the entries of a pattern begin, or those from some block on.
    std::size_t begin(std::int64_t pattern, std::size_t block = 0) const noexcept {
        return entries.bounds[list(pattern, block)];
    }
    std::size_t end(std::int64_t pattern) const noexcept { return begin(pattern, blocks.count); }

    // x = some patterns, with their zeros, one row per input.
    void fill(const std::int64_t* patterns, std::size_t n, Rows<T> x) const noexcept {
        for (std::size_t j = 0; j < n_inputs; ++j) std::fill_n(x[j], n, T(0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t e = begin(patterns[i]); e < end(patterns[i]); ++e)
                x[entries.places[e]][i] = entries.values[e];
    }

    // The entries of some patterns are scattered in memory: products would wait for each of them in turn.
    void prefetch(const std::int64_t* patterns, std::size_t n) const noexcept {
        constexpr std::size_t per_line = 64 / sizeof(T), places_per_line = 64 / sizeof(std::uint32_t);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t first = begin(patterns[i]), last = end(patterns[i]);
            for (std::size_t e = first; e < last; e += per_line) hebbian_descent::prefetch(entries.values.data() + e);
            for (std::size_t e = first; e < last; e += places_per_line)
                hebbian_descent::prefetch(entries.places.data() + e);
        }
#if defined(__GNUC__)
        asm volatile("");  // or GCC finds that nothing is computed here and removes it
#endif
    }

    // out = start + xW for some patterns; `start` is one row for all of them. Rows are whole vectors wide.
    void multiply(const std::int64_t* patterns, std::size_t n, Rows<const T> weights, const T* start, Rows<T> out,
                  std::size_t n_columns) const noexcept {
        for_panels<T>(n_columns, [&](std::size_t column, std::size_t panel) {
            with_width<T>(panel, [&](auto width) {
                multiply_panel<decltype(width)::value>(patterns, n, weights.from(0, column), start + column,
                                                       out.from(0, column));
            });
        });
    }

  private:
    template <std::size_t width>
    HD_NOINLINE void multiply_panel(const std::int64_t* patterns, std::size_t n, Rows<const T> weights, const T* start,
                                    Rows<T> out) const noexcept {
        const EntryLists<T> lists = entries.lists();
        for (std::size_t block = 0; block < blocks.count; ++block)
            for (std::size_t i = 0; i < n; ++i)
                add_entries<T, width>(out[i], block == 0 ? start : out[i], T(1), weights, lists,
                                      list(patterns[i], block));
    }
};

}  // namespace hebbian_descent
