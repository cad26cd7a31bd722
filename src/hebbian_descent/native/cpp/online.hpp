// Online learning of one layer, pattern after pattern, in place.
//
// One step is, with p = −η·post, k = 1 − ω and c = x − μ,
//
//     s = Wc,   W ← kW + pcᵀ,   b ← b + p,   μ ← μ + νc,   b ← b + νWc.
//
// A pass over the weights takes in the changes of the last few steps and sums the next few inputs. The sums of a later
// pattern of a pass lack what the earlier ones change: they become k·s + p⟨c, c'⟩. A moving offset needs no pass at
// all, since Wc = ks + p‖c‖² after the step.
#pragma once

#include <utility>
#include <vector>

#include "output_step.hpp"
#include "weight_pass.hpp"

namespace hebbian_descent {

inline constexpr std::ptrdiff_t all_learned = -1;

template <class T>
struct Samples {
    const T* inputs;             // (n, n_inputs)
    const T* targets;            // (n, n_outputs), or null where there are labels
    const std::int64_t* labels;  // (n,), which output unit is on
    const T* scales;  // (n,), factors of η
    const std::ptrdiff_t* order;
    std::size_t n;
};

template <class T>
struct LayerArrays {
    T* weights;  // (n_outputs, n_inputs)
    T* bias;
    T* offset;
    std::size_t n_outputs, n_inputs;
};

// Room for the steps of two passes and for the output units: rows of zeros, aligned and in whole vectors.
template <class T, std::size_t k>
class OnlineRoom {
    struct alignas(vector_bytes) Line {
        T numbers[Vector<T>::lanes];
    };
    std::vector<Line> lines_;
    std::size_t taken_ = 0;

    static std::size_t lines_of(std::size_t n) noexcept { return (n + Vector<T>::lanes - 1) / Vector<T>::lanes; }
    T* take(std::size_t n) noexcept {
        T* row = lines_[taken_].numbers;
        taken_ += lines_of(n);
        return row;
    }

  public:
    Steps<T, k> steps[2];
    T *offset, *sums[k], *targets, *a, *h;

    OnlineRoom(std::size_t n_inputs, std::size_t n_outputs)
        : lines_((2 * k + 1) * lines_of(n_inputs) + (3 * k + 3) * lines_of(n_outputs)) {
        for (auto& of_pass : steps)
            for (std::size_t j = 0; j < k; ++j) of_pass.centered[j] = take(n_inputs), of_pass.p[j] = take(n_outputs);
        offset = take(n_inputs);
        for (auto& row : sums) row = take(n_outputs);
        targets = take(n_outputs), a = take(n_outputs), h = take(n_outputs);
    }
};

// μ + νc; what fades below the normal numbers becomes 0.
template <class T>
HD_INLINE Vector<T> followed(Vector<T> offset, T shift, Vector<T> centered) noexcept {
    return flushed(fma(Vector<T>(shift), centered, offset));
}

// moved = μ after some steps.
template <class T, std::size_t k>
void move_offset(const T* mu, const Steps<T, k>& steps, const T (&shifts)[k], std::size_t n_steps, std::size_t n_inputs,
                 T* moved) noexcept {
    using V = Vector<T>;
    for_vectors<T>(n_inputs, [&](std::size_t i, std::size_t m) {
        V offset = V::load(mu + i, m);
        for (std::size_t j = 0; j < n_steps; ++j) offset = followed(offset, shifts[j], V::load(steps.centered[j] + i));
        offset.store(moved + i, m);
    });
}

// Center the next inputs, each as if the offset had followed those before it, and set moved = μ after all of them.
// products[i][j] = ⟨c_i, c_j⟩.
template <bool moves, class T, std::size_t k>
void center_and_move(const T* mu, Steps<T, k>& steps, const T (&shifts)[k], const T* const (&x)[k],
                     std::size_t n_inputs, T (&products)[k][k], T* moved) noexcept {
    using V = Vector<T>;
    V sums[k][k];
    for (auto& row : sums)
        for (auto& s : row) s = V(T(0));
    for_vectors<T>(n_inputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        V offset = V::load(mu + i, m), c[k];
        for (std::size_t j = 0; j < k; ++j) {
            c[j] = V::load(x[j] + i, m) - offset;
            c[j].store(steps.centered[j] + i);
            for (std::size_t l = 0; l <= j; ++l) sums[l][j] = fma(c[l], c[j], sums[l][j]);
            if (moves) offset = followed(offset, shifts[j], c[j]);
        }
        if (moves) offset.store(moved + i, m);
    });
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = l; j < k; ++j) products[l][j] = sum(sums[l][j]);
}

