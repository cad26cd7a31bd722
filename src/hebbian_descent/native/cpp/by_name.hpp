// The compiled units, rows of them, and error terms, by the names of their Python twins.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "error_term.hpp"
#include "unit_rows.hpp"
#include "units.hpp"

namespace hebbian_descent {

using Parameters = std::map<std::string, double>;

// Call f with the unit of that name.
template <class F>
decltype(auto) with_unit(const std::string& name, const Parameters& p, F f) {
    if (name == "linear") return f(Linear{});
    if (name == "sigmoid") return f(Sigmoid{});
    if (name == "step") return f(Step{});
    if (name == "softmax") return f(Softmax{});
    if (name == "rectifier") return f(Rectifier{});
    if (name == "explin") return f(ExpLin{});
    if (name == "scaled_tanh") return f(ScaledTanh{p.at("scale")});
    if (name == "approximate_step") return f(ApproximateStep{p.at("slope"), p.at("height")});
    if (name == "leaky_rectifier") return f(LeakyRectifier{p.at("slope")});
    if (name == "scaled_explin") return f(ScaledExpLin{p.at("scale"), p.at("saturation")});
    if (name == "inverse_sqrt_linear") return f(InverseSqrtLinear{{p.at("steepness")}});
    if (name == "softsign") return f(Softsign{});
    if (name == "softplus") return f(Softplus{});
    if (name == "inverse_sqrt") return f(InverseSqrt{p.at("steepness")});
    if (name == "exponential") return f(Exponential{});
    throw std::invalid_argument("No compiled unit has the name '" + name + "'.");
}

// Compiled in bind_units.cpp, for float and double.
template <class T>
std::unique_ptr<const UnitRow<T>> unit_row(const std::string& name, const Parameters& parameters);

inline ErrorTerm error_term(const std::string& name, const Parameters& p) {
    if (name == "difference") return {};
    if (name == "saturating") return {ErrorTerm::Kind::saturating, p.at("saturation"), p.at("steepness"), 0};
    if (name == "leaky_hinge") return {ErrorTerm::Kind::leaky_hinge, 1, 1, p.at("leak")};
    throw std::invalid_argument("No compiled error term has the name '" + name + "'.");
}

}  // namespace hebbian_descent
