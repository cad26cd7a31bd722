// A barrier for a few threads that meet many times a millisecond: sleeping and waking would take longer than the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace hebbian_descent {

class SpinBarrier {
  public:
    explicit SpinBarrier(std::int64_t n_threads) noexcept : n_threads(n_threads) {}

    // Wait until all threads are here; false, at once, where one of them will never come.
    bool wait() noexcept {
        const std::int64_t all_here = (arrivals.fetch_add(1, std::memory_order_acq_rel) / n_threads + 1) * n_threads;
        for (int looks = 0; arrivals.load(std::memory_order_acquire) < all_here; ++looks) {
            if (is_broken.load(std::memory_order_acquire)) return false;
            if (looks > looks_before_yielding) std::this_thread::yield();
        }
        return true;
    }

    // Let everybody who waits now or later go.
    void abort() noexcept { is_broken.store(true, std::memory_order_release); }

  private:
    static constexpr int looks_before_yielding = 2000;  // a few microseconds

    const std::int64_t n_threads;
    std::atomic<std::int64_t> arrivals{0};
    std::atomic<bool> is_broken{false};
};

}  // namespace hebbian_descent
