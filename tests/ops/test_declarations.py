"""Every operator is declared in full, and what it declares exists."""
import inspect

import numpy as np
import pytest
from samples import OPERATORS, samples

import mxnd as mx
from mxnd._core import plan
from mxnd.ops.declare import REGISTRY

PUBLIC = [op for op in OPERATORS if not op.name.startswith("_")]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_has_doc_and_something_to_run(op):
    assert op.doc.strip().endswith("."), "the doc is a sentence"
    held = ("_custom_function", "_custom_unrecorded")                # by the tape only
    assert op.c or op.compose or plan.has_kernel(op.kernel) or op.family == "python" or op.name in held or hasattr(op, "graphs")


@pytest.mark.parametrize("op", [op for op in PUBLIC if op.family != "python"], ids=lambda op: op.name)
def test_example_runs(op):
    assert op.example, "public operators show an example"
    got = eval(op.example, {"mx": mx, "np": np})
    for y in got if isinstance(got, list) else [got]:
        assert isinstance(y, mx.nd.NDArray)


@pytest.mark.parametrize("op", PUBLIC, ids=lambda op: op.name)
def test_function_has_signature_and_docstring(op):
    f = mx.nd.functions.FUNCTIONS[op.name]
    names = list(inspect.signature(f).parameters)
    assert [n for n in (*op.inputs, *op.params) if n not in names] == []
    assert "Parameters" in f.__doc__ and "Returns" in f.__doc__


def test_gradients_use_declared_operators_only():
    assert all(op is REGISTRY[op.name] for op in OPERATORS)


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.keeps_zero and op.family == "unary" and not op.params],
                         ids=lambda op: op.name)
def test_keeps_zero(op):
    zero = mx.nd.zeros((3,), dtype="float64")
    assert (mx._core.call.invoke(op.core, (zero,), op.pack({})).asnumpy() == 0).all()


def test_most_operators_have_samples():
    bare = [op.name for op in PUBLIC if not samples(op)]
    assert len(bare) < 25, bare
