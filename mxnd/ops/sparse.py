"""Sparse storage: operators of its own, the kernels behind it, and which operators know which storage types.

A csr matrix goes into a kernel as three arrays: data, indices (columns) and indptr (where rows start); a row_sparse array
as two: data (its rows) and indices (their numbers).  `mxnd.sparse` runs them; the table at the end names its rules."""
from .declare import FLOATS, REGISTRY, F, op
from .optimizer import STEPS, update
from .params import REQUIRED, axes, choice, flag, floats, integer, number, shape
from .shapes import forward, same, same_types, show, size, unify

# ---- operators that users see ------------------------------------------------------------------------
# makes_sparse: works on arrays of any storage type, so that graphs run it array by array


def _cast_storage(p, data):
    return data._cast_storage(p.stype) if hasattr(data, "_cast_storage") else F._copy(data)


op("cast_storage", params=dict(stype=choice(REQUIRED, "csr", "default", "row_sparse")), aliases="_sparse_cast_storage",
   shapes=same,
   compose=_cast_storage, grad=lambda p, g, x, y: [g[0]], makes_sparse=True,
   doc="The array with another storage type: 'default' (dense), 'csr' (2 dimensions) or 'row_sparse'; zeros are left out.",
   example="mx.nd.cast_storage(mx.nd.array([[0, 1], [0, 0]]), 'csr')")


def _retain(p, data, indices):
    return data._retain(indices)


def _like_data(p, ins, outs):
    """The output is as the data, in shape or dtype; indices are free."""
    got, made = same(p, ins[:1], outs)
    return [*got, *ins[1:]], made


def _dtype_of_data(p, ins, outs):
    got, made = same_types(p, ins[:1], outs)
    return [*got, *ins[1:]], made


op("_sparse_retain", inputs="data indices", shapes=_like_data, types=_dtype_of_data,
   compose=_retain, grad=lambda p, g, x, y: [lambda: F._rows_of(g[0], x[1]), None], makes_sparse=True,
   doc="The rows of a row_sparse array whose numbers are in indices, a vector; the others become zero.",
   example="mx.nd.sparse.retain(mx.nd.ones((3, 2)).tostype('row_sparse'), mx.nd.array([0, 2]))")


def _rows_of(p, data, indices):
    return data._rows_of(indices)


op("_rows_of", inputs="data indices", shapes=_like_data, types=_dtype_of_data,
   compose=_rows_of, grad=lambda p, g, x, y: [lambda: F._rows_of(g[0], x[1]), None], makes_sparse=True, auto_variables=False,
   doc="The named rows of an array of any storage type, as row_sparse: the adjoint of retain.",
   example="mx.nd._internal._rows_of(mx.nd.ones((3, 2)), mx.nd.array([0, 2]))")


def _embedding_rows(p, data, indices):
    if hasattr(data, "_embedding_rows"):
        return data._embedding_rows(indices, p.shape)
    return F._backward_take(data, indices, axis=0, mode="clip", shape=p.shape)


def _embedding_rows_shape(p, data, indices):
    if len(p.shape) != 2 or min(p.shape) < 0 or data != (*indices, p.shape[1]):
        raise ValueError(f"data of shape {show(data)} does not hold a row of {show(p.shape)} for each index of shape {show(indices)}")
    return p.shape


op("_embedding_rows", inputs="data indices", params=dict(shape=shape()), shapes=forward(_embedding_rows_shape),
   types=lambda p, ins, outs: (ins, [ins[0]]), compose=_embedding_rows, auto_variables=False,
   grad=lambda p, g, x, y: [lambda: F.take(g[0], x[1], axis=0, mode="clip"), None],
   doc="Rows added up by their numbers, as row_sparse of the given shape: the adjoint of Embedding with sparse_grad.",
   example="mx.nd._internal._embedding_rows(mx.nd.ones((3, 2)), mx.nd.array([0, 2, 2]), shape=(4, 2))")


