// Output units: φ(a) and its slope φ′(a), which may use h = φ(a).
//
// At a kink the branch for a ≥ 0 holds, but the step function and the slope of the rectifier are 0 at 0.
#pragma once

#include "functions.hpp"

namespace hebbian_descent {

struct Linear {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return a;
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T>) const noexcept {
        return T(1);
    }
};

struct Sigmoid {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return logistic(a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T> h) const noexcept {
        return h * (Vector<T>(T(1)) - h);
    }
};

struct Step {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return choose(a > Vector<T>(T(0)), Vector<T>(T(1)), Vector<T>(T(0)));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T>) const noexcept {
        return T(0);
    }
};

struct Rectifier {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return choose(a > Vector<T>(T(0)), a, Vector<T>(T(0)));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        return choose(a > Vector<T>(T(0)), Vector<T>(T(1)), Vector<T>(T(0)));
    }
};

struct LeakyRectifier {
    double below;

    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return choose(a >= Vector<T>(T(0)), a, Vector<T>(T(below)) * a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        return choose(a >= Vector<T>(T(0)), Vector<T>(T(1)), Vector<T>(T(below)));
    }
};

struct ExpLin {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return choose(a >= Vector<T>(T(0)), a, exp_minus_one(a));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T> h) const noexcept {
        return choose(a >= Vector<T>(T(0)), Vector<T>(T(1)), h + Vector<T>(T(1)));
    }
};

struct ScaledExpLin {
    double scale, saturation;

    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        const Vector<T> below = Vector<T>(T(scale * saturation)) * exp_minus_one(a);
        return choose(a >= Vector<T>(T(0)), Vector<T>(T(scale)) * a, below);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        const Vector<T> below = Vector<T>(T(scale * saturation)) * exp(a);
        return choose(a >= Vector<T>(T(0)), Vector<T>(T(scale)), below);
    }
};

struct ScaledTanh {
    double scale;

    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return Vector<T>(T(scale)) * tanh(a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T> h) const noexcept {
        return Vector<T>(T(scale)) - h * (h / Vector<T>(T(scale)));
    }
};

struct ApproximateStep {
    double incline, height;

    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return Vector<T>(T(incline)) * a + choose(a >= Vector<T>(T(0)), Vector<T>(T(height)), Vector<T>(T(0)));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T>) const noexcept {
        return T(incline);
    }
};

struct InverseSqrt {
    double steepness;

    template <class T>
    HD_INLINE Vector<T> stretch(Vector<T> a) const noexcept {
        return sqrt(Vector<T>(T(1)) + Vector<T>(T(steepness)) * a * a);
    }
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return a / stretch(a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        const Vector<T> s = stretch(a);
        return Vector<T>(T(1)) / (s * s * s);
    }
};

struct InverseSqrtLinear {
    InverseSqrt below;

    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return choose(a >= Vector<T>(T(0)), a, below.value(a));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T> h) const noexcept {
        return choose(a >= Vector<T>(T(0)), Vector<T>(T(1)), below.slope(a, h));
    }
};

struct Softsign {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return a / (Vector<T>(T(1)) + abs(a));
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        const Vector<T> stretch = Vector<T>(T(1)) + abs(a);
        return Vector<T>(T(1)) / (stretch * stretch);
    }
};

struct Softplus {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return softplus(a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T> a, Vector<T>) const noexcept {
        return logistic(a);
    }
};

struct Exponential {
    template <class T>
    HD_INLINE Vector<T> value(Vector<T> a) const noexcept {
        return exp(a);
    }
    template <class T>
    HD_INLINE Vector<T> slope(Vector<T>, Vector<T> h) const noexcept {
        return h;
    }
};

// The units of a pattern depend on each other: rows as a whole, see unit_rows.hpp.
struct Softmax {};

}  // namespace hebbian_descent
