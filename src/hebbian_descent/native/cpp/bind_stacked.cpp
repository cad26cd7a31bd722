// Mini-batch learning of stacked runs, on dense and on sparse patterns.
#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "sparse_batches.hpp"
#include "stacked.hpp"

namespace hebbian_descent {
namespace {

using Places = Row<const std::int64_t>;

template <class T>
BatchPlan<T> plan_of(const Places& rows, const Places& bounds, const Matrix<const T>& offsets) {
    return {rows.data(),
            bounds.data(),
            bounds.shape(0) - 1,
            {offsets.data(), offsets.shape(0) == 1 ? 0 : offsets.shape(1)}};
}

template <class T>
Stack<T> stack_of(const Matrix<T>& weights, const Row<T>& bias, const Row<T>& rates,
                  const Row<std::int64_t>& diverged_at, std::size_t n_units) {
    return {{weights.data(), weights.shape(1)},
            bias.data(),
            rates.data(),
            diverged_at.data(),
            weights.shape(0),
            n_units,
            diverged_at.shape(0),
            bias.shape(0)};
}

template <class T>
void learn(const Batches<T>& batches, std::size_t first, std::size_t last, std::int64_t first_number,
           Matrix<const T> targets, std::optional<Matrix<const T>> moves, Matrix<T> weights, Row<T> bias, Row<T> rates,
           Row<std::int64_t> diverged_at, const std::string& unit, const Parameters& parameters,
           const StackedRule& rule) {
    const Stack<T> stack = stack_of(weights, bias, rates, diverged_at, targets.shape(1));
    with_unit(unit, parameters, [&](auto made) {
        const StackedUnitsOf<T, decltype(made)> units(made);
        StackedLearner<T> learner(units, rule, stack, batches);
        nb::gil_scoped_release release;
        const T* t = targets.data();
        for (std::size_t batch = 0; batch < last; ++batch) {
            const T* moved = moves ? moves->data() + batch * stack.n_inputs : nullptr;
            if (batch >= first) learner.step(batch, first_number + static_cast<std::int64_t>(batch), t, moved);
            t += batches.length(batch) * stack.n_units;
        }
    });
}

template <class T>
void evaluate(const Batches<T>& batches, std::size_t batch, Matrix<const T> targets, Matrix<T> weights, Row<T> bias,
              Row<T> rates, Row<std::int64_t> diverged_at, const std::string& unit, const Parameters& parameters,
              Matrix<T> errors) {
    const Stack<T> stack = stack_of(weights, bias, rates, diverged_at, targets.shape(1));
    with_unit(unit, parameters, [&](auto made) {
        const StackedUnitsOf<T, decltype(made)> units(made);
        nb::gil_scoped_release release;
        evaluate_stacked<T>(units, stack, batches, batch, targets.data(), errors.data());
    });
}

template <class T>
void define_for(nb::module_& m, const char* batches_name) {
    nb::class_<Batches<T>>(m, batches_name)
        .def(
            "multiply",
            [](const Batches<T>& batches, std::size_t batch, Matrix<const T> weights, Row<const T> start,
               Matrix<T> out) {
                nb::gil_scoped_release release;
                batches.multiply(batch, {weights.data(), weights.shape(1)}, start.data(), {out.data(), out.shape(1)},
                                 start.shape(0));
            },
            "batch"_a, array("weights"), array("start"), array("out"))
        .def(
            "learn",
            [](const Batches<T>& batches, std::size_t batch, double keep, Matrix<const T> p, Matrix<T> weights) {
                nb::gil_scoped_release release;
                AlignedVector<T> room(batches.room());
                batches.learn(batch, static_cast<T>(keep), {p.data(), p.shape(1)}, {weights.data(), weights.shape(1)},
                              p.shape(1), room.data());
            },
            "batch"_a, "keep"_a, array("p"), array("weights"));
    m.def(
        "dense_batches",
        [](Matrix<const T> patterns, Places rows, Places bounds, Matrix<const T> offsets,
           std::optional<Matrix<const T>> pre, bool learns) -> Batches<T>* {
            nb::gil_scoped_release release;
            return new DenseBatches<T>({patterns.data(), patterns.shape(1)}, patterns.shape(1),
                                       plan_of(rows, bounds, offsets), pre ? pre->data() : nullptr, learns);
        },
        array("patterns"), array("rows"), array("bounds"), array("offsets"), array("pre").none(), "learns"_a,
        nb::rv_policy::take_ownership);
    m.def(
        "sparse_batches",
        [](const SparsePatterns<T>& patterns, Places rows, Places bounds, Matrix<const T> offsets,
           bool learns) -> Batches<T>* {
            nb::gil_scoped_release release;
            return new SparseBatches<T>(patterns, plan_of(rows, bounds, offsets), learns);
        },
        "patterns"_a, array("rows"), array("bounds"), array("offsets"), "learns"_a, nb::rv_policy::take_ownership);
    m.def("learn_stacked", &learn<T>, "batches"_a, "first"_a, "last"_a, "first_number"_a, array("targets"),
          array("moves").none(), array("weights"), array("bias"), array("rates"), array("diverged_at"), nb::kw_only(),
          "unit"_a, "parameters"_a, "rule"_a);
    m.def("evaluate_stacked", &evaluate<T>, "batches"_a, "batch"_a, array("targets"), array("weights"), array("bias"),
          array("rates"), array("diverged_at"), nb::kw_only(), "unit"_a, "parameters"_a, array("errors"));
}

}  // namespace

void bind_stacked(nb::module_& m) {
    nb::class_<StackedRule>(m, "StackedRule")
        .def(
            "__init__",
            [](StackedRule* self, bool looks_at_output, bool pulls_back, bool learns_bias, const std::string& error,
               const Parameters& error_parameters, double keep, std::size_t steps_per_flush,
               double largest_preactivation) {
                new (self) StackedRule{
                    looks_at_output, pulls_back,           learns_bias, error_term(error, error_parameters), keep,
                    steps_per_flush, largest_preactivation};
            },
            nb::kw_only(), "looks_at_output"_a, "pulls_back"_a, "learns_bias"_a, "error"_a, "error_parameters"_a,
            "keep"_a, "steps_per_flush"_a, "largest_preactivation"_a);
    define_for<double>(m, "Batches64");
    define_for<float>(m, "Batches32");
}

}  // namespace hebbian_descent
