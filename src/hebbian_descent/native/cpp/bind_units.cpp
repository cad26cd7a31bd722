// The units, by name and on their own.
#include "bindings.hpp"

namespace hebbian_descent {
namespace {

template <class T, class Unit>
class UnitRowOf final : public UnitRow<T> {
    Unit unit_;

  public:
    explicit UnitRowOf(Unit unit) noexcept : unit_(unit) {}
    void activate(const T* a, T* h, std::size_t n) const noexcept override {
        hebbian_descent::activate(unit_, a, h, n);
    }
    void pull_back(const T* a, const T* h, T* error, std::size_t n) const noexcept override {
        hebbian_descent::pull_back(unit_, a, h, error, n);
    }
};

}  // namespace

template <class T>
std::unique_ptr<const UnitRow<T>> unit_row(const std::string& name, const Parameters& parameters) {
    return with_unit(name, parameters, [](auto unit) -> std::unique_ptr<const UnitRow<T>> {
        return std::make_unique<UnitRowOf<T, decltype(unit)>>(unit);
    });
}

template std::unique_ptr<const UnitRow<double>> unit_row<double>(const std::string&, const Parameters&);
template std::unique_ptr<const UnitRow<float>> unit_row<float>(const std::string&, const Parameters&);

namespace {

template <class T>
void activate_rows(Matrix<const T> a, Matrix<T> h, const std::string& unit, const Parameters& parameters) {
    const auto row_of_units = unit_row<T>(unit, parameters);
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < a.shape(0); ++row)
        row_of_units->activate(a.data() + row * a.shape(1), h.data() + row * a.shape(1), a.shape(1));
}

// error ← error·∂h/∂a.
template <class T>
void pull_back_rows(Matrix<const T> a, Matrix<const T> h, Matrix<T> error, const std::string& unit,
                    const Parameters& parameters) {
    const auto row_of_units = unit_row<T>(unit, parameters);
    nb::gil_scoped_release release;
    for (std::size_t start = 0; start < a.size(); start += a.shape(1))
        row_of_units->pull_back(a.data() + start, h.data() + start, error.data() + start, a.shape(1));
}

template <class T>
void define_for(nb::module_& m) {
    m.def("activate", &activate_rows<T>, array("a"), array("h"), "unit"_a, "parameters"_a);
    m.def("pull_back", &pull_back_rows<T>, array("a"), array("h"), array("error"), "unit"_a, "parameters"_a);
}

}  // namespace

void bind_units(nb::module_& m) {
    define_for<double>(m);
    define_for<float>(m);
}

}  // namespace hebbian_descent
