"""Images sampled at computed places: GridGenerator, BilinearSampler and SpatialTransformer."""
from .declare import FLOATS, F, op
from .params import REQUIRED, choice, flag, integer, shape
from .shapes import show, size, unify


def _sides(s, what="data"):
    if len(s) != 4:
        raise ValueError(f"{what} has shape {show(s)}; expected (samples, channels, height, width)")
    return s


def _grid(s, samples):
    s = unify(s, (samples, 2, None, None), "shape of grid and (samples, 2, height, width)")
    return s


# ---- sampling, its derivatives by the places, and its adjoint ------------------------------------------

def sample_shapes(p, ins, outs):
    data, grid = ins
    if data is not None:
        grid = _grid(grid, _sides(data)[0])
    out = outs[0]
    if data is not None and grid is not None:
        out = unify(out, (*data[:2], *grid[2:]))
    return [data, grid], [out]


def sample_arguments(p, ins, outs):
    data, grid = ins
    return [*data, size(grid[2:]), getattr(p, "dx", 0), getattr(p, "dy", 0)]


def _by_places(image, grid, head, dx, dy):
    """Gradient by the places of the sum of head times the sampled image."""
    def one(dx, dy):
        if dx > 1 or dy > 1:
            return F.zeros_like(F.slice_axis(grid, axis=1, begin=0, end=1))         # a hat is linear between two pixels
        return F.sum(F._bilinear_sample(image, grid, dx=dx, dy=dy) * head, axis=(1,), keepdims=True)
    return F.Concat(one(dx + 1, dy), one(dx, dy + 1), num_args=2, dim=1)


def sample_grad(p, g, x, y):
    dx, dy = getattr(p, "dx", 0), getattr(p, "dy", 0)
    return [lambda: F._bilinear_spread(g[0], x[1], shape=tuple(x[0].shape[2:]), dx=dx, dy=dy),
            lambda: _by_places(x[0], x[1], g[0], dx, dy)]


def spread_shapes(p, ins, outs):
    head, grid = ins
    if head is not None:
        grid = unify(grid, (_sides(head, "head")[0], 2, *head[2:]), "shape of grid and head")
        return [head, grid], [unify(outs[0], (*head[:2], *p.shape))]
    return [head, grid], outs


def spread_arguments(p, ins, outs):
    return [*ins[0][:2], *p.shape, size(ins[0][2:]), p.dx, p.dy]


def spread_grad(p, g, x, y):
    return [lambda: F._bilinear_sample(g[0], x[1], dx=p.dx, dy=p.dy), lambda: _by_places(g[0], x[1], x[0], p.dx, p.dy)]


ORDERS = dict(dx=integer(0, at_least=0, at_most=1), dy=integer(0, at_least=0, at_most=1))
PLACES = [[[[-0.4, 0.3], [0.1, -1.7]], [[0.2, -0.7], [0.45, 0.6]]]]
op("BilinearSampler", stored=2, inputs="data grid", params=dict(cudnn_off=flag(None)), shapes=sample_shapes, kernel="bilinear_sample",
   kernel_types=FLOATS, arguments=sample_arguments, grad=sample_grad, samples=(dict(inputs=[(1, 2, 4, 5), PLACES]),),
   doc="""data at the places of grid, by bilinear interpolation; 0 outside.

    data is (samples, channels, height, width), grid (samples, 2, rows, columns): first x, then y, each from -1 (the first
    pixel) to 1 (the last one).  The result is (samples, channels, rows, columns).  Floats.
    Source: Jaderberg et al., Spatial Transformer Networks, 2015.""",
   example="mx.nd.BilinearSampler(mx.nd.ones((1, 1, 4, 4)), mx.nd.zeros((1, 2, 2, 2)))")
op("_bilinear_sample", inputs="data grid", params=dict(ORDERS), shapes=sample_shapes, kernel="bilinear_sample",
   kernel_types=FLOATS, arguments=sample_arguments, grad=sample_grad,
   samples=tuple(dict(inputs=[(1, 2, 4, 5), PLACES], params=dict(dx=dx, dy=dy)) for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1))),
   doc="BilinearSampler, or its derivative by x (dx=1), by y (dy=1) or by both.")
op("_bilinear_spread", inputs="head grid", params=dict(ORDERS, shape=shape(length=(2,))), shapes=spread_shapes,
   kernel="bilinear_spread", kernel_types=FLOATS, arguments=spread_arguments, grad=spread_grad,
   samples=tuple(dict(inputs=[(1, 2, 2, 2), PLACES], params=dict(dx=dx, dy=dy, shape=(4, 5))) for dx, dy in ((0, 0), (1, 0), (1, 1))),
   doc="The gradient of _bilinear_sample by data: head added to the pixels of an image of the given shape.")


# ---- places ---------------------------------------------------------------------------------------------

def target(p):
    if len(p.target_shape) != 2 or min(p.target_shape) <= 0:
        raise ValueError(f"target_shape is {show(p.target_shape)}; expected two positive lengths, (height, width)")
    return p.target_shape


