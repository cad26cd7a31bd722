// Online learning of one layer, pattern after pattern, in place.
//
// One step is, with p = −η·post, k = 1 − ω and c = x − μ,
//
//     s = Wc,   W ← kW + pcᵀ,   b ← b + p,   μ ← μ + νc,   b ← b + νWc.
//
// A pass over the weights takes in the changes of the last few steps and sums the next few inputs, so that each weight
// is read and written once per pass. The sums of a later pattern of a pass lack what the earlier ones change,
// k·s + p⟨c, c'⟩, which is added. A moving offset needs no pass at all, since Wc = ks + p‖c‖² after the step.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "unit_rows.hpp"

namespace hebbian_descent {

inline constexpr std::ptrdiff_t all_learned = -1;

struct StepSettings {
    bool learns_from_output;  // false for Hebb's rule: post = −t, and the bias stays
    bool pulls_back;
    double learning_rate;  // η, or κ where η is automatic
    double largest_slope;  // L of an automatic η = κ/(L(‖c‖² + 1)), or 0 where η is fixed
    bool slope_is_output;  // L grows with outputs and targets, as that of exponential units does
    double weight_decay;
    double shift;         // ν, or 0 for an offset that stays
    bool starts_as_mean;  // a moving offset is the running mean until 1/n falls below ν
    ErrorTerm error;

    bool moves() const noexcept { return shift > 0 || starts_as_mean; }
    double shift_after(std::size_t n_before) const noexcept {
        return starts_as_mean ? std::max(shift, 1.0 / (static_cast<double>(n_before) + 1.0)) : shift;
    }
};

template <class T>
struct Samples {
    const T* inputs;   // (n, n_inputs)
    const T* targets;  // (n, n_outputs)
    const T* scales;   // (n,), factors of η
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

template <class T>
T largest_activity() noexcept {
    return std::sqrt(std::numeric_limits<T>::max());
}

// What depends on the activation: how the output units answer a pattern.
template <class T>
class Output {
  public:
    explicit Output(std::size_t n) : a_(n), h_(n), post_(n) {}
    virtual ~Output() = default;
    // Set p = −η·post for sums s and let the bias learn; return whether all numbers are within bounds.
    virtual bool respond(const StepSettings& step, const T* s, T* b, const T* t, T scale, T squares, T* p) noexcept = 0;

  protected:
    std::vector<T> a_, h_, post_;
};

template <class T, class Unit>
class OutputOf final : public Output<T> {
    using V = Vector<T>;
    using Output<T>::a_;
    using Output<T>::h_;
    using Output<T>::post_;
    Unit unit_;

  public:
    OutputOf(Unit unit, std::size_t n) : Output<T>(n), unit_(unit) {}

    bool respond(const StepSettings& step, const T* s, T* b, const T* t, T scale, T squares, T* p) noexcept override {
        const std::size_t n = a_.size();
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            (V::load(s + i, m) + V::load(b + i, m)).store(&a_[i], m);
        });
        activate(unit_, a_.data(), h_.data(), n);
        if (step.learns_from_output) {
            step.error.errors(t, h_.data(), post_.data(), n);
            if (step.pulls_back) pull_back(unit_, a_.data(), h_.data(), post_.data(), n);
        } else {
            for (std::size_t i = 0; i < n; ++i) post_[i] = -t[i];
        }
        const V minus_eta(T(-rate(step, t, static_cast<double>(squares)) * static_cast<double>(scale)));
        const V limit(largest_activity<T>());
        bool beyond = false;
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            const V change = minus_eta * V::load(&post_[i], m);
            beyond |= any(not_within(abs(V::load(&a_[i], m)), limit)) || any(not_within(abs(change), limit));
            change.store(p + i, m);
        });
        if (beyond) return false;
        if (step.learns_from_output)
            for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
                (V::load(b + i, m) + V::load(p + i, m)).store(b + i, m);
            });
        return true;
    }

  private:
    double rate(const StepSettings& step, const T* t, double squares) const noexcept {
        if (step.largest_slope == 0) return step.learning_rate;
        double slope = step.largest_slope;
        if (step.slope_is_output)
            for (std::size_t i = 0; i < h_.size(); ++i)
                slope = std::max({slope, static_cast<double>(h_[i]), std::fabs(static_cast<double>(t[i]))});
        return step.learning_rate / (slope * (squares + 1.0));
    }
};

