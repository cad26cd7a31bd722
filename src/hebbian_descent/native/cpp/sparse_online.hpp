// Online learning of one layer from patterns with few inputs that are not 0, at a cost that follows their number.
//
// Centering changes the weights of all inputs at every step, by −pμᵢ/σᵢ² where xᵢ = 0, and μᵢ fades by 1 − ν. Between
// two patterns in which an input is there, its σ stays and all else is common to all inputs:
//
//     Wᵢ = K(Vᵢ − mᵢC/σᵢ²),   μᵢ = Pmᵢ,   qᵢ = Qrᵢ   with   K ← kK,   C ← C + pP/K,   P ← (1 − ν)P,   Q ← (1 − ν)Q.
//
// V, m and r of an input are written when it is there. Before P, Q or K gets small a new block begins, with P = Q = K =
// 1 and C = 0; the ends of past blocks are kept, and an input catches up with them when it is there. After as many
// patterns as lie between two looks of the average all inputs are written, and past blocks are forgotten.
//
// The bias is that of raw inputs, β = b − Wμ, which does not change when μ moves. With G = Σμᵢ²/σᵢ² the sums over all
// inputs are ‖z‖² = G + Σ(x² − 2xμ)/σ² and d·μ = Σxμ/σ² − G, over inputs that are there.
#pragma once

#include <vector>

#include "presentations.hpp"
#include "spread.hpp"

namespace hebbian_descent {

inline constexpr double smallest_factor = 1e-2;

// Where a block stands. The ends of past blocks are rows of these numbers, then C.
struct BlockFactors {
    double offset, squares, weights;  // P, Q and K
};
inline constexpr std::size_t n_block_factors = 3;

// What is known of one input, side by side in the cache: m, r, 1/σ², and in which block it was written.
template <class T>
struct KnownInput {
    T mean, squares, precision, block;
};

template <class T>
struct SparseLayer {
    T* encoded;  // V, (n_inputs, n_outputs)
    KnownInput<T>* known;  // (n_inputs,)
    T *bias, *response, *common;  // β, Wμ and C, (n_outputs,)
    double* factors;  // P, Q, K, then G and the number of past blocks
    T* past;  // their ends, one row per pattern between two writings, (…, 3 + n_outputs)
    T *mean_weights, *mean_bias;  // averages of W and β, or null
    std::size_t n_inputs, n_outputs;
    bool decays;

    double& square_sum() const noexcept { return factors[n_block_factors]; }
    std::size_t n_past() const noexcept { return static_cast<std::size_t>(factors[n_block_factors + 1]); }
    void count_past(std::size_t n) const noexcept { factors[n_block_factors + 1] = static_cast<double>(n); }
    const T* end_of(std::size_t block) const noexcept { return past + block * (n_block_factors + n_outputs); }
    T* row(std::size_t input) const noexcept { return encoded + input * n_outputs; }
    T factor(std::size_t i) const noexcept { return static_cast<T>(factors[i]); }
};

// Patterns as rows of a compressed matrix, each input at most once.
template <class T>
struct SparseSamples {
    const T* values;
    const std::int32_t* columns;
    const std::int64_t* starts;  // (n + 1,)
    const T* targets;  // (n, n_outputs), or null where there are labels
    const std::int64_t* labels;  // (n,), which output unit is on
    const T* weights;  // (n,), of the samples
    const std::ptrdiff_t* order;
    std::size_t n;
};

// What the output units need.
template <class T>
class SparseRoom : RoomOfRows<T> {
    using RoomOfRows<T>::take, RoomOfRows<T>::lines_of;

  public:
    T *sums, *p, *targets, *a, *h, *row, *spare[n_spare_rows];

    explicit SparseRoom(std::size_t n_outputs) : RoomOfRows<T>((6 + n_spare_rows) * lines_of(n_outputs)) {
        for (T** row_of : {&sums, &p, &targets, &a, &h, &row}) *row_of = take(n_outputs);
        for (auto& each : spare) each = take(n_outputs);
    }
};

inline constexpr std::size_t ahead = 8;  // inputs whose weights are brought into the cache

// One input of the pattern at hand.
template <class T>
struct PresentInput {
    std::size_t input;
    T x, offset, squares, precision;
};

template <class T>
HD_INLINE void prefetch_input(const SparseLayer<T>& layer, std::size_t input) noexcept {
    prefetch(layer.known + input);
    for (std::size_t i = 0; i < layer.n_outputs; i += Vector<T>::lanes) prefetch(layer.row(input) + i);
}

// Nothing is left of μ and q that faded so far.
template <class T>
inline constexpr T faded = T(1e-20);

template <class T>
HD_NOINLINE void catch_up_blocks(const SparseLayer<T>& layer, std::size_t input, std::size_t n_past) noexcept {
    using V = Vector<T>;
    KnownInput<T>& known = layer.known[input];
    const T mean = std::fabs(known.mean), squares = known.squares;
    T* row = layer.row(input);
    for (auto block = static_cast<std::size_t>(known.block); block < n_past; ++block) {
        const T *end = layer.end_of(block), *common = end + n_block_factors;
        const V share(T(0) - known.mean * known.precision), kept(end[2]);
        for_vectors<T>(layer.n_outputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
            (kept * fma(share, V::load(common + i, m), V::load(row + i, m))).store(row + i, m);
        });
        known.mean *= end[0], known.squares *= end[1];
        if (!layer.decays && std::fabs(known.mean) <= faded<T> * mean && known.squares <= faded<T> * squares) {
            known.mean = known.squares = T(0);
            break;
        }
    }
    known.block = static_cast<T>(n_past);
}

