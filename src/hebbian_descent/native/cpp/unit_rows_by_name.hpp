// Rows of units by the names that activations give themselves.
#pragma once

#include <memory>

#include "by_name.hpp"
#include "unit_rows.hpp"

namespace hebbian_descent {

// Compiled in unit_rows_by_name.cpp, for float and double.
template <class T>
std::unique_ptr<const UnitRow<T>> unit_row(const std::string& name, const Parameters& parameters);

}  // namespace hebbian_descent
