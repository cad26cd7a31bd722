// Batches of patterns, and the two products that learning takes: a = b + (x − μ)W and W ← keep·W + preᵀp.
//
// Columns belong to runs. Both products go through them a panel at a time and treat every column alike: its sums are in
// the order of the inputs, or of the patterns, whatever its neighbours. Rows are whole vectors wide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "product.hpp"

namespace hebbian_descent {

// Which patterns make up each batch, and the offset μ by which they are centered: one for all, or one per batch.
template <class T>
struct BatchPlan {
    const std::int64_t* rows;  // patterns, batch after batch
    const std::int64_t* bounds;  // where the rows of each batch begin and end, (n_batches + 1,)
    std::size_t n_batches;
    Rows<const T> offsets;  // stride 0 if one serves all

    std::size_t begin(std::size_t batch) const noexcept { return static_cast<std::size_t>(bounds[batch]); }
    std::size_t length(std::size_t batch) const noexcept { return begin(batch + 1) - begin(batch); }
    const std::int64_t* rows_of(std::size_t batch) const noexcept { return rows + begin(batch); }
};

template <class T>
class Batches {
  public:
    virtual ~Batches() = default;

    // out = start + (x − μ)W; `start` is one row for all patterns.
    virtual void multiply(std::size_t batch, Rows<const T> weights, const T* start, Rows<T> out,
                          std::size_t n_columns) const noexcept = 0;
    // W ← keep·W + preᵀp; there is `room` for all rows of a batch and one more, a panel wide.
    virtual void learn(std::size_t batch, T keep, Rows<const T> p, Rows<T> weights, std::size_t n_columns,
                       T* room) const noexcept = 0;

    std::size_t n_inputs() const noexcept { return n_inputs_; }
    std::size_t n_batches() const noexcept { return lengths_.size(); }
    std::size_t length(std::size_t batch) const noexcept { return lengths_[batch]; }
    std::size_t longest() const noexcept {
        return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end());
    }
    std::size_t room() const noexcept { return (longest() + 1) * panel_columns<T>; }

  protected:
    Batches(const BatchPlan<T>& plan, std::size_t n_inputs) : n_inputs_(n_inputs), lengths_(plan.n_batches) {
        for (std::size_t batch = 0; batch < plan.n_batches; ++batch) lengths_[batch] = plan.length(batch);
    }
    std::size_t n_inputs_;
    std::vector<std::size_t> lengths_;
};

// Patterns with all their numbers.
template <class T>
class DenseBatches final : public Batches<T> {
    using Batches<T>::n_inputs_;
    using Batches<T>::lengths_;

  public:
    // `pre` are the presynaptic factors in the order of the rows, or null where they are the centered patterns.
    DenseBatches(Rows<const T> patterns, std::size_t n_inputs, const BatchPlan<T>& plan, const T* pre, bool learns)
        : Batches<T>(plan, n_inputs) {
        const std::size_t n_rows = plan.begin(plan.n_batches);
        centered_.resize(n_rows * n_inputs);
        turned_.resize(learns ? n_rows * n_inputs : 0);
        for (std::size_t batch = 0; batch < plan.n_batches; ++batch) {
            starts_.push_back(plan.begin(batch) * n_inputs);
            T* c = centered_.data() + starts_[batch];
            const std::size_t n = plan.length(batch);
            const T* mu = plan.offsets[batch];
            for (std::size_t i = 0; i < n; ++i) {
                const T* x = patterns[static_cast<std::size_t>(plan.rows_of(batch)[i])];
                for (std::size_t j = 0; j < n_inputs; ++j) c[i * n_inputs + j] = x[j] - mu[j];
            }
            if (learns)
                transpose<T>({pre == nullptr ? c : pre + starts_[batch], n_inputs}, n, n_inputs,
                             {turned_.data() + starts_[batch], n});
        }
    }

    void multiply(std::size_t batch, Rows<const T> weights, const T* start, Rows<T> out,
                  std::size_t n_columns) const noexcept override {
        const Rows<const T> centered{centered_.data() + starts_[batch], n_inputs_};
        for_panels<T>(n_columns, [&](std::size_t column, std::size_t width) {
            add_product<T>(out.from(0, column), {start + column, 0}, T(1), centered, weights.from(0, column),
                           lengths_[batch], n_inputs_, width);
        });
    }

    void learn(std::size_t batch, T keep, Rows<const T> p, Rows<T> weights, std::size_t n_columns,
               T*) const noexcept override {
        const std::size_t n = lengths_[batch];
        learn_product<T>(weights, keep, T(1), {turned_.data() + starts_[batch], n}, p, n_inputs_, n, n_columns);
    }

  private:
    AlignedVector<T> centered_, turned_;
    std::vector<std::size_t> starts_;
};

}  // namespace hebbian_descent
