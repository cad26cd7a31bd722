#include "unit_rows_by_name.hpp"

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

}  // namespace hebbian_descent
