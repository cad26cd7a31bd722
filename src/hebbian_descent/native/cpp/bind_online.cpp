// Online learning of one layer.
#include "bindings.hpp"
#include "buffers.hpp"
#include "online.hpp"
#include "unit_rows_by_name.hpp"

namespace hebbian_descent {
namespace {

// Work below which the interpreter lock is kept: handing it over would take longer.
constexpr std::size_t weights_of_a_short_call = 1 << 16;

// One setting of online learning, ready for any number of calls, from any number of threads.
template <class T>
class OnlineLoop {
    std::unique_ptr<const UnitRow<T>> units_;
    StepSettings step_;
    std::size_t per_pass_;

  public:
    OnlineLoop(const std::string& unit, const Parameters& parameters, const StepSettings& step, std::size_t per_pass)
        : units_(unit_row<T>(unit, parameters)), step_(step), per_pass_(per_pass) {
        if (per_pass != 1 && per_pass != 2) throw std::invalid_argument("A pass takes 1 or 2 samples.");
    }

    // Show samples in the given order and count those learned, in one call that no interrupt can divide.
    std::ptrdiff_t learn(nb::handle weights, nb::handle bias, nb::handle offset, nb::handle inputs, nb::handle targets,
                         nb::handle scales, nb::handle order, nb::handle seen) const {
        const Buffer<const T> t(targets.ptr());
        if (t.ndim() != 2) throw std::invalid_argument("Targets are one row per sample.");
        return learn_from(t.data(), nullptr, t.shape(0), t.shape(1), weights, bias, offset, inputs, scales, order,
                          seen);
    }
    // The same with the number of one output unit per sample, which is on while the others are off.
    std::ptrdiff_t learn_labels(nb::handle weights, nb::handle bias, nb::handle offset, nb::handle inputs,
                                nb::handle labels, nb::handle scales, nb::handle order, nb::handle seen) const {
        const Buffer<const std::int64_t> units(labels.ptr());
        const Buffer<T> b(bias.ptr());
        return learn_from(nullptr, units.data(), units.shape(0), b.shape(0), weights, bias, offset, inputs, scales,
                          order, seen);
    }

  private:
    std::ptrdiff_t learn_from(const T* targets, const std::int64_t* labels, std::size_t n_targets,
                              std::size_t n_outputs, nb::handle weights, nb::handle bias, nb::handle offset,
                              nb::handle inputs, nb::handle scales, nb::handle order, nb::handle seen) const {
        const Buffer<T> W(weights.ptr()), b(bias.ptr()), mu(offset.ptr());
        const Buffer<const T> x(inputs.ptr()), factors(scales.ptr());
        const Buffer<const std::ptrdiff_t> places(order.ptr());
        const Buffer<std::int64_t> count(seen.ptr());
        if (W.ndim() != 2 || x.ndim() != 2 || b.shape(0) != W.shape(0) || mu.shape(0) != W.shape(1) ||
            x.shape(1) != W.shape(1) || n_outputs != W.shape(0) || n_targets != x.shape(0) ||
            factors.shape(0) != x.shape(0))
            throw std::invalid_argument("The arrays of a layer and its samples do not fit together.");
        for (std::size_t i = 0; labels != nullptr && i < places.shape(0); ++i)
            if (const std::int64_t unit = labels[places.data()[i]];
                unit < 0 || static_cast<std::size_t>(unit) >= n_outputs)
                throw std::invalid_argument("A label must be the number of an output unit.");
        const LayerArrays<T> layer{W.data(), b.data(), mu.data(), W.shape(0), W.shape(1)};
        const Samples<T> samples{x.data(), targets, labels, factors.data(), places.data(), places.shape(0)};
        if (layer.n_outputs * layer.n_inputs * samples.n <= weights_of_a_short_call)
            return run(layer, samples, count.data());
        nb::gil_scoped_release release;
        return run(layer, samples, count.data());
    }
    std::ptrdiff_t run(const LayerArrays<T>& layer, const Samples<T>& samples, std::int64_t* seen) const {
        const auto n_seen = static_cast<std::size_t>(*seen);
        const std::ptrdiff_t diverged_at = per_pass_ == 1 ? learn_online<T, 1>(*units_, step_, layer, samples, n_seen)
                                                          : learn_online<T, 2>(*units_, step_, layer, samples, n_seen);
        *seen += diverged_at == all_learned ? static_cast<std::int64_t>(samples.n) : diverged_at;
        return diverged_at;
    }
};

template <class T>
void define_for(nb::module_& m, const char* name) {
    nb::class_<OnlineLoop<T>>(m, name)
        .def(nb::init<const std::string&, const Parameters&, const StepSettings&, std::size_t>(), "unit"_a,
             "parameters"_a, "step"_a, nb::kw_only(), "per_pass"_a)
        .def("learn", &OnlineLoop<T>::learn, "weights"_a, "bias"_a, "offset"_a, "inputs"_a, "targets"_a, "scales"_a,
             "order"_a, "seen"_a)
        .def("learn_labels", &OnlineLoop<T>::learn_labels, "weights"_a, "bias"_a, "offset"_a, "inputs"_a, "labels"_a,
             "scales"_a, "order"_a, "seen"_a);
}

}  // namespace

void bind_online(nb::module_& m) {
    nb::class_<StepSettings>(m, "StepSettings")
        .def(
            "__init__",
            [](StepSettings* self, bool learns_from_output, bool pulls_back, double learning_rate, double largest_slope,
               bool slope_is_output, double weight_decay, double shift, bool starts_as_mean, const std::string& error,
               const Parameters& error_parameters, double off, double on) {
                new (self) StepSettings{learns_from_output,
                                        pulls_back,
                                        learning_rate,
                                        largest_slope,
                                        slope_is_output,
                                        weight_decay,
                                        shift,
                                        starts_as_mean,
                                        error_term(error, error_parameters),
                                        off,
                                        on};
            },
            nb::kw_only(), "learns_from_output"_a = true, "pulls_back"_a = false, "learning_rate"_a = 0.1,
            "largest_slope"_a = 0.0, "slope_is_output"_a = false, "weight_decay"_a = 0.0, "shift"_a = 0.0,
            "starts_as_mean"_a = false, "error"_a = "difference", "error_parameters"_a = Parameters(), "off"_a = 0.0,
            "on"_a = 1.0);
    define_for<double>(m, "OnlineLoop64");
    define_for<float>(m, "OnlineLoop32");
}

}  // namespace hebbian_descent
