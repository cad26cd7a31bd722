// Online learning of many runs over the same sequence of patterns, without forming any weights.
//
// The activities of step t are start_t + Σ_{s<t} coupling(t, s)·p_s with p = −η·post. A block of rows is one product
// with the steps before it; each of its steps adds to the next ones. From the second epoch on every pattern has been
// learned before, and the product runs over all of them.
//
// Rows are whole vectors. Beyond the last unit activities are 0 and targets φ(0), so that nothing is learned there.
#pragma once

#include <algorithm>

#include "error_term.hpp"
#include "product.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

inline constexpr std::ptrdiff_t never = -1;
inline constexpr double largest_preactivation = 1e6;

struct SequenceSettings {
    std::size_t first_epoch, n_epochs;
    bool evaluates;  // after the last of these epochs
    bool continues;  // an evaluated activity is the learned one plus what later steps add
    bool pulls_back;
    ErrorTerm error;
};

// The output units of one trial: rows are patterns, columns units.
template <class T>
struct UnitBlock {
    Rows<const T> couplings;  // (n, n_learned)
    Rows<const T> start;      // (n, n_columns), activities from the initial weights
    Rows<const T> targets;    // (n, n_columns)
    std::size_t n, n_units, n_columns;
};

// Arrays of one run: Σp over the epochs and the activities of each pattern, the changes of a block, one output.
template <class T>
struct Room {
    Rows<T> summed, activities, changes, output;

    static constexpr std::size_t n_rows(std::size_t n) noexcept { return 2 * n + tile_rows + 1; }
    Room(Rows<T> rows, std::size_t n) noexcept
        : summed(rows), activities(rows.from(n)), changes(rows.from(2 * n)), output(rows.from(2 * n + tile_rows)) {}
};

// What one step reads and writes.
template <class T>
struct StepRows {
    const T* couplings;     // with the earlier steps of its block
    Rows<const T> earlier;  // their changes
    std::size_t n_earlier;
    const T* targets;
    T *activities, *output, *changes, *summed;
};

template <class T>
HD_INLINE Vector<T> activity_of(const StepRows<T>& step, std::size_t i) noexcept {
    Vector<T> a = Vector<T>::load(step.activities + i);
    for (std::size_t e = 0; e < step.n_earlier; ++e)
        a = fma(Vector<T>(step.couplings[e]), Vector<T>::load(step.earlier[e] + i), a);
    return a;
}

// Set p = −η·(h − t), or its pull-back, and add it to the sums; return whether an activity is beyond its bound or NaN.
template <bool pulls_back, class T, class Unit>
HD_INLINE bool learn_difference(const Unit& unit, T eta, const StepRows<T>& step, std::size_t n_columns) noexcept {
    using V = Vector<T>;
    const V limit(static_cast<T>(largest_preactivation)), minus_eta(-eta);
    bool beyond = false;
    for (std::size_t i = 0; i < n_columns; i += V::lanes) {
        const V a = activity_of(step, i);
        a.store(step.activities + i);
        beyond |= any(not_within(abs(a), limit));
        const V h = unit.value(a);
        V post = h - V::load(step.targets + i);
        if constexpr (pulls_back) post = post * unit.slope(a, h);
        const V change = minus_eta * post;
        change.store(step.changes + i);
        (V::load(step.summed + i) + change).store(step.summed + i);
    }
    return beyond;
}

// The same in passes over whole rows, for units that depend on each other and for any error term. What does not depend
// on the unit is compiled once for all.
template <class T>
HD_NOINLINE bool set_activities(const StepRows<T>& step, std::size_t n_units) noexcept {
    using V = Vector<T>;
    const V limit(static_cast<T>(largest_preactivation));
    bool beyond = false;
    for_vectors<T>(n_units, [&](std::size_t i, std::size_t m) {
        const V a = activity_of(step, i);
        a.store(step.activities + i, m);
        beyond |= any(not_within(abs(m < V::lanes ? choose_first(m, a, V(T(0))) : a), limit));
    });
    return beyond;
}

template <class T>
HD_NOINLINE void set_errors(const ErrorTerm& error, const StepRows<T>& step, std::size_t n_units) noexcept {
    error.errors(step.targets, step.output, step.changes, n_units);
}

template <class T>
HD_NOINLINE void set_changes(T eta, const StepRows<T>& step, std::size_t n_units) noexcept {
    using V = Vector<T>;
    const V minus_eta(-eta);
    for_vectors<T>(n_units, [&](std::size_t i, std::size_t m) {
        const V change = minus_eta * V::load(step.changes + i, m);
        change.store(step.changes + i, m);
        (V::load(step.summed + i, m) + change).store(step.summed + i, m);
    });
}

template <class T, class Unit>
HD_NOINLINE bool learn_rows(const Unit& unit, const SequenceSettings& settings, T eta, const StepRows<T>& step,
                            std::size_t n_units) noexcept {
    const bool beyond = set_activities(step, n_units);
    activate(unit, step.activities, step.output, n_units);
    set_errors(settings.error, step, n_units);
    if (settings.pulls_back) pull_back(unit, step.activities, step.output, step.changes, n_units);
    set_changes(eta, step, n_units);
    return beyond;
}

