// Many runs over one sequence of patterns.
#include "bindings.hpp"
#include "sequence.hpp"

namespace hebbian_descent {
namespace {

template <class T>
UnitBlock<T> unit_block(const Matrix<const T>& couplings, const Matrix<const T>& start, const Matrix<const T>& targets,
                        std::size_t n_units) {
    constexpr std::size_t lanes = Vector<T>::lanes;
    return {{couplings.data(), couplings.shape(1)},
            {start.data(), start.shape(1)},
            {targets.data(), targets.shape(1)},
            couplings.shape(0),
            n_units,
            (n_units + lanes - 1) / lanes * lanes};
}

template <class T>
void learn_sequences(Row<const T> learning_rates, Matrix<const T> couplings, Matrix<const T> start,
                     Matrix<const T> targets, Matrix<const T> evaluated_couplings, Matrix<const T> evaluated_start,
                     Matrix<const T> evaluated_targets, Matrix<T> room, Matrix<double> errors,
                     Row<std::int64_t> diverged_at, Cube<T> outputs, std::size_t n_units,
                     const SequenceSettings& settings, const std::string& unit, const Parameters& parameters) {
    const UnitBlock<T> training = unit_block(couplings, start, targets, n_units),
                       evaluation = unit_block(evaluated_couplings, evaluated_start, evaluated_targets, n_units);
    const Room<T> rows({room.data(), room.shape(1)}, training.n);
    with_unit(unit, parameters, [&](auto made) {
        nb::gil_scoped_release release;
        run_sequences(made, settings, learning_rates.data(), learning_rates.shape(0), training, evaluation, rows,
                      errors.data(), diverged_at.data(), outputs.shape(1) == 0 ? nullptr : outputs.data());
    });
}

// Outputs must not be converted: a copy would be written instead.
template <class T>
void define_for(nb::module_& m) {
    m.def("learn_sequences", &learn_sequences<T>, array("learning_rates"), array("couplings"), array("start"),
          array("targets"), array("evaluated_couplings"), array("evaluated_start"), array("evaluated_targets"),
          array("room"), array("errors"), array("diverged_at"), array("outputs"), nb::kw_only(), "n_units"_a,
          "settings"_a, "unit"_a, "parameters"_a);
}

}  // namespace

void bind_sequence(nb::module_& m) {
    m.def("sequence_room", &Room<double>::n_rows, "n_steps"_a);
    nb::class_<SequenceSettings>(m, "SequenceSettings")
        .def(
            "__init__",
            [](SequenceSettings* self, std::size_t first_epoch, std::size_t n_epochs, bool evaluates, bool continues,
               bool pulls_back, const std::string& error, const Parameters& error_parameters) {
                new (self) SequenceSettings{first_epoch, n_epochs,   evaluates,
                                            continues,   pulls_back, error_term(error, error_parameters)};
            },
            nb::kw_only(), "first_epoch"_a, "n_epochs"_a, "evaluates"_a, "continues"_a, "pulls_back"_a, "error"_a,
            "error_parameters"_a);
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
