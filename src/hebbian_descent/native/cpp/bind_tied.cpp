// Auto-encoders with tied weights.
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "tied.hpp"

namespace hebbian_descent {
namespace {

TiedForm form_of(const std::string& name) {
    if (name == "decoder") return TiedForm::decoder;
    if (name == "encoder_and_decoder") return TiedForm::encoder_and_decoder;
    if (name == "imprint") return TiedForm::imprint;
    throw std::invalid_argument("No compiled rule of auto-encoders has the form '" + name + "'.");
}

template <class T>
void make_rule(TiedRule<T>* self, const std::string& hidden, const Parameters& hidden_parameters,
               const std::string& output, const Parameters& output_parameters, const std::string& term,
               const Parameters& term_parameters, const std::string& form, bool pulls_back, double learning_rate,
               double weight_decay, double hidden_shift, double limit) {
    new (self) TiedRule<T>{unit_row<T>(hidden, hidden_parameters),
                           unit_row<T>(output, output_parameters),
                           error_term(term, term_parameters),
                           form_of(form),
                           pulls_back,
                           learning_rate,
                           weight_decay,
                           hidden_shift,
                           static_cast<T>(limit)};
}

// A run that starts from a copy of these parameters.
template <class T>
std::unique_ptr<TiedRun<T>> made(const TiedRule<T>& rule,
                                 std::array<std::unique_ptr<const TiedInputs<T>>, n_parts> inputs,
                                 Matrix<const T> weights, Row<const T> offset, Row<const T> decoder_bias,
                                 Row<const T> bias, Row<const T> hidden_offset, std::size_t longest) {
    return std::make_unique<TiedRun<T>>(rule, std::move(inputs), Rows<const T>{weights.data(), weights.shape(1)},
                                        offset.data(), decoder_bias.data(), bias.data(), hidden_offset.data(),
                                        weights.shape(1), longest);
}

template <class T>
auto of_sparse(const TiedRule<T>& rule, const SparsePatterns<T>& one, const SparsePatterns<T>& other,
               Matrix<const T> weights, Row<const T> offset, Row<const T> decoder_bias, Row<const T> bias,
               Row<const T> hidden_offset, std::size_t longest) {
    return made<T>(rule, {std::make_unique<SparseInputs<T>>(one), std::make_unique<SparseInputs<T>>(other)}, weights,
                   offset, decoder_bias, bias, hidden_offset, longest);
}

template <class T>
auto of_whole(const TiedRule<T>& rule, Matrix<const T> patterns, std::size_t half, Matrix<const T> weights,
              Row<const T> offset, Row<const T> decoder_bias, Row<const T> bias, Row<const T> hidden_offset,
              std::size_t longest) {
    const Rows<const T> rows{patterns.data(), patterns.shape(1)};
    return made<T>(rule,
                   {std::make_unique<WholeInputs<T>>(rows, half),
                    std::make_unique<WholeInputs<T>>(rows.from(0, half), patterns.shape(1) - half)},
                   weights, offset, decoder_bias, bias, hidden_offset, longest);
}

template <class T>
std::int64_t learn(TiedRun<T>& self, std::size_t first_part, std::size_t last_part, Row<const std::int64_t> rows,
                   Row<const std::int64_t> bounds, std::int64_t number) {
    nb::gil_scoped_release release;
    return self.learn(first_part, last_part, rows.data(), bounds.data(), bounds.shape(0) - 1, number);
}

template <class T>
void respond(const TiedRun<T>& self, Matrix<const T> x, Matrix<T> h, Matrix<T> z) {
    nb::gil_scoped_release release;
    self.respond({x.data(), x.shape(1)}, x.shape(0), {h.data(), h.shape(1)}, {z.data(), z.shape(1)});
}

template <class T>
void write(const TiedRun<T>& self, Matrix<T> weights, Row<T> decoder_bias, Row<T> bias, Row<T> hidden_offset) {
    self.write({weights.data(), weights.shape(1)}, decoder_bias.data(), bias.data(), hidden_offset.data());
}

template <class T>
void define_for(nb::module_& m, const char* rule, const char* run) {
    nb::class_<TiedRule<T>>(m, rule).def("__init__", &make_rule<T>, "hidden"_a, "hidden_parameters"_a, "output"_a,
                                         "output_parameters"_a, "term"_a, "term_parameters"_a, "form"_a, "pulls_back"_a,
                                         "learning_rate"_a, "weight_decay"_a, "hidden_shift"_a, "limit"_a);
    nb::class_<TiedRun<T>>(m, run)
        .def_static("of_sparse", &of_sparse<T>, "rule"_a, "one"_a, "other"_a, array("weights"), array("offset"),
                    array("decoder_bias"), array("bias"), array("hidden_offset"), "longest"_a, nb::keep_alive<0, 2>(),
                    nb::keep_alive<0, 3>())
        .def_static("of_whole", &of_whole<T>, "rule"_a, array("patterns"), "half"_a, array("weights"), array("offset"),
                    array("decoder_bias"), array("bias"), array("hidden_offset"), "longest"_a, nb::keep_alive<0, 2>())
        .def("learn", &learn<T>, "first_part"_a, "last_part"_a, array("rows"), array("bounds"), "number"_a)
        .def("respond", &respond<T>, array("x"), array("h"), array("z"))
        .def("write", &write<T>, array("weights"), array("decoder_bias"), array("bias"), array("hidden_offset"))
        .def("stop", &TiedRun<T>::stop)
        .def("is_stopped", &TiedRun<T>::is_stopped)
        .def("output_is_beyond", &TiedRun<T>::output_is_beyond);
}

}  // namespace

void bind_tied(nb::module_& m) {
    define_for<double>(m, "TiedRule64", "TiedRun64");
    define_for<float>(m, "TiedRule32", "TiedRun32");
}

}  // namespace hebbian_descent
