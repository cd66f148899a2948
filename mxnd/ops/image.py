"""Images (height, width, channels), some also in batches: layout, size and colour."""
from .declare import F, op
from .params import REQUIRED, choice, flag, floats, integer, number, shape
from .shapes import both_ways, plus, same, show, size, unify

NUMBERS = ("float32", "float64", "uint8", "int8", "int32", "int64")
FLOATS = ("float32", "float64", "float16", "bfloat16")


def _images(s, *dims):
    if len(s) not in dims:
        words = " or ".join("(height, width, channels)" if d == 3 else "(n, height, width, channels)" for d in dims)
        raise ValueError(f"data has shape {show(s)}; expected {words}")
    return s


def _checked(*dims):
    """A shape rule: images of so many dimensions keep their shape."""
    def rule(p, ins, outs):
        got, outs = same(p, ins[:1], outs)
        if got[0] is not None:
            _images(got[0], *dims)
        return [*got, *ins[1:]], outs
    return rule


# ---- layout -----------------------------------------------------------------------------------------------

def _channels_first(p, s):
    *n, h, w, c = _images(s, 3, 4)
    return (*n, c, h, w)


def _channels_last(p, s):
    *n, c, h, w = s
    return (*n, h, w, c)


def _to_tensor_grad(p, g, x, y):
    axes = (1, 2, 0) if len(x[0].shape) == 3 else (0, 2, 3, 1)
    return [lambda: F._cast_like(F.transpose(g[0], axes=axes) / 255.0, x[0])]


op("_image_to_tensor", aliases="_npx__image_to_tensor", shapes=both_ways(_channels_first, _channels_last),
   types=lambda p, ins, outs: (ins, ["float32"]),
   kernel="image_to_tensor", kernel_types=NUMBERS,
   arguments=lambda p, ins, outs: [size(ins[0][:-3]), size(ins[0][-3:-1]), ins[0][-1]], grad=_to_tensor_grad,
   samples=(dict(inputs=[[[[0, 51], [102, 153]], [[204, 255], [1, 2]]]], params={}),),
   doc="Images (height, width, channels) of numbers from 0 to 255 as float32 (channels, height, width) from 0 to 1; also in batches.",
   example="mx.nd.image.to_tensor(mx.nd.ones((2, 3, 3), dtype='uint8'))")


def _per_channel(p, channels):
    """mean and std as lists, one number per channel."""
    out = []
    for name in ("mean", "std"):
        v = getattr(p, name)
        if len(v) != channels and len(set(v)) > 1 or not v or len(v) not in (1, channels, 4):
            raise ValueError(f"{name} has {len(v)} numbers; expected 1 or one for each of {channels} channels")
        if name == "std" and 0 in v:
            raise ValueError(f"std is {v}; expected numbers that are not 0")
        out.append([v[0]] * channels if len(v) != channels else list(v))
    return out


def _normalized(p, ins, outs):
    got, outs = same(p, ins, outs)
    s = got[0]
    if s is not None:
        if len(s) not in (3, 4) or s[-3] not in (1, 3, None):
            raise ValueError(f"data has shape {show(s)}; expected (channels, height, width) or a batch of them, with 1 or 3 channels")
        if s[-3] is not None:
            _per_channel(p, s[-3])
    return got, outs


op("_image_normalize", aliases="_npx__image_normalize", params=dict(mean=floats((0.0,) * 4), std=floats((1.0,) * 4)),
   shapes=_normalized, kernel="image_normalize", kernel_types=("float32", "float64"),
   arguments=lambda p, ins, outs: [size(ins[0][:-3]), ins[0][-3], size(ins[0][-2:]),
                                   *[float(v) for part in _per_channel(p, ins[0][-3]) for v in part]],
   grad=lambda p, g, x, y: [lambda: F._image_normalize(g[0], std=p.std)],
   samples=(dict(inputs=[(3, 2, 2)], params=dict(mean=(0.1, 0.2, 0.3), std=(0.5, 1.0, 2.0))),
            dict(inputs=[(2, 1, 2, 2)], params=dict(mean=0.5, std=2.0))),
   doc="(data - mean) / std with numbers for each channel (or one for all) of images (channels, height, width); also in batches.",
   example="mx.nd.image.normalize(mx.nd.ones((3, 2, 2)), mean=(0.1, 0.2, 0.3), std=(1, 1, 2))")