def _embedding_grad(dense):
    def grad(p, g, x, y):
        if not p.sparse_grad:
            return dense(p, g, x, y)
        return [None, lambda: F._embedding_rows(g[0], x[0], shape=x[1].shape)]
    return grad


REGISTRY["add_n"].grad = lambda p, g, x, y: [g[0]] * len(x)
REGISTRY["Embedding"].grad = _embedding_grad(REGISTRY["Embedding"].grad)

for _name, _full, _sign in (("_scatter_plus_scalar", "_plus_scalar", "plus"), ("_scatter_minus_scalar", "_minus_scalar",
                                                                               "minus")):
    op(_name, params=dict(scalar=number(1.0), is_int=flag(True)), shapes=same, grad=lambda p, g, x, y: [g[0]],
       compose=lambda p, data, _full=_full: F.__getattr__(_full)(data, scalar=p.scalar),
       doc=f"data {_sign} a number; of a sparse array only the stored values change.",
       example=f"mx.nd._internal.{_name}(mx.nd.ones((2,)), scalar=2)")
op("_scatter_elemwise_div", inputs="lhs rhs", shapes=same, compose=lambda p, lhs, rhs: F.elemwise_div(lhs, rhs),
   grad=lambda p, g, x, y: [lambda: g[0] / x[1], lambda: -g[0] * x[0] / (x[1] * x[1])],
   doc="lhs / rhs; where lhs is row_sparse, only in its stored rows.",
   example="mx.nd._internal._scatter_elemwise_div(mx.nd.ones((2,)), mx.nd.ones((2,)))")


def _getnnz_shapes(p, ins, outs):
    counted = (1,) if p.axis is None else (ins[0][0 if p.axis[0] % 2 else 1] if ins[0] else None,)
    return ins, [unify(outs[0], counted)]


def _edge_shapes(p, ins, outs):
    s = unify(unify(ins[1], ins[2], "shapes of u and v"), outs[0], "shapes of u and of the result")
    return [unify(ins[0], (None, None), "shape of data and (rows, columns)"), s, s], [s]


op("_contrib_getnnz", params=dict(axis=axes()), shapes=_getnnz_shapes, types=lambda p, ins, outs: (ins, ["int64"]),
   compose=lambda p, data: data._cast_storage("csr")._count(p.axis), makes_sparse=True,
   doc="How many values a csr matrix stores: in all (shape (1,)), in each row (axis=1) or in each column (axis=0).",
   example="mx.nd.contrib.getnnz(mx.nd.eye(2).tostype('csr'))")
op("_contrib_edge_id", inputs="data u v", shapes=_edge_shapes, types=_dtype_of_data,
   compose=lambda p, data, u, v: data._cast_storage("csr")._edge_id(u, v), makes_sparse=True,
   doc="The stored value of a csr matrix at row u[i] and column v[i], -1 where none is stored.",
   example="mx.nd.contrib.edge_id(mx.nd.eye(2).tostype('csr'), mx.nd.array([0]), mx.nd.array([0]))")
op("_contrib_dgl_adjacency", shapes=same, types=lambda p, ins, outs: (ins, ["float32"]), makes_sparse=True,
   compose=lambda p, data: data._cast_storage("csr")._adjacency(),
   doc="The csr matrix of float32 ones where data, a csr matrix, stores values.",
   example="mx.nd.contrib.dgl_adjacency(mx.nd.eye(2).tostype('csr'))")


# ---- kernels -----------------------------------------------------------------------------------------
# The rules check what the kernels rely on: these operators can be called with anything.
VALUES = {"data", "dense", "other", "weight", "history"}         # inputs with elements; all others are int64
ROW, SET = ("int64",), ("int64", "int64")


def need(truth, what):
    if not truth:
        raise ValueError(what)


