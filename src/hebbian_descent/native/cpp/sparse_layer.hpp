// A layer of many inputs, few of which are nonzero in a pattern: only their rows are written, the others later.
//
// Centering changes the weights of all inputs at every step, by −pμᵢ/σᵢ² where xᵢ = 0, and μᵢ fades by 1 − ν. Between
// two patterns in which an input is nonzero, its σ stays and everything else is common to all inputs:
//
//     Wᵢ = K(Vᵢ − sᵢC),   sᵢ = mᵢ/σᵢ²,   μᵢ = Pmᵢ,   qᵢ = Qrᵢ
//     with   K ← kK,   C ← C + pP/K,   P ← (1 − ν)P,   Q ← (1 − ν)Q.
//
// V, m and r of an input are written when it is nonzero. A block ends before P, Q or K gets small, and with every look
// of the average; the next one begins with P = Q = K = 1 and C = 0. What happened to an input that was written in a
// past block is also linear: all that must be kept of that block is how its inputs got from there to the present one,
//
//     W = KV − sS,   W̄ ← AW̄ + BV − sD,   m ← Pm,   r ← Qr,
//
// and an input catches up when it is nonzero. When there is no room for more blocks, all inputs catch up.
#pragma once

#include <algorithm>
#include <cmath>

#include "spread.hpp"

namespace hebbian_descent {

// V is larger than W by at most 1/P, which costs precision; in return blocks are long.
template <class T>
inline constexpr double smallest_factor = sizeof(T) == 8 ? 1e-4 : 1e-2;

// Nothing remains of μ and q that have faded this far. Rounding is no criterion: the rest of μ counts by 1/σ².
template <class T>
inline constexpr T faded = T(1e-20);

// What is common to all inputs within a block: P, Q and K.
struct BlockFactors {
    double offset = 1, squares = 1, weights = 1;

    double smallest() const noexcept { return std::min({offset, squares, weights}); }
};

// Totals that are updated along with the rows of a layer.
struct SparseTotals {
    BlockFactors block;
    double square_sum;  // G = Σμᵢ²/σᵢ² over all inputs
    double n_past;  // blocks
    double n_used;  // places of output units that were ever written, which Python maintains
    double finest;  // the largest 1/σ² so far
};
inline constexpr std::size_t n_sparse_totals = sizeof(SparseTotals) / sizeof(double);

// What has happened to the inputs of a past block since it began: P, Q, K, A and B; S and D follow.
template <class T>
struct PastFactors {
    T offset, squares, weights, mean, mean_of_weights;
};

// What is known of an input: m, r and 1/σ², and the number of blocks passed when it was last written.
template <class T>
struct KnownInput {
    T mean, squares, precision, block;

    T share() const noexcept { return mean * precision; }
};

template <class T>
struct SparseLayer {
    static constexpr std::size_t n_known = sizeof(KnownInput<T>) / sizeof(T);
    static constexpr std::size_t n_factors = sizeof(PastFactors<T>) / sizeof(T);

    T* rows;  // one per input, of whole cache lines: V and what is known of it; then W̄
    T *bias, *response, *common;  // β = b − Wμ, the bias of raw inputs; Wμ; C
    T* mean_bias;  // the average of β, or null
    T* past;  // one row per past block
    SparseTotals* totals;
    std::size_t n_inputs, n_outputs, most_past;
    std::size_t n_places;  // for output units, in each row: there may be spare ones

    static std::size_t in_lines(std::size_t n) noexcept {
        return (n + Vector<T>::lanes - 1) / Vector<T>::lanes * Vector<T>::lanes;
    }
    static std::size_t row_length(std::size_t n_places, bool is_averaged) noexcept {
        return in_lines(n_places + n_known) + (is_averaged ? in_lines(n_places) : 0);
    }
    static std::size_t past_length(std::size_t n_places) noexcept { return n_factors + 2 * n_places; }
    bool is_averaged() const noexcept { return mean_bias != nullptr; }
    std::size_t row_length() const noexcept { return row_length(n_places, is_averaged()); }
    T* row(std::size_t input) const noexcept { return rows + input * row_length(); }
    KnownInput<T>& known(T* row) const noexcept { return *reinterpret_cast<KnownInput<T>*>(row + n_places); }
    T* mean(T* row) const noexcept { return row + in_lines(n_places + n_known); }

    std::size_t n_past() const noexcept { return static_cast<std::size_t>(totals->n_past); }
    T* past_row(std::size_t block) const noexcept { return past + block * past_length(n_places); }
    PastFactors<T>& factors_of(std::size_t block) const noexcept {
        return *reinterpret_cast<PastFactors<T>*>(past_row(block));
    }
    T* changes_of(std::size_t block) const noexcept { return past_row(block) + n_factors; }
    T* mean_changes_of(std::size_t block) const noexcept { return changes_of(block) + n_places; }
};

// Store the first n lanes where there is room for all. After a masked store, a line could not be read again soon: what
// is known of an input lies in the last line of its weights.
template <class T>
HD_INLINE void store_in_line(Vector<T> v, T* row, std::size_t n) noexcept {
    (n == Vector<T>::lanes ? v : choose_first(n, v, Vector<T>::load(row))).store(row);
}

// row ← a·row + b·other − s·change, for a row of whole cache lines
template <class T>
HD_INLINE void change_row(T* row, T a, T b, const T* other, T s, const T* change, std::size_t n) noexcept {
    using V = Vector<T>;
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        const V kept = fma(V(b), V::load(other + i, m), V(a) * V::load(row + i, m));
        store_in_line(fma(V(T(0) - s), V::load(change + i, m), kept), row + i, m);
    });
}

