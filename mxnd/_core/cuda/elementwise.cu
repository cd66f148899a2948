/* Elementwise loops from the same list of expressions as the CPU's (loops/loops.h tells its form). */
#include "platform.h"
#include "cuda.h"
#include "types.h"
#include "elementwise_list.h"

#define K(c) ((T)(c))

/* The expressions as structures: `of` for floats, `whole` for integers that do not go by way of double. */
#define MX_FORMULA(name, arguments, expr, iexpr) \
struct name { \
    template <class T> MX_HD T of arguments { return (T)(expr); } \
    template <class T> MX_HD T whole arguments { return (T)(iexpr); } };
#define MX_X (T x)
#define MX_XP (T x, T P0, T P1)
#define MX_XY (T x, T y)
#define MX_U_SAME(name, expr) MX_FORMULA(u_##name, MX_X, expr, expr)
#define MX_U_DOUBLE(name, expr) MX_FORMULA(u_##name, MX_X, expr, 0)
#define MX_U_OWN(name, expr, iexpr) MX_FORMULA(u_##name, MX_X, expr, iexpr)
#define MX_P_SAME(name, expr) MX_FORMULA(p_##name, MX_XP, expr, expr)
#define MX_P_DOUBLE(name, expr) MX_FORMULA(p_##name, MX_XP, expr, 0)
#define MX_P_OWN(name, expr, iexpr) MX_FORMULA(p_##name, MX_XP, expr, iexpr)
#define MX_B_SAME(name, expr) MX_FORMULA(b_##name, MX_XY, expr, expr)
#define MX_B_DOUBLE(name, expr) MX_FORMULA(b_##name, MX_XY, expr, 0)
#define MX_B_OWN(name, expr, iexpr) MX_FORMULA(b_##name, MX_XY, expr, iexpr)
MXND_UNARY_LIST(MX_U_SAME, MX_U_DOUBLE, MX_U_OWN)
MXND_PARAM_LIST(MX_P_SAME, MX_P_DOUBLE, MX_P_OWN)
MXND_BINARY_LIST(MX_B_SAME, MX_B_DOUBLE, MX_B_OWN)

template <class F, bool WHOLE, class T, class... P> MX_HD T apply(T x, P... more) {
    if constexpr (WHOLE) return F::template whole<T>(x, more...);
    else return F::template of<T>(x, more...);
}

/* An operand: an array, or one number that comes with the call. */
template <class T> struct operand { const void *p; ptrdiff_t step; T number; };
template <class T> static operand<T> operand_of(const void *p, ptrdiff_t step, int type) {
    if (step == MX_NUMBER) return operand<T>{nullptr, 0, fetch(p, 0, type, T())};
    return operand<T>{p, step, T()};
}
template <class T> MX_HD T get(const operand<T> &v, ptrdiff_t i, int type) {
    return v.p ? fetch(v.p, i * v.step, type, T()) : v.number;
}

#define MX_EACH(i, n) ptrdiff_t i = blockIdx.x * (ptrdiff_t)blockDim.x + threadIdx.x; i < n; i += (ptrdiff_t)gridDim.x * blockDim.x
template <class F, bool WHOLE, class T> __global__ void unary_kernel(operand<T> a, void *o, ptrdiff_t n, int type) {
    for (MX_EACH(i, n)) store(o, i, type, apply<F, WHOLE>(get(a, i, type)));
}
template <class F, bool WHOLE, class T>
__global__ void param_kernel(operand<T> a, T p0, T p1, void *o, ptrdiff_t n, int type) {
    for (MX_EACH(i, n)) store(o, i, type, apply<F, WHOLE>(get(a, i, type), p0, p1));
}
template <class F, bool WHOLE, class T>
__global__ void binary_kernel(operand<T> a, operand<T> b, void *o, ptrdiff_t n, int type) {
    for (MX_EACH(i, n)) store(o, i, type, apply<F, WHOLE>(get(a, i, type), get(b, i, type)));
}

