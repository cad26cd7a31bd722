// Auto-encoders with tied weights: one run, which learns batch by batch.
//
//     a = (x − μ)W + b,  h = φ(a),  z = ψ((h − λ)Wᵀ + c),  ΔW = Eᵀ(h − λ) + (x − μ)ᵀε
//
// The inputs, and with them the rows of W, are split into two parts. All that one part needs of the other is its share
// of the hidden units' activity, so each part can have a thread; one thread takes the parts in turn, with the same
// bits. Inputs, outputs and their errors are transposed, one row per input: the products W(h − λ)ᵀ and E(h − λ) then
// process W row by row. The plain twin is the reference engine.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <numeric>

#include "aligned.hpp"
#include "error_term.hpp"
#include "product.hpp"
#include "spin_barrier.hpp"
#include "tied_inputs.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

inline constexpr std::size_t n_parts = 2;
inline constexpr std::int64_t never = -1;

enum class TiedForm { decoder, encoder_and_decoder, imprint };

template <class T>
struct TiedRule {
    std::shared_ptr<const UnitRow<T>> hidden, output;
    ErrorTerm term;
    TiedForm form;
    bool pulls_back;
    double learning_rate, weight_decay, hidden_shift;
    T limit;  // of preactivations; beyond it, learning has diverged
};

// Rows of zeros, an odd number of vectors long: the same vector of many rows then lies in many cache sets.
template <class T>
struct Table {
    std::size_t stride;
    AlignedVector<T> numbers;

    Table(std::size_t n_rows, std::size_t n_columns)
        : stride(((n_columns + Vector<T>::lanes - 1) / Vector<T>::lanes | 1) * Vector<T>::lanes),
          numbers(n_rows * stride) {}
    operator Rows<T>() noexcept { return {numbers.data(), stride}; }
    operator Rows<const T>() const noexcept { return {numbers.data(), stride}; }
    T* operator[](std::size_t row) noexcept { return numbers.data() + row * stride; }
    Rows<T> from(std::size_t row, std::size_t column = 0) noexcept { return Rows<T>(*this).from(row, column); }
};

// out = one + other + start; return whether a number is beyond the limit or NaN.
template <class T>
HD_INLINE bool add_rows(const T* one, const T* other, const T* start, T* out, std::size_t n, T limit) noexcept {
    using V = Vector<T>;
    bool is_beyond = false;
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        const V total = V::load(one + i, m) + V::load(other + i, m) + V::load(start + i, m);
        total.store(out + i, m);
        is_beyond |= any(not_within(abs(total), V(limit)));
    });
    return is_beyond;
}

// sums ← sums + scale·row.
template <class T>
HD_INLINE void add_row(T* sums, const T* row, std::size_t n, T scale = T(1)) noexcept {
    using V = Vector<T>;
    for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
        fma(V(scale), V::load(row + i, m), V::load(sums + i, m)).store(sums + i, m);
    });
}

// The hidden units for a batch, which both parts share; each computes a share of the activity, or of the errors.
template <class T>
struct HiddenUnits {
    std::size_t n_hidden;
    std::array<Table<T>, n_parts> shares;
    Table<T> a, h, centered, errors, turned, sums, sums_of_errors;  // h − λ, also transposed; ε; Σh and Σε of each part

    HiddenUnits(std::size_t n, std::size_t n_hidden)
        : n_hidden(n_hidden),
          shares{Table<T>(n, n_hidden), Table<T>(n, n_hidden)},
          a(n, n_hidden),
          h(n, n_hidden),
          centered(n, n_hidden),
          errors(n, n_hidden),
          turned(n_hidden, n),
          sums(n_parts, n_hidden),
          sums_of_errors(n_parts, n_hidden) {}
};

// One part of the inputs. It also activates the hidden units for the same part of each batch.
template <class T>
class TiedPart {
    using V = Vector<T>;

