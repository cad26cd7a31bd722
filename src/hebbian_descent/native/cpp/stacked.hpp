// Mini-batch learning of stacked runs.
//
// One step of all runs is, with p = −η·post / n and k = 1 − ω,
//
//     a = (x − μ)W + b,   W ← kW + preᵀp,   b ← b + Σp,   b ← b + (μ′ − μ)W.
//
// Columns of the one weight matrix are ordered by output unit, then run. Neighbours belong to different runs, so even
// softmax over few units works on whole vectors. Columns beyond the last run pad a vector; their rates are 0.
#pragma once

#include <algorithm>
#include <cstdint>

#include "batches.hpp"
#include "error_term.hpp"
#include "product.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

template <class T>
struct Stack {
    Rows<T> weights;            // (n_inputs, n_columns)
    T* bias;                    // (n_columns,)
    T* rates;                   // η of each column, 0 once its run has diverged
    std::int64_t* diverged_at;  // (n_runs,), the step, or −1
    std::size_t n_inputs, n_units, n_runs, n_columns;
};

// What depends on the activation: all units of all runs for one pattern.
template <class T>
class StackedUnits {
  public:
    virtual ~StackedUnits() = default;
    virtual void activate(const Stack<T>& stack, const T* a, T* h) const noexcept = 0;
    virtual void pull_back(const Stack<T>& stack, const T* a, const T* h, T* error) const noexcept = 0;
};

template <class T, class Unit>
class StackedUnitsOf final : public StackedUnits<T> {
  public:
    explicit StackedUnitsOf(Unit unit) : unit_(unit) {}
    void activate(const Stack<T>& stack, const T* a, T* h) const noexcept override {
        hebbian_descent::activate(unit_, a, h, stack.n_columns);
    }
    void pull_back(const Stack<T>& stack, const T* a, const T* h, T* error) const noexcept override {
        hebbian_descent::pull_back(unit_, a, h, error, stack.n_columns);
    }

  private:
    Unit unit_;
};

template <class T>
class StackedUnitsOf<T, Softmax> final : public StackedUnits<T> {
    using V = Vector<T>;

  public:
    explicit StackedUnitsOf(Softmax) {}
    // h = exp(a − max a) / Σ exp(a − max a) over the units of each run.
    void activate(const Stack<T>& stack, const T* a, T* h) const noexcept override {
        const std::size_t n_runs = stack.n_runs, end = stack.n_units * n_runs;
        for_vectors<T>(n_runs, [&](std::size_t run, std::size_t m) {
            V highest = V::load(a + run, m);
            for (std::size_t i = run + n_runs; i < end; i += n_runs) {
                const V x = V::load(a + i, m);
                highest = choose(highest > x, highest, x);
            }
            V total(T(0));
            for (std::size_t i = run; i < end; i += n_runs) {
                const V e = exp(V::load(a + i, m) - highest);
                e.store(h + i, m);
                total = total + e;
            }
            const V share = V(T(1)) / total;
            for (std::size_t i = run; i < end; i += n_runs) (V::load(h + i, m) * share).store(h + i, m);
        });
        std::fill(h + end, h + stack.n_columns, T(0));
    }
    // E ← h ⊙ (E − Σ E·h) over the units of each run.
    void pull_back(const Stack<T>& stack, const T*, const T* h, T* error) const noexcept override {
        const std::size_t n_runs = stack.n_runs, end = stack.n_units * n_runs;
        for_vectors<T>(n_runs, [&](std::size_t run, std::size_t m) {
            V common(T(0));
            for (std::size_t i = run; i < end; i += n_runs)
                common = fma(V::load(error + i, m), V::load(h + i, m), common);
            for (std::size_t i = run; i < end; i += n_runs)
                (V::load(h + i, m) * (V::load(error + i, m) - common)).store(error + i, m);
        });
    }
};

// One number per unit, for all runs. Whole vectors are stored; what is beyond a unit belongs to the next one, or to
// room for a vector after the last.
template <class T>
HD_INLINE void spread(const Stack<T>& stack, const T* of_units, T* columns) noexcept {
    for (std::size_t unit = 0; unit < stack.n_units; ++unit)
        for (std::size_t run = 0; run < stack.n_runs; run += Vector<T>::lanes)
            Vector<T>(of_units[unit]).store(columns + unit * stack.n_runs + run);
}

struct StackedRule {
    bool looks_at_output;  // otherwise `targets` hold post
    bool pulls_back, learns_bias;
    ErrorTerm error;
    double keep;                   // 1 − ω
    std::size_t steps_per_flush;  // after so many steps, weights too small for full precision become 0; 0: never
    double largest_preactivation;
};

template <class T>
class StackedLearner {
    using V = Vector<T>;

  public:
    StackedLearner(const StackedUnits<T>& units, const StackedRule& rule, const Stack<T>& stack,
                   const Batches<T>& batches)
        : units_(units),
          rule_(rule),
          stack_(stack),
          batches_(batches),
          activities_(batches.longest() * stack.n_columns),
          scales_(stack.n_columns),
          targets_(stack.n_columns + V::lanes),
          h_(stack.n_columns),
          error_(stack.n_columns),
          room_(batches.room()),
          beyond_(stack.n_runs) {}

