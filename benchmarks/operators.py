"""Time every declared operator on its own samples.

    python -P benchmarks/operators.py [part of a name ...]
"""
import sys
import timeit

import numpy as np

import mxnd as mx
from mxnd.ops import REGISTRY


def cases(parts):
    """(operator, number of the sample, sample) of the operators whose name holds one of the parts.

    Elementwise operators run on 256 x 256 elements."""
    for op in dict.fromkeys(REGISTRY.values()):
        if not parts or any(p.lower() in op.name.lower() for p in parts):
            elementwise = {"unary": 1, "binary": 2, "scalar": 1, "rscalar": 1}.get(op.family)
            made = [{"inputs": [(256, 256)] * elementwise, "params": dict(*(s.get("params", {}) for s in op.samples[:1]))}] \
                if elementwise else op.samples
            for i, sample in enumerate(made):
                yield op, i, sample


def values(op, sample):
    """float32 inputs of a sample: given values, or random ones of the given shape."""
    draw = np.random.RandomState(0)
    low, high = op.domain if isinstance(op.domain, tuple) and len(op.domain) == 2 else (-1.0, 1.0)
    return [draw.uniform(low, high, x).astype("float32") if isinstance(x, tuple) else np.asarray(x, "float32")
            for x in sample["inputs"]]


def best(call):
    """Microseconds of the fastest of five runs."""
    timer = timeit.Timer(call)
    number = max(1, int(0.02 / max(timer.timeit(1), 1e-7)))
    return min(timer.repeat(5, number)) / number * 1e6


def main(parts):
    print(f"{'operator':<36}{'us':>10}")
    for op, i, sample in cases(parts):
        function = mx.nd.functions.FUNCTIONS[op.name]
        inputs = [mx.nd.array(x) for x in values(op, sample)]
        params = sample.get("params", {})
        print(f"{op.name + (f' #{i}' if i else ''):<36}{best(lambda: function(*inputs, **params)):>10.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