# ---- parts and mirror images --------------------------------------------------------------------------------


def _any_size(p, s):
    """Images of other sizes, as many and with as many channels."""
    s = _images(s, 3, 4)
    return (*s[:-3], None, None, s[-1])


def _cropped(p, s):
    *n, h, w, c = _images(s, 3, 4)
    for at, length, whole, names in ((p.x, p.width, w, "x and width"), (p.y, p.height, h, "y and height")):
        if whole is not None and at + length > whole:
            raise ValueError(f"{names} are {at} and {length}; expected a part of {whole}")
    return (*n, p.height, p.width, c)


def _crop(p, x):
    for a, at, length in ((len(x.shape) - 3, p.y, p.height), (len(x.shape) - 2, p.x, p.width)):
        x = F.slice_axis(x, axis=a, begin=at, end=at + length)
    return x


op("_image_crop", aliases="_npx__image_crop", shapes=both_ways(_cropped, _any_size), compose=_crop,
   params=dict(x=integer(at_least=0), y=integer(at_least=0), width=integer(at_least=1), height=integer(at_least=1)),
   samples=(dict(inputs=[(4, 5, 3)], params=dict(x=1, y=2, width=3, height=2)),
            dict(inputs=[(2, 4, 5, 1)], params=dict(x=0, y=1, width=2, height=2))),
   doc="The part of images (height, width, channels) that begins at column x and row y; also in batches.",
   example="mx.nd.image.crop(mx.nd.ones((4, 5, 3)), x=1, y=2, width=3, height=2)")

op("_flip_image_if", inputs="data chosen", params=dict(axis=integer(at_least=0, at_most=1)), kernel="image_flip_if",
   shapes=_checked(3), types=lambda p, ins, outs: ([ins[0] or outs[0], ins[1] or "float32"], [ins[0] or outs[0]]),
   arguments=lambda p, ins, outs: [size(ins[0][:p.axis]), ins[0][p.axis], size(ins[0][p.axis + 1:])],
   grad=lambda p, g, x, y: [lambda: F._flip_image_if(g[0], x[1], axis=p.axis), None],
   samples=(dict(inputs=[(2, 3, 1), [1.0]], params=dict(axis=1)),),
   doc="An image, turned around along an axis if the number chosen is not zero.",
   example="mx.nd._internal._flip_image_if(mx.nd.ones((2, 3, 1)), mx.nd.ones((1,)), axis=0)")

for _name, _axis, _words in (("left_right", 1, "left and right"), ("top_bottom", 0, "top and bottom")):
    op(f"_image_flip_{_name}", aliases=f"_npx__image_flip_{_name}", shapes=_checked(3),
       compose=lambda p, x, a=_axis: F.reverse(x, axis=(a,)), samples=(dict(inputs=[(2, 3, 2)], params={}),),
       numpy=f"np.flip(data, {_axis})", doc=f"An image (height, width, channels) with {_words} exchanged.",
       example=f"mx.nd.image.flip_{_name}(mx.nd.ones((2, 3, 1)))")
    op(f"_image_random_flip_{_name}", aliases=f"_npx__image_random_flip_{_name}", shapes=_checked(3), random=True,
       compose=lambda p, x, a=_axis: F._flip_image_if(x, F._numbers_of_image(x, kind="flip"), axis=a),
       samples=(dict(inputs=[(2, 3, 2)], params={}),),
       doc=f"An image (height, width, channels), half of the times with {_words} exchanged.",
       example=f"mx.nd.image.random_flip_{_name}(mx.nd.ones((2, 3, 1)))")

# ---- size -----------------------------------------------------------------------------------------------------


