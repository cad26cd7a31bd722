// A barrier for a few threads that meet thousands of times per second: it spins for a moment before it sleeps.
#pragma once

#include <atomic>
#include <cstdint>

namespace hebbian_descent {

class SpinBarrier {
  public:
    explicit SpinBarrier(std::int64_t n_threads) noexcept : n_threads(n_threads) {}

    // Wait until all threads have arrived; return false at once if one of them never will.
    bool wait() noexcept {
        const std::int64_t before = arrivals.fetch_add(1);
        if (before & broken) return false;
        const std::int64_t all_here = (before / n_threads + 1) * n_threads;
        arrivals.notify_all();
        int looks = 0;
        for (std::int64_t seen = arrivals.load(); count(seen) < all_here; seen = arrivals.load()) {
            if (seen & broken) return false;
            if (++looks > looks_before_sleeping) arrivals.wait(seen);  // the others may need this processor
        }
        return true;
    }

    // Release all threads that wait, now or later, for one that has not arrived.
    void abort() noexcept {
        arrivals.fetch_or(broken);
        arrivals.notify_all();
    }

  private:
    static constexpr int looks_before_sleeping = 200000;  // about a tenth of a millisecond
    static constexpr std::int64_t broken = std::int64_t(1) << 62;

    static std::int64_t count(std::int64_t seen) noexcept { return seen & ~broken; }

    const std::int64_t n_threads;
    std::atomic<std::int64_t> arrivals{0};
};

}  // namespace hebbian_descent