// W ← kept·W + Σ p·beforeᵀ for some rows of W, and sums = W·now, `k` steps each.
template <class T, std::size_t k, std::size_t rows, bool decays>
HD_INLINE void pass_over_rows(T* W, std::size_t n_inputs, T kept, const T* const (&p)[k], const T* const (&before)[k],
                              const T* const (&now)[k], T* const (&sums)[k], std::size_t first) noexcept {
    using V = Vector<T>;
    V totals[rows][k];
    for (auto& of_row : totals)
        for (auto& total : of_row) total = V(T(0));
    const V keep(kept), tiny(std::numeric_limits<T>::min()), zero(T(0));
    for_vectors<T>(n_inputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        V learned[k], summed[k];
        for (std::size_t j = 0; j < k; ++j) learned[j] = V::load(before[j] + i), summed[j] = V::load(now[j] + i);
        for (std::size_t row = 0; row < rows; ++row) {
            T* w_row = W + (first + row) * n_inputs + i;
            V w = m == V::lanes ? V::load(w_row) : V::load(w_row, m);
            if (decays) w = keep * w;
            for (std::size_t j = 0; j < k; ++j) w = fma(V(p[j][first + row]), learned[j], w);
            if (decays) w = choose(abs(w) < tiny, zero, w);
            if (m == V::lanes)
                w.store(w_row);
            else
                w.store(w_row, m);
            for (std::size_t j = 0; j < k; ++j) totals[row][j] = fma(w, summed[j], totals[row][j]);
        }
    });
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t j = 0; j < k; ++j) sums[j][first + row] = sum(totals[row][j]);
}

template <class T, std::size_t k, bool decays>
void pass_over_weights(const LayerArrays<T>& layer, T kept, const T* const (&p)[k], const T* const (&before)[k],
                       const T* const (&now)[k], T* const (&sums)[k]) noexcept {
    constexpr std::size_t rows = Vector<T>::n_registers == 1 ? 4 : (k == 1 ? 4 : 1);
    std::size_t row = 0;
    for (; row + rows <= layer.n_outputs; row += rows)
        pass_over_rows<T, k, rows, decays>(layer.weights, layer.n_inputs, kept, p, before, now, sums, row);
    for (; row < layer.n_outputs; ++row)
        pass_over_rows<T, k, 1, decays>(layer.weights, layer.n_inputs, kept, p, before, now, sums, row);
}

// The steps of one pass: centered inputs, changes and rates of their offset.
template <class T, std::size_t k>
class Block {
    std::vector<T> rows_, units_;

  public:
    T* centered[k];
    T* p[k];
    T shift[k];

    Block(std::size_t n_inputs, std::size_t n_outputs) {
        const std::size_t lanes = Vector<T>::lanes, padded = (n_inputs + lanes - 1) / lanes * lanes;
        rows_.assign(k * padded, T(0));
        units_.assign(k * n_outputs, T(0));
        for (std::size_t j = 0; j < k; ++j) {
            centered[j] = rows_.data() + j * padded;
            p[j] = units_.data() + j * n_outputs;
            shift[j] = T(0);
        }
    }
    void forget(std::size_t from, std::size_t n_outputs) noexcept {
        for (std::size_t j = from; j < k; ++j) {
            std::fill(p[j], p[j] + n_outputs, T(0));
            shift[j] = T(0);
        }
    }
};

// μ ← μ + Σ ν·before, then center the next inputs, each as if the offset had followed those before it.
// products[i][j] = ⟨c_i, c_j⟩.
template <class T, std::size_t k>
void move_and_center(T* mu, const Block<T, k>& before, Block<T, k>& now, const T* const (&x)[k], std::size_t n_inputs,
                     T (&products)[k][k]) noexcept {
    using V = Vector<T>;
    const V tiny(std::numeric_limits<T>::min()), zero(T(0));
    V sums[k][k];
    for (auto& row : sums)
        for (auto& s : row) s = zero;
    for_vectors<T>(n_inputs, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
        V offset = V::load(mu + i, m);
        for (std::size_t j = 0; j < k; ++j) {
            offset = fma(V(before.shift[j]), V::load(before.centered[j] + i), offset);
            offset = choose(abs(offset) < tiny, zero, offset);
        }
        offset.store(mu + i, m);
        V c[k];
        for (std::size_t j = 0; j < k; ++j) {
            c[j] = V::load(x[j] + i, m) - offset;
            c[j].store(now.centered[j] + i);
            for (std::size_t l = 0; l <= j; ++l) sums[l][j] = fma(c[l], c[j], sums[l][j]);
            offset = fma(V(now.shift[j]), c[j], offset);
            offset = choose(abs(offset) < tiny, zero, offset);
        }
    });
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = l; j < k; ++j) products[l][j] = sum(sums[l][j]);
}