    // Take one step; `moved` is μ′ − μ, or null where the offset stays.
    void step(std::size_t batch, std::int64_t number, const T* targets, const T* moved) noexcept {
        const std::size_t n = batches_.length(batch), n_columns = stack_.n_columns;
        const Rows<T> p{activities_.data(), n_columns};
        batches_.multiply(batch, stack_.weights, stack_.bias, p, n_columns);
        respond(p, n, targets);
        silence(p, n, number);
        batches_.learn(batch, static_cast<T>(rule_.keep), p, stack_.weights, n_columns, room_.data());
        if (rule_.steps_per_flush != 0 && static_cast<std::size_t>(number) % rule_.steps_per_flush == 0) flush();
        if (rule_.learns_bias)
            for (std::size_t row = 0; row < n; ++row) add(p[row], stack_.bias);
        if (moved != nullptr)
            add_product<T>({stack_.bias, 0}, {stack_.bias, 0}, T(1), {moved, 0}, stack_.weights, 1, stack_.n_inputs,
                           n_columns);
    }

  private:
    // Replace activities by p = −η·post / n, and note which runs exceed the largest one.
    void respond(Rows<T> activities, std::size_t n, const T* targets) noexcept {
        const V minus_n(-static_cast<T>(n)), limit(static_cast<T>(rule_.largest_preactivation));
        for_columns([&](std::size_t i) { (V::load(stack_.rates + i) / minus_n).store(&scales_[i]); });
        for (std::size_t row = 0; row < n; ++row) {
            T* a = activities[row];
            bool beyond = false;
            for_columns([&](std::size_t i) { beyond |= any(not_within(abs(V::load(a + i)), limit)); });
            if (beyond) note_runs_beyond(a);
            spread(stack_, targets + row * stack_.n_units, targets_.data());
            const T* post = targets_.data();
            if (rule_.looks_at_output) {
                units_.activate(stack_, a, h_.data());
                rule_.error.errors(targets_.data(), h_.data(), error_.data(), stack_.n_columns);
                if (rule_.pulls_back) units_.pull_back(stack_, a, h_.data(), error_.data());
                post = error_.data();
            }
            for_columns([&](std::size_t i) { (V::load(&scales_[i]) * V::load(post + i)).store(a + i); });
        }
    }

    void note_runs_beyond(const T* a) noexcept {
        for (std::size_t unit = 0; unit < stack_.n_units; ++unit)
            for (std::size_t run = 0; run < stack_.n_runs; ++run)
                beyond_[run] |=
                    !(std::fabs(a[unit * stack_.n_runs + run]) <= static_cast<T>(rule_.largest_preactivation));
    }

    // Runs that diverge now keep their columns, which are zero from now on.
    void silence(Rows<T> p, std::size_t n, std::int64_t number) noexcept {
        for (std::size_t run = 0; run < stack_.n_runs; ++run) {
            if (!beyond_[run]) continue;
            beyond_[run] = 0;
            stack_.diverged_at[run] = number;
            for (std::size_t unit = 0; unit < stack_.n_units; ++unit) {
                const std::size_t column = unit * stack_.n_runs + run;
                for (std::size_t row = 0; row < stack_.n_inputs; ++row) stack_.weights[row][column] = 0;
                for (std::size_t row = 0; row < n; ++row) p[row][column] = 0;
                stack_.bias[column] = stack_.rates[column] = 0;
            }
        }
    }

    void flush() noexcept {
        for (std::size_t row = 0; row < stack_.n_inputs; ++row) {
            T* w = stack_.weights[row];
            for_columns([&](std::size_t i) { flushed(V::load(w + i)).store(w + i); });
        }
    }

    // sums ← sums + row.
    void add(const T* row, T* sums) noexcept {
        for_columns([&](std::size_t i) { (V::load(sums + i) + V::load(row + i)).store(sums + i); });
    }
    template <class F>
    HD_INLINE void for_columns(F f) const noexcept {
        for (std::size_t i = 0; i < stack_.n_columns; i += V::lanes) f(i);
    }

    const StackedUnits<T>& units_;
    const StackedRule& rule_;
    const Stack<T>& stack_;
    const Batches<T>& batches_;
    AlignedVector<T> activities_, scales_, targets_, h_, error_, room_;
    std::vector<char> beyond_;
};

// Set errors (n, n_runs) to the mean of |h − t| over the units.
template <class T>
void evaluate_stacked(const StackedUnits<T>& units, const Stack<T>& stack, const Batches<T>& batches, std::size_t batch,
                      const T* targets, T* errors) {
    using V = Vector<T>;
    const std::size_t n = batches.length(batch), n_columns = stack.n_columns, n_runs = stack.n_runs;
    AlignedVector<T> activities(n * n_columns), h(n_columns);
    const Rows<T> a{activities.data(), n_columns};
    batches.multiply(batch, stack.weights, stack.bias, a, n_columns);
    const V n_units(static_cast<T>(stack.n_units));
    for (std::size_t row = 0; row < n; ++row) {
        const T* t = targets + row * stack.n_units;
        units.activate(stack, a[row], h.data());
        for_vectors<T>(n_runs, [&](std::size_t run, std::size_t m) {
            V total(T(0));
            for (std::size_t unit = 0; unit < stack.n_units; ++unit)
                total = total + abs(V::load(&h[unit * n_runs + run], m) - V(t[unit]));
            (total / n_units).store(errors + row * n_runs + run, m);
        });
    }
}

}  // namespace hebbian_descent