def kernel(name, inputs, outs, doc, *, params=None, types=None, arguments=None, kernel_types=FLOATS, outputs="output", run=None):
    """Declare an operator that runs one kernel of kernels/sparse.h; outs(p, *input shapes) -> output shapes."""
    names = inputs.split()

    def shapes(p, ins, known):
        for n, s in zip(names, ins):
            need(n in VALUES or len(s) == 1, f"{n} has shape {s}; expected one dimension")
        return ins, [tuple(s) for s in outs(p, *ins)]

    def infer(p, ins, known):
        t = next((t for n, t in zip(names, ins) if n in VALUES), None)
        return [t if n in VALUES else "int64" for n in names], [u or t for u in types or (None, "int64")[:len(outputs.split())]]
    op("_" + name, inputs=inputs, params=params, outputs=outputs, shapes=shapes, types=infer, kernel=run or name,
       arguments=arguments,
       kernel_types=kernel_types, auto_variables=False, doc=doc)


def words(n):
    return (n + 63) // 64


def count_shape(p, s):
    need(len(s) == 2, f"data has shape {s}; expected two dimensions")
    return [(s[0] + 1,), (s[0] * words(s[1]),)]


def csr_shape(p, d, i, s):
    need(len(d) == 1 and len(p.shape) == 2 and s == (p.shape[0] + 1,),
         f"a csr matrix of shape {p.shape} cannot have an indptr of shape {s}")
    return [p.shape]


def dot_shape(p, d, i, s, z):
    need(len(z) == 2 and s[0] > 0, f"the dense operand has shape {z}; expected 2 dimensions")
    return [(s[0] - 1, z[1])]


def dot_t_shape(p, d, i, s, z, *chosen):
    need(len(z) == 2 and s == (z[0] + 1,), f"the dense operand has shape {z}, the csr matrix {s[0] - 1} rows")
    if not chosen:
        return [(p.columns, z[1])]
    need(chosen == ((words(p.columns),), (words(p.columns) + 1,)), "the set of columns has a wrong size")
    return [(p.count, z[1])]


def dense_csr_shape(p, z, d, i, s):
    need(len(z) == 2 and s[0] > 0 and (p.transpose or s[0] - 1 == z[1]),
         f"the dense operand has shape {z}, the csr matrix {s[0] - 1} rows")
    return [(z[0], s[0] - 1 if p.transpose else p.columns)]


def merge_shape(p, d, i, s, e, j, t):
    need(s == t and s[0] > 0, "the matrices have different numbers of rows")
    return [(d[0] + e[0],)] * 2 + [s]


def scale_shape(p, d, i, s, z):
    need(len(d) == 1 and len(z) == 2 and z[0] in (1, s[0] - 1) and z[1] in (1, p.columns),
         f"a dense operand of shape {z} does not broadcast")
    return [d]


def scale_arguments(p, ins, outs):
    z = ins[3]
    return [p.columns, z[1] if z[0] > 1 else 0, int(z[1] > 1), int(p.divide)]


def onto_shape(p, d, i, s, z):
    need(len(z) == 2 and s == (z[0] + 1,), f"the dense operand has shape {z}, the csr matrix {s[0] - 1} rows")
    return [z]


def same_rows(d, i, z):
    need(len(d) > 0 and len(d) == len(z) and d[1:] == z[1:] and i == d[:1], f"rows of shape {d} do not fit an array of shape {z}")


def rows_like(p, d, i, z):
    same_rows(d, i, z)
    return [z]


def stored_like(p, d, i, z):
    same_rows(d, i, z)
    return [d]


def rows_shape(p, d, i):
    same_rows(d, i, p.shape)
    return [p.shape]


def fill_shape(p, d, s):
    need(len(d) > 0 and s == (d[0] + 1,), f"starts have shape {s}, the rows {d}")
    return [(p.count, *d[1:]), (p.count,)]


def union_shape(p, d, i, e, j):
    same_rows(d, i, e)
    same_rows(e, j, d)
    return [(p.count, *d[1:]), (p.count,)]


def gather_shape(p, d, i, b, r):
    need(len(d) == 2 and i == d[:1] and b == (words(p.size),) and r == (words(p.size) + 1,),
         "rows, numbers and set do not fit together")
    return [(p.count, d[1])]