def grid_shapes(p, ins, outs):
    data = ins[0]
    if p.transform_type == "warp":
        data = unify(data, outs[0])
        if data is not None:
            data = unify(data, (None, 2, None, None), "shape of data and (samples, 2, height, width)")
        return [data], [data]
    rows = data[0] if data else outs[0][0] if outs[0] else None
    places = (rows, 2, *target(p))
    return [unify(data, (rows, 6), "shape of data and (samples, 6)")], [unify(outs[0], places)]


def grid_arguments(p, ins, outs):
    return [outs[0][0], outs[0][2], outs[0][3], int(p.transform_type == "warp")]


def grid_grad(p, g, x, y):
    return [lambda: F._backward_GridGenerator(g[0], transform_type=p.transform_type)]


def backward_shapes(p, ins, outs):
    head = ins[0]
    if head is None:
        return ins, outs
    head = unify(head, (None, 2, None, None), "shape of head and (samples, 2, height, width)")
    return [head], [head if p.transform_type == "warp" else (_sides(head, "head")[0], 6)]


def backward_grad(p, g, x, y):
    """Both directions are linear; the warp's is its own adjoint, the affine one's is the grid itself."""
    if p.transform_type == "warp":
        return [lambda: F._backward_GridGenerator(g[0], transform_type="warp")]
    return [lambda: F.GridGenerator(g[0], transform_type="affine", target_shape=tuple(x[0].shape[2:]))]


KIND = choice(REQUIRED, "affine", "warp")
op("GridGenerator", stored=2, params=dict(transform_type=KIND, target_shape=shape((0, 0))), shapes=grid_shapes, kernel="grid_generator",
   kernel_types=FLOATS, arguments=grid_arguments, grad=grid_grad,
   numpy="(np.stack([data.reshape(-1, 2, 3) @ np.array([x, y, 1.0]) for y in np.linspace(-1, 1, p.target_shape[0])"
         " for x in np.linspace(-1, 1, p.target_shape[1])], -1).reshape(-1, 2, *p.target_shape) if p.transform_type == 'affine' else"
         " np.stack([(data[:, 0] + np.arange(data.shape[3])) * 2 / (data.shape[3] - 1) - 1,"
         " (data[:, 1] + np.arange(data.shape[2])[:, None]) * 2 / (data.shape[2] - 1) - 1], 1))",
   samples=(dict(inputs=[(2, 6)], params=dict(transform_type="affine", target_shape=(3, 4))),
            dict(inputs=[(2, 2, 3, 4)], params=dict(transform_type="warp"))),
   doc="""Places for BilinearSampler, (samples, 2, height, width).

    affine: data is (samples, 6), rows of a matrix that takes (x, y, 1) of target_shape's pixels, from -1 to 1, to places.
    warp: data is (samples, 2, height, width), by how many pixels each place moves.""",
   example="mx.nd.GridGenerator(mx.nd.array([[1, 0, 0, 0, 1, 0]]), transform_type='affine', target_shape=(2, 2))")
op("_backward_GridGenerator", inputs="head", params=dict(transform_type=KIND), shapes=backward_shapes,
   kernel="grid_generator_backward", kernel_types=FLOATS, grad=backward_grad,
   arguments=lambda p, ins, outs: [ins[0][0], *ins[0][2:], int(p.transform_type == "warp")],
   samples=(dict(inputs=[(2, 2, 3, 4)], params=dict(transform_type="affine")),
            dict(inputs=[(2, 2, 3, 4)], params=dict(transform_type="warp"))),
   doc="The gradient of GridGenerator by data.")


def transformer_shapes(p, ins, outs):
    data, loc = ins
    rows = next((s[0] for s in (data, loc, outs[0]) if s and s[0] is not None), None)
    loc = unify(loc, (rows, 6), "shape of loc and (samples, 6)")
    if data is not None:
        _sides(data)
        return [data, loc], [unify(outs[0], (*data[:2], *target(p)))]
    return [data, loc], outs


op("SpatialTransformer", stored=3, inputs="data loc",
   params=dict(target_shape=shape((0, 0)), transform_type=choice(REQUIRED, "affine"), sampler_type=choice(REQUIRED, "bilinear"),
               cudnn_off=flag(None)),
   shapes=transformer_shapes,
   compose=lambda p, data, loc: F.BilinearSampler(
       data, F.GridGenerator(loc, transform_type=p.transform_type, target_shape=target(p))),
   samples=(dict(inputs=[(1, 2, 4, 5), [[0.6, 0.1, -0.05, 0.2, 0.7, 0.13]]],
                 params=dict(target_shape=(2, 3), transform_type="affine", sampler_type="bilinear")),),
   doc="""BilinearSampler at the places of an affine GridGenerator.

    data is (samples, channels, height, width), loc (samples, 6); the result is (samples, channels, *target_shape).
    Source: Jaderberg et al., Spatial Transformer Networks, 2015.""",
   example="mx.nd.SpatialTransformer(mx.nd.ones((1, 1, 4, 4)), mx.nd.array([[1, 0, 0, 0, 1, 0]]), target_shape=(2, 2),"
           " transform_type='affine', sampler_type='bilinear')")
