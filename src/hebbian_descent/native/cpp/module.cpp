// The compiled core as a Python module, one per instruction level.
#include "bindings.hpp"
#include "registers.hpp"

namespace {

// Whether this processor and operating system can run code of a level.
bool supports(const std::string& level) {
    if (level == "baseline") return true;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (level == "v3") return v3;
    if (level == "v4")
        return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return false;
}

}  // namespace

NB_MODULE(HD_MODULE, m) {
    using namespace hebbian_descent;
    // Estimators keep loops as long as they live, some until the interpreter exits: that is not a leak.
    nb::set_leak_warnings(false);
    m.attr("level") = level;
    m.attr("checks_indices") = checks_indices;
    m.def("supports", &supports, "level"_a);
    bind_units(m);
    bind_online(m);
    bind_products(m);
    bind_sequence(m);
    bind_stacked(m);
    bind_tied(m);
}