// Add Σp over the epochs to the sums, for each pattern; return the first diverged step or −1.
template <class T, class Step>
std::ptrdiff_t learn_sequence(const SequenceSettings& settings, const UnitBlock<T>& training, const Room<T>& room,
                              Step learn_step) noexcept {
    const std::size_t n = training.n, width = training.n_columns;
    if (settings.first_epoch == 0) std::fill(room.summed.data, room.summed[n], T(0));
    for (std::size_t epoch = settings.first_epoch; epoch < settings.first_epoch + settings.n_epochs; ++epoch)
        for (std::size_t block = 0; block < n; block += tile_rows) {
            const std::size_t n_rows = std::min(tile_rows, n - block), n_learned = epoch == 0 ? block : n;
            add_product<T>(room.activities.from(block), training.start.from(block), T(1),
                           training.couplings.from(block), room.summed, n_rows, n_learned, width);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const std::size_t step = block + row;
                if (learn_step(StepRows<T>{training.couplings[step] + block, room.changes, row, training.targets[step],
                                           room.activities[step], room.output.data, room.changes[row],
                                           room.summed[step]}))
                    return static_cast<std::ptrdiff_t>(epoch * n + step);
            }
        }
    return never;
}

// Set h = φ(a) and return Σ|h − t|.
template <class T, class Unit>
HD_INLINE double absolute_error(const Unit& unit, const T* a, T* h, const T* t, std::size_t n_units) noexcept {
    using V = Vector<T>;
    V total(T(0));
    if constexpr (std::is_same_v<Unit, Softmax>) {
        activate(unit, a, h, n_units);
        for_vectors<T>(
            n_units, [&](std::size_t i, std::size_t m) { total = total + abs(V::load(h + i, m) - V::load(t + i, m)); });
    } else {
        for (std::size_t i = 0; i < n_units; i += V::lanes) {
            const V output = unit.value(V::load(a + i));
            output.store(h + i);
            total = total + abs(output - V::load(t + i));
        }
    }
    return static_cast<double>(sum(total));
}

// Set errors to Σ|h − t| over the units, for each evaluated pattern, and outputs to h unless it is null.
//
// With triangular couplings the steps before each pattern add nothing.
template <class T, class Unit>
void evaluate_sequence(const Unit& unit, const UnitBlock<T>& evaluation, Rows<const T> begun, bool triangular,
                       std::size_t n_learned, const Room<T>& room, double* errors, T* outputs) noexcept {
    const std::size_t width = evaluation.n_columns, n_units = evaluation.n_units;
    for (std::size_t block = 0; block < evaluation.n; block += tile_rows) {
        const std::size_t n_rows = std::min(tile_rows, evaluation.n - block), first = triangular ? block : 0;
        add_product<T>(room.changes, begun.from(block), T(1), evaluation.couplings.from(block, first),
                       room.summed.from(first), n_rows, n_learned - first, width);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::size_t pattern = block + row;
            errors[pattern] =
                absolute_error(unit, room.changes[row], room.output.data, evaluation.targets[pattern], n_units);
            if (outputs != nullptr) std::copy_n(room.output.data, n_units, outputs + pattern * n_units);
        }
    }
}

// One pass per step where units are independent and registers are wide enough for it to pay.
template <class T, class Unit>
std::ptrdiff_t learn_units(const Unit& unit, const SequenceSettings& settings, T eta, const UnitBlock<T>& training,
                           const Room<T>& room) noexcept {
    if constexpr (!std::is_same_v<Unit, Softmax> && Vector<T>::n_registers <= 2) {
        const auto learn = [&](auto pulls_back) HD_LAMBDA_INLINE {
            return learn_sequence(settings, training, room, [&](const StepRows<T>& step) HD_LAMBDA_INLINE {
                return learn_difference<decltype(pulls_back)::value>(unit, eta, step, training.n_columns);
            });
        };
        if (settings.error.kind == ErrorTerm::Kind::difference)
            return settings.pulls_back ? learn(std::true_type{}) : learn(std::false_type{});
    }
    return learn_sequence(settings, training, room, [&](const StepRows<T>& step) HD_LAMBDA_INLINE {
        return learn_rows(unit, settings, eta, step, training.n_units);
    });
}

// Run every learning rate over a block of output units, except those that have diverged before. Sums of earlier epochs
// are those of the last learning rate, so only a single one can be resumed.
template <class T, class Unit>
void run_sequences(const Unit& unit, const SequenceSettings& settings, const T* learning_rates, std::size_t n_rates,
                   const UnitBlock<T>& training, const UnitBlock<T>& evaluation, const Room<T>& room, double* errors,
                   std::int64_t* diverged_at, T* outputs) noexcept {
    for (std::size_t run = 0; run < n_rates; ++run) {
        if (diverged_at[run] == never)
            diverged_at[run] = learn_units(unit, settings, learning_rates[run], training, room);
        if (diverged_at[run] == never && settings.evaluates)
            evaluate_sequence<T>(unit, evaluation,
                                 settings.continues ? Rows<const T>(room.activities) : evaluation.start,
                                 settings.continues, training.n, room, errors + run * evaluation.n,
                                 outputs == nullptr ? nullptr : outputs + run * evaluation.n * evaluation.n_units);
    }
}

}  // namespace hebbian_descent
