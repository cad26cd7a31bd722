// How output units respond to one pattern: p = −η·post.
//
// The loops over patterns are compiled once for all units, which they know by their virtual function alone.
#pragma once

#include <algorithm>
#include <memory>

#include "error_term.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

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

// What the units see of a pattern. Sums, and room for a and h, are aligned and filled up to whole vectors.
template <class T>
struct Stimulus {
    const T* sums;
    const T* bias;
    const T* targets;
    double scale;    // a factor of η
    double squares;  // ‖c‖²
    T *a, *h;
};

template <class T>
class OutputUnits {
  public:
    virtual ~OutputUnits() = default;

    // Set p; return whether activities stay within bounds, before and after the step.
    //
    // A step adds p(‖c‖² + 1) to them, and no more to any weight. The step of an error of 1 must be in bounds, too: a
    // moving offset also follows a pattern without error, and later ones must stay learnable.
    virtual bool respond(const StepSettings& step, const Stimulus<T>& to, std::size_t n, T* p) const noexcept = 0;
};

template <class T, class Unit>
class OutputUnitsOf final : public OutputUnits<T> {
    using V = Vector<T>;
    static constexpr bool coupled = std::is_same_v<Unit, Softmax>;
    Unit unit_;

  public:
    explicit OutputUnitsOf(Unit unit) noexcept : unit_(unit) {}

    bool respond(const StepSettings& step, const Stimulus<T>& to, std::size_t n, T* p) const noexcept override {
        T expected_error = 0;  // Σ E·h, which only the pull-back of coupled units needs
        if constexpr (coupled) {
            for_vectors<T>(n, [&](std::size_t i, std::size_t m) { activity(to, i, m).store(to.a + i); });
            activate(unit_, to.a, to.h, n);
            if (step.pulls_back) expected_error = sum_of_errors(step, to, n);
        }
        const T limit = std::sqrt(std::numeric_limits<T>::max());
        const T reach = static_cast<T>(limit / (to.squares + 1.0));
        const T minus_eta = static_cast<T>(-rate(step, to, n) * to.scale);
        bool beyond = !(reach > 0 && std::fabs(minus_eta) <= reach);
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            const V a = activity(to, i, m), h = output(to, i, a), t = V::load(to.targets + i, m);
            V change = V(minus_eta) * postsynaptic(step, a, h, t, V(expected_error));
            if (m < V::lanes) change = choose_first(m, change, V(T(0)));
            beyond |= any(not_within(abs(a), V(limit))) || any(not_within(abs(change), V(reach)));
            change.store(p + i);
        });
        return !beyond;
    }

  private:
    static HD_INLINE V activity(const Stimulus<T>& to, std::size_t i, std::size_t m) noexcept {
        return V::load(to.sums + i) + V::load(to.bias + i, m);
    }
    HD_INLINE V output(const Stimulus<T>& to, std::size_t i, V a) const noexcept {
        if constexpr (coupled)
            return V::load(to.h + i);
        else
            return unit_.value(a);
    }
    HD_INLINE V postsynaptic(const StepSettings& step, V a, V h, V t, V expected_error) const noexcept {
        if (!step.learns_from_output) return V(T(0)) - t;
        const V error = step.error.error(t, h);
        if (!step.pulls_back) return error;
        if constexpr (coupled)
            return h * (error - expected_error);
        else
            return error * unit_.slope(a, h);
    }
    static T sum_of_errors(const StepSettings& step, const Stimulus<T>& to, std::size_t n) noexcept {
        V total(T(0));
        for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
            const V h = V::load(to.h + i);
            const V error = step.error.error(V::load(to.targets + i, m), h);
            total = fma(m < V::lanes ? choose_first(m, error, V(T(0))) : error, h, total);
        });
        return sum(total);
    }
    double rate(const StepSettings& step, const Stimulus<T>& to, std::size_t n) const noexcept {
        if (step.largest_slope == 0) return step.learning_rate;
        double slope = step.largest_slope;
        if (step.slope_is_output) {
            V highest(T(0));
            for_vectors<T>(n, [&](std::size_t i, std::size_t m) {
                const V t = abs(V::load(to.targets + i, m));
                V h = output(to, i, activity(to, i, m));
                if (m < V::lanes) h = choose_first(m, h, V(T(0)));
                highest = choose(h > highest, h, highest);
                highest = choose(t > highest, t, highest);
            });
            slope = std::max(slope, static_cast<double>(largest(highest)));
        }
        return step.learning_rate / (slope * (to.squares + 1.0));
    }
};

}  // namespace hebbian_descent