  public:
    TiedPart(std::size_t number, const TiedRule<T>& rule, std::unique_ptr<const TiedInputs<T>> inputs,
             HiddenUnits<T>& units, Rows<const T> weights, const T* offset, const T* decoder_bias, const T* bias,
             const T* hidden_offset, std::size_t longest)
        : number_(number),
          rule_(rule),
          inputs_(std::move(inputs)),
          units_(units),
          n_inputs_(inputs_->n_inputs()),
          weights_(n_inputs_, units.n_hidden),
          offset_(offset, offset + n_inputs_),
          decoder_bias_(decoder_bias, decoder_bias + n_inputs_),
          bias_(bias, bias + units.n_hidden),
          hidden_offset_(hidden_offset, hidden_offset + units.n_hidden),
          move_(units.n_hidden),
          x_(n_inputs_, longest),
          errors_(n_inputs_, longest),
          pre_(rule.form == TiedForm::decoder ? 0 : n_inputs_, longest),
          by_pattern_(longest, n_inputs_),
          z_(longest),
          a_(longest),
          sums_(n_inputs_) {
        for (std::size_t j = 0; j < n_inputs_; ++j) std::copy_n(weights[j], units.n_hidden, weights_[j]);
    }

    bool hidden_is_beyond = false, output_is_beyond = false;

    // Load patterns and compute their share of the hidden units' activity.
    void encode(const std::int64_t* patterns, std::size_t n) noexcept {
        inputs_->multiply(patterns, n, weights_, offset_.data(), by_pattern_, units_.shares[number_], weights_.stride);
        inputs_->fill(patterns, n, x_);
    }
    void prefetch(const std::int64_t* patterns, std::size_t n) const noexcept { inputs_->prefetch(patterns, n); }
    void multiply(const TiedInputs<T>& inputs, const std::int64_t* patterns, std::size_t n, Rows<T> share) const {
        Table<T> room(n, n_inputs_);
        inputs.multiply(patterns, n, weights_, offset_.data(), room, share, weights_.stride);
    }

    // a, h, h − λ and Σh.
    void activate(std::size_t n) noexcept {
        const std::size_t first = begin(n), last = end(n), n_hidden = units_.n_hidden;
        hidden_is_beyond = false;
        std::fill_n(units_.sums[number_], n_hidden, T(0));
        for (std::size_t row = first; row < last; ++row) {
            hidden_is_beyond |= activate(units_.shares[0][row], units_.shares[1][row], units_.a[row], units_.h[row]);
            center(units_.h[row], units_.centered[row]);
            add_row(units_.sums[number_], units_.h[row], n_hidden);
        }
        transpose<T>(units_.centered.from(first), last - first, n_hidden, units_.turned.from(0, first));
    }
    bool activate(const T* one, const T* other, T* a, T* h) const noexcept {
        const bool is_beyond = add_rows(one, other, bias_.data(), a, units_.n_hidden, rule_.limit);
        rule_.hidden->activate(a, h, units_.n_hidden);
        return is_beyond;
    }

    // h − λ.
    void center(const T* h, T* centered) const noexcept {
        for_vectors<T>(units_.n_hidden, [&](std::size_t i, std::size_t m) {
            (V::load(h + i, m) - V::load(&hidden_offset_[i], m)).store(centered + i, m);
        });
    }
    // z, one row per pattern.
    void reconstruct(const HiddenUnits<T>& units, std::size_t n, Rows<T> z) const {
        Table<T> turned(n_inputs_, n), outputs(n_inputs_, n);
        decode(units, n, turned);
        for (std::size_t j = 0; j < n_inputs_; ++j) rule_.output->activate(turned[j], outputs[j], n);
        transpose<T>(outputs, n_inputs_, n, z);
    }

