// The compiled core as a Python module, one per instruction level. Python checks shapes and values before it calls.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "online.hpp"
#include "sequence.hpp"
#include "units_by_name.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hebbian_descent;

namespace {

template <class T>
using Row = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void activate_rows(Matrix<const T> a, Matrix<T> h, const std::string& unit, const Parameters& parameters) {
    with_unit(unit, parameters, [&](auto made) {
        for (std::size_t row = 0; row < a.shape(0); ++row)
            activate(made, a.data() + row * a.shape(1), h.data() + row * a.shape(1), a.shape(1));
    });
}

template <class T>
std::ptrdiff_t learn_layer(Matrix<T> weights, Row<T> bias, Row<T> offset, Matrix<const T> inputs,
                           Matrix<const T> targets, Row<const T> scales, Row<const std::ptrdiff_t> order,
                           std::size_t n_seen, const std::string& unit, const Parameters& parameters,
                           const StepSettings& step, std::size_t per_pass) {
    const LayerArrays<T> layer{weights.data(), bias.data(), offset.data(), weights.shape(0), weights.shape(1)};
    const Samples<T> samples{inputs.data(), targets.data(), scales.data(), order.data(), order.shape(0)};
    return with_unit(unit, parameters, [&](auto made) {
        OutputOf<T, decltype(made)> output(made, layer.n_outputs);
        nb::gil_scoped_release release;
        return per_pass == 1 ? learn_online<T, 1>(output, step, layer, samples, n_seen)
                             : learn_online<T, 2>(output, step, layer, samples, n_seen);
    });
}

template <class T>
void multiply(Matrix<T> out, Matrix<const T> start, T keep, Matrix<const T> coefficients, Matrix<const T> terms) {
    nb::gil_scoped_release release;
    add_product<T>({out.data(), out.shape(1)}, {start.data(), start.shape(1)}, keep,
                   {coefficients.data(), coefficients.shape(1)}, {terms.data(), terms.shape(1)}, out.shape(0),
                   terms.shape(0), out.shape(1));
}

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
    m.def("activate", &activate_rows<T>, "a"_a, "h"_a, "unit"_a, "parameters"_a);
    m.def("learn_online", &learn_layer<T>, "weights"_a, "bias"_a, "offset"_a, "inputs"_a, "targets"_a, "scales"_a,
          "order"_a, nb::kw_only(), "n_seen"_a, "unit"_a, "parameters"_a, "step"_a, "per_pass"_a);
    m.def("add_product", &multiply<T>, "out"_a, "start"_a, "keep"_a, "coefficients"_a, "terms"_a);
    m.def("learn_sequences", &learn_sequences<T>, "learning_rates"_a, "couplings"_a, "start"_a, "targets"_a,
          "evaluated_couplings"_a, "evaluated_start"_a, "evaluated_targets"_a, "errors"_a, "diverged_at"_a,
          nb::kw_only(), "n_units"_a, "n_epochs"_a, "continues"_a, "pulls_back"_a, "unit"_a, "parameters"_a);
}

}  // namespace

NB_MODULE(HD_MODULE, m) {
    m.attr("level") = level;
    nb::enum_<ErrorTerm::Kind>(m, "ErrorKind")
        .value("difference", ErrorTerm::Kind::difference)
        .value("saturating", ErrorTerm::Kind::saturating)
        .value("leaky_hinge", ErrorTerm::Kind::leaky_hinge);
    nb::class_<StepSettings>(m, "StepSettings")
        .def(
            "__init__",
            [](StepSettings* self, bool learns_from_output, bool pulls_back, double learning_rate, double largest_slope,
               bool slope_is_output, double weight_decay, double shift, bool starts_as_mean, ErrorTerm::Kind error,
               double saturation, double steepness, double leak) {
                new (self) StepSettings{learns_from_output, pulls_back, learning_rate, largest_slope, slope_is_output,
                                        weight_decay, shift, starts_as_mean, {error, saturation, steepness, leak}};
            },
            nb::kw_only(), "learns_from_output"_a = true, "pulls_back"_a = false, "learning_rate"_a = 0.1,
            "largest_slope"_a = 0.0, "slope_is_output"_a = false, "weight_decay"_a = 0.0, "shift"_a = 0.0,
            "starts_as_mean"_a = false, "error"_a = ErrorTerm::Kind::difference, "saturation"_a = 1.0,
            "steepness"_a = 1.0, "leak"_a = 0.0);
    define_for<double>(m);
    define_for<float>(m);
}
