// Online learning of one layer.
#include <algorithm>
#include <array>
#include <optional>

#include "bindings.hpp"
#include "buffers.hpp"
#include "online.hpp"
#include "sparse_online.hpp"

namespace hebbian_descent {
namespace {

// Work below which the interpreter lock is kept: releasing it would take longer.
constexpr std::size_t weights_of_a_short_call = 1 << 16;

// The arrays of a layer: W, b, μ, then q and 1/σ², then the averages of W and b − Wμ; None for missing ones.
template <class T>
class LayerBuffers {
    std::array<std::optional<Buffer<T>>, 7> buffers_;

    T* data(std::size_t i) const { return buffers_[i] ? buffers_[i]->data() : nullptr; }
    void require(std::size_t i, std::size_t size) const {
        if (buffers_[i] && buffers_[i]->shape(0) != size)
            throw std::invalid_argument("The arrays of a layer do not fit together.");
    }

  public:
    explicit LayerBuffers(const nb::tuple& arrays) {
        if (arrays.size() != buffers_.size()) throw std::invalid_argument("A layer is made of seven arrays or None.");
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (nb::handle array = arrays[i]; !array.is_none()) buffers_[i].emplace(array.ptr());
        if (!buffers_[0] || !buffers_[1] || !buffers_[2] || buffers_[0]->ndim() != 2 ||
            buffers_[3].has_value() != buffers_[4].has_value() || buffers_[5].has_value() != buffers_[6].has_value())
            throw std::invalid_argument("The arrays of a layer are not complete.");
        const std::size_t n_outputs = buffers_[0]->shape(0), n_inputs = buffers_[0]->shape(1);
        for (const std::size_t i : {2, 3, 4}) require(i, n_inputs);
        for (const std::size_t i : {1, 5, 6}) require(i, n_outputs);
        if (buffers_[5] && (buffers_[5]->ndim() != 2 || buffers_[5]->shape(1) != n_inputs))
            throw std::invalid_argument("Averaged weights have the shape of the weights.");
    }
    LayerArrays<T> arrays() const {
        return {data(0),
                data(1),
                {data(2), data(3), data(4)},
                data(5),
                data(6),
                buffers_[0]->shape(0),
                buffers_[0]->shape(1)};
    }
};

// The arrays of a layer that learns from few inputs, in the order of `SparseArrays`; None for a missing average.
template <class T>
class SparseBuffers {
    Buffer<T> rows_, units_;
    Buffer<double> totals_;
    Buffer<T> past_;
    Buffer<const std::int64_t> places_;
    std::optional<Buffer<T>> mean_bias_;

  public:
    explicit SparseBuffers(const nb::tuple& arrays)
        : rows_(at(arrays, 0)),
          units_(at(arrays, 1)),
          totals_(at(arrays, 2)),
          past_(at(arrays, 3)),
          places_(at(arrays, 4)) {
        if (at(arrays, 5) != Py_None) mean_bias_.emplace(at(arrays, 5));
        if (rows_.ndim() != 2 || units_.ndim() != 2 || past_.ndim() != 2)
            throw std::invalid_argument("Some arrays of a layer of few inputs are not matrices.");
        const std::size_t n_places = units_.shape(1);
        using Layer = SparseLayer<T>;
        if (rows_.shape(1) != Layer::row_length(n_places, mean_bias_.has_value()) || units_.shape(0) != 3 ||
            totals_.shape(0) != n_sparse_totals || past_.shape(0) == 0 ||
            past_.shape(1) != Layer::past_length(n_places) || places_.shape(0) > n_places ||
            (mean_bias_ && mean_bias_->shape(0) != n_places))
            throw std::invalid_argument("The arrays of a layer of few inputs do not fit together.");
    }
    SparseLayer<T> layer() const {
        T* units = units_.data();
        const std::size_t n = units_.shape(1);
        return {rows_.data(),
                units,
                units + n,
                units + 2 * n,
                mean_bias_ ? mean_bias_->data() : nullptr,
                past_.data(),
                reinterpret_cast<SparseTotals*>(totals_.data()),
                rows_.shape(0),
                places_.shape(0),
                past_.shape(0),
                n};
    }

