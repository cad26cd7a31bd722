// Cache-line-aligned arrays: a vector that straddles two lines takes twice as long to load.
#pragma once

#include <new>
#include <vector>

#include "registers.hpp"

namespace hebbian_descent {

template <class T>
struct LineAllocator {
    using value_type = T;

    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(vector_bytes)));
    }
    void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t(vector_bytes)); }
    friend bool operator==(LineAllocator, LineAllocator) noexcept { return true; }
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace hebbian_descent
