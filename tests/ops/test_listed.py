"""Every operator of MXNet 1.9.1 is there under every name, in every namespace, with its inputs, parameters and defaults.

tests/data/operators.json holds the facts: per operator its names, the paths it is called by, inputs and auxiliary states,
and for `probe` parameters the arguments and outputs of a symbol made with them."""
import json
from pathlib import Path

import numpy as np
import pytest

import mxnd as mx
from mxnd.ops import REGISTRY

LISTED = json.loads((Path(__file__).parent.parent / "data" / "operators.json").read_text())
# Handles of one process of MXNet; no file of use to another holds them.
HANDLES = {"_CachedOp", "_CachedOpThreadSafe", "_CustomFunction"}
HERE = [row for row in LISTED if row["name"] not in HANDLES]


def same_default(ours, theirs):
    if isinstance(theirs, list):
        theirs = tuple(theirs)
    if ours in (None, ()) and theirs in (None, ()):
        return True                                 # both say "not given"
    if isinstance(theirs, float):
        return np.float32(ours) == np.float32(theirs)           # 0.9 is listed as 0.899999976
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


def differences(row):
    op = REGISTRY.get(row["name"])
    if op is None:
        yield "missing"
        return
    for alias in row["aliases"]:
        if REGISTRY.get(alias) is not op:
            yield f"alias {alias}"
    for path in row["namespaces"]:
        here = mx
        for part in path.split(".")[1:]:
            here = getattr(here, part, None)
        if here is None:
            yield f"no {path}"
    if missing := row["params"].keys() ^ op.params.keys():
        yield f"parameters {sorted(missing)}"
    for name, listed in row["params"].items():
        param = op.params.get(name)
        if param is None:
            continue
        if param.required != listed.get("required", False):
            yield f"{name} required: {param.required}"
        elif not param.required and not same_default(param.default, listed["default"]):
            yield f"{name}={param.default!r} instead of {listed['default']!r}"
        if param.choices and (missing := set(listed.get("choices", ())) - {"None"} - set(param.choices)):
            yield f"{name} without {sorted(missing)}"


@pytest.mark.parametrize("row", HERE, ids=lambda row: row["name"])
def test_names_parameters_and_defaults(row):
    assert list(differences(row)) == []


def symbol_function(row):
    path = next(path for path in row["namespaces"] if path.startswith("mx.sym"))
    here = mx
    for part in path.split(".")[1:]:
        here = getattr(here, part)
    return here


# Updates of several arrays at once write their inputs: 1.9.1 makes symbols of them that nothing can bind.
PROBED = [row for row in HERE if row.get("probe", {}).get("auto") and (row.get("variadic") or {"count_param": 1})["count_param"]]


@pytest.mark.parametrize("row", PROBED, ids=lambda row: row["name"])
def test_symbols_have_the_listed_arguments_and_outputs(row):
    probe = row["probe"]
    inputs = [mx.sym.Variable("n0_" + name) for name in probe["arguments"]] if row.get("variadic") else []
    if inputs and not REGISTRY[row["name"]].variadic:
        inputs = []
    made = symbol_function(row)(*inputs, name="n0", **probe["params"])
    assert [name.removeprefix("n0_") for name in made.list_arguments()] == [a for a in probe["arguments"] if a not in row["aux"]]
    assert [name.removeprefix("n0_") for name in made.list_auxiliary_states()] == row["aux"]
    assert [name.removeprefix("n0_") for name in made.list_outputs()] == probe["outputs"]