def _new_size(p, h, w):
    """(height, width) that size means."""
    if len(p.size) not in (1, 2) or min(p.size) < 1:
        raise ValueError(f"size is {show(p.size)}; expected one or two numbers above 0")
    if len(p.size) == 2:
        return p.size[1], p.size[0]
    s = p.size[0]
    if not p.keep_ratio:
        return s, s
    if h is None or w is None:
        return None, None
    return (s, s * w // h) if h < w else (s * h // w, s)


def _resized(p, s):
    *n, h, w, c = _images(s, 3, 4)
    if 0 in (h, w):
        raise ValueError(f"data has shape {show(s)}; expected pixels")
    if p.interp not in (0, 1):
        raise ValueError(f"interp {p.interp} is not supported; expected 0 (nearest pixel) or 1 (bilinear)")
    return (*n, *_new_size(p, h, w), c)


def _sizes(p, old, new):
    return [p.interp, size(old[:-3]), *old[-3:-1], *new[-3:-1], old[-1]]


_RESIZE = dict(interp=integer(1))

op("_image_resize", aliases="_npx__image_resize", params=dict(size=shape(()), keep_ratio=flag(), **_RESIZE),
   shapes=both_ways(_resized, _any_size),
   kernel="image_resize", kernel_types=("float32", "float64", "uint8"), arguments=lambda p, ins, outs: _sizes(p, ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_image_resize(g[0], interp=p.interp, shape=x[0].shape)],
   samples=(dict(inputs=[(4, 5, 3)], params=dict(size=(3, 2))), dict(inputs=[(2, 3, 2, 1)], params=dict(size=5)),
            dict(inputs=[(4, 5, 3)], params=dict(size=(2, 7), interp=0))),
   doc="Images (height, width, channels) in another size, (width, height) or one number; also in batches.\n"
       "interp: 0 takes the nearest pixel, 1 weighs the four around.  keep_ratio: one number is the length of the shorter side.",
   example="mx.nd.image.resize(mx.nd.ones((4, 5, 3)), size=(3, 2))")


def _resize_back(p, s):
    _images(s, 3, 4), _images(p.shape, 3, 4)
    fits = len(s) == len(p.shape) and all(a in (b, None) for a, b in zip((*s[:-3], s[-1]), (*p.shape[:-3], p.shape[-1])))
    if not fits or not size(p.shape[-3:-1]) or p.interp not in (0, 1):
        raise ValueError(f"data has shape {show(s)}; expected images that come from {show(p.shape)}")
    return p.shape


op("_backward_image_resize", params=dict(shape=shape(at_least=0), **_RESIZE), shapes=both_ways(_resize_back, _any_size),
   kernel="image_resize_add", kernel_types=("float32", "float64"), arguments=lambda p, ins, outs: _sizes(p, outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._image_resize(g[0], size=x[0].shape[-2:-4:-1], interp=p.interp)],
   samples=(dict(inputs=[(2, 3, 3)], params=dict(shape=(4, 5, 3))),),
   doc="Images spread over the pixels that resize made them from: its adjoint.",
   example="mx.nd._internal._backward_image_resize(mx.nd.ones((2, 3, 1)), shape=(4, 5, 1))")

op("_cvimresize", inputs="src", aliases="_npi_cvimresize", params=dict(w=integer(at_least=1), h=integer(at_least=1), interp=integer(1)),
   shapes=both_ways(lambda p, s: _resized(F._image_resize.Params((p.w, p.h), False, p.interp), _images(s, 3)), _any_size),
   compose=lambda p, x: F._image_resize(x, size=(p.w, p.h), interp=p.interp), samples=(dict(inputs=[(4, 5, 3)], params=dict(w=3, h=2)),),
   doc="An image (height, width, channels) in another size; see image.resize.",
   example="mx.nd._internal._cvimresize(mx.nd.ones((4, 5, 3)), w=3, h=2)")

# ---- borders ----------------------------------------------------------------------------------------------------


def _bordered(p, s):
    h, w, c = _images(s, 3)
    if p.type and 0 in (h, w):
        raise ValueError(f"src has shape {show(s)}; expected pixels to repeat")
    if c is not None and len(getattr(p, "values", ())) not in (0, c):
        raise ValueError(f"values has {len(p.values)} numbers; expected one for each of {c} channels")
    return plus(h, p.top, p.bot), plus(w, p.left, p.right), c


def _border_sizes(p, old, new):
    return [p.type, *old, p.top, p.left, *new[:2]]


_BORDER = {k: integer(at_least=0) for k in ("top", "bot", "left", "right")} | dict(type=integer(0, at_least=0, at_most=4))

op("_cvcopyMakeBorder", inputs="src", params=dict(_BORDER, value=number(0.0), values=floats(())),
   shapes=both_ways(_bordered, lambda p, s: _inside(p, s)),
   kernel="image_border",
   arguments=lambda p, ins, outs: [*_border_sizes(p, ins[0], outs[0]), *map(float, p.values or [p.value] * ins[0][2])],
   grad=lambda p, g, x, y: [lambda: F._backward_border(g[0], **{k: getattr(p, k) for k in _BORDER})],
   samples=tuple(dict(inputs=[(2, 3, 2)], params=dict(top=1, bot=2, left=3, right=1, type=t, value=2.5)) for t in range(5)),
   doc="An image (height, width, channels) with a border: type 0 of a value (or values, one for each channel), 1 of the outermost "
       "pixels, 2 of the mirrored image, 3 of the repeated one, 4 of the image mirrored at its outermost pixels.",
   example="mx.nd._internal._cvcopyMakeBorder(mx.nd.ones((4, 5, 3)), top=1, bot=1, left=2, right=2)")


def _inside(p, s):
    h, w, c = _images(s, 3)
    inner = plus(h, -p.top, -p.bot), plus(w, -p.left, -p.right)
    if any(n is not None and n < (p.type > 0) for n in inner):
        raise ValueError(f"data has shape {show(s)}; expected an image with a border")
    return (*inner, c)


op("_backward_border", params=dict(_BORDER), shapes=both_ways(_inside, _bordered), kernel="image_border_add",
   kernel_types=("float32", "float64"),
   arguments=lambda p, ins, outs: _border_sizes(p, outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._cvcopyMakeBorder(g[0], **p._asdict())],
   samples=(dict(inputs=[(5, 7, 2)], params=dict(top=1, bot=2, left=3, right=1, type=4)),),
   doc="The pixels of a border added to those that they repeat: the adjoint of a border.",
   example="mx.nd._internal._backward_border(mx.nd.ones((4, 5, 3)), top=1, bot=1, left=2, right=2)")

# ---- colour ------------------------------------------------------------------------------------------------------

KINDS = ("brightness", "contrast", "saturation", "hue", "lighting", "jitter", "flip")
DRAWN = {"lighting": 3, "jitter": 8}


def _colour(p, ins, outs):
    """Shapes of an image and its factors."""
    got, outs = same(p, ins[:1], outs)
    s, kind = got[0], getattr(p, "kind", "lighting")
    if s is not None:
        _images(s, 3)
        if s[-1] is not None and s[-1] not in ((3,) if kind == "lighting" else (1, 3)):
            raise ValueError(f"data has shape {show(s)}; expected {'3' if kind == 'lighting' else '1 or 3'} channels")
    return [*got, *[unify(f, (DRAWN.get(kind, 1),)) for f in ins[1:]]], outs


def _colour_types(p, ins, outs):
    t = ins[0] or outs[0]
    return [t, *[v or "float32" for v in ins[1:]]], [t]


def _adjust_grad(p, g, x, y):
    if p.kind in ("hue", "jitter", "lighting"):                   # by convention the first two pass their gradient on
        return [g[0], None]
    return [lambda: F._adjust_image(g[0], x[1], kind=p.kind, adjoint=not p.adjoint), None]


def _kind_and_size(p, ins, outs):
    return [KINDS.index(p.kind), int(p.adjoint), size(ins[0][:-1]), ins[0][-1]]


op("_adjust_image", inputs="data factors", params=dict(kind=choice(REQUIRED, *KINDS[:-1]), adjoint=flag()), shapes=_colour,
   types=_colour_types, kernel="image_adjust", kernel_types=NUMBERS, arguments=_kind_and_size, grad=_adjust_grad,
   samples=(dict(inputs=[(2, 2, 3), [0.5]], params=dict(kind="brightness")), dict(inputs=[(2, 2, 3), [0.5]], params=dict(kind="contrast")),
            dict(inputs=[(2, 2, 1), [0.5]], params=dict(kind="contrast")),
            dict(inputs=[(2, 2, 3), [1.5]], params=dict(kind="saturation"))),
   doc="An image with another brightness, contrast, saturation, hue or light.",
   example="mx.nd._internal._adjust_image(mx.nd.ones((2, 2, 3)), mx.nd.array([0.5]), kind='brightness')")

op("_image_adjust_lighting", aliases="_npx__image_adjust_lighting", params=dict(alpha=floats(length=(3,))), shapes=_colour,
   kernel="image_adjust", kernel_types=NUMBERS,
   arguments=lambda p, ins, outs: [KINDS.index("lighting"), 0, size(ins[0][:-1]), ins[0][-1], *p.alpha],
   grad=lambda p, g, x, y: [g[0]], samples=(dict(inputs=[(2, 2, 3)], params=dict(alpha=(0.1, 0.2, 0.3))),),
   doc="An image (height, width, 3) with a colour added: alpha weighs the principal components of the colours of ImageNet.",
   example="mx.nd.image.adjust_lighting(mx.nd.ones((2, 2, 3)), alpha=(0.1, 0.2, 0.3))")

op("_numbers_of_image", params=dict(kind=choice(REQUIRED, *KINDS), numbers=floats((0.0, 1.0))), random=True, kernel="image_factors",
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], (DRAWN.get(p.kind, 1),))]), types=lambda p, ins, outs: (ins, ["float32"]),
   arguments=lambda p, ins, outs: [KINDS.index(p.kind), *map(float, (*p.numbers, 0.0, 0.0, 0.0, 0.0)[:4])],
   samples=(dict(inputs=[(2, 2, 3)], params=dict(kind="brightness")),),
   doc="The random numbers behind an operator of images.",
   example="mx.nd._internal._numbers_of_image(mx.nd.ones((2, 2, 3)), kind='brightness', numbers=(0.5, 1.5))")


