// Online learning of one layer.
#include "bindings.hpp"
#include "online.hpp"

namespace hebbian_descent {
namespace {

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
void define_for(nb::module_& m) {
    m.def("learn_online", &learn_layer<T>, "weights"_a, "bias"_a, "offset"_a, "inputs"_a, "targets"_a, "scales"_a,
          "order"_a, nb::kw_only(), "n_seen"_a, "unit"_a, "parameters"_a, "step"_a, "per_pass"_a);
}

}  // namespace

void bind_online(nb::module_& m) {
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

}  // namespace hebbian_descent
