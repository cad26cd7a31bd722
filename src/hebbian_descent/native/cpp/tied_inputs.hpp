// Inputs of auto-encoders: some columns of all patterns, whole or without their zeros.
#pragma once

#include "sparse_patterns.hpp"

namespace hebbian_descent {

template <class T>
class TiedInputs {
  public:
    virtual ~TiedInputs() = default;
    virtual std::size_t n_inputs() const noexcept = 0;

    // share = (x − μ)W for some patterns; there is room for x − μ. Rows are whole vectors wide.
    virtual void multiply(const std::int64_t* patterns, std::size_t n, Rows<const T> weights, const T* offset,
                          Rows<T> room, Rows<T> share, std::size_t n_columns) const noexcept = 0;
    // x = some patterns, one row per input.
    virtual void fill(const std::int64_t* patterns, std::size_t n, Rows<T> x) const noexcept = 0;
    // Prefetch the patterns of the next batch.
    virtual void prefetch(const std::int64_t* patterns, std::size_t n) const noexcept = 0;
};

template <class T>
class WholeInputs final : public TiedInputs<T> {
    Rows<const T> patterns_;
    std::size_t n_inputs_;

  public:
    WholeInputs(Rows<const T> patterns, std::size_t n_inputs) : patterns_(patterns), n_inputs_(n_inputs) {}
    std::size_t n_inputs() const noexcept override { return n_inputs_; }
    void multiply(const std::int64_t* patterns, std::size_t n, Rows<const T> weights, const T* offset, Rows<T> room,
                  Rows<T> share, std::size_t n_columns) const noexcept override {
        for (std::size_t i = 0; i < n; ++i) {
            const T* x = pattern(patterns[i]);
            for (std::size_t j = 0; j < n_inputs_; ++j) room[i][j] = x[j] - offset[j];
            std::fill_n(share[i], n_columns, T(0));
        }
        add_product<T>(share, share, T(1), room, weights, n, n_inputs_, n_columns);
    }
    void fill(const std::int64_t* patterns, std::size_t n, Rows<T> x) const noexcept override {
        constexpr std::size_t side = 16;  // rows of x that are written at a time
        for (std::size_t first = 0; first < n_inputs_; first += side)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = first; j < std::min(first + side, n_inputs_); ++j)
                    x[j][i] = pattern(patterns[i])[j];
    }
    void prefetch(const std::int64_t*, std::size_t) const noexcept override {}

  private:
    const T* pattern(std::int64_t number) const noexcept { return patterns_[static_cast<std::size_t>(number)]; }
};

// Centering keeps patterns sparse: (x − μ)W = xW − μW.
template <class T>
class SparseInputs final : public TiedInputs<T> {
    const SparsePatterns<T>& patterns_;

  public:
    explicit SparseInputs(const SparsePatterns<T>& patterns) : patterns_(patterns) {}
    std::size_t n_inputs() const noexcept override { return patterns_.n_inputs; }
    void multiply(const std::int64_t* patterns, std::size_t n, Rows<const T> weights, const T* offset, Rows<T> room,
                  Rows<T> share, std::size_t n_columns) const noexcept override {
        T *minus_offset = room[0], *of_offset = share[n - 1];  // the last row to be written
        for (std::size_t j = 0; j < patterns_.n_inputs; ++j) minus_offset[j] = -offset[j];
        std::fill_n(of_offset, n_columns, T(0));
        add_product<T>({of_offset, 0}, {of_offset, 0}, T(1), {minus_offset, 0}, weights, 1, patterns_.n_inputs,
                       n_columns);
        patterns_.multiply(patterns, n, weights, of_offset, share, n_columns);
    }
    void fill(const std::int64_t* patterns, std::size_t n, Rows<T> x) const noexcept override {
        patterns_.fill(patterns, n, x);
    }
    void prefetch(const std::int64_t* patterns, std::size_t n) const noexcept override {
        patterns_.prefetch(patterns, n);
    }
};

}  // namespace hebbian_descent