  private:
    static PyObject* at(const nb::tuple& arrays, std::size_t i) {
        if (arrays.size() != 7) throw std::invalid_argument("A layer of few inputs is made of six arrays and a flag.");
        return PyTuple_GET_ITEM(arrays.ptr(), static_cast<Py_ssize_t>(i));
    }
};

// A compressed matrix: (values, columns, starts).
template <class T>
struct SparseRows {
    Buffer<const T> values;
    Buffer<const std::int32_t> columns;
    Buffer<const std::int64_t> starts;

    explicit SparseRows(const nb::tuple& arrays)
        : values(nb::handle(arrays[0]).ptr()),
          columns(nb::handle(arrays[1]).ptr()),
          starts(nb::handle(arrays[2]).ptr()) {
        if (columns.shape(0) != values.shape(0)) throw std::invalid_argument("A column must come with every value.");
    }
    std::size_t n() const noexcept { return starts.shape(0) - 1; }
    void require_below(std::size_t n_inputs) const {
        hebbian_descent::require_below(n_inputs, columns.data(), columns.shape(0));
        hebbian_descent::require_below(columns.shape(0) + 1, starts.data(), starts.shape(0));
        if (checks_indices && !std::is_sorted(starts.data(), starts.data() + starts.shape(0)))
            throw std::out_of_range("The starts of rows must not decrease.");
    }
};

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

    // Show samples in the given order and count those learned, in one call that no interrupt can split.
    std::ptrdiff_t learn(const nb::tuple& arrays, nb::handle inputs, nb::handle targets, nb::handle scales,
                         nb::handle order, nb::handle progress) const {
        const Buffer<const T> t(targets.ptr());
        if (t.ndim() != 2) throw std::invalid_argument("Targets are one row per sample.");
        return learn_from(t.data(), nullptr, t.shape(0), t.shape(1), arrays, inputs, scales, order, progress);
    }
    // The same with the number of the one output unit that is on, for each sample.
    std::ptrdiff_t learn_labels(const nb::tuple& arrays, nb::handle inputs, nb::handle labels, nb::handle scales,
                                nb::handle order, nb::handle progress) const {
        const Buffer<const std::int64_t> units(labels.ptr());
        return learn_from(nullptr, units.data(), units.shape(0), 0, arrays, inputs, scales, order, progress);
    }

    // The same for samples that are rows of a compressed matrix: (values, columns, starts).
    std::ptrdiff_t learn_sparse(const nb::tuple& arrays, const nb::tuple& inputs, nb::handle targets, nb::handle scales,
                                nb::handle order, nb::handle progress) const {
        const Buffer<const T> t(targets.ptr());
        if (t.ndim() != 2) throw std::invalid_argument("Targets are one row per sample.");
        return learn_sparse_from(t.data(), nullptr, t.shape(0), t.shape(1), arrays, inputs, scales, order, progress);
    }
    std::ptrdiff_t learn_sparse_labels(const nb::tuple& arrays, const nb::tuple& inputs, nb::handle labels,
                                       nb::handle scales, nb::handle order, nb::handle progress) const {
        const Buffer<const std::int64_t> units(labels.ptr());
        return learn_sparse_from(nullptr, units.data(), units.shape(0), 0, arrays, inputs, scales, order, progress);
    }

    // Set the preactivations of one pattern, W(x − μ) + b, or Wx + b without an offset.
    void respond(nb::handle weights, nb::handle bias, nb::handle offset, nb::handle inputs, nb::handle out) const {
        const Buffer<const T> W(weights.ptr()), b(bias.ptr()), x(inputs.ptr());
        const Buffer<T> a(out.ptr());
        std::optional<Buffer<const T>> mu;
        if (!offset.is_none()) mu.emplace(offset.ptr());
        const std::size_t n_inputs = x.shape(0), n_outputs = a.shape(0);
        if (W.ndim() != 2 || W.shape(0) != n_outputs || W.shape(1) != n_inputs || b.shape(0) != n_outputs ||
            (mu && mu->shape(0) != n_inputs))
            throw std::invalid_argument("The arrays of a layer and a pattern do not fit together.");
        for (std::size_t unit = 0; unit < n_outputs; ++unit)
            a.data()[unit] = b.data()[unit] +
                             weighted_sum(W.data() + unit * n_inputs, x.data(), mu ? mu->data() : nullptr, n_inputs);
    }

