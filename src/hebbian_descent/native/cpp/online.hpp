// Online learning of one layer, pattern by pattern, in place.
//
// One step is, with p = −η·post, k = 1 − ω, c = x − μ and d = c/σ²,
//
//     s = Wc,   W ← kW + pdᵀ,   b ← b + p,   μ ← μ + νc,   b ← b + νWc.
//
// A pass over the weights applies the changes of the last few steps and sums the next few inputs. The sums of a later
// pattern in a pass lack the changes of the earlier ones: they become k·s + p⟨d, c'⟩. A moving offset needs no pass at
// all, since Wc = ks + p⟨d, c⟩ after the step; nor does a moving scale, since weights are those of raw inputs.
#pragma once

#include <utility>
#include <vector>

#include "presentations.hpp"
#include "spread.hpp"
#include "weight_pass.hpp"

namespace hebbian_descent {

template <class T>
struct Samples {
    const T* inputs;             // (n, n_inputs)
    const T* targets;            // (n, n_outputs), or null if there are labels
    const std::int64_t* labels;  // (n,), which output unit is on
    const T* scales;             // (n,), weights of the samples
    const std::ptrdiff_t* order;
    std::size_t n;
};

// What is known of the inputs. Squares and precisions are null if inputs are not scaled.
template <class T>
struct Moments {
    T* offset;      // μ
    T* squares;     // the running mean of x²
    T* precisions;  // 1/σ²
};

template <class T>
struct LayerArrays {
    T* weights;  // (n_outputs, n_inputs)
    T* bias;
    Moments<T> inputs;
    T *mean_weights, *mean_bias;  // averages of W and b − Wμ, or null
    std::size_t n_outputs, n_inputs;
};

// The steps of two passes and what the output units need.
template <class T, std::size_t k>
class OnlineRoom : RoomOfRows<T> {
    using RoomOfRows<T>::take, RoomOfRows<T>::lines_of;

  public:
    Steps<T, k> steps[2];
    Moments<T> moved;
    T *sums[k], *targets, *a, *h, *spare[n_spare_rows];

    OnlineRoom(std::size_t n_inputs, std::size_t n_outputs, bool scales)
        : RoomOfRows<T>((scales ? 4 * k + 3 : 2 * k + 1) * lines_of(n_inputs) +
                        (3 * k + 3 + n_spare_rows) * lines_of(n_outputs)) {
        for (auto& of_pass : steps)
            for (std::size_t j = 0; j < k; ++j) {
                of_pass.centered[j] = take(n_inputs), of_pass.p[j] = take(n_outputs);
                of_pass.directions[j] = scales ? take(n_inputs) : of_pass.centered[j];
            }
        moved.offset = take(n_inputs);
        moved.squares = scales ? take(n_inputs) : nullptr, moved.precisions = scales ? take(n_inputs) : nullptr;
        for (auto& row : sums) row = take(n_outputs);
        for (auto& row : spare) row = take(n_outputs);
        targets = take(n_outputs), a = take(n_outputs), h = take(n_outputs);
    }
};

// By how much the running means follow each pattern of a pass; 0 leaves them unchanged.
template <class T, std::size_t k>
struct Shifts {
    T offset[k], squares[k], floors[k], left_of_new[k];
};

// m + νδ; subnormal numbers become 0.
template <class T>
HD_INLINE Vector<T> followed(Vector<T> mean, T shift, Vector<T> difference) noexcept {
    return flushed(fma(Vector<T>(shift), difference, mean));
}

// Center and scale the next inputs, each as if μ and σ had followed those before it, and set `moved` to what is known
// after all of them. σ follows before the step, and only where an input is not 0; after the step, an input that was new
// has none. products[i][j] = ⟨d_i, c_j⟩; the last one of a pattern is NaN if one of its squares is infinite, or if
// inputs are not scaled and it is too long.
template <bool follows, bool scales, class T, std::size_t k>
void center_and_move(const Moments<T>& known, Steps<T, k>& steps, const Shifts<T, k>& shifts, const T* const (&x)[k],
                     std::size_t n_inputs, T (&products)[k][k], const Moments<T>& moved) noexcept {
    using V = Vector<T>;
    V sums[k][k], lengths[k];
    for (auto& length : lengths) length = V(T(0));
    for (auto& row : sums)
        for (auto& s : row) s = V(T(0));
    for_vectors<T>(n_inputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        V offset = V::load(known.offset + i, m), squares, precisions, d[k];
        if (scales) squares = V::load(known.squares + i, m), precisions = V::load(known.precisions + i, m);
        for (std::size_t j = 0; j < k; ++j) {
            const V input = V::load(x[j] + i, m), c = input - offset;
            c.store(steps.centered[j] + i);
            d[j] = c;
            if (!scales) lengths[j] = fma(input, input, lengths[j]);
            if (follows) offset = followed(offset, shifts.offset[j], c);
            if (scales) {
                if (follows && shifts.squares[j] > 0) {
                    const V square = input * input;
                    const auto is_there = abs(input) > V(T(0)), is_known = squares > V(shifts.left_of_new[j]) * square;
                    squares = followed(squares, shifts.squares[j], square - squares);
                    const V found = precision_of(squares, offset, shifts.floors[j]);
                    d[j] = c * choose(is_there, found, precisions);
                    precisions = choose(is_there, choose(is_known, found, V(T(0))), precisions);
                } else {
                    d[j] = c * precisions;
                }
                d[j].store(steps.directions[j] + i);
            }
            for (std::size_t l = 0; l <= j; ++l) sums[l][j] = fma(d[l], c, sums[l][j]);
            if (follows && scales) sums[j][j] = fma(V(T(0)), squares, sums[j][j]);
        }
        if (follows) offset.store(moved.offset + i, m);
        if (follows && scales) squares.store(moved.squares + i, m), precisions.store(moved.precisions + i, m);
    });
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = l; j < k; ++j) products[l][j] = sum(sums[l][j]);
    for (std::size_t j = 0; !scales && j < k; ++j)
        if (is_too_long(sum(lengths[j]))) products[j][j] = std::numeric_limits<T>::quiet_NaN();
}

