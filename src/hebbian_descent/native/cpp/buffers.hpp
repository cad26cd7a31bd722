// Direct views of arrays, for calls so short that a general array type would take longer than the work.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace hebbian_descent {

// A C-contiguous array, held during the call. Python has checked dtype and shape; only the item size is checked here.
template <class T>
class Buffer {
    Py_buffer view_;

  public:
    explicit Buffer(PyObject* array) {
        constexpr int access = std::is_const_v<T> ? PyBUF_SIMPLE : PyBUF_WRITABLE;
        if (PyObject_GetBuffer(array, &view_, access | PyBUF_ND) != 0) throw nanobind::python_error();
        if (view_.itemsize != sizeof(T)) {
            PyBuffer_Release(&view_);
            throw std::invalid_argument("An array has another precision than the loop.");
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    T* data() const noexcept { return static_cast<T*>(view_.buf); }
    std::size_t shape(int axis) const noexcept { return static_cast<std::size_t>(view_.shape[axis]); }
    int ndim() const noexcept { return view_.ndim; }
};

}  // namespace hebbian_descent