template <class T>
HD_NOINLINE void catch_up_from(const SparseLayer<T>& layer, std::size_t block, T* row) noexcept {
    KnownInput<T>& known = layer.known(row);
    const PastFactors<T>& since = layer.factors_of(block);
    const std::size_t n = layer.n_outputs;
    const T share = known.share();
    if (since.mean != 1)
        change_row(layer.mean(row), since.mean, since.mean_of_weights, row, share, layer.mean_changes_of(block), n);
    change_row(row, since.weights, T(0), row, share, layer.changes_of(block), n);
    known.mean = flushed(known.mean * since.offset), known.squares = flushed(known.squares * since.squares);
    known.block = static_cast<T>(layer.totals->n_past);
}

template <class T>
HD_INLINE void catch_up(const SparseLayer<T>& layer, T* row) noexcept {
    if (const auto block = static_cast<std::size_t>(layer.known(row).block); block < layer.n_past())
        catch_up_from(layer, block, row);
}

// Take the inputs of one more past block through the present one, and through a look at its end; C is then KC.
template <class T>
void pass_on(const SparseLayer<T>& layer, std::size_t block, T share) noexcept {
    PastFactors<T>& since = layer.factors_of(block);
    T *changes = layer.changes_of(block), *mean_changes = layer.mean_changes_of(block);
    const auto [offset, squares, weights] = layer.totals->block;
    const T kept(weights), left = T(1) - share;
    for (std::size_t i = 0; i < layer.n_outputs; ++i) {
        changes[i] = kept * changes[i] + since.offset * layer.common[i];
        mean_changes[i] = left * mean_changes[i] + share * changes[i];
    }
    since.weights *= kept;
    since.mean *= left, since.mean_of_weights = left * since.mean_of_weights + share * since.weights;
    since.offset *= static_cast<T>(offset), since.squares *= static_cast<T>(squares);
    if (since.offset <= faded<T>) since.offset = 0;
    if (since.squares <= faded<T>) since.squares = 0;
}

// End the block, with a look that counts by a share, or none. C is KC by now, which also holds where K is 0.
template <class T>
void close_block(const SparseLayer<T>& layer, double share) noexcept {
    SparseTotals& totals = *layer.totals;
    const std::size_t n_past = layer.n_past();
    std::fill_n(layer.changes_of(n_past), 2 * layer.n_places, T(0));
    layer.factors_of(n_past) = {1, 1, 1, 1, 0};
    const bool changes_all = share > 0 || totals.block.weights != 1;
    for (std::size_t block = n_past + 1; block-- > 0;) {
        const PastFactors<T>& since = layer.factors_of(block);
        if (!changes_all && since.offset == 0 && since.squares == 0) break;  // and so have all before it
        pass_on(layer, block, static_cast<T>(share));
    }
    std::fill_n(layer.common, layer.n_outputs, T(0));
    totals.block = {}, totals.n_past += 1;
}

// Let all inputs catch up at the end of a block, forget past blocks, and recompute the totals.
template <class T>
void write_all(const SparseLayer<T>& layer) {
    const std::size_t n = layer.n_outputs;
    double square_sum = 0;
    std::vector<double> response(n, 0.0);
    for (std::size_t input = 0; input < layer.n_inputs; ++input) {
        T* row = layer.row(input);
        catch_up(layer, row);
        KnownInput<T>& known = layer.known(row);
        known.block = 0;
        const double mu = static_cast<double>(known.mean);
        square_sum += mu * mu * static_cast<double>(known.precision);
        for (std::size_t i = 0; i < n; ++i) row[i] = flushed(row[i]), response[i] += static_cast<double>(row[i]) * mu;
    }
    for (std::size_t i = 0; i < n; ++i) layer.response[i] = static_cast<T>(response[i]);
    layer.totals->block = {}, layer.totals->square_sum = square_sum, layer.totals->n_past = 0;
}

// The current row of an input: W, μ, q and 1/σ², and the average of W. The layer stays as it is.
template <class T>
void copy_row(const SparseLayer<T>& layer, std::size_t input, T* out) noexcept {
    std::copy_n(layer.row(input), layer.row_length(), out);
    catch_up(layer, out);
    KnownInput<T>& known = layer.known(out);
    const auto [offset, squares, weights] = layer.totals->block;
    const T kept(weights);
    change_row(out, kept, T(0), out, kept * known.share(), layer.common, layer.n_outputs);
    known.mean *= static_cast<T>(offset), known.squares *= static_cast<T>(squares);
}

// out ← β + xW, or the same of the averages, for a pattern of n inputs; `room` is that of a row.
template <class T>
void respond_to_raw(const SparseLayer<T>& layer, const T* values, const std::int32_t* columns, std::size_t n,
                    bool by_average, T* room, T* out) noexcept {
    using V = Vector<T>;
    std::copy_n(by_average ? layer.mean_bias : layer.bias, layer.n_outputs, out);
    for (std::size_t at = 0; at < n; ++at) {
        copy_row(layer, static_cast<std::size_t>(columns[at]), room);
        const T* weights = by_average ? layer.mean(room) : room;
        for_vectors<T>(layer.n_outputs, [&](std::size_t i, std::size_t m) {
            fma(V(values[at]), V::load(weights + i, m), V::load(out + i, m)).store(out + i, m);
        });
    }
}

}  // namespace hebbian_descent
