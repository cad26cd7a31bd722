// Lists of numbers with their places, and the sums of which they are the coefficients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "panels.hpp"
#include "product.hpp"

namespace hebbian_descent {

inline constexpr std::size_t rows_in_cache = 100;  // of a panel of 256 bytes: 25 of at least 32 KiB

// The fewest parts of n rows that fit into the cache, about equally long.
struct Parts {
    std::size_t n, count;

    explicit Parts(std::size_t n) noexcept
        : n(n), count(std::max<std::size_t>(1, (n + rows_in_cache - 1) / rows_in_cache)) {}
    std::size_t begin(std::size_t part) const noexcept { return n * part / count; }
    std::size_t length(std::size_t part) const noexcept { return begin(part + 1) - begin(part); }
};

// Where entries lie, by value: the compiler need not assume that storing a vector changes it.
template <class T>
struct EntryLists {
    const std::size_t* bounds;
    const std::uint32_t* places;
    const T* values;
};

template <class T>
struct Entries {
    std::vector<std::size_t> bounds;  // where each list begins, and where the last one ends
    std::vector<std::uint32_t> places;
    std::vector<T> values;

    void append(const Entries& others, std::size_t begin, std::size_t end) {
        places.insert(places.end(), others.places.data() + begin, others.places.data() + end);
        values.insert(values.end(), others.values.data() + begin, others.values.data() + end);
    }
    void reserve(std::size_t n) { places.reserve(n), values.reserve(n); }
    void resize(std::size_t n) { places.resize(n), values.resize(n); }
    std::size_t size() const noexcept { return values.size(); }
    EntryLists<T> lists() const noexcept { return {bounds.data(), places.data(), values.data()}; }
};

// out = keep·start + Σₑ valueₑ·terms[placeₑ] over one list, for `width` vectors of columns.
template <class T, std::size_t width>
HD_INLINE void add_entries(T* out, const T* start, T keep, Rows<const T> terms, EntryLists<T> entries,
                           std::size_t list) noexcept {
    using V = Vector<T>;
    V sums[width];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < width; ++c) {
        sums[c] = V::load(start + c * V::lanes);
        if (keep != T(1)) sums[c] = V(keep) * sums[c];
    }
    for (std::size_t e = entries.bounds[list], end = entries.bounds[list + 1]; e < end; ++e) {
        const T* term = terms[entries.places[e]];
        const V value(entries.values[e]);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < width; ++c) sums[c] = fma(value, V::load(term + c * V::lanes), sums[c]);
    }
#pragma GCC unroll 4
    for (std::size_t c = 0; c < width; ++c) sums[c].store(out + c * V::lanes);
}

}  // namespace hebbian_descent