enum { THREADS = 256, BLOCKS = 8192 };
static unsigned blocks_for(ptrdiff_t n) {
    return (unsigned)(n > (ptrdiff_t)THREADS * BLOCKS ? BLOCKS : (n + THREADS - 1) / THREADS);
}
#define MX_ARGUMENTS const void *a, ptrdiff_t sa, const void *b, ptrdiff_t sb, void *o, ptrdiff_t n, void *stream
template <class F, bool WHOLE, class T, int TYPE> static int unary(MX_ARGUMENTS) {
    (void)b, (void)sb;
    auto kernel = unary_kernel<F, WHOLE, T>;
    if (n > 0) MX_LAUNCH(kernel, blocks_for(n), THREADS, stream, operand_of<T>(a, sa, TYPE), o, n, TYPE);
    return (int)cudaGetLastError();
}
template <class F, bool WHOLE, class T, int TYPE> static int param(MX_ARGUMENTS) {
    if (sb != MX_NUMBER) return (int)cudaErrorInvalidValue;
    T p0 = fetch(b, 0, TYPE, T()), p1 = fetch(b, 1, TYPE, T());
    auto kernel = param_kernel<F, WHOLE, T>;
    if (n > 0) MX_LAUNCH(kernel, blocks_for(n), THREADS, stream, operand_of<T>(a, sa, TYPE), p0, p1, o, n, TYPE);
    return (int)cudaGetLastError();
}
template <class F, bool WHOLE, class T, int TYPE> static int binary(MX_ARGUMENTS) {
    auto kernel = binary_kernel<F, WHOLE, T>;
    if (n > 0)
        MX_LAUNCH(kernel, blocks_for(n), THREADS, stream, operand_of<T>(a, sa, TYPE), operand_of<T>(b, sb, TYPE), o, n, TYPE);
    return (int)cudaGetLastError();
}

/* In the order of the type codes: float32 float64 float16 uint8 int32 int8 int64 bool bfloat16. */
#define MX_ROW_WHOLE(run, f, name) {#name, { \
    run<f, false, float, MX_F32>, run<f, false, double, MX_F64>, run<f, false, float, MX_F16>, run<f, true, uint8_t, MX_U8>, \
    run<f, true, int32_t, MX_I32>, run<f, true, int8_t, MX_I8>, run<f, true, int64_t, MX_I64>, \
    run<f, true, uint8_t, MX_BOOL>, run<f, false, float, MX_BF16>}},
#define MX_ROW_DOUBLE(run, f, name) {#name, { \
    run<f, false, float, MX_F32>, run<f, false, double, MX_F64>, run<f, false, float, MX_F16>, run<f, false, double, MX_U8>, \
    run<f, false, double, MX_I32>, run<f, false, double, MX_I8>, run<f, false, double, MX_I64>, \
    nullptr, run<f, false, float, MX_BF16>}},
#define MX_UR_SAME(name, expr) MX_ROW_WHOLE(unary, u_##name, name)
#define MX_UR_DOUBLE(name, expr) MX_ROW_DOUBLE(unary, u_##name, name)
#define MX_UR_OWN(name, expr, iexpr) MX_ROW_WHOLE(unary, u_##name, name)
#define MX_PR_SAME(name, expr) MX_ROW_WHOLE(param, p_##name, name)
#define MX_PR_DOUBLE(name, expr) MX_ROW_DOUBLE(param, p_##name, name)
#define MX_PR_OWN(name, expr, iexpr) MX_ROW_WHOLE(param, p_##name, name)
#define MX_BR_SAME(name, expr) MX_ROW_WHOLE(binary, b_##name, name)
#define MX_BR_DOUBLE(name, expr) MX_ROW_DOUBLE(binary, b_##name, name)
#define MX_BR_OWN(name, expr, iexpr) MX_ROW_WHOLE(binary, b_##name, name)
static const mxnd_cuda_row rows[] = {
    MXND_UNARY_LIST(MX_UR_SAME, MX_UR_DOUBLE, MX_UR_OWN)
    MXND_PARAM_LIST(MX_PR_SAME, MX_PR_DOUBLE, MX_PR_OWN)
    MXND_BINARY_LIST(MX_BR_SAME, MX_BR_DOUBLE, MX_BR_OWN)
    {nullptr, {}}};

extern "C" const mxnd_cuda_row *mxnd_cuda_rows(void) { return rows; }
