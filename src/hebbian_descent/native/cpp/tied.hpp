// The passes of an auto-encoder with tied weights between its matrix products; each has its twin in
// engines/tied_passes.py.
//
// a = (x − μ)W + b, h = φ(a), z = ψ((h − λ)Wᵀ + c). Sums over patterns are added in their order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "unit_rows.hpp"

namespace hebbian_descent {

// The units of a row behind one interface, so that the passes are compiled once for all of them.
template <class T>
struct RowUnits {
    virtual void activate(const T* a, T* h, std::size_t n) const noexcept = 0;
    virtual void pull_back(const T* a, const T* h, T* error, std::size_t n) const noexcept = 0;

  protected:
    ~RowUnits() = default;
};

template <class T, class Unit>
struct RowUnitsOf final : RowUnits<T> {
    Unit unit;

    explicit RowUnitsOf(Unit unit) noexcept : unit(unit) {}
    void activate(const T* a, T* h, std::size_t n) const noexcept override { hebbian_descent::activate(unit, a, h, n); }
    void pull_back(const T* a, const T* h, T* error, std::size_t n) const noexcept override {
        hebbian_descent::pull_back(unit, a, h, error, n);
    }
};

// Rows side by side in memory.
template <class T>
struct Table {
    T* data;
    std::size_t n_rows, n_columns;

    HD_INLINE T* operator[](std::size_t row) const noexcept { return data + row * n_columns; }
};

// a ← a + b; whether a unit is beyond the limit or not a number.
template <class T>
HD_INLINE bool add_bias(T* a, const T* b, std::size_t n, T limit) noexcept {
    using V = Vector<T>;
    bool is_beyond = false;
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        const V sum = V::load(a + i, m) + V::load(b + i, m);
        sum.store(a + i, m);
        is_beyond |= any(not_within(abs(sum), V(limit)));
    });
    return is_beyond;
}

// sums ← sums + row.
template <class T>
HD_INLINE void add_row(T* sums, const T* row, std::size_t n) noexcept {
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        (Vector<T>::load(sums + i, m) + Vector<T>::load(row + i, m)).store(sums + i, m);
    });
}

// out = one + other.
template <class T>
HD_INLINE void set_sum(T* out, const T* one, const T* other, std::size_t n) noexcept {
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        (Vector<T>::load(one + i, m) + Vector<T>::load(other + i, m)).store(out + i, m);
    });
}

// x and x − μ for the columns from `first` on of some patterns, in the precision of the weights.
template <class T, class Input>
void center_inputs(Table<const Input> patterns, const std::int64_t* rows, std::size_t first, const T* offset,
                   Table<T> x, Table<T> centered) noexcept {
    for (std::size_t row = 0; row < x.n_rows; ++row) {
        const Input* source = patterns[static_cast<std::size_t>(rows[row])] + first;
        T *copy = x[row], *mean_free = centered[row];
        for (std::size_t i = 0; i < x.n_columns; ++i) {
            copy[i] = static_cast<T>(source[i]);
            mean_free[i] = copy[i] - offset[i];
        }
    }
}

// a = one + other + b, h = φ(a), h − λ, and Σh over the patterns; whether one of them is beyond the limit.
template <class T>
bool activate_hidden(const RowUnits<T>& units, T limit, Table<const T> one, Table<const T> other, const T* bias,
                     const T* offset, Table<T> a, Table<T> h, Table<T> centered, T* sums) noexcept {
    using V = Vector<T>;
    bool is_beyond = false;
    const std::size_t n = a.n_columns;
    std::fill_n(sums, n, T(0));
    for (std::size_t row = 0; row < a.n_rows; ++row) {
        set_sum(a[row], one[row], other[row], n);
        is_beyond |= add_bias(a[row], bias, n, limit);
        units.activate(a[row], h[row], n);
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            (V::load(h[row] + i, m) - V::load(offset + i, m)).store(centered[row] + i, m);
        });
        add_row(sums, h[row], n);
    }
    return is_beyond;
}

// E(x, z) in place of (h − λ)Wᵀ, pulled back if asked, and its sums; whether a pattern is beyond the limit.
template <class T>
bool find_errors(const RowUnits<T>& units, T limit, const ErrorTerm& term, bool pulls_back, Table<T> errors,
                 const T* bias, Table<const T> x, T* outputs, T* preactivations, T* sums) noexcept {
    bool is_beyond = false;
    const std::size_t n = errors.n_columns;
    std::fill_n(sums, n, T(0));
    for (std::size_t row = 0; row < errors.n_rows; ++row) {
        T *error = errors[row], *a = error;
        is_beyond |= add_bias(a, bias, n, limit);
        units.activate(a, outputs, n);
        if (pulls_back) {
            for_vectors<T>(
                n, [&](std::size_t i, std::size_t m) { Vector<T>::load(a + i, m).store(preactivations + i, m); });
            a = preactivations;
        }
        term.errors(x[row], outputs, error, n);
        if (pulls_back) units.pull_back(a, outputs, error, n);
        add_row(sums, error, n);
    }
    return is_beyond;
}

// ε = (one + other) ⊙ φ′(a), and its sums.
template <class T>
void pull_back_hidden(const RowUnits<T>& units, Table<const T> one, Table<const T> other, Table<const T> a,
                      Table<const T> h, Table<T> errors, T* sums) noexcept {
    std::fill_n(sums, a.n_columns, T(0));
    for (std::size_t row = 0; row < a.n_rows; ++row) {
        set_sum(errors[row], one[row], other[row], a.n_columns);
        units.pull_back(a[row], h[row], errors[row], a.n_columns);
        add_row(sums, errors[row], a.n_columns);
    }
}

// λ ← (1 − ν)λ + ν·⟨h⟩, and by how much it moves.
template <class T>
HD_INLINE void move_offset(T* offset, T* move, Table<const T> sums, T stay, T follow) noexcept {
    using V = Vector<T>;
    for_vectors<T>(sums.n_columns, [&](std::size_t i, std::size_t m) {
        V sum(T(0));
        for (std::size_t part = 0; part < sums.n_rows; ++part) sum = sum + V::load(sums[part] + i, m);
        const V old = V::load(offset + i, m), moved = flushed(fma(V(follow), sum, V(stay) * old));
        (moved - old).store(move + i, m);
        moved.store(offset + i, m);
    });
}

// W ← keep·W − η·ΔW and c ← c − η·Δc + W(λ′ − λ); what decays below the normal numbers becomes 0.
template <class T>
void update(Table<T> weights, Table<const T> change, T keep, T eta, T* decoder_bias, const T* sums_of_errors,
            const T* move) noexcept {
    using V = Vector<T>;
    const bool decays = keep != T(1);
    for (std::size_t row = 0; row < weights.n_rows; ++row) {
        T* w = weights[row];
        V moved(T(0));
        for_vectors<T>(weights.n_columns, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
            V value = fma(V(-eta), V::load(change[row] + i, m), V(keep) * V::load(w + i, m));
            if (decays) value = flushed(value);
            value.store(w + i, m);
            moved = fma(value, V::load(move + i, m), moved);
        });
        decoder_bias[row] = decoder_bias[row] - eta * sums_of_errors[row] + sum(moved);
    }
}

}  // namespace hebbian_descent