    // E(x, z), pulled back if requested, and ΣE; and, if hidden units use it, E passed back through the old weights.
    void find_errors(std::size_t n) noexcept {
        output_is_beyond = false;
        n < V::lanes / 2 ? decode_few(units_, n, errors_) : decode(units_, n, errors_);
        for (std::size_t j = 0; j < n_inputs_; ++j) {
            T *error = errors_[j], *a = error;
            for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
                output_is_beyond |= any(not_within(abs(V::load(a + i, m)), V(rule_.limit)));
            });
            rule_.output->activate(a, z_.data(), n);
            if (rule_.pulls_back) a = std::copy_n(a, n, a_.data()) - n;
            rule_.term.errors(x_[j], z_.data(), error, n);
            if (rule_.pulls_back) rule_.output->pull_back(a, z_.data(), error, n);
            V total(T(0));
            for_vectors<T>(n, [&](std::size_t i, std::size_t m) { total = total + V::load(error + i, m); });
            sums_[j] = sum(total);
        }
        if (rule_.form != TiedForm::encoder_and_decoder) return;
        const Rows<T> share = units_.shares[number_];
        transpose<T>(errors_, n_inputs_, n, by_pattern_);
        for (std::size_t i = 0; i < n; ++i) std::fill_n(share[i], weights_.stride, T(0));
        add_product<T>(share, share, T(1), by_pattern_, weights_, n, n_inputs_, weights_.stride);
    }

    // The errors of hidden units ε, and Σε.
    void pull_back(std::size_t n) noexcept {
        const std::size_t n_hidden = units_.n_hidden;
        std::fill_n(units_.sums_of_errors[number_], n_hidden, T(0));
        for (std::size_t row = begin(n); row < end(n); ++row) {
            T* error = units_.errors[row];
            std::copy_n(units_.shares[0][row], n_hidden, error);
            add_row(error, units_.shares[1][row], n_hidden);
            rule_.hidden->pull_back(units_.a[row], units_.h[row], error, n_hidden);
            add_row(units_.sums_of_errors[number_], error, n_hidden);
        }
    }

    // W, c, and this part's copies of b and λ.
    void update(std::size_t n) noexcept {
        const auto eta = static_cast<T>(rule_.learning_rate / static_cast<double>(n));
        const auto keep = static_cast<T>(1 - rule_.weight_decay);
        for (std::size_t j = 0; j < n_inputs_ && rule_.form != TiedForm::decoder; ++j)
            for (std::size_t i = 0; i < n; ++i) pre_[j][i] = x_[j][i] - offset_[j];
        if (rule_.form == TiedForm::imprint) {  // activities are imprinted, without an error
            learn(keep, eta, pre_, units_.centered, n);
        } else {
            learn(keep, -eta, errors_, units_.centered, n);
            add_row(decoder_bias_.data(), sums_.data(), n_inputs_, -eta);
        }
        if (rule_.form == TiedForm::encoder_and_decoder) {
            learn(T(1), -eta, pre_, units_.errors, n);
            for (std::size_t part = 0; part < n_parts; ++part)
                add_row(bias_.data(), units_.sums_of_errors[part], units_.n_hidden, -eta);
        }
        if (rule_.weight_decay > 0) flush();
        if (rule_.hidden_shift > 0) move_offset(n);
    }

    void write(Rows<T> weights, T* decoder_bias, T* bias, T* hidden_offset) const noexcept {
        for (std::size_t j = 0; j < n_inputs_; ++j)
            std::copy_n(Rows<const T>(weights_)[j], units_.n_hidden, weights[j]);
        std::copy(decoder_bias_.begin(), decoder_bias_.end(), decoder_bias);
        std::copy(bias_.begin(), bias_.end(), bias);
        std::copy(hidden_offset_.begin(), hidden_offset_.end(), hidden_offset);
    }
    std::size_t n_inputs() const noexcept { return n_inputs_; }

  private:
    std::size_t begin(std::size_t n) const noexcept { return number_ * n / n_parts; }
    std::size_t end(std::size_t n) const noexcept { return (number_ + 1) * n / n_parts; }

    // out = W(h − λ)ᵀ + c; a pattern has the same bits whatever its neighbours.
    void decode(const HiddenUnits<T>& units, std::size_t n, Rows<T> out) const noexcept {
        const std::size_t n_columns = (n + V::lanes - 1) / V::lanes * V::lanes;
        for (std::size_t j = 0; j < n_inputs_; ++j) std::fill_n(out[j], n_columns, decoder_bias_[j]);
        add_product<T>(out, out, T(1), weights_, units.turned, n_inputs_, units.n_hidden, n_columns);
    }
    // The same for so few patterns that a vector of them would be mostly empty.
    void decode_few(const HiddenUnits<T>& units, std::size_t n, Rows<T> out) const noexcept {
        const Rows<const T> weights = weights_, centered = units.centered;
        for (std::size_t j = 0; j < n_inputs_; ++j)
            for (std::size_t i = 0; i < n; ++i) {
                V total(T(0));
                for (std::size_t k = 0; k < units.n_hidden; k += V::lanes)
                    total = fma(V::load(weights[j] + k), V::load(centered[i] + k), total);
                out[j][i] = decoder_bias_[j] + sum(total);
            }
    }
    void learn(T keep, T scale, Rows<const T> pre, Rows<const T> post, std::size_t n) noexcept {
        learn_product<T>(weights_, keep, scale, pre, post, n_inputs_, n, weights_.stride);
    }
    // Weights that have become subnormal are set to 0.
    void flush() noexcept {
        for (std::size_t i = 0; i < weights_.numbers.size(); i += V::lanes)
            flushed(V::load(&weights_.numbers[i])).store(&weights_.numbers[i]);
    }
    // λ′ = (1 − ν)λ + ν·⟨h⟩ and c ← c + W(λ′ − λ).
    void move_offset(std::size_t n) noexcept {
        const V stay(static_cast<T>(1 - rule_.hidden_shift));
        const V follow(static_cast<T>(rule_.hidden_shift / static_cast<double>(n)));
        const std::size_t n_hidden = units_.n_hidden;
        for_vectors<T>(n_hidden, [&](std::size_t i, std::size_t m) {
            V total(T(0));
            for (std::size_t part = 0; part < n_parts; ++part) total = total + V::load(units_.sums[part] + i, m);
            const V old = V::load(&hidden_offset_[i], m), moved = flushed(fma(follow, total, stay * old));
            (moved - old).store(&move_[i], m);
            moved.store(&hidden_offset_[i], m);
        });
        for (std::size_t j = 0; j < n_inputs_; ++j) {
            V moved(T(0));
            for_vectors<T>(n_hidden, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
                moved = fma(V::load(weights_[j] + i, m), V::load(&move_[i], m), moved);
            });
            decoder_bias_[j] += sum(moved);
        }
    }

    std::size_t number_;
    const TiedRule<T>& rule_;
    std::unique_ptr<const TiedInputs<T>> inputs_;
    HiddenUnits<T>& units_;
    std::size_t n_inputs_;
    Table<T> weights_;
    AlignedVector<T> offset_, decoder_bias_, bias_, hidden_offset_, move_;
    Table<T> x_, errors_, pre_, by_pattern_;
    AlignedVector<T> z_, a_, sums_;
};