// b ← b + p where it learns, then b ← b + ν(ks + p⟨d, c⟩).
template <class T>
void learn_bias(T* b, std::size_t n, bool learns, const T* s, const T* p, T nu, T keep, T squares) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) {
        const V change = V::load(p + i), weighted = fma(change, V(squares), V(keep) * V::load(s + i));
        V bias = V::load(b + i, m);
        if (learns) bias = bias + change;
        fma(V(nu), weighted, bias).store(b + i, m);
    });
}

// The later sums of a pass, s ← ks + p⟨d, c'⟩.
template <class T>
void add_earlier(T* s, std::size_t n, const T* p, T keep, T product) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(
        n, [&](std::size_t i, std::size_t) { fma(V::load(p + i), V(product), V(keep) * V::load(s + i)).store(s + i); });
}

template <class T>
void scale_row(T* row, std::size_t n, T factor) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(n, [&](std::size_t i, std::size_t) { (V(factor) * V::load(row + i)).store(row + i); });
}

template <class T>
double number_there(const T* x, std::size_t n) noexcept {
    return static_cast<double>(std::count_if(x, x + n, [](T value) { return value != T(0); }));
}

// Σw(x − μ), or Σwx without an offset.
template <class T>
T weighted_sum(const T* weights, const T* x, const T* offset, std::size_t n) noexcept {
    using V = Vector<T>;
    V total(T(0));
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        V input = V::load(x + i, m);
        if (offset != nullptr) input = input - V::load(offset + i, m);
        total = fma(V::load(weights + i, m), input, total);
    });
    return sum(total);
}

// Let the averages of W and b − Wμ follow those of the layer.
template <class T>
void average_layer(const LayerArrays<T>& layer, const T* offset, T share) noexcept {
    using V = Vector<T>;
    for (std::size_t row = 0; row < layer.n_outputs; ++row) {
        const T* weights = layer.weights + row * layer.n_inputs;
        T* means = layer.mean_weights + row * layer.n_inputs;
        V moved(T(0));
        for_vectors<T>(layer.n_inputs, [&](std::size_t i, std::size_t m) {
            const V w = V::load(weights + i, m), mean = V::load(means + i, m);
            followed(mean, share, w - mean).store(means + i, m);
            moved = fma(w, V::load(offset + i, m), moved);
        });
        T& mean = layer.mean_bias[row];
        mean += share * (layer.bias[row] - sum(moved) - mean);
    }
}

