"""Inputs for the tests that are generated from the declarations."""
import zlib
from dataclasses import dataclass, field

import numpy as np

import mxnd as mx
from mxnd.ops import REGISTRY

OPERATORS = list(dict.fromkeys(REGISTRY.values()))


@dataclass
class Sample:
    """One call of an operator: float64 inputs by position, parameters, and which inputs can be differentiated."""

    op: object
    inputs: list
    params: dict = field(default_factory=dict)
    smooth: list = field(default_factory=list)

    def arrays(self, dtype="float64"):
        return [mx.nd.array(v, dtype=dtype if s else "float64") for v, s in zip(self.inputs, self.smooth)]

    def packed(self):
        given = dict(self.params)
        if self.op.variadic and self.op.variadic not in given:
            given[self.op.variadic] = len(self.inputs)
        return self.op.pack(given)


def _random(rng, shape, domain):
    return rng.uniform(*domain, shape)


def samples(op):
    """All samples of an operator; those of the elementwise families follow from the domain."""
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    low = op.domain
    high = getattr(op, "domain_y", None) or low
    if op.family == "unary":
        params = op.samples[0].get("params", {}) if op.samples else {}
        return [Sample(op, [_random(rng, (2, 3), low)], params, [True])]
    if op.family == "binary":
        second = (2, 3) if op.name[:10] != "broadcast_" else (3,)
        return [Sample(op, [_random(rng, (2, 3), low), _random(rng, second, high)], {}, [True, True])]
    if op.family in ("scalar", "rscalar"):
        right = op.family == "rscalar"
        return [Sample(op, [_random(rng, (2, 3), high if right else low)],
                       {"scalar": float(rng.uniform(*(low if right else high)))}, [True])]
    out = []
    for s in op.samples:
        given = s.get("inputs", [])
        names = op.inputs if len(op.inputs) >= len(given) else [""] * len(given)
        smooth = [isinstance(i, tuple) and n not in op.aux for i, n in zip(given, names)]      # states have no gradient
        values = [_random(rng, i, low) if isinstance(i, tuple) else np.asarray(i, np.float64) for i in given]
        drawn = getattr(op, "drawn", {})                       # what makes an input that suits the operator of a random one
        values = [eval(drawn[n], {"np": np, n: v}) if n in drawn else v for n, v in zip(names, values)]
        out.append(Sample(op, values, s.get("params", {}), smooth))
    return out


def ident(sample):
    return sample.op.name


ALL = [s for op in OPERATORS for s in samples(op)]


def run(sample, arrays):
    """All outputs that users see, as a list."""
    out = mx._core.call.invoke(sample.op.core, tuple(arrays), sample.packed())
    return out if isinstance(out, list) else [out]
