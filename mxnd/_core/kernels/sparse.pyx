# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels of sparse storage; the loops are in sparse.h and sparse_type.h."""
include "kernel.pxi"

cdef extern from "sparse.h" nogil:
    int csr_count(mxnd_call*) noexcept
    int csr_fill(mxnd_call*) noexcept
    int csr_dense(mxnd_call*) noexcept
    int csr_check(mxnd_call*) noexcept
    int csr_sort(mxnd_call*) noexcept
    int csr_dot(mxnd_call*) noexcept
    int csr_dot_t(mxnd_call*) noexcept
    int set_of(mxnd_call*) noexcept
    int set_members(mxnd_call*) noexcept
    int dense_csr(mxnd_call*) noexcept
    int csr_merge(mxnd_call*) noexcept
    int csr_scale(mxnd_call*) noexcept
    int csr_onto(mxnd_call*) noexcept
    int csr_sums(mxnd_call*) noexcept
    int rows_count(mxnd_call*) noexcept
    int rows_fill(mxnd_call*) noexcept
    int rows_dense(mxnd_call*) noexcept
    int rows_merge_count(mxnd_call*) noexcept
    int rows_union(mxnd_call*) noexcept
    int rows_find(mxnd_call*) noexcept
    int rows_pick(mxnd_call*) noexcept
    int rows_gather(mxnd_call*) noexcept
    int rows_scale(mxnd_call*) noexcept
    int rows_onto(mxnd_call*) noexcept
    int rows_update(mxnd_call*) noexcept
    int rows_group_adagrad(mxnd_call*) noexcept


kernels = {"csr_count": entry(csr_count), "csr_fill": entry(csr_fill), "csr_dense": entry(csr_dense),
           "csr_check": entry(csr_check), "csr_sort": entry(csr_sort), "csr_dot": entry(csr_dot), "csr_dot_t": entry(csr_dot_t),
           "set_of": entry(set_of), "set_members": entry(set_members), "dense_csr": entry(dense_csr),
           "csr_merge": entry(csr_merge), "csr_scale": entry(csr_scale), "csr_onto": entry(csr_onto),
           "csr_sums": entry(csr_sums), "rows_count": entry(rows_count), "rows_fill": entry(rows_fill),
           "rows_dense": entry(rows_dense), "rows_merge_count": entry(rows_merge_count), "rows_union": entry(rows_union),
           "rows_find": entry(rows_find), "rows_pick": entry(rows_pick), "rows_gather": entry(rows_gather),
           "rows_scale": entry(rows_scale), "rows_onto": entry(rows_onto), "rows_update": entry(rows_update),
           "rows_group_adagrad": entry(rows_group_adagrad)}
