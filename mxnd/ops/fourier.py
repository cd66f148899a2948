"""Fourier transforms along the last axis, and sketches by counting."""
from .declare import F, op
from .params import integer
from .shapes import both_ways, over, presume, show, size, times, unify


def _lines(p, ins, outs):
    """How many lines, and the numbers in the real form of one."""
    real = ins[0] if ins[0][-1] <= outs[0][-1] else outs[0]
    return [size(real[:-1]), real[-1]]


def _last(s):
    if not s or s[-1] == 0:
        raise ValueError(f"data has shape {show(s)}; expected numbers along a last axis")
    return s[-1]


def _half(s):
    return s[:-1] + (over(_last(s), 2, f"shape {show(s)} holds real and imaginary parts in turn; expected a last axis of even length"),)


def _double(s):
    return s[:-1] + (times(_last(s), 2),)


_FFT = dict(params=dict(compute_size=integer(128, at_least=1)), kernel_types=("float32", "float64"))
_SIZE = "Any length and number of axes; float32 is computed in double precision; compute_size is accepted and changes nothing."

op("_contrib_fft", shapes=both_ways(lambda p, s: _double(s), lambda p, s: _half(s)), kernel="fft", arguments=_lines,
   grad=lambda p, g, x, y: [lambda: F._contrib_ifft(g[0])],
   samples=(dict(inputs=[(2, 6)], params={}), dict(inputs=[(53,)], params={})),
   doc="Fourier transform of real numbers along the last axis: sum of x[j] exp(-2 pi i j k / n), with real and imaginary parts in turn "
       "along an axis of length 2 n.\n" + _SIZE,
   example="mx.nd.contrib.fft(mx.nd.array([[1, 2, 3, 4]]))", **_FFT)

op("_contrib_ifft", shapes=both_ways(lambda p, s: _half(s), lambda p, s: _double(s)), kernel="ifft", arguments=_lines,
   grad=lambda p, g, x, y: [lambda: F._contrib_fft(g[0])],
   samples=(dict(inputs=[(2, 12)], params={}), dict(inputs=[(2, 2, 14)], params={})),
   doc="Real part of the inverse Fourier transform along the last axis, not divided by its length n: sum of c[k] exp(2 pi i j k / n).  "
       "The real and imaginary parts of c take turns, so ifft(fft(x)) is n x.\n" + _SIZE,
   example="mx.nd.contrib.ifft(mx.nd.contrib.fft(mx.nd.array([[1, 2, 3, 4]])))", **_FFT)


# ---- count sketch --------------------------------------------------------------------------------------------

def _sketch_shape(p, ins, outs):
    data, *tables = ins
    if data is None and outs[0]:
        data = outs[0][:-1] + (None,)
    if data is None:
        return ins, outs
    if not data:
        raise ValueError("data has no dimensions; expected numbers along a last axis")
    n = data[-1]
    for name, s in zip(("h", "s"), tables):
        if s is not None:
            n = unify(s, (n,) if len(s) == 1 else (1, n), f"{name}'s given and needed shapes")[-1]
    out = unify(outs[0], data[:-1] + (p.out_dim,))
    return [out[:-1] + (n,), *[(n,) if s is not None and len(s) == 1 else (1, n) for s in tables]], [out]


def _sketch(p, data, h, s):
    n = data.shape[-1:]
    signed = F.broadcast_mul(data, F._reshape_to(s, shape=n))
    return F._backward_take(signed, F._reshape_to(h, shape=n), axis=-1, mode="raise", shape=data.shape[:-1] + (p.out_dim,))


op("_contrib_count_sketch", inputs="data h s", shapes=_sketch_shape, compose=_sketch,
   params=dict(out_dim=integer(at_least=1), processing_batch_size=integer(32, at_least=1)),
   types=lambda p, ins, outs: ([ins[0] or outs[0], ins[1], ins[2] or ins[0]], [ins[0] or outs[0]]), presumed=presume(),
   samples=(dict(inputs=[(2, 4), [[0, 3, 4, 0]], (1, 4)], params=dict(out_dim=5)),),
   doc="Data of the last axis, with signs s, added up at the places h: out[..., h[i]] += s[i] * data[..., i].\n"
       "h and s have shape (1, n); places lie in 0 ... out_dim - 1.",
   example="mx.nd.contrib.count_sketch(mx.nd.array([[1.2, 2.5, 3.4]]), mx.nd.array([[0, 3, 4]]), mx.nd.array([[1, -1, 1]]), out_dim=5)")
