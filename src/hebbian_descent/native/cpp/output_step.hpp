// How output units respond to one pattern: p = −η·post.
#pragma once

#include <algorithm>

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
    double off, on;  // the targets of units that a label stands for

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
double rate(const StepSettings& step, const Stimulus<T>& to, std::size_t n) noexcept {
    if (step.largest_slope == 0) return step.learning_rate;
    double slope = step.largest_slope;
    if (step.slope_is_output)
        for (std::size_t i = 0; i < n; ++i)
            slope = std::max({slope, static_cast<double>(to.h[i]), std::fabs(static_cast<double>(to.targets[i]))});
    if (step.pulls_back) slope *= slope;
    return step.learning_rate / (slope * (to.squares + 1.0));
}

// Set p; return whether activities stay within bounds, before and after the step.
//
// A step adds p(‖c‖² + 1) to them, and no more to any weight. The step of an error of 1 must be in bounds, too: a
// moving offset also follows a pattern without error, and later ones must stay learnable.
template <class T>
bool respond(const UnitRow<T>& units, const StepSettings& step, const Stimulus<T>& to, std::size_t n, T* p) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(
        n, [&](std::size_t i, std::size_t m) { (V::load(to.sums + i) + V::load(to.bias + i, m)).store(to.a + i); });
    units.activate(to.a, to.h, n);
    for_each_vector<T>(n, [&](std::size_t i, std::size_t m) {
        const V t = V::load(to.targets + i, m), h = V::load(to.h + i);
        const V post = step.learns_from_output ? step.error.error(t, h) : V(T(0)) - t;
        choose_first(m, post, V(T(0))).store(p + i);
    });
    if (step.pulls_back) units.pull_back(to.a, to.h, p, n);
    const T limit = std::sqrt(std::numeric_limits<T>::max());
    const T reach = static_cast<T>(limit / (to.squares + 1.0));
    const T minus_eta = static_cast<T>(-rate(step, to, n) * to.scale);
    bool beyond = !(reach > 0 && std::fabs(minus_eta) <= reach);
    for_each_vector<T>(n, [&](std::size_t i, std::size_t) {
        const V change = V(minus_eta) * V::load(p + i);
        beyond |= any(not_within(abs(V::load(to.a + i)), V(limit))) || any(not_within(abs(change), V(reach)));
        change.store(p + i);
    });
    return !beyond;
}

}  // namespace hebbian_descent