// b ← b + p where it learns, then b ← b + ν(ks + p‖c‖²).
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

// The later sums of a pass, s ← ks + p⟨c, c'⟩.
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

// Show samples to a layer, `k` per pass over its weights; return the place in the order that diverged, or −1.
//
// A sample whose step would leave the bounds is not learned, nor any after it. With k = 1 a sample has the same bits
// alone and among many.
template <class T, std::size_t k>
std::ptrdiff_t learn_online(const UnitRow<T>& units, const StepSettings& step, const LayerArrays<T>& layer,
                            const Samples<T>& samples, std::size_t n_seen) {
    const std::size_t n_inputs = layer.n_inputs, n_outputs = layer.n_outputs;
    const bool decays = step.weight_decay != 0, moves = step.moves();
    const T keep = T(1 - step.weight_decay);
    OnlineRoom<T, k> room(n_inputs, n_outputs);
    Steps<T, k>*last = &room.steps[0], *now = &room.steps[1];
    const T *x[k], *ahead[k];
    T products[k][k], shifts[k], *mu = layer.offset, *moved = room.offset;
    PassArguments<T, k> pass{layer.weights, n_outputs, n_inputs, T(1), last, now, room.sums, ahead};
    std::size_t n_pending = 0, start = 0;
    bool diverged = false;

    const auto input_at = [&](std::size_t place) {
        return samples.inputs + static_cast<std::size_t>(samples.order[std::min(place, samples.n - 1)]) * n_inputs;
    };
    while (start < samples.n && !diverged) {
        const std::size_t n_now = std::min(k, samples.n - start);
        for (std::size_t j = 0; j < k; ++j) {
            x[j] = input_at(start + j), ahead[j] = input_at(start + k + j);
            shifts[j] = moves && j < n_now ? T(step.shift_after(n_seen + start + j)) : T(0);
        }
        if (moves)
            center_and_move<true>(mu, *now, shifts, x, n_inputs, products, moved);
        else
            center_and_move<false>(mu, *now, shifts, x, n_inputs, products, moved);
        pass.learned = last, pass.summed = now;
        if (n_pending == 0)
            pass_over_weights<Pass::sum, false>(pass);
        else if (decays)
            pass_over_weights<Pass::learn_and_sum, true>(pass);
        else
            pass_over_weights<Pass::learn_and_sum, false>(pass);
        n_pending = 0, pass.kept = T(1);
        for (std::size_t j = 0; j < n_now && !diverged; ++j) {
            const std::size_t sample = static_cast<std::size_t>(samples.order[start + j]);
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
                                 static_cast<double>(products[j][j]),
                                 room.a,
                                 room.h};
            if (!respond(units, step, to, n_outputs, p)) {
                diverged = true;
                break;
            }
            learn_bias(layer.bias, n_outputs, step.learns_from_output, room.sums[j], p, shifts[j], keep,
                       products[j][j]);
            for (std::size_t later = j + 1; later < n_now; ++later)
                add_earlier(room.sums[later], n_outputs, p, keep, products[j][later]);
            if (decays)
                for (std::size_t earlier = 0; earlier < j; ++earlier) scale_row(now->p[earlier], n_outputs, keep);
            pass.kept *= keep, ++n_pending;
        }
        for (std::size_t j = n_pending; j < k; ++j) std::fill_n(now->p[j], n_outputs, T(0));
        if (diverged && moves) move_offset(mu, *now, shifts, n_pending, n_inputs, moved);
        if (moves) std::swap(mu, moved);
        start += n_pending;
        std::swap(last, now);
    }
    if (mu != layer.offset) std::copy_n(mu, n_inputs, layer.offset);
    if (n_pending > 0) {
        pass.learned = last;
        decays ? pass_over_weights<Pass::learn, true>(pass) : pass_over_weights<Pass::learn, false>(pass);
    }
    return diverged ? static_cast<std::ptrdiff_t>(start) : all_learned;
}

}  // namespace hebbian_descent
