// Matrix products and sums that treat every column alike, and patterns without their zeros for such products.
#include "bindings.hpp"
#include "column_squares.hpp"
#include "product.hpp"
#include "sparse_patterns.hpp"

namespace hebbian_descent {
namespace {

// As many columns as the terms have; their rows may be parts of longer ones.
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

// Columns first … last − 1 of some patterns, which may have another precision.
template <class T, class Input>
void make(SparsePatterns<T>* self, Matrix<const Input> patterns, std::size_t first, std::size_t last) {
    nb::gil_scoped_release release;
    const Rows<const Input> rows{patterns.data(), patterns.shape(1)};
    new (self) SparsePatterns<T>(rows.from(0, first), patterns.shape(0), last - first);
}

template <class T>
void define_patterns(nb::module_& m, const char* name) {
    nb::class_<SparsePatterns<T>>(m, name)
        .def("__init__", &make<T, double>, array("patterns"), "first"_a, "last"_a)
        .def("__init__", &make<T, float>, array("patterns"), "first"_a, "last"_a);
}

}  // namespace

void bind_products(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
    define_patterns<double>(m, "SparsePatterns64");
    define_patterns<float>(m, "SparsePatterns32");
}

}  // namespace hebbian_descent
