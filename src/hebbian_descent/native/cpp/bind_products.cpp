// Matrix products and sums that treat every column alike.
#include "bindings.hpp"
#include "column_squares.hpp"
#include "product.hpp"

namespace hebbian_descent {
namespace {

// As many columns as the terms have, whose rows may be parts of longer ones.
template <class T>
void multiply(Matrix<T> out, Matrix<const T> start, double keep, Matrix<const T> coefficients, Columns<const T> terms) {
    nb::gil_scoped_release release;
    add_product<T>({out.data(), out.shape(1)}, {start.data(), start.shape(1)}, static_cast<T>(keep),
                   {coefficients.data(), coefficients.shape(1)},
                   {terms.data(), static_cast<std::size_t>(terms.stride(0))}, out.shape(0), terms.shape(0),
                   terms.shape(1));
}

template <class T>
void sum_squares(Matrix<const T> values, Row<const T> weights, Row<const T> mean, Row<T> total) {
    if (weights.shape(0) != values.shape(0) || mean.shape(0) != values.shape(1) || total.shape(0) != values.shape(1))
        throw std::invalid_argument("The values, their weights, mean and total do not fit together.");
    nb::gil_scoped_release release;
    add_squares(values.data(), weights.data(), values.shape(0), mean.data(), values.shape(1), total.data());
}

template <class T>
void define_for(nb::module_& m) {
    m.def("add_product", &multiply<T>, array("out"), array("start"), "keep"_a, array("coefficients"), array("terms"));
    m.def("add_squares", &sum_squares<T>, array("values"), array("weights"), array("mean"), array("total"));
}

}  // namespace

void bind_products(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
