// Sums over the rows of a matrix, column by column.
#pragma once

#include <type_traits>

#include "vector.hpp"

namespace hebbian_descent {

// total ← total + Σw(x − μ)², four rows at a time: the totals are loaded and stored less often.
template <class T>
void add_squares(const T* x, const T* weights, std::size_t n_rows, const T* mean, std::size_t n_columns,
                 T* total) noexcept {
    using V = Vector<T>;
    const auto add = [&](std::size_t row, auto n) {
        for_vectors<T>(n_columns, [&](std::size_t i, std::size_t m) HD_LAMBDA_INLINE {
            const V mu = V::load(mean + i, m);
            V sum = V::load(total + i, m);
            for (std::size_t k = row; k < row + n; ++k) {
                const V c = V::load(x + k * n_columns + i, m) - mu;
                sum = fma(V(weights[k]) * c, c, sum);
            }
            sum.store(total + i, m);
        });
    };
    std::size_t row = 0;
    for (; row + 4 <= n_rows; row += 4) add(row, std::integral_constant<std::size_t, 4>());
    for (; row < n_rows; ++row) add(row, std::integral_constant<std::size_t, 1>());
}

}  // namespace hebbian_descent