PAIR = "data indices"
AT_LEAST_0 = dict(at_least=0)
kernel("csr_count", "data", count_shape,
       "Where each row of the csr form of a matrix starts, and a bit for each element: whether it is stored.", types=SET,
       outputs="indptr bits", kernel_types=None)
kernel("csr_fill", "data indptr bits", lambda p, *s: [(p.count,)] * 2, "Values and columns of the csr form of a matrix.",
       params=dict(count=integer(**AT_LEAST_0)), outputs=PAIR, kernel_types=None)
kernel("csr_dense", "data indices indptr", csr_shape, "A csr matrix as a dense one.", params=dict(shape=shape()),
       kernel_types=None)
kernel("csr_check", "indices indptr", lambda p, *s: [(1,)],
       "1 if a csr matrix has its columns in order, 0 if not; an error if it is not sound.",
       params=dict(columns=integer(), stored=integer()), types=ROW, kernel_types=None,
       arguments=lambda p, ins, outs: [p.columns, p.stored])
kernel("csr_sort", "data indices indptr", lambda p, d, i, s: [d, i], "Values and columns with the columns of each row in order.",
       outputs=PAIR, kernel_types=None)
kernel("csr_dot", "data indices indptr dense", dot_shape, "csr matrix times dense matrix.", arguments=lambda p, ins,
       outs: list(ins[3]))
kernel("csr_dot_t", "data indices indptr dense", dot_t_shape, "Transposed csr matrix times dense matrix.",
       params=dict(columns=integer(**AT_LEAST_0), ordered=flag()),
       arguments=lambda p, ins, outs: [*outs[0], outs[0][0], int(p.ordered)])
kernel("csr_dot_t_rows", "data indices indptr dense bits ranks", dot_t_shape,
       "The rows of a transposed csr matrix times a dense matrix that can differ from zero; bits and ranks say which they are.",
       params=dict(columns=integer(**AT_LEAST_0), count=integer(**AT_LEAST_0)), run="csr_dot_t",
       arguments=lambda p, ins, outs: [p.columns, ins[3][1], p.count, 0])
kernel("set_of", "numbers", lambda p, s: [(words(p.size),), (words(p.size) + 1,)],
       "The set of the given whole numbers, all below size: as bits, and how many members come before each word of bits.",
       params=dict(size=integer(**AT_LEAST_0)), types=SET, outputs="bits ranks", kernel_types=None,
       arguments=lambda p, ins, outs: [p.size])
kernel("set_members", "bits", lambda p, s: [(p.count,)], "The members of such a set, ascending.",
       params=dict(count=integer(**AT_LEAST_0)), types=ROW, kernel_types=None)
kernel("dense_csr", "dense data indices indptr", dense_csr_shape, "Dense matrix times csr matrix, or its transpose.",
       params=dict(columns=integer(**AT_LEAST_0), transpose=flag()),
       arguments=lambda p, ins, outs: [*ins[0], outs[0][1], int(p.transpose)])
kernel("csr_merge", "data indices indptr other other_indices other_indptr", merge_shape,
       "Weighted sum of two csr matrices, or the product of what they have in common; values and columns may end before their "
       "arrays.",
       params=dict(common=flag(), weights=floats((1.0, 1.0))), outputs=PAIR + " indptr", types=(None, "int64", "int64"),
       arguments=lambda p, ins, outs: [int(p.common), p.weights[0], p.weights[1]])
kernel("csr_scale", "data indices indptr dense", scale_shape, "Stored values times (or over) a dense matrix that broadcasts.",
       params=dict(columns=integer(**AT_LEAST_0), divide=flag()), arguments=scale_arguments)
kernel("csr_onto", "data indices indptr dense", onto_shape, "Weighted sum of a dense and a csr matrix.",
       params=dict(weights=floats((1.0, 1.0))), arguments=lambda p, ins, outs: [p.weights[0], p.weights[1]])
