"""The sparse kernels as plain calls: inputs as a tuple, then the parameters in order."""
from .._core.call import invoke
from ..ops.declare import REGISTRY


def kernel(name):
    """The internal operator of this name as a function."""
    op = REGISTRY[name]
    core, params = op.core, op.Params

    def call(inputs, *values):
        return invoke(core, inputs, params(*values))
    call.__name__ = name
    return call


csr_count, csr_fill, csr_dense = kernel("_csr_count"), kernel("_csr_fill"), kernel("_csr_dense")
csr_check, csr_sort = kernel("_csr_check"), kernel("_csr_sort")
csr_dot, csr_dot_t, csr_dot_t_rows, dense_csr = map(kernel, ("_csr_dot", "_csr_dot_t", "_csr_dot_t_rows", "_dense_csr"))
set_of, set_members = kernel("_set_of"), kernel("_set_members")
csr_merge = kernel("_csr_merge")
csr_scale, csr_onto, csr_sums = kernel("_csr_scale"), kernel("_csr_onto"), kernel("_csr_sums")
rows_count, rows_fill, rows_dense = kernel("_rows_count"), kernel("_rows_fill"), kernel("_rows_dense")
rows_merge_count, rows_union = kernel("_rows_merge_count"), kernel("_rows_union")
rows_find, rows_pick, rows_gather = kernel("_rows_find"), kernel("_rows_pick"), kernel("_rows_gather")
rows_scale, rows_onto = kernel("_rows_scale"), kernel("_rows_onto")
rows_update, rows_group_adagrad = kernel("_rows_update"), kernel("_rows_group_adagrad")


def last(x):
    """The last element of a vector of whole numbers."""
    return int(memoryview(x)[-1])


def product(shape):
    n = 1
    for v in shape:
        n *= v
    return n
