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

// error ← error·∂h/∂a.
template <class T>
void pull_back_rows(Matrix<const T> a, Matrix<const T> h, Matrix<T> error, const std::string& unit,
                    const Parameters& parameters) {
    const auto row_of_units = unit_row<T>(unit, parameters);
    nb::gil_scoped_release release;
    for (std::size_t start = 0; start < a.size(); start += a.shape(1))
        row_of_units->pull_back(a.data() + start, h.data() + start, error.data() + start, a.shape(1));
}

template <class T>
void define_for(nb::module_& m) {
    m.def("activate", &activate_rows<T>, array("a"), array("h"), "unit"_a, "parameters"_a);
    m.def("pull_back", &pull_back_rows<T>, array("a"), array("h"), array("error"), "unit"_a, "parameters"_a);
}

}  // namespace

void bind_units(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
