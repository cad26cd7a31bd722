// Auto-encoders with tied weights: the passes between their matrix products.
#include "bindings.hpp"
#include "sparse_inputs.hpp"
#include "spin_barrier.hpp"
#include "tied.hpp"

namespace hebbian_descent {
namespace {

template <class T>
Table<T> table(const Matrix<T>& m) {
    return {m.data(), m.shape(0), m.shape(1)};
}

ErrorTerm error_term(const std::string& name, const Parameters& p) {
    if (name == "difference") return {};
    if (name == "saturating") return {ErrorTerm::Kind::saturating, p.at("saturation"), p.at("steepness"), 0};
    if (name == "leaky_hinge") return {ErrorTerm::Kind::leaky_hinge, 1, 1, p.at("leak")};
    throw std::invalid_argument("No compiled error term has the name '" + name + "'.");
}

template <class T, class Input>
void center(Matrix<const Input> patterns, Row<const std::int64_t> rows, std::size_t first, Row<const T> offset,
            Matrix<T> x, Matrix<T> centered) {
    nb::gil_scoped_release release;
    center_inputs<T, Input>(table(patterns), rows.data(), first, offset.data(), table(x), table(centered));
}

template <class T>
bool activate_units(const std::string& unit, const Parameters& parameters, Matrix<const T> one, Matrix<const T> other,
                    Row<const T> bias, Row<const T> offset, Matrix<T> a, Matrix<T> h, Matrix<T> centered, Row<T> sums) {
    return with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        return activate_hidden<T>(RowUnitsOf<T, decltype(made)>(made), table(one), table(other), bias.data(),
                                  offset.data(), table(a), table(h), table(centered), sums.data());
    });
}

template <class T>
bool errors_of_units(const std::string& unit, const Parameters& parameters, const std::string& term,
                     const Parameters& term_parameters, bool pulls_back, Matrix<T> errors, Row<const T> bias,
                     Matrix<const T> x, Matrix<T> scratch, Row<T> sums) {
    const ErrorTerm made_term = error_term(term, term_parameters);
    return with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        return find_errors<T>(RowUnitsOf<T, decltype(made)>(made), made_term, pulls_back, table(errors), bias.data(),
                              table(x), scratch.data(), scratch.data() + scratch.shape(1), sums.data());
    });
}

template <class T>
void pull_back_units(const std::string& unit, const Parameters& parameters, Matrix<const T> one, Matrix<const T> other,
                     Matrix<const T> a, Matrix<const T> h, Matrix<T> errors, Row<T> sums) {
    with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        pull_back_hidden<T>(RowUnitsOf<T, decltype(made)>(made), table(one), table(other), table(a), table(h),
                            table(errors), sums.data());
    });
}

template <class T>
void update_weights(Matrix<T> weights, Matrix<const T> change, double decay, double eta, Row<T> decoder_bias,
                    Row<const T> sums_of_errors, Row<T> hidden_offset, Row<T> move, Matrix<const T> sums_of_h,
                    double shift, std::size_t n_patterns) {
    nb::gil_scoped_release release;
    if (shift > 0)
        move_offset<T>(hidden_offset.data(), move.data(), table(sums_of_h), T(1 - shift),
                       T(shift / static_cast<double>(n_patterns)));
    update<T>(table(weights), table(change), T(1 - decay), T(eta), decoder_bias.data(), sums_of_errors.data(),
              move.data());
}

template <class T, class Input>
void find(Matrix<const Input> patterns, std::size_t first, std::size_t n_columns, Matrix<std::int64_t> bounds,
          Row<std::uint32_t> places, Row<T> values) {
    nb::gil_scoped_release release;
    find_entries<T, Input>(table(patterns), first, n_columns, table(bounds), places.data(), values.data());
}

template <class T>
void fill(Matrix<const std::int64_t> bounds, Row<const std::uint32_t> places, Row<const T> values,
          Row<const std::int64_t> rows, Matrix<T> x) {
    nb::gil_scoped_release release;
    SparseInputs<T>{table(bounds), places.data(), values.data()}.fill(rows.data(), table(x));
}

template <class T>
void multiply(Matrix<const std::int64_t> bounds, Row<const std::uint32_t> places, Row<const T> values,
              Row<const std::int64_t> rows, Matrix<const T> weights, Row<const T> product_of_offset, Matrix<T> out) {
    nb::gil_scoped_release release;
    const SparseInputs<T> inputs{table(bounds), places.data(), values.data()};
    inputs.multiply(rows.data(), table(weights), product_of_offset.data(), table(out));
}

// An array of the wrong precision must be refused: a converted copy would take up the results, and be lost.
auto array(const char* name) { return nb::arg(name).noconvert(); }

template <class T, class Input>
void define_inputs(nb::module_& m) {
    m.def("center_inputs", &center<T, Input>, array("patterns"), array("rows"), "first"_a, array("offset"), array("x"),
          array("centered"));
    m.def("find_entries", &find<T, Input>, array("patterns"), "first"_a, "n_columns"_a, array("bounds"),
          array("places"), array("values"));
}

template <class T>
void define_for(nb::module_& m) {
    define_inputs<T, double>(m);
    define_inputs<T, float>(m);
    m.def("activate_hidden", &activate_units<T>, "unit"_a, "parameters"_a, array("one"), array("other"), array("bias"),
          array("offset"), array("a"), array("h"), array("centered"), array("sums"));
    m.def("find_errors", &errors_of_units<T>, "unit"_a, "parameters"_a, "term"_a, "term_parameters"_a, "pulls_back"_a,
          array("errors"), array("bias"), array("x"), array("scratch"), array("sums"));
    m.def("pull_back_hidden", &pull_back_units<T>, "unit"_a, "parameters"_a, array("one"), array("other"), array("a"),
          array("h"), array("errors"), array("sums"));
    m.def("fill_entries", &fill<T>, array("bounds"), array("places"), array("values"), array("rows"), array("x"));
    m.def("multiply_entries", &multiply<T>, array("bounds"), array("places"), array("values"), array("rows"),
          array("weights"), array("product_of_offset"), array("out"));
    m.def("update_tied", &update_weights<T>, array("weights"), array("change"), "decay"_a, "eta"_a,
          array("decoder_bias"), array("sums_of_errors"), array("hidden_offset"), array("move"), array("sums_of_h"),
          "shift"_a, "n_patterns"_a);
}

}  // namespace

void bind_tied(nb::module_& m) {
    nb::class_<SpinBarrier>(m, "SpinBarrier")
        .def(nb::init<std::int64_t>(), "n_threads"_a)
        .def("wait", &SpinBarrier::wait, nb::call_guard<nb::gil_scoped_release>())
        .def("abort", &SpinBarrier::abort);
    m.attr("rows_in_cache") = rows_in_cache;
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
