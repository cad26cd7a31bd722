// Many runs over one sequence of patterns.
#include "bindings.hpp"
#include "sequence.hpp"

namespace hebbian_descent {
namespace {

template <class T>
void learn_sequences(Row<const T> learning_rates, Matrix<const T> couplings, Matrix<const T> start,
                     Matrix<const T> targets, Matrix<const T> evaluated_couplings, Matrix<const T> evaluated_start,
                     Matrix<const T> evaluated_targets, Matrix<double> errors, Row<std::int64_t> diverged_at,
                     std::size_t n_units, std::size_t n_epochs, bool continues, bool pulls_back, const std::string& unit,
                     const Parameters& parameters) {
    const auto block = [&](const Matrix<const T>& c, const Matrix<const T>& s, const Matrix<const T>& t) {
        return UnitBlock<T>{{c.data(), c.shape(1)}, {s.data(), s.shape(1)}, {t.data(), t.shape(1)},
                            c.shape(0), n_units, s.shape(1)};
    };
    const UnitBlock<T> training = block(couplings, start, targets),
                       evaluation = block(evaluated_couplings, evaluated_start, evaluated_targets);
    with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        const auto run = [&](auto pulls) {
            run_sequences<decltype(pulls)::value>(made, learning_rates.data(), learning_rates.shape(0), n_epochs,
                                                  continues, training, evaluation, errors.data(), diverged_at.data(),
                                                  static_cast<T*>(nullptr));
        };
        pulls_back ? run(std::true_type{}) : run(std::false_type{});
    });
}


template <class T>
void define_for(nb::module_& m) {
    m.def("learn_sequences", &learn_sequences<T>, "learning_rates"_a, "couplings"_a, "start"_a, "targets"_a,
          "evaluated_couplings"_a, "evaluated_start"_a, "evaluated_targets"_a, "errors"_a, "diverged_at"_a,
          nb::kw_only(), "n_units"_a, "n_epochs"_a, "continues"_a, "pulls_back"_a, "unit"_a, "parameters"_a);
}

}  // namespace

void bind_sequence(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
