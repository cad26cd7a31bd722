// The units by themselves.
#include "bindings.hpp"
#include "unit_rows_by_name.hpp"

namespace hebbian_descent {
namespace {

template <class T>
void activate_rows(Matrix<const T> a, Matrix<T> h, const std::string& unit, const Parameters& parameters) {
    const auto row_of_units = unit_row<T>(unit, parameters);
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < a.shape(0); ++row)
        row_of_units->activate(a.data() + row * a.shape(1), h.data() + row * a.shape(1), a.shape(1));
}

template <class T>
void define_for(nb::module_& m) {
    m.def("activate", &activate_rows<T>, "a"_a, "h"_a, "unit"_a, "parameters"_a);
}

}  // namespace

void bind_units(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
