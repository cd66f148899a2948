"""Numbers as 8-bit integers with a range: real = integer * limit / steps, where limit is the larger end of the range.

int8 has ranges around zero, uint8 begins at zero.  As in MXNet, arrays quantized with an own range (quantize_v2) and dequantized
count 127.5 (255.5) steps to the limit, the others 127 (255)."""
from .declare import op
from .params import choice, number
from .shapes import show, times, unify

ONE = (1,)
FROM_INPUTS, FROM_PARAMETERS, FROM_DATA = range(3)


def _kept(p, s):
    return s


def with_ranges(data_shape=_kept, back=_kept):
    """A shape rule: data and perhaps its two ends -> data in some shape, and two ends of shape (1,); back: from the
    shape of the result to that of data, where that can be said."""
    def rule(p, ins, outs):
        data, *ends = ins
        out = outs[0]
        if data is not None:
            out = unify(out, data_shape(p, data), "expected and worked-out output shapes")
        if back is not None and out is not None:
            data = unify(data, back(p, out), "expected and worked-out input shapes")
        ends = [unify(e, ONE, "shape of an end of the range and (1,)") for e in ends]
        return [data, *ends], [out, *[unify(o, ONE) for o in outs[1:]]]
    return rule


def quantized_types(result, accepted, fill="float32"):
    """A dtype rule: result(p, data's dtype) is the integers' dtype."""
    def rule(p, ins, outs):
        t = ins[0] or fill
        if t not in accepted:
            raise ValueError(f"data has dtype {t}; expected {' or '.join(accepted)}")
        return [t, *[v or "float32" for v in ins[1:]]], [result(p, t), *["float32"] * (len(outs) - 1)]
    return rule


def _is_calibrated(p):
    """Whether both ends are parameters."""
    low, high = getattr(p, "min_calib_range", None), getattr(p, "max_calib_range", None)
    if (low is None) != (high is None):
        raise ValueError("one end of the range is missing; expected min_calib_range and max_calib_range, or none of them")
    if low is not None and not low <= high:
        raise ValueError(f"min_calib_range is above max_calib_range: {low} and {high}")
    return low is not None


def _chosen(p, t=None):
    """The dtype that out_type means."""
    if p.out_type == "auto":
        return "uint8" if _is_calibrated(p) and p.min_calib_range >= 0 else "int8"
    return p.out_type


def _arguments(source, more):
    """(where the range comes from, uint8, whether uint8 keeps both ends; ends, steps to the limit)."""
    def work(p, ins, outs):
        calibrated = _is_calibrated(p)
        unsigned = _chosen(p) == "uint8"
        low, high = (p.min_calib_range, p.max_calib_range) if calibrated else (0.0, 0.0)
        return [FROM_PARAMETERS if calibrated else source, int(source != FROM_DATA or more > 0), low, high,
                (255.0 if unsigned else 127.0) + more]
    return work


FLOATS = ("float32", "float64", "float16", "bfloat16")
KERNEL = dict(kernel="quantize", kernel_types=("float32", "float64", "int32", "int8", "uint8"))
OUTPUTS = "output0 output1 output2"
CALIBRATED = dict(min_calib_range=number(None), max_calib_range=number(None))
_RANGE = "The range goes along as two more outputs of shape (1,)."

op("_contrib_quantize", inputs="data min_range max_range", params=dict(out_type=choice("uint8", "int8", "uint8")), outputs=OUTPUTS,
   shapes=with_ranges(), types=quantized_types(lambda p, t: p.out_type, FLOATS), arguments=_arguments(FROM_INPUTS, 0.0), **KERNEL,
   samples=(dict(inputs=[[[0.1, 0.7], [0.4, 0.9]], [0.0], [1.0]], params={}),
            dict(inputs=[[[-0.1, 0.7], [-0.4, 0.9]], [-1.0], [1.0]], params=dict(out_type="int8"))),
   doc="Real numbers as 8-bit integers: with limit = max(|min_range|, |max_range|), int8 is x * 127 / limit and uint8 x * 255 / limit, "
       "rounded (halves to even) and kept in the type.\n" + _RANGE,
   example="mx.nd.contrib.quantize(mx.nd.array([0.1, 0.9]), mx.nd.array([0]), mx.nd.array([1]))")


