// Online learning of one layer from patterns with few nonzero inputs, at a cost proportional to their number.
//
// See `sparse_layer.hpp` for how inputs that are 0 change. The bias is that of raw inputs, which does not change when μ
// moves. With G = Σμᵢ²/σᵢ² the sums over all inputs are ‖z‖² = G + Σ(x² − 2xμ)/σ² and d·μ = Σxμ/σ² − G, over nonzero
// inputs. For these, a step sets V ← V − sC + s'C' + dp/K. (Not (s' − s)C' + (d + sP)p/K: if one input is so large that
// p is, and σ grows, sPp would cancel and leave its rounding error.)
#pragma once

#include <limits>
#include <vector>

#include "presentations.hpp"
#include "sparse_layer.hpp"

namespace hebbian_descent {

// After as many samples as there are inputs, but no fewer, all inputs are written, so that rounding does not add up.
inline constexpr std::size_t least_between_writings = 1 << 12;

// Patterns as rows of a compressed matrix, each input at most once.
template <class T>
struct SparseSamples {
    const T* values;
    const std::int32_t* columns;
    const std::int64_t* starts;  // (n + 1,)
    const T* targets;  // (n, n_outputs), or null if there are labels
    const std::int64_t* labels;  // (n,), which output unit is on
    const T* weights;  // (n,), of the samples
    const std::ptrdiff_t* order;
    std::size_t n;

    std::size_t begin(std::size_t place) const noexcept { return static_cast<std::size_t>(starts[order[place]]); }
    std::size_t end(std::size_t place) const noexcept { return static_cast<std::size_t>(starts[order[place] + 1]); }
};

// What the output units need.
template <class T>
class SparseRoom : RoomOfRows<T> {
    using RoomOfRows<T>::take, RoomOfRows<T>::lines_of;

  public:
    T *sums, *p, *targets, *a, *h, *spare[n_spare_rows];

    explicit SparseRoom(std::size_t n_outputs) : RoomOfRows<T>((5 + n_spare_rows) * lines_of(n_outputs)) {
        for (T** row_of : {&sums, &p, &targets, &a, &h}) *row_of = take(n_outputs);
        for (auto& each : spare) each = take(n_outputs);
    }
};

// One input of the current pattern: μ before it, q and 1/σ² with it, and 1/σ² after it.
template <class T>
struct PresentInput {
    T* row;
    T x, offset, squares, precision, precision_after, share;
    T by_step, by_common;  // the factors of p, and of C after the step, in what is added to V
};

// Call f(i, N, last) for every four vectors of a row, and for the remaining ones: they begin at i and are N vectors, of
// which the last has `last` lanes that count. What is common to many rows then stays in registers.
template <class T, class F>
HD_INLINE void for_parts(std::size_t size, F f) noexcept {
    constexpr std::size_t lanes = Vector<T>::lanes;
    for (std::size_t i = 0; i < size; i += 4 * lanes) {
        const std::size_t n = std::min<std::size_t>(4, (size - i + lanes - 1) / lanes);
        const std::size_t last = std::min(lanes, size - i - (n - 1) * lanes);
        if (n == 1) f(i, std::integral_constant<std::size_t, 1>(), last);
        if (n == 2) f(i, std::integral_constant<std::size_t, 2>(), last);
        if (n == 3) f(i, std::integral_constant<std::size_t, 3>(), last);
        if (n == 4) f(i, std::integral_constant<std::size_t, 4>(), last);
    }
}

// Part of a row.
template <class T, std::size_t N>
struct RowPart {
    Vector<T> v[N];

    static HD_INLINE RowPart load(const T* row, std::size_t last) noexcept {
        RowPart part;
        for (std::size_t k = 0; k + 1 < N; ++k) part.v[k] = Vector<T>::load(row + k * Vector<T>::lanes);
        part.v[N - 1] = Vector<T>::load(row + (N - 1) * Vector<T>::lanes, last);
        return part;
    }
    HD_INLINE void store(T* row, std::size_t last) const noexcept {
        for (std::size_t k = 0; k + 1 < N; ++k) v[k].store(row + k * Vector<T>::lanes);
        store_in_line(v[N - 1], row + (N - 1) * Vector<T>::lanes, last);
    }
};

// Brings rows into the cache that are needed soon, including those of the next sample.
template <class T>
class Lookahead {
    static constexpr std::size_t ahead = 10;
    const SparseLayer<T>& layer_;
    const std::int32_t* columns_;
    std::size_t end_, next_ = 0, next_end_ = 0;

