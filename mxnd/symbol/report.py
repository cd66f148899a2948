"""How much memory an executor takes."""
from ..ops.shapes import known, size
from .memory import ITEM


def memory_report(ex):
    """Bytes by purpose, see `Executor.memory`."""
    seen, report = set(), {}
    for what, arrays in (("arguments", ex.arg_arrays), ("gradients", ex.grad_arrays), ("auxiliary", ex.aux_arrays),
                         ("outputs", ex._outputs)):
        new = {id(a): a.size * ITEM[a._dtype_name] for a in arrays if a is not None and id(a) not in seen}
        seen.update(new)
        report[what] = sum(new.values())
    runner = ex._planned or ex._mixed
    report.update(runner.memory() if runner is not None else _unplanned(ex))
    report["peak"] = sum(n for what, n in report.items() if what != "unshared")
    return report


def _unplanned(ex):
    total = 0
    for node in ex._nodes:
        if node.op is not None:
            for k in range(len(node.outputs)):
                slot = ex._slots.first[id(node)] + k
                if known(ex._shapes[slot]) and ex._types[slot]:
                    total += size(ex._shapes[slot]) * ITEM[ex._types[slot]]
    return {"planned": total, "unshared": total}