// Show samples to a layer, `k` per pass over its weights; return the position in the order that diverged, or −1.
//
// A sample whose step would exceed the bounds is not learned, nor is any after it. With k = 1 a sample has the same
// bits alone and among many.
template <class T, std::size_t k>
std::ptrdiff_t learn_online(const UnitRow<T>& units, const StepSettings& step, const LayerArrays<T>& layer,
                            const Samples<T>& samples, Progress& progress) {
    const std::size_t n_inputs = layer.n_inputs, n_outputs = layer.n_outputs;
    const bool decays = step.weight_decay != 0, scales = layer.inputs.squares != nullptr;
    const bool moves = step.moves(), follows = moves || (scales && step.scale_moves);
    const T keep = T(1 - step.weight_decay);
    OnlineRoom<T, k> room(n_inputs, n_outputs, scales);
    Steps<T, k>*last = &room.steps[0], *now = &room.steps[1];
    const T *x[k], *ahead[k];
    T products[k][k];
    Shifts<T, k> shifts;
    Moments<T> known = layer.inputs, moved = room.moved;
    PassArguments<T, k> pass{layer.weights, n_outputs, n_inputs, T(1), last, now, room.sums, ahead};
    std::size_t n_pending = 0, start = 0;
    bool diverged = false;

    const auto input_at = [&](std::size_t place) {
        return samples.inputs + static_cast<std::size_t>(samples.order[std::min(place, samples.n - 1)]) * n_inputs;
    };
    const auto center = [&] {
        const auto by = [&](auto following, auto scaling) {
            center_and_move<decltype(following)::value, decltype(scaling)::value>(known, *now, shifts, x, n_inputs,
                                                                                  products, moved);
        };
        const auto dispatch = [&](auto following) {
            scales ? by(following, std::true_type{}) : by(following, std::false_type{});
        };
        follows ? dispatch(std::true_type{}) : dispatch(std::false_type{});
    };
    const auto average = [&] {
        if (layer.mean_weights == nullptr || n_pending == 0) return;
        if (const double share = step.averaging.share(progress.n_samples); share > 0)
            average_layer(layer, known.offset, T(share));
    };
    while (start < samples.n && !diverged) {
        // A pass ends where the layer is looked at for its average.
        const bool looks = layer.mean_weights != nullptr && step.averaging.share(progress.n_samples + 1) > 0;
        const std::size_t n_now = looks ? 1 : std::min(k, samples.n - start);
        double weight = progress.weight;
        for (std::size_t j = 0; j < k; ++j) {
            const bool is_there = j < n_now;
            x[j] = input_at(start + (is_there ? j : 0)), ahead[j] = input_at(start + n_now + j);
            const double scale = is_there ? static_cast<double>(samples.scales[samples.order[start + j]]) : 0.0;
            weight += scale;
            shifts.offset[j] = is_there && moves ? T(step.shift_after(scale, weight)) : T(0);
            const double scale_shift = is_there && step.scale_moves ? step.scale_shift_after(scale, weight) : 0.0;
            shifts.squares[j] = T(scale_shift), shifts.floors[j] = floor_of_spread<T>(scale_shift);
            shifts.left_of_new[j] = left_of_new<T>(step.starts_at(progress.n_samples + static_cast<double>(j)));
        }
        center();
        pass.learned = last, pass.summed = now;
        if (n_pending == 0)
            pass_over_weights<Pass::sum, false>(pass);
        else if (decays)
            pass_over_weights<Pass::learn_and_sum, true>(pass);
        else
            pass_over_weights<Pass::learn_and_sum, false>(pass);
        average();
        n_pending = 0, pass.kept = T(1);
        for (std::size_t j = 0; j < n_now && !diverged; ++j) {
            const std::size_t sample = static_cast<std::size_t>(samples.order[start + j]);
            const bool starts = scales && step.starts_at(progress.n_samples);
            T* p = now->p[j];
            const T* targets = room.targets;
            if (samples.labels == nullptr) {
                targets = samples.targets + sample * n_outputs;
            } else {
                std::fill_n(room.targets, n_outputs, T(step.off));
                room.targets[samples.labels[sample]] = T(step.on);
            }
            const Stimulus<T> to{room.sums[j],
                                 layer.bias,
                                 targets,
                                 static_cast<double>(samples.scales[sample]),
                                 starts ? number_there(x[j], n_inputs) : static_cast<double>(products[j][j]),
                                 room.a,
                                 room.h,
                                 room.spare};
            if (!respond(units, step, to, n_outputs, p)) {
                diverged = true;
                break;
            }
            learn_bias(layer.bias, n_outputs, step.learns_from_output, room.sums[j], p, shifts.offset[j], keep,
                       products[j][j]);
            for (std::size_t later = j + 1; later < n_now; ++later)
                add_earlier(room.sums[later], n_outputs, p, keep, products[j][later]);
            if (decays)
                for (std::size_t earlier = 0; earlier < j; ++earlier) scale_row(now->p[earlier], n_outputs, keep);
            pass.kept *= keep, ++n_pending;
            progress.weight += static_cast<double>(samples.scales[sample]), progress.n_samples += 1;
        }
        for (std::size_t j = n_pending; j < k; ++j) std::fill_n(now->p[j], n_outputs, T(0));
        if (diverged && n_pending > 0) {
            // Follow the patterns that were learned: the first one again in place of the others, with shift 0. A
            // pattern with NaN must not stay either: 0 times NaN is NaN.
            for (std::size_t j = n_pending; j < k; ++j) x[j] = x[0], shifts.offset[j] = shifts.squares[j] = T(0);
            center();
        }
        if (follows && n_pending > 0) std::swap(known, moved);
        start += n_pending;
        std::swap(last, now);
    }
    if (n_pending > 0) {
        pass.learned = last;
        decays ? pass_over_weights<Pass::learn, true>(pass) : pass_over_weights<Pass::learn, false>(pass);
        average();
    }
    if (known.offset != layer.inputs.offset) {
        std::copy_n(known.offset, n_inputs, layer.inputs.offset);
        if (scales) {
            std::copy_n(known.squares, n_inputs, layer.inputs.squares);
            std::copy_n(known.precisions, n_inputs, layer.inputs.precisions);
        }
    }
    return diverged ? static_cast<std::ptrdiff_t>(start) : all_learned;
}

}  // namespace hebbian_descent