  public:
    Lookahead(const SparseLayer<T>& layer, const SparseSamples<T>& samples, std::size_t place) noexcept
        : layer_(layer), columns_(samples.columns), end_(samples.end(place)) {
        if (place + 1 < samples.n) next_ = samples.begin(place + 1), next_end_ = samples.end(place + 1);
    }
    HD_INLINE void after(std::size_t at) const noexcept {
        if (const T* row = row_after(at, 3 * ahead))
            for (std::size_t i = 0; i < layer_.n_places + layer_.n_known; i += Vector<T>::lanes) prefetch(row + i);
        if (!layer_.is_averaged()) return;
        // An average is needed if it must catch up, which is known once the row has arrived.
        if (T* row = row_after(at, ahead); row && layer_.known(row).block < static_cast<T>(layer_.totals->n_past))
            for (std::size_t i = 0; i < layer_.n_outputs; i += Vector<T>::lanes) prefetch(layer_.mean(row) + i);
    }

  private:
    HD_INLINE T* row_after(std::size_t at, std::size_t n) const noexcept {
        const std::size_t soon = at + n < end_ ? at + n : next_ + (at + n - end_);
        return at + n < end_ || soon < next_end_ ? layer_.row(static_cast<std::size_t>(columns_[soon])) : nullptr;
    }
};

// Show samples to a layer; return the position in the order that diverged, or −1. It is not learned, nor is any after.
template <class T>
std::ptrdiff_t learn_sparse(const UnitRow<T>& units, const StepSettings& step, const SparseLayer<T>& layer,
                            const SparseSamples<T>& samples, Progress& progress) {
    using V = Vector<T>;
    const std::size_t n_outputs = layer.n_outputs;
    const double keep = 1 - step.weight_decay;
    const std::uint64_t between_writings = std::max(layer.n_inputs, least_between_writings);
    SparseTotals& totals = *layer.totals;
    SparseRoom<T> room(n_outputs);
    std::vector<PresentInput<T>> present;

    for (std::size_t place = 0; place < samples.n; ++place) {
        const auto sample = static_cast<std::size_t>(samples.order[place]);
        const double weight = static_cast<double>(samples.weights[sample]), total = progress.weight + weight;
        const double shift = step.moves() ? step.shift_after(weight, total) : 0.0;
        const double scale_shift = step.scale_moves ? step.scale_shift_after(weight, total) : 0.0;
        const bool starts = step.starts_at(progress.n_samples);
        const T floor = floor_of_spread<T>(scale_shift), of_new = left_of_new<T>(starts);
        const Lookahead<T> lookahead(layer, samples, place);

        // What the nonzero inputs add to the sums over all of them.
        const BlockFactors before = totals.block;
        const T P(before.offset), Q(before.squares), K(before.weights), nu(shift), scale_nu(scale_shift);
        std::size_t n_present = 0;
        present.resize(samples.end(place) - samples.begin(place));
        T shares = 0, finest(totals.finest);
        double square_sum = totals.square_sum, squares = 0, along_offset = 0, length = 0;
        for (std::size_t at = samples.begin(place); at < samples.end(place); ++at) {
            lookahead.after(at);
            const T x = samples.values[at];
            if (x == T(0)) continue;
            PresentInput<T>& of = present[n_present++];
            of.x = x, of.row = layer.row(static_cast<std::size_t>(samples.columns[at]));
            catch_up(layer, of.row);
            const KnownInput<T>& known = layer.known(of.row);
            of.share = known.share(), shares += x * of.share;
            const T offset = of.offset = P * known.mean;
            T squares_of = Q * known.squares, precision_now = known.precision;
            const bool is_known = scale_shift == 0 || squares_of > of_new * (x * x);
            const double mu = static_cast<double>(offset), was = mu * mu * static_cast<double>(precision_now);
            if (scale_shift > 0) {
                squares_of = flushed(squares_of + scale_nu * (x * x - squares_of));
                precision_now = precision_of(squares_of, offset + nu * (x - offset), floor);
            }
            if (!std::isfinite(squares_of)) return static_cast<std::ptrdiff_t>(place);
            of.squares = squares_of, of.precision = precision_now;
            of.precision_after = is_known ? precision_now : T(0);
            finest = std::max(finest, precision_now);
            const double precision = static_cast<double>(precision_now), value = static_cast<double>(x);
            square_sum += mu * mu * precision - was;
            squares += value * (value - 2 * mu) * precision, length += value * value * precision;
            along_offset += value * mu * precision;
        }
        if (is_too_long(static_cast<T>(length))) return static_cast<std::ptrdiff_t>(place);
        present.resize(n_present);
        squares = std::max(squares + square_sum, 0.0), along_offset -= square_sum;
        // Rounding leaves errors of Wμ in the activities: if μ is long and ‖z‖² is not, they would grow at every step.
        const double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * square_sum;
        const double least = rounding < 1 ? 0.0 : rounding;
        const double extent = starts ? static_cast<double>(n_present) : std::max(squares, least);
        for_parts<T>(n_outputs, [&](std::size_t i, auto n, std::size_t last) HD_LAMBDA_INLINE {
            RowPart<T, n> sums{};
            for (const PresentInput<T>& of : present) {
                const auto row = RowPart<T, n>::load(of.row + i, last);
                for (std::size_t k = 0; k < n; ++k) sums.v[k] = fma(V(of.x), row.v[k], sums.v[k]);
            }
            sums.store(room.sums + i, last);
        });
        change_row(room.sums, K, T(0), room.sums, K * shares, layer.common, n_outputs);

        const T* targets = room.targets;
        if (samples.labels == nullptr) {
            targets = samples.targets + sample * n_outputs;
        } else {
            std::fill_n(room.targets, n_outputs, T(step.off));
            room.targets[samples.labels[sample]] = T(step.on);
        }
        const Stimulus<T> to{room.sums, layer.bias, targets, weight, extent, room.a, room.h, room.spare};
        if (!respond(units, step, to, n_outputs, room.p)) return static_cast<std::ptrdiff_t>(place);

        // What the step does to all inputs at once. C is KC in a block that ends.
        const BlockFactors after{before.offset * (1 - shift), before.squares * (1 - scale_shift),
                                 before.weights * keep};
        const double n_samples = progress.n_samples + 1;
        const double look = layer.is_averaged() ? step.averaging.share(n_samples) : 0.0;
        const bool is_time = static_cast<std::uint64_t>(n_samples) % between_writings == 0;
        const bool ends = look > 0 || is_time || after.smallest() < smallest_factor<T>;
        const T along(along_offset), kept(keep), whole_square(squares);
        const T* common_before = std::copy_n(layer.common, n_outputs, room.spare[0]) - n_outputs;
        const T stays(ends ? after.weights : 1.0), grown(ends ? before.offset : before.offset / after.weights);
        for (std::size_t i = 0; i < n_outputs; ++i) {
            const T p = room.p[i], sum = room.sums[i] - layer.response[i];
            layer.bias[i] += (T(1) - kept) * layer.response[i] + (step.learns_from_output ? p : T(0)) - p * along;
            layer.response[i] = kept * layer.response[i] + p * along + nu * (kept * sum + p * whole_square);
            layer.common[i] = stays * layer.common[i] + p * grown;
        }
        totals.block = after, totals.finest = static_cast<double>(finest);
        progress.n_samples = n_samples, progress.weight = total;

        // What it does to the nonzero ones, written for this block or, if it ends, for the next one.
        const BlockFactors written = ends ? BlockFactors{} : after;
        const T per_offset(1 / written.offset), per_square(1 / written.squares), per_weight(1 / written.weights);
        const T n_past(totals.n_past + ends), share(look), left(1 - look);
        const double fading = (1 - shift) * (1 - shift);
        square_sum *= fading;
        for (PresentInput<T>& of : present) {
            const T centered = of.x - of.offset, offset = flushed(of.offset + nu * centered);
            const KnownInput<T> known{per_offset * offset, per_square * of.squares, of.precision_after, n_past};
            const double mu = static_cast<double>(of.offset), mu_after = static_cast<double>(offset);
            square_sum += mu_after * mu_after * static_cast<double>(of.precision_after) -
                          fading * mu * mu * static_cast<double>(of.precision);
            of.by_step = per_weight * (centered * of.precision);
            of.by_common = ends ? T(0) : known.share();
            layer.known(of.row) = known;
        }
        for_parts<T>(n_outputs, [&](std::size_t i, auto n, std::size_t last) HD_LAMBDA_INLINE {
            const auto p = RowPart<T, n>::load(room.p + i, last), common = RowPart<T, n>::load(layer.common + i, last),
                       before = RowPart<T, n>::load(common_before + i, last);
            for (const PresentInput<T>& of : present) {
                auto row = RowPart<T, n>::load(of.row + i, last);
                for (std::size_t k = 0; k < n; ++k)
                    row.v[k] = fma(
                        V(of.by_step), p.v[k],
                        fma(V(of.by_common), common.v[k], V(stays) * fma(V(T(0) - of.share), before.v[k], row.v[k])));
                row.store(of.row + i, last);
            }
        });
        if (look > 0) {
            for (const PresentInput<T>& of : present)
                change_row(layer.mean(of.row), left, share, of.row, T(0), of.row, n_outputs);
            for (std::size_t i = 0; i < n_outputs; ++i)
                layer.mean_bias[i] = std::fma(share, layer.bias[i], left * layer.mean_bias[i]);
        }
        totals.square_sum = std::max(square_sum, 0.0);
        if (ends) close_block(layer, look);
        if (is_time || layer.n_past() == layer.most_past) write_all(layer);
    }
    return all_learned;
}

}  // namespace hebbian_descent
