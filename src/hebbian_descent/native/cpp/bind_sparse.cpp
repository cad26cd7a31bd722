// Patterns without their zeros, for stacked runs and for auto-encoders.
#include "bindings.hpp"
#include "sparse_patterns.hpp"

namespace hebbian_descent {
namespace {

// Columns first … last − 1 of some patterns, which may have another precision.
template <class T, class Input>
void make(SparsePatterns<T>* self, Matrix<const Input> patterns, std::size_t first, std::size_t last) {
    nb::gil_scoped_release release;
    const Rows<const Input> rows{patterns.data(), patterns.shape(1)};
    new (self) SparsePatterns<T>(rows.from(0, first), patterns.shape(0), last - first);
}

template <class T>
void define_for(nb::module_& m, const char* name) {
    nb::class_<SparsePatterns<T>>(m, name)
        .def("__init__", &make<T, double>, array("patterns"), "first"_a, "last"_a)
        .def("__init__", &make<T, float>, array("patterns"), "first"_a, "last"_a);
}

}  // namespace

void bind_sparse(nb::module_& m) {
    define_for<double>(m, "SparsePatterns64");
    define_for<float>(m, "SparsePatterns32");
}

}  // namespace hebbian_descent
