// Online learning of many runs over the same sequence of patterns, without forming the weights of any.
//
// The activities of step t are start_t + Σ_{s<t} coupling(t, s)·p_s with p = −η·post. A block of rows is one product
// with the steps before it; each of its steps adds to the next ones. From the second epoch on every pattern has been
// learned before, and the product runs over all of them.
#pragma once

#include <algorithm>
#include <vector>

#include "product.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

inline constexpr std::ptrdiff_t never = -1;
inline constexpr double largest_preactivation = 1e6;

// The output units of one trial: rows are patterns, columns units, filled up to whole vectors.
template <class T>
struct UnitBlock {
    Rows<const T> couplings;  // (n, n_learned)
    Rows<const T> start;      // (n, n_columns), activities from the initial weights
    Rows<const T> targets;    // (n, n_columns); beyond the last unit any reachable value
    std::size_t n, n_units, n_columns;
};

template <class T>
struct Room {
    std::vector<T> numbers;
    Rows<T> summed, activities, changes;
    std::vector<T> h;

    explicit Room(const UnitBlock<T>& training)
        : numbers((2 * training.n + tile_rows) * training.n_columns), h(training.n_columns) {
        const std::size_t width = training.n_columns;
        summed = {numbers.data(), width};
        activities = summed.from(training.n);
        changes = activities.from(training.n);
    }
};

// Add the earlier changes of the block to the activities, set p = −η·post and add it to the sums; return whether an
// activity is beyond its bound or not a number.
template <bool pulls_back, class T, class Unit>
HD_INLINE bool learn_step(const Unit& unit, T eta, const T* couplings, Rows<const T> earlier, std::size_t n_earlier, T* a,
                          T*, const T* t, T* p, T* summed, const UnitBlock<T>& block) noexcept {
    using V = Vector<T>;
    const V limit(static_cast<T>(largest_preactivation)), minus_eta(-eta);
    bool beyond = false;
    for (std::size_t i = 0; i < block.n_columns; i += V::lanes) {
        V activity = V::load(a + i);
        for (std::size_t e = 0; e < n_earlier; ++e) activity = fma(V(couplings[e]), V::load(earlier[e] + i), activity);
        activity.store(a + i);
        beyond |= any(not_within(abs(activity), limit));
        const V h = unit.value(activity);
        V post = h - V::load(t + i);
        if (pulls_back) post = post * unit.slope(activity, h);
        const V change = minus_eta * post;
        change.store(p + i);
        (V::load(summed + i) + change).store(summed + i);
    }
    return beyond;
}

template <bool pulls_back, class T>
HD_INLINE bool learn_step(const Softmax& unit, T eta, const T* couplings, Rows<const T> earlier, std::size_t n_earlier,
                          T* a, T* h, const T* t, T* p, T* summed, const UnitBlock<T>& block) noexcept {
    using V = Vector<T>;
    const V limit(static_cast<T>(largest_preactivation)), minus_eta(-eta);
    bool beyond = false;
    for_vectors<T>(block.n_units, [&](std::size_t i, std::size_t m) {
        V activity = V::load(a + i);
        for (std::size_t e = 0; e < n_earlier; ++e) activity = fma(V(couplings[e]), V::load(earlier[e] + i), activity);
        activity.store(a + i);
        beyond |= any(not_within(abs(choose_first(m, activity, V(T(0)))), limit));
    });
    activate(unit, a, h, block.n_units);
    for (std::size_t i = 0; i < block.n_units; ++i) p[i] = h[i] - t[i];
    if (pulls_back) pull_back(unit, a, h, p, block.n_units);
    for_vectors<T>(block.n_units, [&](std::size_t i, std::size_t m) {
        const V change = minus_eta * V::load(p + i, m);
        change.store(p + i, m);
        (V::load(summed + i, m) + change).store(summed + i, m);
    });
    return beyond;
}

// Set the sums to Σ p over the epochs, for each pattern; return the first diverged step or −1.
template <bool pulls_back, class T, class Unit>
std::ptrdiff_t learn_sequence(const Unit& unit, T eta, std::size_t n_epochs, const UnitBlock<T>& training,
                              Room<T>& room) noexcept {
    const std::size_t n = training.n, width = training.n_columns;
    std::fill(room.summed.data, room.summed.data + n * width, T(0));
    for (std::size_t epoch = 0; epoch < n_epochs; ++epoch)
        for (std::size_t block = 0; block < n; block += tile_rows) {
            const std::size_t n_rows = std::min(tile_rows, n - block), n_learned = epoch == 0 ? block : n;
            add_product<T>(room.activities.from(block), training.start.from(block), T(1),
                           training.couplings.from(block), room.summed, n_rows, n_learned, width);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const std::size_t step = block + row;
                if (learn_step<pulls_back>(unit, eta, training.couplings[step] + block, Rows<const T>(room.changes), row,
                                           room.activities[step], room.h.data(), training.targets[step],
                                           room.changes[row], room.summed[step], training))
                    return static_cast<std::ptrdiff_t>(epoch * n + step);
            }
        }
    return never;
}

// Set errors to Σ|h − t| over the units, for each evaluated pattern, and outputs to h unless it is null.
//
// A triangular coupling has nothing to add from the steps before each pattern.
template <class T, class Unit>
void evaluate_sequence(const Unit& unit, const UnitBlock<T>& evaluation, Rows<const T> begun, bool triangular,
                       std::size_t n_learned, Room<T>& room, double* errors, T* outputs) noexcept {
    using V = Vector<T>;
    const std::size_t width = evaluation.n_columns, n_units = evaluation.n_units;
    for (std::size_t block = 0; block < evaluation.n; block += tile_rows) {
        const std::size_t n_rows = std::min(tile_rows, evaluation.n - block), first = triangular ? block : 0;
        add_product<T>(room.changes, begun.from(block), T(1), evaluation.couplings.from(block, first),
                       room.summed.from(first), n_rows, n_learned - first, width);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const T* t = evaluation.targets[block + row];
            activate(unit, room.changes[row], room.h.data(), n_units);
            V total(T(0));
            for_vectors<T>(n_units, [&](std::size_t i, std::size_t m) {
                total = total + abs(V::load(room.h.data() + i, m) - V::load(t + i, m));
            });
            errors[block + row] = static_cast<double>(sum(total));
            if (outputs != nullptr) std::copy_n(room.h.data(), n_units, outputs + (block + row) * n_units);
        }
    }
}

// Run every learning rate over a block of output units. `continues`: an evaluated activity is the learned one plus what
// the steps from then on add.
template <bool pulls_back, class T, class Unit>
void run_sequences(const Unit& unit, const T* learning_rates, std::size_t n_rates, std::size_t n_epochs, bool continues,
                   const UnitBlock<T>& training, const UnitBlock<T>& evaluation, double* errors,
                   std::int64_t* diverged_at, T* outputs) {
    Room<T> room(training);
    for (std::size_t run = 0; run < n_rates; ++run) {
        double* errors_of_run = errors + run * evaluation.n;
        T* outputs_of_run = outputs == nullptr ? nullptr : outputs + run * evaluation.n * evaluation.n_units;
        diverged_at[run] = learn_sequence<pulls_back>(unit, learning_rates[run], n_epochs, training, room);
        if (diverged_at[run] == never)
            evaluate_sequence<T>(unit, evaluation, continues ? Rows<const T>(room.activities) : evaluation.start,
                                 continues, training.n, room, errors_of_run, outputs_of_run);
        else
            std::fill(errors_of_run, errors_of_run + evaluation.n, std::numeric_limits<double>::quiet_NaN());
    }
}

}  // namespace hebbian_descent
