"""What this build of mxnd can do, as `mxnet.runtime` tells it."""
from collections import OrderedDict


class Feature:
    """One feature: its name, and whether it is enabled."""

    def __init__(self, name, enabled):
        self.name, self.enabled = name, enabled

    def __repr__(self):
        return f"✔ {self.name}" if self.enabled else f"✖ {self.name}"


def feature_list():
    """The features of this build.

    Returns
    -------
    list of Feature

    Examples
    --------
    >>> any(f.name == "OPENMP" and f.enabled for f in mx.runtime.feature_list())
    True
    """
    from ._core import isa
    from .context import _cuda
    cuda = _cuda() is not None
    table = {"CUDA": cuda, "CUDNN": False, "NCCL": False, "OPENMP": True, "CPU_AVX2": isa in ("v3", "v4"),
             "CPU_AVX512F": isa == "v4", "F16C": isa in ("v3", "v4"), "MKLDNN": False, "OPENCV": False, "BLAS_OPEN": False,
             "LAPACK": False, "DIST_KVSTORE": False, "INT64_TENSOR_SIZE": True, "SIGNAL_HANDLER": False, "DEBUG": False}
    return [Feature(k, v) for k, v in table.items()]


class Features(OrderedDict):
    """Features by name.

    Examples
    --------
    >>> mx.runtime.Features().is_enabled("OPENMP")
    True
    """

    _one = None

    def __init__(self):
        super().__init__((f.name, f) for f in feature_list())

    class _Instance:
        """The one table that is made when it is first asked for."""

        def __get__(self, owner, cls):
            if cls._one is None:
                cls._one = cls()
            return cls._one

    instance = _Instance()

    def __repr__(self):
        return str(list(self.values()))

    def is_enabled(self, feature_name):
        """Whether a feature is enabled.  Raises RuntimeError for an unknown name."""
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"Features: unknown feature {name!r}; expected one of {', '.join(self)}")
        return self[name].enabled
