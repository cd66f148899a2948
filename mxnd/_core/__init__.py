"""The compiled core; picks the loops and kernels for this machine and links the declarations to them."""
import importlib
import os
import pkgutil

# GNU OpenMP's idle threads spin for about 10 ms by default, on cores that others may want; 100 us are enough to catch the
# next operator.  It reads the setting once, while it is loaded; the environment is left as it was.
_spin = "GOMP_SPINCOUNT" not in os.environ and "OMP_WAIT_POLICY" not in os.environ
if _spin:
    os.environ["GOMP_SPINCOUNT"] = "2000"
try:
    from . import array, block, call, cpu, memory, plan, tape, threads
except ImportError as e:
    raise ImportError("mxnd's compiled core is missing: this is the source tree, not an installed package; run "
                      "`pip install .` (or `spin build`) and import mxnd from elsewhere") from e
finally:
    if _spin:
        os.environ.pop("GOMP_SPINCOUNT", None)
from ..ops import REGISTRY  # noqa: E402

SUBJECTS = sorted({m.name.rsplit("_", 1)[0] for m in pkgutil.iter_modules(__path__) if m.name.endswith(("_base", "_v3", "_v4"))})
BUILT = [level for level in ("base", "v3", "v4")
         if any(m.name == "loops_" + level for m in pkgutil.iter_modules(__path__))]
isa = cpu.best(BUILT)


def _load(subject):
    return importlib.import_module(f"{__name__}.{subject}_{isa}")


_loops = _load("loops")
_kernels = {}
for _subject in SUBJECTS:
    if _subject != "loops":
        _kernels.update(_load(_subject).kernels)
plan.use_tables(_loops.rows(), _loops.casts(), _kernels)
OPERATORS = list(dict.fromkeys(REGISTRY.values()))
for _op in OPERATORS:
    plan.link(_op)
for _op in OPERATORS:
    block.link_gradients(_op)


def _link():
    from ..ops.declare import PYTHON
    core = [[REGISTRY[n].core for n in names] for names in zip(*PYTHON.values())]
    call.use_python_operators(*core, REGISTRY["_part"].core, REGISTRY["_reshape_to"].core)
    tape.use_operators(REGISTRY["elemwise_add"].core, REGISTRY["ones_like"].core, REGISTRY["zeros_like"].core)


_link()
