"""What a convolution's filters meet, as the columns of a matrix, and the way back."""
from .conv import WINDOW, convolved, steps
from .conv import _check as check_window
from .declare import F, op
from .params import shape
from .shapes import over, show, size, times, unify


def _three(values, value):
    return [value] * (3 - len(values)) + list(values)


def _numbers(p, n, channels, image):
    """The geometry of kernels/conv.h; filters and groups play no part."""
    return [n, channels, 1, 1, *_three(image, 1), *_three(convolved(p, image), 1), *_three(p.kernel, 1),
            *_three(steps(p, "stride"), 1), *_three(steps(p, "dilate"), 1), *_three(steps(p, "pad", 0), 0)]


def _window(p):
    return dict(kernel=p.kernel, stride=p.stride, dilate=p.dilate, pad=p.pad)


def _columns_shapes(p, ins, outs):
    data = ins[0]
    check_window(p, data)
    if data is None:
        return ins, outs
    out = convolved(p, data[2:])
    rows = None if data[1] is None else data[1] * size(p.kernel)
    return ins, [unify(outs[0], (data[0], rows, None if None in out else size(out)))]


op("im2col", inputs="data", params=dict(WINDOW), shapes=_columns_shapes, kernel="im2col",
   arguments=lambda p, ins, outs: _numbers(p, *ins[0][:2], ins[0][2:]),
   grad=lambda p, g, x, y: [lambda: F.col2im(g[0], output_size=x[0].shape[2:], **_window(p))],
   samples=(dict(inputs=[(2, 2, 4, 5)], params=dict(kernel=(2, 3), stride=(2, 1), dilate=(1, 2), pad=(0, 1))),
            dict(inputs=[(1, 2, 6)], params=dict(kernel=(3,), pad=(1,))),
            dict(inputs=[(1, 2, 3, 3, 4)], params=dict(kernel=(2, 2, 2), stride=(1, 1, 2)))),
   doc="The parts of images that a convolution's filters meet, one column each.\n"
       "data is (n, channels, sizes of 1, 2 or 3 axes), the result (n, channels * kernel elements, places of the kernel); the columns "
       "of a zero border are made where pad asks for them.",
   example="mx.nd.im2col(mx.nd.ones((1, 2, 4, 4)), kernel=(2, 2))")


def _image_shapes(p, ins, outs):
    data = ins[0]
    check_window(p, None)
    if len(p.output_size) != len(p.kernel):
        raise ValueError(f"output_size {show(p.output_size)} has {len(p.output_size)} numbers; expected {len(p.kernel)}, "
                         f"one per axis of the kernel {show(p.kernel)}")
    places, volume = size(convolved(p, p.output_size)), size(p.kernel)
    out = unify(outs[0], (None, None, *p.output_size), "expected and worked-out output shapes")
    wrong = (f"data has shape {show(data)}; expected (n, a multiple of {volume}, {places}) for kernel {show(p.kernel)} "
             f"and output_size {show(p.output_size)}")
    try:
        data = unify(data, (out[0], times(out[1], volume), places))
    except ValueError:
        raise ValueError(wrong) from None
    return [data], [(data[0], over(data[1], volume, wrong), *p.output_size)]


op("col2im", inputs="data", params=dict(output_size=shape(at_least=1), **WINDOW), shapes=_image_shapes, kernel="col2im",
   kernel_types=("float32", "float64"), arguments=lambda p, ins, outs: _numbers(p, *outs[0][:2], p.output_size),
   grad=lambda p, g, x, y: [lambda: F.im2col(g[0], **_window(p))],
   samples=(dict(inputs=[(2, 12, 6)],
                 params=dict(output_size=(4, 5), kernel=(2, 3), stride=(2, 1), dilate=(1, 2), pad=(0, 1))),
            dict(inputs=[(1, 6, 6)], params=dict(output_size=(6,), kernel=(3,), pad=(1,)))),
   doc="Columns added up to the images that im2col would have cut them from: its adjoint.\n"
       "data is (n, channels * kernel elements, places of the kernel), the result (n, channels, *output_size).",
   example="mx.nd.col2im(mx.nd.ones((1, 8, 9)), output_size=(4, 4), kernel=(2, 2))")