def _randomly(kind, numbers):
    def compose(p, x):
        return F._adjust_image(x, F._numbers_of_image(x, kind=kind, numbers=numbers(p)), kind=kind)

    def shapes(p, ins, outs):
        return _colour(p, ins, outs) if kind == "lighting" else _checked(3)(p, ins, outs)
    return dict(compose=compose, shapes=shapes, random=True)


_BETWEEN = dict(min_factor=number(at_least=0.0), max_factor=number(at_least=0.0))
for _kind, _words in (("brightness", "Values are multiplied by it."), ("contrast", "Distances to the mean grey are multiplied by it."),
                      ("saturation", "Distances to the grey of the pixel are multiplied by it."),
                      ("hue", "Colours are turned by it, where 1 is a whole turn.")):
    op(f"_image_random_{_kind}", aliases=f"_npx__image_random_{_kind}", params=_BETWEEN,
       samples=(dict(inputs=[(2, 2, 3)], params=dict(min_factor=0.5, max_factor=1.5)),),
       doc=f"An image (height, width, 1 or 3) with another {_kind}: a factor is drawn between min_factor and max_factor.  {_words}",
       example=f"mx.nd.image.random_{_kind}(mx.nd.ones((2, 2, 3)), min_factor=0.5, max_factor=1.5)",
       **_randomly(_kind, lambda p: (p.min_factor, p.max_factor)))

