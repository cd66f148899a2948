# cython: language_level=3
"""The elementwise loops and the casts, compiled for one instruction set; handed over in capsules."""
from cpython.pycapsule cimport PyCapsule_New

cdef extern from "loops/loops.h":
    const void *mxnd_rows
    const void *mxnd_cast


def rows():
    """The loops by name and type: a capsule "mxnd.rows" of an array of mxnd_row, ended by a NULL name."""
    return PyCapsule_New(<void *> mxnd_rows, "mxnd.rows", NULL)


def casts():
    """The casts: a capsule "mxnd.casts" of mxnd_loop[MX_TYPES][MX_TYPES], from and to."""
    return PyCapsule_New(<void *> mxnd_cast, "mxnd.casts", NULL)