    // Set the preactivations of samples that are rows of a compressed matrix, by the layer or by its average.
    static void respond_sparse(const nb::tuple& arrays, const nb::tuple& inputs, bool by_average, nb::handle out) {
        const SparseBuffers<T> buffers(arrays);
        const SparseLayer<T> layer = buffers.layer();
        const SparseRows<T> rows(inputs);
        const Buffer<T> a(out.ptr());
        if (a.ndim() != 2 || a.shape(0) != rows.n() || a.shape(1) != layer.n_outputs)
            throw std::invalid_argument("Preactivations are one row per sample.");
        rows.require_below(layer.n_inputs);
        nb::gil_scoped_release release;
        std::vector<T> room(layer.row_length());
        for (std::size_t sample = 0; sample < rows.n(); ++sample) {
            const auto start = static_cast<std::size_t>(rows.starts.data()[sample]),
                       end = static_cast<std::size_t>(rows.starts.data()[sample + 1]);
            respond_to_raw(layer, rows.values.data() + start, rows.columns.data() + start, end - start, by_average,
                           room.data(), a.data() + sample * layer.n_outputs);
        }
    }
    // Set the current rows of all inputs; the layer stays as it is.
    static void copy_rows(const nb::tuple& arrays, nb::handle out) {
        const SparseBuffers<T> buffers(arrays);
        const SparseLayer<T> layer = buffers.layer();
        const Buffer<T> rows(out.ptr());
        if (rows.ndim() != 2 || rows.shape(0) != layer.n_inputs || rows.shape(1) != layer.row_length())
            throw std::invalid_argument("The rows of a layer must be as long as its own.");
        nb::gil_scoped_release release;
        for (std::size_t input = 0; input < layer.n_inputs; ++input)
            copy_row(layer, input, rows.data() + input * layer.row_length());
    }

  private:
    std::ptrdiff_t learn_sparse_from(const T* targets, const std::int64_t* labels, std::size_t n_targets,
                                     std::size_t n_columns, const nb::tuple& arrays, const nb::tuple& inputs,
                                     nb::handle scales, nb::handle order, nb::handle progress) const {
        const SparseBuffers<T> buffers(arrays);
        const SparseLayer<T> layer = buffers.layer();
        const SparseRows<T> rows(inputs);
        const Buffer<const T> weights(scales.ptr());
        const Buffer<const std::ptrdiff_t> places(order.ptr());
        const Buffer<double> counts(progress.ptr());
        if (rows.n() != n_targets || (labels == nullptr && n_columns != layer.n_outputs) ||
            weights.shape(0) != n_targets || counts.shape(0) != 2)
            throw std::invalid_argument("The arrays of a layer and its samples do not fit together.");
        rows.require_below(layer.n_inputs);
        require_below(n_targets, places.data(), places.shape(0));
        require_units(labels, places, layer.n_outputs);
        const SparseSamples<T> samples{rows.values.data(), rows.columns.data(), rows.starts.data(), targets, labels,
                                       weights.data(),     places.data(),       places.shape(0)};
        const auto run = [&] {
            Progress done{counts.data()[0], counts.data()[1]};
            const std::ptrdiff_t refused = hebbian_descent::learn_sparse(*units_, step_, layer, samples, done);
            counts.data()[0] = done.n_samples, counts.data()[1] = done.weight;
            return refused;
        };
        if (samples.n == 1) return run();
        nb::gil_scoped_release release;
        return run();
    }
    static void require_units(const std::int64_t* labels, const Buffer<const std::ptrdiff_t>& places,
                              std::size_t n_outputs) {
        for (std::size_t i = 0; labels != nullptr && i < places.shape(0); ++i)
            if (const std::int64_t unit = labels[places.data()[i]];
                unit < 0 || static_cast<std::size_t>(unit) >= n_outputs)
                throw std::invalid_argument("A label must be the number of an output unit.");
    }
    std::ptrdiff_t learn_from(const T* targets, const std::int64_t* labels, std::size_t n_targets,
                              std::size_t n_columns, const nb::tuple& arrays, nb::handle inputs, nb::handle scales,
                              nb::handle order, nb::handle progress) const {
        const LayerBuffers<T> buffers(arrays);
        const LayerArrays<T> layer = buffers.arrays();
        const Buffer<const T> x(inputs.ptr()), weights(scales.ptr());
        const Buffer<const std::ptrdiff_t> places(order.ptr());
        const Buffer<double> counts(progress.ptr());
        if (x.ndim() != 2 || x.shape(1) != layer.n_inputs || (labels == nullptr && n_columns != layer.n_outputs) ||
            n_targets != x.shape(0) || weights.shape(0) != x.shape(0) || counts.shape(0) != 2)
            throw std::invalid_argument("The arrays of a layer and its samples do not fit together.");
        require_below(n_targets, places.data(), places.shape(0));
        require_units(labels, places, layer.n_outputs);
        const Samples<T> samples{x.data(), targets, labels, weights.data(), places.data(), places.shape(0)};
        if (layer.n_outputs * layer.n_inputs * samples.n <= weights_of_a_short_call)
            return run(layer, samples, counts.data());
        nb::gil_scoped_release release;
        return run(layer, samples, counts.data());
    }
    std::ptrdiff_t run(const LayerArrays<T>& layer, const Samples<T>& samples, double* counts) const {
        Progress progress{counts[0], counts[1]};
        const std::ptrdiff_t diverged_at = per_pass_ == 1
                                               ? learn_online<T, 1>(*units_, step_, layer, samples, progress)
                                               : learn_online<T, 2>(*units_, step_, layer, samples, progress);
        counts[0] = progress.n_samples, counts[1] = progress.weight;
        return diverged_at;
    }
};

template <class T>
void define_for(nb::module_& m, const char* name) {
    nb::class_<OnlineLoop<T>>(m, name)
        .def(nb::init<const std::string&, const Parameters&, const StepSettings&, std::size_t>(), "unit"_a,
             "parameters"_a, "step"_a, nb::kw_only(), "per_pass"_a)
        .def("learn", &OnlineLoop<T>::learn, "arrays"_a, "inputs"_a, "targets"_a, "scales"_a, "order"_a, "progress"_a)
        .def("learn_labels", &OnlineLoop<T>::learn_labels, "arrays"_a, "inputs"_a, "labels"_a, "scales"_a, "order"_a,
             "progress"_a)
        .def("respond", &OnlineLoop<T>::respond, "weights"_a, "bias"_a, "offset"_a.none(), "inputs"_a, "out"_a)
        .def("learn_sparse", &OnlineLoop<T>::learn_sparse, "arrays"_a, "inputs"_a, "targets"_a, "scales"_a, "order"_a,
             "progress"_a)
        .def("learn_sparse_labels", &OnlineLoop<T>::learn_sparse_labels, "arrays"_a, "inputs"_a, "labels"_a, "scales"_a,
             "order"_a, "progress"_a)
        .def_static("respond_sparse", &OnlineLoop<T>::respond_sparse, "arrays"_a, "inputs"_a, "by_average"_a, "out"_a)
        .def_static("copy_rows", &OnlineLoop<T>::copy_rows, "arrays"_a, "out"_a);
}

}  // namespace