template <class T>
HD_INLINE void catch_up(const SparseLayer<T>& layer, std::size_t input) noexcept {
    const std::size_t n_past = layer.n_past();
    if (static_cast<std::size_t>(layer.known[input].block) < n_past) catch_up_blocks(layer, input, n_past);
}

// weights = Wᵢ of an input that has caught up.
template <class T>
HD_INLINE void decode(const SparseLayer<T>& layer, std::size_t input, T* weights) noexcept {
    using V = Vector<T>;
    const KnownInput<T>& known = layer.known[input];
    const V kept(layer.factor(2)), share(known.mean * known.precision), zero(T(0));
    const T* row = layer.row(input);
    for_vectors<T>(layer.n_outputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        (kept * fma(zero - share, V::load(layer.common + i, m), V::load(row + i, m))).store(weights + i, m);
    });
}

template <class T>
HD_INLINE void encode(const SparseLayer<T>& layer, const PresentInput<T>& of, const T* weights) noexcept {
    using V = Vector<T>;
    const T mean = of.offset / layer.factor(0);
    layer.known[of.input] = {mean, of.squares / layer.factor(1), of.precision, static_cast<T>(layer.n_past())};
    const V grown(T(1) / layer.factor(2)), share(mean * of.precision);
    T* row = layer.row(of.input);
    for_vectors<T>(layer.n_outputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        fma(share, V::load(layer.common + i, m), grown * V::load(weights + i, m)).store(row + i, m);
    });
}

template <class T>
void begin_block(const SparseLayer<T>& layer) noexcept {
    std::fill_n(layer.factors, n_block_factors, 1.0);
    std::fill_n(layer.common, layer.n_outputs, T(0));
}

template <class T>
void close_block(const SparseLayer<T>& layer) noexcept {
    T* end = layer.past + layer.n_past() * (n_block_factors + layer.n_outputs);
    std::copy_n(layer.factors, n_block_factors, end);
    std::copy_n(layer.common, layer.n_outputs, end + n_block_factors);
    layer.count_past(layer.n_past() + 1);
    begin_block(layer);
}

// Write all inputs, sum up anew what runs along, and let the averages follow.
template <class T>
void write_all(const SparseLayer<T>& layer, T share, T* weights) noexcept {
    const T offset_factor = layer.factor(0), square_factor = layer.factor(1);
    double square_sum = 0;
    std::vector<double> response(layer.n_outputs, 0.0);
    for (std::size_t input = 0; input < layer.n_inputs; ++input) {
        catch_up(layer, input);
        decode(layer, input, weights);
        T* row = layer.row(input);
        KnownInput<T>& known = layer.known[input];
        const T offset = known.mean * offset_factor;
        for (std::size_t i = 0; i < layer.n_outputs; ++i) {
            row[i] = std::fabs(weights[i]) < std::numeric_limits<T>::min() ? T(0) : weights[i];
            response[i] += static_cast<double>(row[i]) * static_cast<double>(offset);
            if (share > 0) {
                T& mean = layer.mean_weights[input * layer.n_outputs + i];
                mean += share * (row[i] - mean);
            }
        }
        known.mean = offset, known.squares *= square_factor, known.block = T(0);
        square_sum += static_cast<double>(offset) * static_cast<double>(offset) * static_cast<double>(known.precision);
    }
    for (std::size_t i = 0; i < layer.n_outputs; ++i) {
        layer.response[i] = static_cast<T>(response[i]);
        if (share > 0) layer.mean_bias[i] += share * (layer.bias[i] - layer.mean_bias[i]);
    }
    layer.square_sum() = square_sum, layer.count_past(0);
    begin_block(layer);
}

