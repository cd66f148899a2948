"""What is known of shapes in part, for every operator: never wrong, never refused, and enough for an unknown batch."""
import zlib

import numpy as np
import pytest
from samples import ALL, ident

from mxnd.ops.shapes import known

OPEN = {"squeeze", "gather_nd", "Custom"}                              # the rank depends on lengths that are not known
USUAL = {"SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "pick"}   # shape of a label


def whole(sample):
    """(parameters, shapes of inputs, of outputs), or None where a sample has none."""
    p = sample.packed()
    ins = [v.shape for v in sample.inputs]
    if getattr(sample.op, "graphs", 0) or len(sample.op.input_names(p, len(ins))) != len(ins):
        return None
    ins, outs = sample.op.infer_shapes(p, ins)
    return (p, list(ins), list(outs)) if all(map(known, (*ins, *outs))) else None


def holds(told, true):
    return told is None or len(told) == len(true) and all(a is None or a == b for a, b in zip(told, true))


WHOLE = [s for s in ALL if whole(s) is not None]


@pytest.mark.parametrize("sample", WHOLE, ids=ident)
def test_partial_knowledge_is_never_wrong(sample):
    p, ins, outs = whole(sample)
    rng = np.random.default_rng(zlib.crc32(sample.op.name.encode()))

    def less(shape):
        if rng.random() < 0.25:
            return None
        return tuple(n if rng.random() < 0.6 else None for n in shape)
    for _ in range(30):
        some, results = list(map(less, ins)), [less(o) if rng.random() < 0.5 else None for o in outs]
        got = sample.op.infer_shapes(p, some, results)
        for told, true, given in zip((*got[0], *got[1]), (*ins, *outs), (*some, *results), strict=True):
            assert holds(told, true) or given is None and sample.op.name in USUAL, f"{given} among {some} -> {results}"
    assert [tuple(s) for s in sample.op.infer_shapes(p, ins, outs)[0]] == ins


PUBLIC = [s for s in WHOLE if s.op.name[0] != "_" or s.op.name.startswith(("_contrib", "_linalg", "_image", "_sample", "_random"))]


@pytest.mark.parametrize("sample", [s for s in PUBLIC if s.op.name not in OPEN], ids=ident)
def test_an_unknown_batch_leaves_the_rank(sample):
    p, ins, outs = whole(sample)
    _, got = sample.op.infer_shapes(p, [(None, *s[1:]) if s else s for s in ins])
    for told, true in zip(got[:sample.op.visible_outputs(p)], outs):
        assert told is not None and len(told) == len(true)
