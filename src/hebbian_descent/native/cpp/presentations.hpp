// A pattern that weighs w is presented ⌊w⌋ times, and once more with the rest of w as a factor of η.
//
// A presentation moves the activities by p(‖z‖² + 1), so all of them take place in output space. Linear units have a
// closed form. Others are presented 16 times; from then on one implicit step, a' = a − m·η(‖z‖² + 1)·post(a'), stands
// for a sixteenth of all presentations so far, at least one. It never passes the point where post is 0.
#pragma once

#include <vector>

#include "output_step.hpp"

namespace hebbian_descent {

inline constexpr std::ptrdiff_t all_learned = -1;

// How many samples were learned, and the sum of their weights: equal if all weigh 1.
struct Progress {
    double n_samples, weight;
};

// Rows of zeros, aligned and in whole vectors.
template <class T>
class RoomOfRows {
    struct alignas(vector_bytes) Line {
        T numbers[Vector<T>::lanes];
    };
    std::vector<Line> lines_;
    std::size_t taken_ = 0;

  protected:
    explicit RoomOfRows(std::size_t n_lines) : lines_(n_lines) {}
    static std::size_t lines_of(std::size_t n) noexcept { return (n + Vector<T>::lanes - 1) / Vector<T>::lanes; }
    T* take(std::size_t n) noexcept {
        T* row = lines_[taken_].numbers;
        taken_ += lines_of(n);
        return row;
    }
};

inline constexpr double single_presentations = 16;
inline constexpr double most_presentations = 500;  // of coupled units without an implicit step
inline constexpr int halvings = 40;
inline constexpr int newton_steps = 50;

// Σ over k of (1 − ηg)ᵏ, and the rest: the factor of η that replaces w.
inline double linear_factor(double weight, double eta, double growth) noexcept {
    const double whole = std::floor(weight), left = 1 - eta * growth;
    return (1 - std::pow(left, whole) * (1 - (weight - whole) * eta * growth)) / (eta * growth);
}

// One step to the root of v − a + reach·post(v) between a and the end of the explicit step, unit by unit.
template <class T>
void step_apart(const UnitRow<T>& units, const StepSettings& step, const Stimulus<T>& to, T reach, std::size_t n,
                T* moved) noexcept {
    T *near = to.spare[0], *far = to.spare[1], *middle = to.spare[2], *post = to.spare[3];
    post_of(units, step, to.targets, to.a, to.h, n, post);
    for (std::size_t i = 0; i < n; ++i) near[i] = to.a[i], far[i] = to.a[i] - reach * post[i];
    for (int round = 0; round < halvings; ++round) {
        for (std::size_t i = 0; i < n; ++i) middle[i] = near[i] + (far[i] - near[i]) / 2;
        post_of(units, step, to.targets, middle, to.h, n, post);
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_short = (middle[i] - to.a[i] + reach * post[i] > 0) == (far[i] < near[i]);
            (is_short ? near : far)[i] = middle[i];
        }
    }
    std::copy_n(near, n, moved);
}

// The same for softmax units and the difference as error, by Newton's method. Its matrix is 1 + reach·(diag h − hhᵀ).
template <class T>
void step_together(const UnitRow<T>& units, const Stimulus<T>& to, T reach, std::size_t n, T* moved) noexcept {
    T *change = to.spare[0], *trial = to.spare[1], *rest = to.spare[2];
    const auto distance = [&](const T* v) {
        units.activate(v, to.h, n);
        double squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            rest[i] = v[i] - to.a[i] + reach * (to.h[i] - to.targets[i]);
            squares += static_cast<double>(rest[i]) * static_cast<double>(rest[i]);
        }
        return squares;
    };
    std::copy_n(to.a, n, moved);
    double found = distance(moved);
    const double enough = found * 1e-12;
    for (int round = 0; round < newton_steps && found > enough; ++round) {
        double product = 0, overlap = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const T diagonal = 1 + reach * to.h[i];
            change[i] = rest[i] / diagonal;
            product += static_cast<double>(to.h[i] * change[i]),
                overlap += static_cast<double>(to.h[i] * to.h[i] / diagonal);
        }
        const T common = static_cast<T>(reach * product / (1 - reach * overlap));
        for (std::size_t i = 0; i < n; ++i) change[i] += common * to.h[i] / (1 + reach * to.h[i]);
        double before = found;
        for (T length = 1; length > T(1e-6); length /= 2) {
            for (std::size_t i = 0; i < n; ++i) trial[i] = moved[i] - length * change[i];
            if ((found = distance(trial)) < before) break;
        }
        if (!(found < before)) break;
        std::copy_n(trial, n, moved);
    }
}

// Set p = Σ over all presentations; return whether every step stays within bounds.
template <class T>
bool present(const UnitRow<T>& units, const StepSettings& step, const Stimulus<T>& to, std::size_t n, T* p) noexcept {
    const double growth = to.squares + 1;
    T *total = to.spare[4], *moved = to.spare[5];
    std::fill_n(total, n, T(0));
    const bool has_implicit_step = step.units_apart || step.is_plain_descent();
    double done = 0, left = has_implicit_step ? to.scale : std::min(to.scale, most_presentations);
    while (left > 0) {
        const bool is_single = done < single_presentations || !has_implicit_step;
        const double share = std::min(left, is_single ? 1.0 : done / single_presentations);
        if (is_single) {
            if (!respond_once(units, step, to, share, n, p)) return false;
            for (std::size_t i = 0; i < n; ++i) total[i] += p[i], to.a[i] += static_cast<T>(growth) * p[i];
        } else {
            units.activate(to.a, to.h, n);
            const T reach = static_cast<T>(share * rate(step, to, n) * growth);
            step.units_apart ? step_apart(units, step, to, reach, n, moved) : step_together(units, to, reach, n, moved);
            for (std::size_t i = 0; i < n; ++i)
                total[i] += (moved[i] - to.a[i]) / static_cast<T>(growth), to.a[i] = moved[i];
        }
        done += share, left -= share;
    }
    std::copy_n(total, n, p);
    return within_bounds(step, to, n, p);
}

// The response of units to a pattern of any weight.
template <class T>
bool respond(const UnitRow<T>& units, const StepSettings& step, const Stimulus<T>& to, std::size_t n, T* p) noexcept {
    using V = Vector<T>;
    for_each_vector<T>(
        n, [&](std::size_t i, std::size_t m) { (V::load(to.sums + i) + V::load(to.bias + i, m)).store(to.a + i); });
    if (to.scale <= 1 || !step.learns_from_output) return respond_once(units, step, to, to.scale, n, p);
    if (!step.is_linear) return present(units, step, to, n, p);
    return respond_once(units, step, to, linear_factor(to.scale, rate(step, to, n), to.squares + 1), n, p);
}

}  // namespace hebbian_descent
