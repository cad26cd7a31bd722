// Batches of patterns that are mostly zero.
#pragma once

#include "batches.hpp"
#include "sparse_patterns.hpp"

namespace hebbian_descent {

// out = keep·start + coefficients·terms for some rows of `out`, whose lists of coefficients are consecutive. A
// separate function, so that nothing but the sums competes for the registers.
template <class T, std::size_t width>
HD_NOINLINE void add_lists(Rows<T> out, Rows<const T> start, T keep, Rows<const T> terms, EntryLists<T> entries,
                           std::size_t first_list, std::size_t n_rows) noexcept {
    for (std::size_t row = 0; row < n_rows; ++row)
        add_entries<T, width>(out[row], start[row], keep, terms, entries, first_list + row);
}

template <class T>
HD_INLINE void add_sparse_product(Rows<T> out, Rows<const T> start, T keep, Rows<const T> terms,
                                  const Entries<T>& entries, std::size_t first_list, std::size_t n_rows,
                                  std::size_t n_columns) noexcept {
    with_width<T>(n_columns, [&](auto width) {
        add_lists<T, decltype(width)::value>(out, start, keep, terms, entries.lists(), first_list, n_rows);
    });
}

// The entries of some batches, in the order in which either product reads them.
template <class T>
class SparseBatches final : public Batches<T> {
    using Batches<T>::n_inputs_;
    using Batches<T>::lengths_;

  public:
    SparseBatches(const SparsePatterns<T>& patterns, const BatchPlan<T>& plan, bool learns)
        : Batches<T>(plan, patterns.n_inputs), blocks_(patterns.blocks) {
        const std::size_t n_entries = count(patterns, plan);
        by_pattern_.reserve(n_entries);
        if (learns)
            by_input_.reserve(n_entries + n_inputs_ * (plan.n_batches + plan.begin(plan.n_batches) / rows_in_cache));
        std::vector<std::size_t> room(n_inputs_);
        for (std::size_t batch = 0; batch < plan.n_batches; ++batch) {
            for (std::size_t j = 0; j < n_inputs_; ++j) minus_offsets_.push_back(-plan.offsets[batch][j]);
            append_by_pattern(patterns, plan, batch);
            if (learns) append_by_input(patterns, plan, batch, room);
        }
        by_pattern_.bounds.push_back(by_pattern_.size());
        by_input_.bounds.push_back(by_input_.size());
    }

    void multiply(std::size_t batch, Rows<const T> weights, const T* start, Rows<T> out,
                  std::size_t n_columns) const noexcept override {
        const std::size_t n = lengths_[batch];
        const Rows<const T> minus_offset{minus_offsets_.data() + batch * n_inputs_, n_inputs_};
        for_panels<T>(n_columns, [&](std::size_t column, std::size_t width) {
            const Rows<const T> panel = weights.from(0, column);
            // Every row is read here, so one that holds infinity is noticed even if its input is always zero.
            alignas(vector_bytes) T of_offset[panel_columns<T>];
            add_product<T>({of_offset, 0}, {start + column, 0}, T(1), minus_offset, panel, 1, n_inputs_, width);
            Rows<const T> from{of_offset, 0};
            const Rows<T> to = out.from(0, column);
            for (std::size_t block = 0; block < blocks_.count; ++block) {
                add_sparse_product<T>(to, from, T(1), panel, by_pattern_, first_by_pattern_[batch] + block * n, n,
                                      width);
                from = to;
            }
        });
    }

    void learn(std::size_t batch, T keep, Rows<const T> p, Rows<T> weights, std::size_t n_columns,
               T* room) const noexcept override {
        const Parts parts(lengths_[batch]);
        for_panels<T>(n_columns, [&](std::size_t column, std::size_t width) {
            const Rows<T> panel = weights.from(0, column);
            for (std::size_t part = 0; part < parts.count; ++part) {
                const std::size_t n = parts.length(part);
                const Rows<T> terms = gathered(p.from(parts.begin(part)), n, column, width, room);
                sum_rows(terms, n, width);
                add_sparse_product<T>(panel, panel, part == 0 ? keep : T(1), terms, by_input_,
                                      first_by_input_[batch] + part * n_inputs_, n_inputs_, width);
            }
        });
    }

  private:
    static std::size_t count(const SparsePatterns<T>& patterns, const BatchPlan<T>& plan) noexcept {
        std::size_t n_entries = 0;
        for (std::size_t i = 0; i < plan.begin(plan.n_batches); ++i)
            n_entries += patterns.end(plan.rows[i]) - patterns.begin(plan.rows[i]);
        return n_entries;
    }

    // Lists of one batch: block by block of inputs, pattern by pattern.
    void append_by_pattern(const SparsePatterns<T>& patterns, const BatchPlan<T>& plan, std::size_t batch) {
        const std::int64_t* rows = plan.rows_of(batch);
        first_by_pattern_.push_back(by_pattern_.bounds.size());
        for (std::size_t block = 0; block < blocks_.count; ++block)
            for (std::size_t i = 0; i < lengths_[batch]; ++i) {
                by_pattern_.bounds.push_back(by_pattern_.size());
                by_pattern_.append(patterns.entries, patterns.begin(rows[i], block),
                                   patterns.begin(rows[i], block + 1));
            }
    }

    // Lists of one batch: part by part of its patterns, input by input. The last entry of an input is −μ times the row
    // after the patterns of the part, which holds their sum.
    void append_by_input(const SparsePatterns<T>& patterns, const BatchPlan<T>& plan, std::size_t batch,
                         std::vector<std::size_t>& next) {
        const Entries<T>& all = patterns.entries;
        first_by_input_.push_back(by_input_.bounds.size());
        const Parts parts(lengths_[batch]);
        for (std::size_t part = 0; part < parts.count; ++part) {
            const std::size_t n = parts.length(part);
            const std::int64_t* rows = plan.rows_of(batch) + parts.begin(part);
            const auto for_entries = [&](auto f) {
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t e = patterns.begin(rows[i]); e < patterns.end(rows[i]); ++e)
                        f(i, all.places[e], all.values[e]);
            };
            std::fill(next.begin(), next.end(), 1);  // the entry of the offset
            for_entries([&](std::size_t, std::size_t j, T) { ++next[j]; });
            std::size_t place = by_input_.size();
            for (std::size_t j = 0; j < n_inputs_; ++j) {
                by_input_.bounds.push_back(place);
                const std::size_t length = next[j];
                next[j] = place;
                place += length;
            }
            by_input_.resize(place);
            const auto put = [&](std::size_t row, std::size_t j, T value) {
                by_input_.places[next[j]] = static_cast<std::uint32_t>(row);
                by_input_.values[next[j]++] = value;
            };
            for_entries([&](std::size_t i, std::size_t j, T value) { put(i, j, value); });
            for (std::size_t j = 0; j < n_inputs_; ++j) put(n, j, -plan.offsets[batch][j]);
        }
    }

    static void sum_rows(Rows<T> terms, std::size_t n, std::size_t width) noexcept {
        T* total = terms[n];
        std::fill_n(total, width, T(0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < width; ++k) total[k] += terms[i][k];
    }

    Parts blocks_;  // of the inputs
    std::vector<T> minus_offsets_;  // (n_batches, n_inputs)
    Entries<T> by_pattern_, by_input_;
    std::vector<std::size_t> first_by_pattern_, first_by_input_;  // lists of each batch
};

}  // namespace hebbian_descent
