// The units of stacked runs: columns of one weight matrix, ordered by output unit, then run.
//
// Neighbouring columns belong to different runs, so even softmax over few units works on whole vectors. Columns beyond
// the last run fill up a vector; their rates are 0.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace hebbian_descent