// Show samples to a layer, `k` per pass over its weights; return the place in the order that diverged, or −1.
//
// A sample that gives an activity or a change beyond the square root of the largest number is not learned, nor any
// after it. With k = 1 a sample has the same bits alone and among many.
template <class T, std::size_t k>
std::ptrdiff_t learn_online(Output<T>& output, const StepSettings& step, const LayerArrays<T>& layer,
                            const Samples<T>& samples, std::size_t n_seen) {
    const std::size_t n_inputs = layer.n_inputs, n_outputs = layer.n_outputs;
    const T keep = T(1 - step.weight_decay);
    Block<T, k> first(n_inputs, n_outputs), second(n_inputs, n_outputs);
    Block<T, k>*before = &first, *now = &second;
    std::vector<T> room(k * n_outputs);
    T* sums[k];
    for (std::size_t j = 0; j < k; ++j) sums[j] = room.data() + j * n_outputs;
    T kept = T(1), products[k][k];
    std::ptrdiff_t diverged_at = all_learned;

    const auto pass = [&] {
        const T *p[k], *learned[k], *summed[k];
        for (std::size_t j = 0; j < k; ++j) p[j] = before->p[j], learned[j] = before->centered[j], summed[j] = now->centered[j];
        if (step.weight_decay == 0)
            pass_over_weights<T, k, false>(layer, kept, p, learned, summed, sums);
        else
            pass_over_weights<T, k, true>(layer, kept, p, learned, summed, sums);
    };

    for (std::size_t start = 0; start < samples.n && diverged_at == all_learned; start += k) {
        const std::size_t n_now = std::min(k, samples.n - start);
        const T* x[k];
        for (std::size_t j = 0; j < k; ++j) {
            x[j] = samples.inputs + static_cast<std::size_t>(samples.order[start + std::min(j, n_now - 1)]) * n_inputs;
            now->shift[j] = j < n_now && step.moves() ? T(step.shift_after(n_seen + start + j)) : T(0);
        }
        move_and_center(layer.offset, *before, *now, x, n_inputs, products);
        pass();
        kept = T(1);
        for (std::size_t j = 0; j < n_now; ++j) {
            const std::size_t sample = static_cast<std::size_t>(samples.order[start + j]);
            const T* t = samples.targets + sample * n_outputs;
            if (!output.respond(step, sums[j], layer.bias, t, samples.scales[sample], products[j][j], now->p[j])) {
                diverged_at = static_cast<std::ptrdiff_t>(start + j);
                now->forget(j, n_outputs);
                break;
            }
            const T *s = sums[j], *p = now->p[j];
            for (std::size_t unit = 0; unit < n_outputs; ++unit)
                layer.bias[unit] += now->shift[j] * (keep * s[unit] + p[unit] * products[j][j]);
            for (std::size_t later = j + 1; later < n_now; ++later)
                for (std::size_t unit = 0; unit < n_outputs; ++unit)
                    sums[later][unit] = keep * sums[later][unit] + p[unit] * products[j][later];
            if (step.weight_decay != 0)
                for (std::size_t earlier = 0; earlier < j; ++earlier)
                    for (std::size_t unit = 0; unit < n_outputs; ++unit) now->p[earlier][unit] *= keep;
            kept *= keep;
        }
        if (diverged_at == all_learned) now->forget(n_now, n_outputs);
        std::swap(before, now);
    }
    // The last steps are still to be taken in; the sums of this pass are not needed.
    pass();
    const T* last[k];
    now->forget(0, n_outputs);
    for (std::size_t j = 0; j < k; ++j) last[j] = samples.inputs;
    if (samples.n > 0) move_and_center(layer.offset, *before, *now, last, n_inputs, products);
    return diverged_at;
}

}  // namespace hebbian_descent
