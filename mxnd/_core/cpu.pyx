# cython: language_level=3
"""Which instruction set the loops and kernels may use here."""
import os

cdef extern from *:
    """
    #if defined(__x86_64__)
    static int mxnd_level(void) {
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 0;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
            && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")) return 4;
        return 3; }
    #else
    static int mxnd_level(void) { return 0; }
    #endif
    """
    int mxnd_level()


def best(built):
    """The best of the built levels that this machine runs; MXND_ISA in the environment lowers it."""
    order = {"base": 0, "v3": 3, "v4": 4}
    most = min(mxnd_level(), order.get(os.environ.get("MXND_ISA", "v4"), 4))
    fit = [name for name in built if order[name] <= most]
    return max(fit, key=order.get) if fit else "base"
