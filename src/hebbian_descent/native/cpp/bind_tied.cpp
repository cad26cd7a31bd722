// Auto-encoders with tied weights: the passes between their matrix products.
#include "bindings.hpp"
#include "spin_barrier.hpp"
#include "tied.hpp"

namespace hebbian_descent {
namespace {

template <class T>
Table<T> table(const Matrix<T>& m) {
    return {m.data(), m.shape(0), m.shape(1)};
}

template <class T, class Input>
void center(Matrix<const Input> patterns, Row<const std::int64_t> rows, std::size_t first, Row<const T> offset,
            Matrix<T> x, Matrix<T> centered) {
    nb::gil_scoped_release release;
    center_inputs<T, Input>(table(patterns), rows.data(), first, offset.data(), table(x), table(centered));
}

template <class T>
bool activate_units(const std::string& unit, const Parameters& parameters, double limit, Matrix<const T> one,
                    Matrix<const T> other, Row<const T> bias, Row<const T> offset, Matrix<T> a, Matrix<T> h,
                    Matrix<T> centered, Row<T> sums) {
    return with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        return activate_hidden<T>(RowUnitsOf<T, decltype(made)>(made), static_cast<T>(limit), table(one), table(other),
                                  bias.data(), offset.data(), table(a), table(h), table(centered), sums.data());
    });
}

template <class T>
bool errors_of_units(const std::string& unit, const Parameters& parameters, double limit, const std::string& term,
                     const Parameters& term_parameters, bool pulls_back, Matrix<T> errors, Row<const T> bias,
                     Matrix<const T> x, Matrix<T> scratch, Row<T> sums) {
    const ErrorTerm made_term = error_term(term, term_parameters);
    return with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        return find_errors<T>(RowUnitsOf<T, decltype(made)>(made), static_cast<T>(limit), made_term, pulls_back,
                              table(errors), bias.data(), table(x), scratch.data(), scratch.data() + scratch.shape(1),
                              sums.data());
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
void define_inputs(nb::module_& m) {
    m.def("center_inputs", &center<T, Input>, array("patterns"), array("rows"), "first"_a, array("offset"), array("x"),
          array("centered"));
}

template <class T>
void define_for(nb::module_& m) {
    define_inputs<T, double>(m);
    define_inputs<T, float>(m);
    m.def("activate_hidden", &activate_units<T>, "unit"_a, "parameters"_a, "limit"_a, array("one"), array("other"),
          array("bias"), array("offset"), array("a"), array("h"), array("centered"), array("sums"));
    m.def("find_errors", &errors_of_units<T>, "unit"_a, "parameters"_a, "limit"_a, "term"_a, "term_parameters"_a,
          "pulls_back"_a, array("errors"), array("bias"), array("x"), array("scratch"), array("sums"));
    m.def("pull_back_hidden", &pull_back_units<T>, "unit"_a, "parameters"_a, array("one"), array("other"), array("a"),
          array("h"), array("errors"), array("sums"));
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
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