// Show samples to a layer; return the place in the order that diverged, or −1. It is not learned, nor any after it.
template <class T>
std::ptrdiff_t learn_sparse(const UnitRow<T>& units, const StepSettings& step, const SparseLayer<T>& layer,
                            const SparseSamples<T>& samples, Progress& progress) {
    using V = Vector<T>;
    const std::size_t n_outputs = layer.n_outputs;
    const double keep = 1 - step.weight_decay;
    SparseRoom<T> room(n_outputs);
    std::vector<PresentInput<T>> present;
    std::vector<T> weights;

    for (std::size_t place = 0; place < samples.n; ++place) {
        const auto sample = static_cast<std::size_t>(samples.order[place]);
        const auto begin = static_cast<std::size_t>(samples.starts[sample]),
                   end = static_cast<std::size_t>(samples.starts[sample + 1]);
        const double weight = static_cast<double>(samples.weights[sample]), total = progress.weight + weight;
        const double shift = step.moves() ? step.shift_after(weight, total) : 0.0;
        const double scale_shift = step.scale_moves ? step.scale_shift_after(weight, total) : 0.0;
        const T floor = floor_of_spread<T>(scale_shift);

        // What the inputs that are there add to the sums over all of them.
        present.clear();
        if (weights.size() < (end - begin) * n_outputs) weights.resize((end - begin) * n_outputs);
        std::fill_n(room.sums, n_outputs, T(0));
        double square_sum = layer.square_sum(), squares = 0, along_offset = 0;
        for (std::size_t at = begin; at < end; ++at) {
            if (at + ahead < end) prefetch_input(layer, static_cast<std::size_t>(samples.columns[at + ahead]));
            const T x = samples.values[at];
            if (x == T(0)) continue;
            const auto input = static_cast<std::size_t>(samples.columns[at]);
            catch_up(layer, input);
            T* row = weights.data() + present.size() * n_outputs;
            decode(layer, input, row);
            for_vectors<T>(n_outputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
                fma(V(x), V::load(row + i, m), V::load(room.sums + i, m)).store(room.sums + i, m);
            });
            const KnownInput<T>& known = layer.known[input];
            const T offset = known.mean * layer.factor(0);
            PresentInput<T> of{input, x, offset, known.squares * layer.factor(1), known.precision};
            const double mu = static_cast<double>(offset), was = mu * mu * static_cast<double>(of.precision);
            if (scale_shift > 0) {
                of.squares = flushed(of.squares + static_cast<T>(scale_shift) * (x * x - of.squares));
                const T followed = offset + static_cast<T>(shift) * (x - offset);
                of.precision = precision_of(of.squares, followed, floor);
            }
            if (!std::isfinite(of.squares)) return static_cast<std::ptrdiff_t>(place);
            const double precision = static_cast<double>(of.precision), input_value = static_cast<double>(x);
            square_sum += mu * mu * precision - was;
            squares += input_value * (input_value - 2 * mu) * precision;
            along_offset += input_value * mu * precision;
            present.push_back(of);
        }
        squares = std::max(squares + square_sum, 0.0), along_offset -= square_sum;

        const T* targets = room.targets;
        if (samples.labels == nullptr) {
            targets = samples.targets + sample * n_outputs;
        } else {
            std::fill_n(room.targets, n_outputs, T(step.off));
            room.targets[samples.labels[sample]] = T(step.on);
        }
        const Stimulus<T> to{room.sums, layer.bias, targets, weight, squares, room.a, room.h, room.spare};
        if (!respond(units, step, to, n_outputs, room.p)) return static_cast<std::ptrdiff_t>(place);

        // What the step does to all inputs at once.
        double* const factors = layer.factors;
        const T along(along_offset), nu(shift), kept(keep), whole_square(squares);
        factors[2] *= keep;
        const T grown(factors[0] / factors[2]);
        for (std::size_t i = 0; i < n_outputs; ++i) {
            const T p = room.p[i], sum = room.sums[i] - layer.response[i];
            layer.bias[i] += (T(1) - kept) * layer.response[i] + (step.learns_from_output ? p : T(0)) - p * along;
            layer.response[i] = kept * layer.response[i] + p * along + nu * (kept * sum + p * whole_square);
            layer.common[i] += p * grown;
        }
        factors[0] *= 1 - shift, factors[1] *= 1 - scale_shift;
        if (*std::min_element(factors, factors + n_block_factors) < smallest_factor) close_block(layer);

        // What it does to those that are there.
        const double fading = (1 - shift) * (1 - shift);
        square_sum *= fading;
        for (std::size_t j = 0; j < present.size(); ++j) {
            PresentInput<T>& of = present[j];
            const T centered = of.x - of.offset;
            T* row = weights.data() + j * n_outputs;
            const V direction(centered * of.precision), keeps(kept);
            for_vectors<T>(n_outputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
                fma(direction, V::load(room.p + i, m), keeps * V::load(row + i, m)).store(row + i, m);
            });
            const double before = static_cast<double>(of.offset);
            of.offset = flushed(of.offset + nu * centered);
            const double after = static_cast<double>(of.offset);
            square_sum += (after * after - fading * before * before) * static_cast<double>(of.precision);
            encode(layer, of, row);
        }
        layer.square_sum() = std::max(square_sum, 0.0);
        progress.n_samples += 1, progress.weight = total;
        const double share = layer.mean_weights == nullptr ? 0.0 : step.averaging.share(progress.n_samples);
        if (share > 0 || std::fmod(progress.n_samples, step.averaging.spacing) == 0)
            write_all(layer, static_cast<T>(share), room.row);
    }
    return all_learned;
}

}  // namespace hebbian_descent
