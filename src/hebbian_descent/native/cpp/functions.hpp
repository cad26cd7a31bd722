// The exponential and its relatives, the same bits at v3 and v4.
//
// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and e^x = 2ⁿ·(1 + (eʳ − 1)). The polynomials interpolate at Chebyshev points:
// (eʳ − 1 − r)/r² with a relative error in eʳ − 1 of 4e-17 (double) and 3e-8 (single), and (ln(1 + z) − 2s)/s³ in s²
// for s = z/(2 + z) ≤ 1/3, with 5e-18 and 2e-8. All functions stay within 3 units in the last place; results below
// about twice the smallest normal number are 0.
#pragma once

#include "vector.hpp"

namespace hebbian_descent {

template <class T>
struct Precision;

template <>
struct Precision<double> {
    static constexpr double lowest = -708.3;  // e^x is 0 below
    static constexpr double highest = 709.79;  // e^x is infinite above
    static constexpr double rounder = 6755399441055744.0;  // 1.5·2⁵²: adding it rounds to an integer
    static constexpr double ln2_high = 0.693147180559890330187045;  // enough trailing zeros for n·ln2_high to be exact
    static constexpr double ln2_low = 5.497923018708371174712472e-14;
    static constexpr int bias = 1023;
    static constexpr double exponential[] = {
        0.50000000000000010221,   0.16666666666666667453,    0.041666666666624127873,    0.0083333333333300618325,
        0.0013888888917213716901, 0.00019841269863053616878, 0.000024801521295954375131, 2.7557268459997064772e-6,
        2.7620088445409748161e-7, 2.5100385495510319078e-8};
    static constexpr double logarithm[] = {0.66666666666666658561, 0.40000000000014582673, 0.28571428567108757162,
                                           0.22222222717427862989, 0.18181789436132858169, 0.15385570064958623103,
                                           0.1331414420965493615,  0.12001072809590712535, 0.088007384861446738822,
                                           0.16164045611943532221};
};

template <>
struct Precision<float> {
    static constexpr float lowest = -87.3f;
    static constexpr float highest = 88.8f;
    static constexpr float rounder = 12582912.0f;  // 1.5·2²³
    static constexpr float ln2_high = 0.693145751953125f;
    static constexpr float ln2_low = 1.428606820309417232121458e-6f;
    static constexpr int bias = 127;
    static constexpr float exponential[] = {0.5f, 0.16666576989698775683f, 0.041666554617204574203f,
                                            0.0083631790527225773704f, 0.0013926183587713494542f};
    static constexpr float logarithm[] = {0.66666640336699239788f, 0.40007560644911205765f, 0.28236619805310481437f,
                                          0.26851498022837151807f};
};

// c₀ + c₁x + c₂x² + …, its even and odd powers summed side by side.
template <class T, std::size_t n>
HD_INLINE Vector<T> polynomial(const T (&c)[n], Vector<T> x) noexcept {
    const Vector<T> square = x * x;
    Vector<T> even(c[(n - 1) / 2 * 2]), odd(c[n / 2 * 2 - 1]);
    for (std::size_t i = (n - 1) / 2 * 2; i >= 2; i -= 2) even = fma(even, square, Vector<T>(c[i - 2]));
    for (std::size_t i = n / 2 * 2 - 1; i >= 3; i -= 2) odd = fma(odd, square, Vector<T>(c[i - 2]));
    return fma(x, odd, even);
}

// 2ⁿ⁻¹ and eʳ − 1. Half the power is representable at both ends of the range. NaN passes through.
template <class T>
struct HalfExponential {
    Vector<T> half_power, remainder;

    explicit HD_INLINE HalfExponential(Vector<T> x) noexcept {
        using P = Precision<T>;
        x = min(Vector<T>(P::highest), max(Vector<T>(P::lowest), x));
        const Vector<T> shifted = fma(x, Vector<T>(T(1.4426950408889634)), Vector<T>(P::rounder));
        const Vector<T> n = shifted - Vector<T>(P::rounder);
        const Vector<T> r = fma(n, Vector<T>(-P::ln2_low), fma(n, Vector<T>(-P::ln2_high), x));
        half_power = shifted.power_of_two_in_lowest_bits(P::bias - 1);
        remainder = fma(r * r, polynomial(P::exponential, r), r);
    }
    HD_INLINE Vector<T> value() const noexcept { return fma(half_power, remainder, half_power); }
};

template <class T>
HD_INLINE Vector<T> exp(Vector<T> x) noexcept {
    const Vector<T> half = HalfExponential<T>(x).value();
    return half + half;
}

// eˣ − 1 without cancellation at small x.
template <class T>
HD_INLINE Vector<T> exp_minus_one(Vector<T> x) noexcept {
    const HalfExponential<T> e(x);
    const Vector<T> half = fma(e.half_power, e.remainder, e.half_power - Vector<T>(T(0.5)));
    return half + half;
}

// eˣ / (1 + eˣ); both tails keep their relative accuracy.
template <class T>
HD_INLINE Vector<T> logistic(Vector<T> x) noexcept {
    const Vector<T> half = HalfExponential<T>(x).value();
    return half / (half + Vector<T>(T(0.5)));
}

// |m|/(2 + m) with m = e^(−2|x|) − 1.
template <class T>
HD_INLINE Vector<T> tanh(Vector<T> x) noexcept {
    const Vector<T> m = exp_minus_one(Vector<T>(T(-2)) * abs(x));
    const Vector<T> magnitude = abs(m) / (Vector<T>(T(2)) + m);
    return choose(x < Vector<T>(T(0)), Vector<T>(T(0)) - magnitude, magnitude);
}

// ln(1 + eˣ).
template <class T>
HD_INLINE Vector<T> softplus(Vector<T> x) noexcept {
    const Vector<T> zero(T(0));
    const Vector<T> z = exp(zero - abs(x));
    const Vector<T> s = z / (Vector<T>(T(2)) + z);
    const Vector<T> square = s * s;
    const Vector<T> log = fma(s * square, polynomial(Precision<T>::logarithm, square), s + s);
    return choose(x > zero, x, zero) + log;
}

}  // namespace hebbian_descent
