"""Random matrices with known properties, as NumPy arrays."""
import numpy as np


def get_identity_mat(size):
    """The identity matrix, float64.

    Examples
    --------
    >>> mx.test_utils.get_identity_mat(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return np.eye(size)


def get_identity_mat_batch(size):
    """Two identity matrices in one array."""
    return np.stack([np.eye(size)] * 2)


def new_orthonormal_matrix_2d(n):
    """A random matrix whose transpose is its inverse.

    Examples
    --------
    >>> q = mx.test_utils.new_orthonormal_matrix_2d(3)
    >>> bool(np.allclose(q @ q.T, np.eye(3)))
    True
    """
    q, r = np.linalg.qr(np.random.normal(size=(n, n)))
    return q * np.sign(np.diag(r))


def new_matrix_with_real_eigvals_2d(n):
    """A random matrix with n real eigenvalues, well apart from 0."""
    q = new_orthonormal_matrix_2d(n)
    upper = np.triu(np.random.uniform(-1, 1, size=(n, n)), 1)
    values = np.random.uniform(1, 2, size=n) * np.random.choice([-1, 1], size=n)
    return q @ (upper + np.diag(values)) @ q.T


def new_sym_matrix_with_real_eigvals_2d(n):
    """A random symmetric matrix with eigenvalues well apart from 0."""
    q = new_orthonormal_matrix_2d(n)
    values = np.random.uniform(1, 2, size=n) * np.random.choice([-1, 1], size=n)
    m = (q * values) @ q.T
    return (m + m.T) / 2


def _batch(shape, make):
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise AssertionError(f"expected a shape of square matrices, got {shape}")
    count = int(np.prod(shape[:-2], dtype=np.int64))
    return np.stack([make(shape[-1]) for _ in range(count)]).reshape(shape) if count else np.zeros(shape)


def new_matrix_with_real_eigvals_nd(shape):
    """Random matrices with real eigenvalues in an array of a shape."""
    return _batch(shape, new_matrix_with_real_eigvals_2d)


def new_sym_matrix_with_real_eigvals_nd(shape):
    """Random symmetric matrices in an array of a shape."""
    return _batch(shape, new_sym_matrix_with_real_eigvals_2d)