op("_image_random_lighting", aliases="_npx__image_random_lighting", params=dict(alpha_std=number(0.05)),
   samples=(dict(inputs=[(2, 2, 3)], params={}),),
   doc="An image (height, width, 3) with a random colour added, see adjust_lighting; alpha is normal with deviation alpha_std.",
   example="mx.nd.image.random_lighting(mx.nd.ones((2, 2, 3)))", **_randomly("lighting", lambda p: (p.alpha_std,)))

op("_image_random_color_jitter", aliases="_npx__image_random_color_jitter",
   params={k: number(at_least=0.0) for k in ("brightness", "contrast", "saturation", "hue")},
   samples=(dict(inputs=[(2, 2, 3)], params=dict(brightness=0.1, contrast=0.1, saturation=0.1, hue=0.1)),),
   doc="An image (height, width, 1 or 3) with random brightness, contrast, saturation and hue, changed in random order: factors lie "
       "between 1 - x and 1 + x, for hue between -x and x; 0 changes nothing.",
   example="mx.nd.image.random_color_jitter(mx.nd.ones((2, 2, 3)), brightness=0.1, contrast=0.1, saturation=0.1, hue=0.1)",
   **_randomly("jitter", lambda p: (p.brightness, p.contrast, p.saturation, p.hue)))
