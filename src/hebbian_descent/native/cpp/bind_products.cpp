// Matrix products that treat every column alike.
#include "bindings.hpp"
#include "product.hpp"

namespace hebbian_descent {
namespace {

template <class T>
void multiply(Matrix<T> out, Matrix<const T> start, T keep, Matrix<const T> coefficients, Matrix<const T> terms) {
    nb::gil_scoped_release release;
    add_product<T>({out.data(), out.shape(1)}, {start.data(), start.shape(1)}, keep,
                   {coefficients.data(), coefficients.shape(1)}, {terms.data(), terms.shape(1)}, out.shape(0),
                   terms.shape(0), out.shape(1));
}


template <class T>
void define_for(nb::module_& m) {
    m.def("add_product", &multiply<T>, "out"_a, "start"_a, "keep"_a, "coefficients"_a, "terms"_a);
}

}  // namespace

void bind_products(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
