// Shared by the bindings of all engines. Python checks shapes and values before it calls.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "by_name.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hebbian_descent {

template <class T>
using Row = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// Some or all columns of a matrix.
template <class T>
using Columns = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// An array for results must not be converted: they would be written to a copy, and lost.
inline auto array(const char* name) { return nb::arg(name).noconvert(); }

#ifdef NDEBUG
inline constexpr bool checks_indices = false;
#else
inline constexpr bool checks_indices = true;
#endif

// In a debug build, such as that of the sanitizers, refuse indices that are not below `end`.
template <class Index>
void require_below(std::size_t end, const Index* indices, std::size_t n) {
    if constexpr (checks_indices)
        for (std::size_t i = 0; i < n; ++i)
            if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= end)
                throw std::out_of_range("An index is out of range.");
}

// One function per engine, each in its own file.
void bind_units(nb::module_& m);
void bind_online(nb::module_& m);
void bind_products(nb::module_& m);
void bind_sequence(nb::module_& m);
void bind_stacked(nb::module_& m);
void bind_tied(nb::module_& m);

}  // namespace hebbian_descent