def _v2_types(p, t):
    return _chosen(p) if t in FLOATS else t


op("_contrib_quantize_v2", inputs="data", params=dict(out_type=choice("int8", "auto", "int8", "uint8"), **CALIBRATED), outputs=OUTPUTS,
   shapes=with_ranges(), types=quantized_types(_v2_types, (*FLOATS, "int8", "uint8")), arguments=_arguments(FROM_DATA, 0.5), **KERNEL,
   samples=(dict(inputs=[[[-1.5, 0.4], [0.1, 1.9]]], params={}),
            dict(inputs=[[[0.5, 0.4], [0.1, 1.9]]], params=dict(out_type="auto", min_calib_range=0.0, max_calib_range=2.0))),
   doc="Real numbers as 8-bit integers, in the given range or that of the data; auto is uint8 for a given range from 0 or above, else "
       "int8.  With limit = the larger end, int8 is x * 127.5 / limit and uint8 x * 255.5 / limit, rounded (halves to even) and kept "
       "in the type.  Integers stay what they are.\n" + _RANGE,
   example="mx.nd.contrib.quantize_v2(mx.nd.array([0.1, -0.9]), out_type='int8')")

op("_contrib_requantize", inputs="data min_range max_range",
   params=dict(out_type=choice("int8", "auto", "int8", "uint8"), **CALIBRATED), outputs=OUTPUTS, shapes=with_ranges(),
   types=quantized_types(lambda p, t: _chosen(p), ("int32",), "int32"), arguments=_arguments(FROM_DATA, 0.0), **KERNEL,
   doc="int32 numbers, of which 2**31 - 1 steps make the limit of min_range and max_range, as 8-bit integers in the given range or "
       "that of the data; see quantize and quantize_v2.\n" + _RANGE,
   example="mx.nd.contrib.requantize(mx.nd.array([10**6, -10**5], dtype='int32'), mx.nd.array([-3]), mx.nd.array([3]))")


def _dequantized_shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    return [s, *[unify(e, ONE, "shape of an end of the range and (1,)") for e in ins[1:]]], [s]


def _dequantized_types(p, ins, outs):
    if ins[0] not in (None, "int8", "uint8"):
        raise ValueError(f"data has dtype {ins[0]}; expected int8 or uint8")
    return [ins[0], *[v or "float32" for v in ins[1:]]], ["float32"]


op("_contrib_dequantize", inputs="data min_range max_range", params=dict(out_type=choice("float32", "float32")),
   shapes=_dequantized_shapes, types=_dequantized_types, kernel="dequantize",
   arguments=lambda p, ins, outs: [127.5, 255.5],
   doc="8-bit integers as real numbers: with limit = max(|min_range|, |max_range|), int8 is q * limit / 127.5 and uint8 "
       "q * limit / 255.5.",
   example="mx.nd.contrib.dequantize(mx.nd.array([10, -100], dtype='int8'), mx.nd.array([-1]), mx.nd.array([1]))")


def _flat(p, s):
    if not s:
        raise ValueError(f"data has shape {show(s)}; expected at least one dimension")
    return s[0], times(*s[1:])


op("_contrib_quantized_flatten", inputs="data min_data max_data", outputs="output min_output max_output", shapes=with_ranges(_flat, None),
   types=quantized_types(lambda p, t: t, ("int8", "uint8", "float32", "float64"), "int8"), kernel="with_ends",
   samples=(dict(inputs=[[[[1, 2], [3, 4]]], [-1], [1]], params={}),),
   doc="Quantized data as a matrix: all axes but the first are joined.  " + _RANGE,
   example="mx.nd.contrib.quantized_flatten(mx.nd.ones((2, 2, 2), dtype='int8'), mx.nd.array([-1]), mx.nd.array([1]))")