kernel("csr_sums", "data indices indptr", lambda p, d, i, s: [(s[0] - 1 if p.over_columns else p.columns,)],
       "Sums of values (kind 0), magnitudes (1) or squares (2) along an axis of a csr matrix, or their square roots.",
       params=dict(columns=integer(**AT_LEAST_0), over_columns=flag(), kind=integer(), root=flag(), factor=number(1.0)),
       arguments=lambda p, ins, outs: [p.columns, int(p.over_columns), p.kind, int(p.root), p.factor])
kernel("rows_count", "data", lambda p, s: [(s[0] + 1,)], "How many rows before each row hold something else than zero.",
       types=ROW,
       kernel_types=None)
kernel("rows_fill", "data starts", fill_shape, "Those rows, and their numbers.",
       params=dict(count=integer(**AT_LEAST_0)), outputs=PAIR, kernel_types=None)
kernel("rows_dense", "data indices", rows_shape, "A row_sparse array as a dense one.", params=dict(shape=shape()),
       kernel_types=None, arguments=lambda p, ins, outs: [p.shape[0]])
kernel("rows_merge_count", "indices other_indices", lambda p, *s: [(2,)],
       "How many rows two row_sparse arrays store together, and in common.", types=ROW, kernel_types=None)
kernel("rows_union", "data indices other other_indices", union_shape, "Weighted sum of two row_sparse arrays.",
       params=dict(count=integer(**AT_LEAST_0), weights=floats((1.0, 1.0))), outputs=PAIR,
       arguments=lambda p, ins, outs: [size(ins[0][1:]), p.weights[0], p.weights[1]])
kernel("rows_find", "indices wanted", lambda p, i, w: [w], "Where each wanted row is in an ascending list, -1 where it is not.",
       types=ROW,
       kernel_types=None)
kernel("rows_pick", "data places", lambda p, d, s: [(*s, *d[1:])], "Rows at the given places, zeros for -1.", kernel_types=None,
       arguments=lambda p, ins, outs: [ins[0][0], size(ins[0][1:])])
kernel("rows_gather", "data indices bits ranks", gather_shape, "Rows added up by their numbers.",
       params=dict(size=integer(**AT_LEAST_0), count=integer(**AT_LEAST_0)), arguments=lambda p, ins,
       outs: [p.size, ins[0][1], p.count])
kernel("rows_scale", "data indices dense", stored_like, "Stored rows times (or over) the same rows of a dense array.",
       params=dict(divide=flag()), arguments=lambda p, ins, outs: [ins[2][0], size(ins[2][1:]), int(p.divide)])
kernel("rows_onto", "data indices dense", rows_like, "Weighted sum of a dense and a row_sparse array.",
       params=dict(weights=floats((1.0, 1.0))),
       arguments=lambda p, ins, outs: [ins[2][0], size(ins[2][1:]), p.weights[0], p.weights[1]])


def update_rule(p, ins, outs):
    need(0 <= p.step < len(STEPS) and p.width >= 1 and len(p.numbers) == 12, "unknown step, or no width, or not 12 numbers")
    return ins, []


def update_types_rule(p, ins, outs):
    """The weight, the gradient and the states, then one array of places for the weight and for each state."""
    arrays = (len(ins) + 1) // 2
    return [ins[0]] * arrays + ["int64"] * (len(ins) - arrays), []


op("_rows_update", inputs="data", variadic="count", params=dict(count=integer(), step=integer(), width=integer(),
                                                                numbers=floats()),
   outputs="", shapes=update_rule, types=update_types_rule, kernel="rows_update", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [p.step, p.width, *p.numbers], auto_variables=False,
   doc="One step of an optimizer on the rows that a gradient names: weight, gradient, states, then where the rows are in each.")


def group_adagrad_rule(p, w, d, h, i):
    same_rows(d, i, w)
    need(len(p.numbers) == 4 and size(h) == w[0], f"history has shape {h}; expected ({w[0]}, 1), and 4 numbers")
    return []


kernel("rows_group_adagrad", "weight data history indices", group_adagrad_rule, outputs="", params=dict(numbers=floats()),
       arguments=lambda p, ins, outs: [ins[0][0], size(ins[0][1:]), *p.numbers],
       doc="One step of Adagrad with a sum for each row, on the rows that a gradient names.")

