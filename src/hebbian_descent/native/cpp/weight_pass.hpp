// One pass over the weights of a layer: it applies the changes of the last k steps, sums the next k inputs, or both.
//
// With weights (n_outputs, n_inputs), kept a factor, p the changes, c the centered inputs and d the directions of k
// steps,
//
//     W ← kept·W + Σ p·dᵀ,   s = W·c of the next k steps.
//
// So each weight is read and written once per pass. A row is summed in the order of its vectors, whatever rows it
// shares a tile with. Inputs are padded with zeros to whole vectors.
#pragma once

#include "vector.hpp"

namespace hebbian_descent {

enum class Pass { sum, learn, learn_and_sum };

// The steps that one pass applies or sums.
template <class T, std::size_t k>
struct Steps {
    T* centered[k];    // c, (n_inputs,), aligned, whole vectors
    T* directions[k];  // d, the same: c/σ², or c itself where inputs are not scaled
    T* p[k];           // (n_outputs,), aligned, whole vectors
};

template <class T, std::size_t k>
struct PassArguments {
    T* weights;
    std::size_t n_outputs, n_inputs;
    T kept;
    const Steps<T, k>* learned;
    const Steps<T, k>* summed;
    T* const* sums;         // k rows of (n_outputs,)
    const T* const* ahead;  // k inputs that the next pass needs, brought into the cache
};

// Rows of a tile: their sums and changes stay in registers. Measured on one processor with AVX-512 and 2 samples per
// pass or 1; with AVX2 more rows would spill.
template <class T>
inline constexpr std::size_t tile_height = Vector<T>::n_registers == 1 ? 5 : 3;

template <Pass pass, bool decays, std::size_t rows, class T, std::size_t k>
HD_INLINE void pass_over_tile(const PassArguments<T, k>& of, std::size_t first) noexcept {
    using V = Vector<T>;
    using R = Register<T>;
    constexpr bool learns = pass != Pass::sum, sums = pass != Pass::learn;
    const std::size_t n_inputs = of.n_inputs;
    T* const weights = of.weights + first * n_inputs;
    R changes[rows][k];
    V totals[rows][k];
    const T *learned[k], *summed[k], *ahead[k];
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t j = 0; j < k; ++j) {
            if (learns) changes[row][j] = R::all(of.learned->p[j][first + row]);
            totals[row][j] = V(T(0));
        }
    for (std::size_t j = 0; j < k; ++j)
        learned[j] = of.learned->directions[j], summed[j] = of.summed->centered[j], ahead[j] = of.ahead[j];
    const R keep = R::all(of.kept), tiny = R::all(std::numeric_limits<T>::min()), zero = R::all(T(0));

    // One register of each row at a time: n of its lanes count.
    const auto visit = [&](std::size_t i, std::size_t part, std::size_t n) HD_LAMBDA_INLINE {
        R x[k], y[k];
        for (std::size_t j = 0; j < k; ++j) {
            if (learns) x[j] = R::load(learned[j] + i);
            if (sums) y[j] = R::load(summed[j] + i);
        }
        T* w_row = weights + i;
        for (std::size_t row = 0; row < rows; ++row, w_row += n_inputs) {
            R w = n == R::lanes ? R::load(w_row) : R::load(w_row, n);
            if (learns) {
                if (decays) w = keep * w;
                for (std::size_t j = 0; j < k; ++j) w = fma(changes[row][j], x[j], w);
                if (decays) w = R::choose(less(abs(w), tiny), zero, w);
                if (n == R::lanes)
                    w.store(w_row);
                else
                    w.store(w_row, n);
            }
            if (sums)
                for (std::size_t j = 0; j < k; ++j) totals[row][j].r[part] = fma(w, y[j], totals[row][j].r[part]);
        }
    };
    const std::size_t n_whole = n_inputs - n_inputs % V::lanes;
    if (n_whole < n_inputs)
        for (std::size_t part = 0; part < V::n_registers; ++part)
            if (const std::size_t n = V::beyond(n_inputs - n_whole, part); n > 0)
                visit(n_whole + part * R::lanes, part, n);
    for (std::size_t i = 0; i < n_whole; i += V::lanes) {
        if (pass == Pass::learn_and_sum)
            for (std::size_t j = 0; j < k; ++j) prefetch(ahead[j] + i);
        for (std::size_t part = 0; part < V::n_registers; ++part) visit(i + part * R::lanes, part, R::lanes);
    }
    if (sums)
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t j = 0; j < k; ++j) of.sums[j][first + row] = sum(totals[row][j]);
}

// The last rows, fewer than a tile. Only the most common pass has tiles for any number of them.
template <Pass pass, bool decays, std::size_t rows, class T, std::size_t k>
HD_INLINE void pass_over_rest(const PassArguments<T, k>& of, std::size_t first) noexcept {
    if constexpr (rows > 1 && pass == Pass::learn_and_sum && !decays) {
        if (of.n_outputs - first == rows)
            pass_over_tile<pass, decays, rows>(of, first);
        else
            pass_over_rest<pass, decays, rows - 1>(of, first);
    } else {
        for (; first < of.n_outputs; ++first) pass_over_tile<pass, decays, 1>(of, first);
    }
}

template <Pass pass, bool decays, class T, std::size_t k>
void pass_over_weights(const PassArguments<T, k>& of) noexcept {
    constexpr std::size_t rows = tile_height<T>;
    std::size_t first = 0;
    for (; first + rows <= of.n_outputs; first += rows) pass_over_tile<pass, decays, rows>(of, first);
    pass_over_rest<pass, decays, rows - 1>(of, first);
}

}  // namespace hebbian_descent
