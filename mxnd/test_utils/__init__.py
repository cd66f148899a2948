"""Helpers for tests of code that uses mxnd: comparisons, random arrays, checks of gradients."""
from ..base import MXNetError
from ..context import Context, cpu, current_context, gpu
from ..ndarray import NDArray, array
from ..runtime import Features
from ..symbol import Symbol
from ..util import getenv, setenv, use_np
from .arrays import (
    assign_each,
    assign_each2,
    collapse_sum_like,
    create_2d_tensor,
    create_vector,
    np_reduce,
    rand_coord_2d,
    rand_ndarray,
    rand_shape_2d,
    rand_shape_3d,
    rand_shape_nd,
    random_arrays,
    random_sample,
    random_uniform_arrays,
)
from .compare import (
    almost_equal,
    almost_equal_ignore_nan,
    assert_allclose,
    assert_almost_equal,
    assert_almost_equal_ignore_nan,
    assert_almost_equal_with_err,
    assert_exception,
    checkShapes,
    compare_ndarray_tuple,
    find_max_violation,
    locationError,
    same,
    same_array,
    same_symbol_structure,
)
from .consistency import check_consistency, check_speed
from .distributions import chi_square_check, gen_buckets_probs_with_ppf, mean_check, var_check, verify_generator
from .gradients import check_numeric_gradient, check_symbolic_backward, check_symbolic_forward, numeric_grad, simple_forward
from .matrices import (
    get_identity_mat,
    get_identity_mat_batch,
    new_matrix_with_real_eigvals_2d,
    new_matrix_with_real_eigvals_nd,
    new_orthonormal_matrix_2d,
    new_sym_matrix_with_real_eigvals_2d,
    new_sym_matrix_with_real_eigvals_nd,
)
from .settings import (
    DummyIter,
    EnvManager,
    default_context,
    default_dtype,
    discard_stderr,
    environment,
    has_tvm_ops,
    is_aarch64_run,
    is_cd_run,
    is_op_runnable,
    list_gpus,
    retry,
    set_default_context,
    set_env_var,
)
from .sparse_arrays import create_sparse_array, create_sparse_array_zd, rand_sparse_ndarray, shuffle_csr_column_indices
from .tolerances import (
    default_atols,
    default_numeric_eps,
    default_rtols,
    effective_dtype,
    get_atol,
    get_etol,
    get_rtol,
    get_tolerance,
    get_tols,
)
