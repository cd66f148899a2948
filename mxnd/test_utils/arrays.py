"""Random shapes and arrays, and small reference computations.  Random numbers come from `numpy.random`."""
import random as _random

import numpy as np

from ..ndarray import arange, array


def random_arrays(*shapes):
    """Arrays of normal random numbers, float32: one for one shape, a list for several.

    Examples
    --------
    >>> [a.shape for a in mx.test_utils.random_arrays((2, 3), (4,))]
    [(2, 3), (4,)]
    """
    made = [np.array(np.random.randn(), np.float32) if len(s) == 0 else np.random.randn(*s).astype(np.float32) for s in shapes]
    return made[0] if len(made) == 1 else made


def random_uniform_arrays(*shapes, **kwargs):
    """A list of arrays of uniform random numbers.

    Parameters
    ----------
    *shapes : tuple of int
    low, high : float, default 0 and 1
    dtype : dtype, default float32
    """
    low, high, dtype = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0), kwargs.pop("dtype", np.float32)
    if kwargs:
        raise TypeError(f"random_uniform_arrays: unknown argument {next(iter(kwargs))!r}")
    return [np.random.uniform(low, high, size=s).astype(dtype) for s in shapes]


def random_sample(population, k):
    """k different items of a list, in their order.

    Examples
    --------
    >>> mx.test_utils.random_sample([1, 2, 3], 3)
    [1, 2, 3]
    """
    return [population[i] for i in sorted(_random.sample(range(len(population)), k))]


def rand_shape_2d(dim0=10, dim1=10, allow_zero_size=False):
    """A random shape of two axes of at most the given lengths.

    Examples
    --------
    >>> mx.test_utils.rand_shape_2d(1, 1)
    (1, 1)
    """
    return rand_shape_nd(2, (dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0=10, dim1=10, dim2=10, allow_zero_size=False):
    """A random shape of three axes of at most the given lengths."""
    return rand_shape_nd(3, (dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim, dim=10, allow_zero_size=False):
    """A random shape; dim: the most that an axis may have, one number or one for each axis.

    Examples
    --------
    >>> len(mx.test_utils.rand_shape_nd(4))
    4
    """
    most = np.broadcast_to(dim, (num_dim,))
    return tuple(int(np.random.randint(0 if allow_zero_size else 1, m + 1)) for m in most)


def rand_coord_2d(x_low, x_high, y_low, y_high):
    """A random point (x, y); the upper ends are left out.

    Examples
    --------
    >>> mx.test_utils.rand_coord_2d(0, 1, 4, 5)
    (0, 4)
    """
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def rand_ndarray(shape, stype="default", density=None, dtype=None, modifier_func=None, shuffle_csr_indices=False,
                 distribution=None, ctx=None):
    """A random array of any storage type.

    Parameters
    ----------
    shape : tuple of int
    stype : {'default', 'csr', 'row_sparse'}
    density : float, optional
        Share of stored elements or rows; random by default.
    dtype : dtype, default float32
    modifier_func : callable, optional
        Applied to every stored element.
    shuffle_csr_indices : bool, default False
        Put the columns of each row of a csr array out of order.
    distribution : {'uniform', 'powerlaw'}
        How the elements of a csr array are spread over the rows.
    ctx : Context, optional

    Examples
    --------
    >>> mx.test_utils.rand_ndarray((2, 3), "csr", density=0.5).stype
    'csr'
    """
    if stype == "default":
        return array(random_arrays(tuple(shape)), dtype=dtype, ctx=ctx)
    from .sparse_arrays import rand_sparse_ndarray
    return rand_sparse_ndarray(shape, stype, density=density, modifier_func=modifier_func, dtype=dtype,
                               shuffle_csr_indices=shuffle_csr_indices, distribution=distribution, ctx=ctx)[0]


def create_2d_tensor(rows, columns, dtype=np.int64):
    """A matrix whose rows hold their own numbers: row k is all k."""
    return arange(0, rows, dtype=dtype).reshape((rows, 1)).broadcast_to((rows, columns))


def create_vector(size, dtype=np.int64):
    """The numbers from 0 on."""
    return arange(0, size, dtype=dtype)


def assign_each(the_input, function):
    """A function applied to every element; the array itself without one."""
    if function is None:
        return np.array(the_input)
    return np.vectorize(function, otypes=[np.asarray(the_input).dtype])(the_input)


def assign_each2(input1, input2, function):
    """A function of two applied to every pair of elements; the first array without one."""
    if function is None:
        return np.array(input1)
    return np.vectorize(function, otypes=[np.asarray(input1).dtype])(input1, input2)


def np_reduce(dat, axis, keepdims, numpy_reduce_func):
    """A NumPy reduction over one axis or several, one at a time; None means all.

    Examples
    --------
    >>> mx.test_utils.np_reduce(np.ones((2, 3)), (0, 1), True, np.sum)
    array([[6.]])
    """
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    for a in sorted((a % dat.ndim for a in axes), reverse=True):
        dat = numpy_reduce_func(dat, axis=a, keepdims=True)
    if not keepdims:
        drop = tuple(a % dat.ndim for a in (range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else axis))
        dat = np.squeeze(dat, axis=drop)
    return dat


def collapse_sum_like(a, shape):
    """The sum of an array down to a shape that broadcasts to its own."""
    lead = a.ndim - len(shape)
    if lead < 0:
        raise AssertionError(f"collapse_sum_like: {shape} has more axes than {a.shape}")
    axes = tuple(range(lead)) + tuple(k + lead for k, n in enumerate(shape) if n == 1 and a.shape[k + lead] != 1)
    return np.sum(a, axis=axes, keepdims=True).reshape(shape)
