# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Running an elementwise loop over whole arrays: threads, and broadcasting."""
from cython.parallel cimport prange
from libc.string cimport memcpy

from .array cimport MAXD, mxnd_loop
from .threads cimport threads_for

cdef enum:
    SHORT = 48               # rows shorter than this are gathered into blocks
    BLOCK = 1024             # elements of a block


cdef void run_flat(mxnd_loop f, const char* a, Py_ssize_t sa, const char* b, Py_ssize_t sb, char* o, Py_ssize_t n,
                   int item, int item_out) noexcept nogil:
    """o = f(a, b) over n elements; strides are 0 or 1."""
    cdef int t = threads_for(n)
    cdef Py_ssize_t chunk, at, m
    cdef int k
    if t == 1:
        f(a, sa, b, sb, o, n)
        return
    chunk = ((n + t - 1) // t + 63) // 64 * 64
    for k in prange(t, num_threads=t, schedule="static"):
        at = k * chunk
        m = n - at if n - at < chunk else chunk
        if m > 0:
            f(a + at * sa * item, sa, b + at * sb * item, sb, o + at * item_out, m)


cdef struct Walk:
    int ndim                            # outer axes
    Py_ssize_t dims[MAXD]
    Py_ssize_t sa[MAXD]
    Py_ssize_t sb[MAXD]
    Py_ssize_t n, na, nb                # innermost axis: length and strides
    bint whole_a, whole_b               # the operand is not broadcast at all


cdef void collapse(Walk* w, int ndim, const Py_ssize_t* dims, const Py_ssize_t* sa, const Py_ssize_t* sb) noexcept nogil:
    """Join neighbouring axes that both operands walk through evenly."""
    cdef int i, k = 0
    cdef Py_ssize_t d[MAXD + 1]
    cdef Py_ssize_t x[MAXD + 1]
    cdef Py_ssize_t y[MAXD + 1]
    d[0] = 1
    x[0] = y[0] = 0
    for i in range(ndim):                                # outermost first
        if dims[i] == 1:
            continue
        if k and x[k - 1] == sa[i] * dims[i] and y[k - 1] == sb[i] * dims[i]:
            d[k - 1] *= dims[i]
            x[k - 1] = sa[i]
            y[k - 1] = sb[i]
        else:
            d[k] = dims[i]
            x[k] = sa[i]
            y[k] = sb[i]
            k += 1
    if k == 0:
        k = 1
    w.ndim = k - 1
    w.whole_a = w.whole_b = True
    for i in range(k):
        if i < k - 1:
            w.dims[i] = d[i]
            w.sa[i] = x[i]
            w.sb[i] = y[i]
        if x[i] == 0 and d[i] > 1:
            w.whole_a = False
        if y[i] == 0 and d[i] > 1:
            w.whole_b = False
    w.n, w.na, w.nb = d[k - 1], x[k - 1], y[k - 1]


cdef inline void spread(char* to, const char* x, Py_ssize_t step, Py_ssize_t n, int item) noexcept nogil:
    """One short row into a block: copied, or one element repeated."""
    cdef Py_ssize_t i
    if step:
        memcpy(to, x, n * item)
    elif item == 4:
        for i in range(n):
            (<int*>to)[i] = (<int*>x)[0]
    elif item == 8:
        for i in range(n):
            (<long long*>to)[i] = (<long long*>x)[0]
    elif item == 2:
        for i in range(n):
            (<short*>to)[i] = (<short*>x)[0]
    else:
        for i in range(n):
            to[i] = x[0]


cdef void rows(mxnd_loop f, int item, const Walk* w, const char* a, const char* b, char* o,
               Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Rows first..last-1 of a broadcast, counted in C order of the outer axes."""
    cdef Py_ssize_t at[MAXD]
    cdef Py_ssize_t r, rest, oa = 0, ob = 0, held = 0, begun = first
    cdef char ta[BLOCK * 8]
    cdef char tb[BLOCK * 8]
    cdef bint short_rows = w.n < SHORT
    cdef int i
    rest = first
    for i in range(w.ndim - 1, -1, -1):
        at[i] = rest % w.dims[i]
        rest //= w.dims[i]
        oa += at[i] * w.sa[i]
        ob += at[i] * w.sb[i]
    for r in range(first, last):
        if short_rows:
            if not w.whole_a:
                spread(ta + held * item, a + oa * item, w.na, w.n, item)
            if not w.whole_b:
                spread(tb + held * item, b + ob * item, w.nb, w.n, item)
            held += w.n
            if held + w.n > BLOCK or r + 1 == last:
                f(a + begun * w.n * item if w.whole_a else ta, 1, b + begun * w.n * item if w.whole_b else tb, 1,
                  o + begun * w.n * item, held)
                held = 0
                begun = r + 1
        else:
            f(a + oa * item, w.na, b + ob * item, w.nb, o + r * w.n * item, w.n)
        for i in range(w.ndim - 1, -1, -1):
            at[i] += 1
            oa += w.sa[i]
            ob += w.sb[i]
            if at[i] < w.dims[i]:
                break
            oa -= w.sa[i] * w.dims[i]
            ob -= w.sb[i] * w.dims[i]
            at[i] = 0


cdef void run_broadcast(mxnd_loop f, int item, int ndim, const Py_ssize_t* dims, const char* a, const Py_ssize_t* sa,
                        const char* b, const Py_ssize_t* sb, char* o) noexcept nogil:
    """o = f(a, b) at the broadcast shape; strides in elements, 0 where an operand is repeated."""
    cdef Walk w
    cdef Py_ssize_t total = 1, count, chunk, first, last, from_a, from_b
    cdef int t, k, i
    for i in range(ndim):
        total *= dims[i]
    if total == 0:
        return
    collapse(&w, ndim, dims, sa, sb)
    count = total // w.n
    if count == 1:
        run_flat(f, a, w.na, b, w.nb, o, w.n, item, item)
        return
    t = threads_for(total)
    if t == 1:
        rows(f, item, &w, a, b, o, 0, count)
        return
    if count < t:                                        # few long rows: threads share each row
        for first in range(count):
            offsets(&w, first, &from_a, &from_b)
            run_flat(f, a + from_a * item, w.na, b + from_b * item, w.nb, o + first * w.n * item, w.n, item, item)
        return
    chunk = (count + t - 1) // t
    for k in prange(t, num_threads=t, schedule="static"):
        first = k * chunk
        last = count if first + chunk > count else first + chunk
        if first < last:
            rows(f, item, &w, a, b, o, first, last)


cdef void offsets(const Walk* w, Py_ssize_t row, Py_ssize_t* oa, Py_ssize_t* ob) noexcept nogil:
    """Where a row starts in both operands."""
    cdef int i
    oa[0] = ob[0] = 0
    for i in range(w.ndim - 1, -1, -1):
        oa[0] += row % w.dims[i] * w.sa[i]
        ob[0] += row % w.dims[i] * w.sb[i]
        row //= w.dims[i]