template <class T>
class TiedRun {
  public:
    // `longest` is the largest number of patterns in a batch.
    TiedRun(const TiedRule<T>& rule, std::array<std::unique_ptr<const TiedInputs<T>>, n_parts> inputs,
            Rows<const T> weights, const T* offset, const T* decoder_bias, const T* bias, const T* hidden_offset,
            std::size_t n_hidden, std::size_t longest)
        : rule_(rule), units_(longest, n_hidden) {
        std::size_t first = 0;
        for (std::size_t number = 0; number < n_parts; ++number) {
            const std::size_t n_inputs = inputs[number]->n_inputs();
            parts_[number] =
                std::make_unique<TiedPart<T>>(number, rule_, std::move(inputs[number]), units_, weights.from(first),
                                              offset + first, decoder_bias + first, bias, hidden_offset, longest);
            first += n_inputs;
        }
    }

    // Do some of the parts of some batches, of which the first has this number; the others must be done by another
    // thread. Return the step that diverged, or never.
    std::int64_t learn(std::size_t first_part, std::size_t last_part, const std::int64_t* patterns,
                       const std::int64_t* bounds, std::size_t n_batches, std::int64_t number) noexcept {
        const auto each = [&](auto f) {
            for (std::size_t part = first_part; part < last_part; ++part) f(*parts_[part]);
        };
        const bool alone = last_part - first_part == n_parts;
        const auto meet = [&] { return alone ? !stopped_ : barrier_.wait(); };
        for (std::size_t batch = 0; batch < n_batches; ++batch, ++number) {
            const std::int64_t* rows = patterns + bounds[batch];
            const auto n = static_cast<std::size_t>(bounds[batch + 1] - bounds[batch]);
            each([&](TiedPart<T>& part) {
                part.encode(rows, n);
                if (batch + 1 < n_batches)
                    part.prefetch(rows + n, static_cast<std::size_t>(bounds[batch + 2] - bounds[batch + 1]));
            });
            if (!meet()) return never;
            if (output_is_beyond()) return number - 1;  // in the step before
            each([&](TiedPart<T>& part) { part.activate(n); });
            if (!meet()) return never;
            if (parts_[0]->hidden_is_beyond || parts_[1]->hidden_is_beyond) return number;
            each([&](TiedPart<T>& part) { part.find_errors(n); });
            if (rule_.form == TiedForm::encoder_and_decoder) {
                if (!meet()) return never;
                each([&](TiedPart<T>& part) { part.pull_back(n); });
                if (!meet()) return never;
            }
            each([&](TiedPart<T>& part) { part.update(n); });
        }
        return never;
    }