void bind_online(nb::module_& m) {
    nb::class_<StepSettings>(m, "StepSettings")
        .def(
            "__init__",
            [](StepSettings* self, bool learns_from_output, bool pulls_back, double learning_rate, double largest_slope,
               bool slope_is_output, double weight_decay, double shift, bool starts_as_mean, bool scale_moves,
               double scale_shift, std::uint64_t average_every, double average_rate, const std::string& error,
               const Parameters& error_parameters, double off, double on, bool is_linear, bool units_apart) {
                new (self) StepSettings{learns_from_output,
                                        pulls_back,
                                        learning_rate,
                                        largest_slope,
                                        slope_is_output,
                                        weight_decay,
                                        shift,
                                        starts_as_mean,
                                        scale_moves,
                                        scale_shift,
                                        {average_every, average_rate},
                                        error_term(error, error_parameters),
                                        off,
                                        on,
                                        is_linear,
                                        units_apart};
            },
            nb::kw_only(), "learns_from_output"_a = true, "pulls_back"_a = false, "learning_rate"_a = 0.1,
            "largest_slope"_a = 0.0, "slope_is_output"_a = false, "weight_decay"_a = 0.0, "shift"_a = 0.0,
            "starts_as_mean"_a = false, "scale_moves"_a = false, "scale_shift"_a = 0.0, "average_every"_a = 1,
            "average_rate"_a = 0.0, "error"_a = "difference", "error_parameters"_a = Parameters(), "off"_a = 0.0,
            "on"_a = 1.0, "is_linear"_a = false, "units_apart"_a = true);
    define_for<double>(m, "OnlineLoop64");
    define_for<float>(m, "OnlineLoop32");
}

}  // namespace hebbian_descent
