from .array cimport NDArray, Node, Operator

cdef object call(Operator op, tuple inputs, object given, object out, bint all_outputs)
cdef bint has_plan(Operator op) noexcept
cdef int execute(Operator op, object params, tuple inputs, list outs, bint training) except -1
cdef bint is_recording() noexcept
cdef bint set_recording_(bint on) noexcept
cdef bint set_training_(bint on) noexcept