    // Release threads that wait for a part that will never come.
    void stop() noexcept {
        stopped_ = true;
        barrier_.abort();
    }
    bool is_stopped() const noexcept { return stopped_; }
    // Whether an output was beyond the limit in the last step.
    bool output_is_beyond() const noexcept { return parts_[0]->output_is_beyond || parts_[1]->output_is_beyond; }

    // The hidden units and the reconstruction of some patterns, few enough at a time to stay in the cache.
    void respond(Rows<const T> x, std::size_t n, Rows<T> h, Rows<T> z) const {
        HiddenUnits<T> units(std::min(n, patterns_at_once), units_.n_hidden);
        for (std::size_t first = 0; first < n; first += patterns_at_once)
            respond(units, x.from(first), std::min(patterns_at_once, n - first), h.from(first), z.from(first));
    }

    void write(Rows<T> weights, T* decoder_bias, T* bias, T* hidden_offset) const noexcept {
        for_parts([&](const TiedPart<T>& part, std::size_t, std::size_t first) {
            part.write(weights.from(first), decoder_bias + first, bias, hidden_offset);
        });
    }

  private:
    void respond(HiddenUnits<T>& units, Rows<const T> x, std::size_t n, Rows<T> h, Rows<T> z) const {
        std::array<std::int64_t, patterns_at_once> all;
        std::iota(all.begin(), all.end(), 0);
        for_parts([&](const TiedPart<T>& part, std::size_t number, std::size_t first) {
            part.multiply(WholeInputs<T>(x.from(0, first), part.n_inputs()), all.data(), n, units.shares[number]);
        });
        for (std::size_t i = 0; i < n; ++i) {
            parts_[0]->activate(units.shares[0][i], units.shares[1][i], units.a[i], h[i]);
            parts_[0]->center(h[i], units.centered[i]);
        }
        transpose<T>(units.centered, n, units.n_hidden, units.turned);
        for_parts([&](const TiedPart<T>& part, std::size_t, std::size_t first) {
            part.reconstruct(units, n, z.from(0, first));
        });
    }
    // Call f(part, its number, its first input).
    template <class F>
    void for_parts(F f) const {
        std::size_t first = 0;
        for (std::size_t number = 0; number < n_parts; first += parts_[number++]->n_inputs())
            f(*parts_[number], number, first);
    }

    TiedRule<T> rule_;
    HiddenUnits<T> units_;
    std::array<std::unique_ptr<TiedPart<T>>, n_parts> parts_;
    SpinBarrier barrier_{static_cast<std::int64_t>(n_parts)};
    std::atomic<bool> stopped_ = false;
};

}  // namespace hebbian_descent
