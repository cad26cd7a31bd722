// The response of output units to one presentation of a pattern: p = −η·post.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "error_term.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

// When the layer is looked at for its average, and how much a look counts; see `learning.averaging`.
struct Averaging {
    std::uint64_t spacing;
    double rate;

    // How many samples lie between looks near the n-th.
    std::uint64_t step_at(std::uint64_t n) const noexcept {
        const std::uint64_t least = std::max<std::uint64_t>(1, spacing / 8);
        return std::min(spacing, std::max(least, std::bit_floor(std::max<std::uint64_t>(1, n / 8))));
    }
    // The share of the layer in its average after n samples, or 0 if there is no look then.
    double share(double n_samples) const noexcept {
        const auto n = static_cast<std::uint64_t>(n_samples), step = step_at(n);
        if (n % step != 0) return 0.0;
        const auto between = static_cast<double>(step);
        return std::max(1 - std::pow(1 - rate, between), 4 * between / (n_samples + 3 * between));
    }
};

struct StepSettings {
    bool learns_from_output;  // false for Hebb's rule: post = −t, and the bias stays
    bool pulls_back;
    double learning_rate;  // η, or κ where η is automatic
    double largest_slope;  // L of an automatic η = κ/(L(‖c‖² + 1)), or 0 where η is fixed
    bool slope_is_output;  // L grows with outputs and targets, as that of exponential units does
    double weight_decay;
    double shift;         // ν, or 0 for a fixed offset
    bool starts_as_mean;  // a moving offset is the running mean until 1/n falls below ν
    bool scale_moves;     // a running mean of squares is always that of all inputs until then
    double scale_shift;
    Averaging averaging;
    ErrorTerm error;
    double off, on;    // the targets of units that a label stands for
    bool is_linear;    // h = a and post = h − t
    bool units_apart;  // the output of a unit depends only on its own activity

    bool is_plain_descent() const noexcept { return error.kind == ErrorTerm::Kind::difference && !pulls_back; }
    bool moves() const noexcept { return shift > 0 || starts_as_mean; }
    // Whether offset and scale start at the next sample: it says nothing about the spread, and nonzero inputs count as
    // one deviation each.
    bool starts_at(double n_samples) const noexcept { return n_samples == 0 && starts_as_mean && scale_moves; }
    // For a sample of some weight, which is already included in the weight of all so far.
    double shift_after(double weight, double total) const noexcept {
        return starts_as_mean ? std::max(shift, weight / total) : shift;
    }
    double scale_shift_after(double weight, double total) const noexcept {
        return std::max(scale_shift, weight / total);
    }
};

// What the units see of a pattern. Sums, and room for a and h, are aligned and padded to whole vectors.
template <class T>
struct Stimulus {
    const T* sums;
    const T* bias;
    const T* targets;
    double scale;    // how often the pattern is presented
    double squares;  // ‖z‖² = ⟨d, c⟩
    T *a, *h;
    T* const* spare;  // rows for patterns that are presented often
};

inline constexpr std::size_t n_spare_rows = 6;

template <class T>
double rate(const StepSettings& step, const Stimulus<T>& to, std::size_t n) noexcept {
    if (step.largest_slope == 0) return step.learning_rate;
    double slope = step.largest_slope;
    if (step.slope_is_output)
        for (std::size_t i = 0; i < n; ++i)
            slope = std::max({slope, static_cast<double>(to.h[i]), std::fabs(static_cast<double>(to.targets[i]))});
    if (step.pulls_back) slope *= slope;
    return step.learning_rate / (slope * (to.squares + 1.0));
}

// Set h = φ(a) and post.
template <class T>
void post_of(const UnitRow<T>& units, const StepSettings& step, const T* targets, const T* a, T* h, std::size_t n,
             T* post) noexcept {
    using V = Vector<T>;
    units.activate(a, h, n);
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) {
        const V t = V::load(targets + i, m);
        const V error = step.learns_from_output ? step.error.error(t, V::load(h + i)) : V(T(0)) - t;
        choose_first(m, error, V(T(0))).store(post + i);
    });
    if (step.pulls_back) units.pull_back(a, h, post, n);
}

// Whether a pattern, of which ‖x/σ‖² is given, is so long that μ, which follows it, would be too far from others.
template <class T>
bool is_too_long(T squares) noexcept {
    return !(4 * squares <= std::sqrt(std::numeric_limits<T>::max()));
}

// The bound on the activity of units whose output bounds their slope: rounding of larger ones would move outputs far.
inline constexpr double largest_steep_activity = 1e6;

// The bound on a change of an activity is that of activities, of which no larger one has a finite square.
template <class T>
T largest_change(double squares) noexcept {
    return static_cast<T>(std::sqrt(std::numeric_limits<T>::max()) / (squares + 1.0));
}

template <class T>
bool within_bounds(const StepSettings& step, const Stimulus<T>& to, std::size_t n, const T* p) noexcept {
    using V = Vector<T>;
    const T activity = step.slope_is_output ? T(largest_steep_activity) : std::sqrt(std::numeric_limits<T>::max());
    const T change = largest_change<T>(to.squares);
    bool beyond = false;
    for_each_vector<T>(n, [&](std::size_t i, std::size_t) {
        beyond |=
            any(not_within(abs(V::load(to.a + i)), V(activity))) || any(not_within(abs(V::load(p + i)), V(change)));
    });
    return !beyond;
}

// Set p = −share·η·post; return whether activities stay within bounds, before and after the step.
//
// A step adds p(‖z‖² + 1) to them. The step of an error of 1 must also be within bounds, and so must ‖z‖² + 1 itself: a
// moving offset follows even a pattern without error, and later ones must stay learnable.
template <class T>
bool respond_once(const UnitRow<T>& units, const StepSettings& step, const Stimulus<T>& to, double share, std::size_t n,
                  T* p) noexcept {
    using V = Vector<T>;
    post_of(units, step, to.targets, to.a, to.h, n, p);
    const T minus_eta = static_cast<T>(-rate(step, to, n) * share), reach = largest_change<T>(to.squares);
    for_each_vector<T>(n, [&](std::size_t i, std::size_t) { (V(minus_eta) * V::load(p + i)).store(p + i); });
    return reach >= 1 && std::fabs(minus_eta) <= reach && within_bounds(step, to, n, p);
}

}  // namespace hebbian_descent