# The optimizers share one kernel with the dense updates; Adagrad has only this sparse form.
update("_sparse_adagrad_update", "adagrad", "history", dict(lr=number(), epsilon=number(1e-7)), ["epsilon"],
       doc="Adagrad: history += grad ** 2, weight -= lr * grad / sqrt(history + epsilon); with a row_sparse gradient only in "
           "its rows.")
REGISTRY["_sparse_adagrad_update"].example = "mx.nd.sparse.adagrad_update(mx.nd.ones(2), mx.nd.ones(2), mx.nd.zeros(2), lr=0.1)"

# ---- which operators know which storage types ---------------------------------------------------------
# operator: {storage types of the inputs: rule in mxnd.sparse}; "csr*" stands for any number of csr inputs,
# "csr csr ..." for any others after those, "..." for any at all.
# Elementwise operators with keeps_zero work on the stored values and need no entry.
MIXED = ("csr default", "default csr", "row_sparse default", "default row_sparse")
BOTH = ("csr csr", "row_sparse row_sparse")
EITHER = ("csr", "row_sparse")


def rules(storage_types, rule):
    return dict.fromkeys(storage_types, rule)


LAZY = rules(("row_sparse row_sparse ...", "default row_sparse ..."), "lazy_update")
STORAGE = {
    "cast_storage": rules(EITHER, "cast"),
    "_sparse_retain": {"row_sparse default": "retain"},
    "_rows_of": rules(("csr default", "row_sparse default"), "rows_of"),
    "_embedding_rows": rules(("csr default", "row_sparse default"), "embedding_rows"),
    "elemwise_add": {**rules(BOTH, "sum_of_sparse"), **rules(MIXED, "sum_with_dense")},
    "elemwise_sub": {**rules(BOTH, "sum_of_sparse"), **rules(MIXED, "sum_with_dense")},
    "broadcast_add": rules(MIXED, "sum_with_dense"),
    "broadcast_sub": rules(MIXED, "sum_with_dense"),
    "elemwise_mul": {**rules(BOTH, "product_of_sparse"), **rules(MIXED, "product_with_dense")},
    "broadcast_mul": {"csr default": "csr_scaled"},
    "broadcast_div": {"csr default": "csr_scaled"},
    "_scatter_elemwise_div": {"row_sparse default": "rows_divided"},
    "add_n": {"row_sparse*": "sum_of_many", "...": "sum_densely"},
    "dot": {"csr default": "dot_csr", "csr row_sparse": "dot_csr", "default csr": "dot_dense_csr"},
    "sum": rules(EITHER, "reduce"), "mean": rules(EITHER, "reduce"), "norm": rules(EITHER, "reduce"),
    "_square_sum": rules(EITHER, "reduce"),
    "clip": rules(EITHER, "clip"),
    "Cast": rules(EITHER, "stored_values"), "_copy": rules(EITHER, "stored_values"), "make_loss": rules(EITHER, "stored_values"),
    "BlockGrad": rules(EITHER, "stored_values"),
    "_scatter_plus_scalar": rules(EITHER, "stored_values"), "_scatter_minus_scalar": rules(EITHER, "stored_values"),
    "zeros_like": rules(EITHER, "zeros"),
    "Concat": {"csr*": "concat"},
    "slice": {"csr": "slice_rows"},
    "_contrib_getnnz": {"csr": "count_stored"},
    "_contrib_edge_id": {"csr default default": "edge_id"},
    "_contrib_dgl_adjacency": {"csr": "adjacency"},
    "sgd_update": LAZY, "sgd_mom_update": LAZY, "adam_update": LAZY, "ftrl_update": LAZY, "_sparse_adagrad_update": LAZY,
    "_contrib_group_adagrad_update": {"default row_sparse default": "lazy_group_adagrad"},
}
for _name, _rules in STORAGE.items():
    REGISTRY[_name].storage = _rules
