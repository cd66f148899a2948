"""Every function and class of MXNet 1.9.1's array interface exists here, with the same arguments and defaults.

`data/surface.json` holds them, classes with their members.  What differs on purpose is listed below; operators: ops/test_listed.py."""
import inspect
import json
import math
import os
import re

import numpy as np
import pytest

import mxnd as mx

with open(os.path.join(os.path.dirname(__file__), "data", "surface.json"), encoding="utf-8") as f:
    SURFACE = json.load(f)

# Names that mxnd does not have, and why.
GONE = "memory is given back by Python"
NO_NUMPY = "there is no mx.np"
ABSENT = {"mx.nd.NDArray.__del__": GONE, "mx.sym.Symbol.__del__": GONE, "mx.executor.Executor.__del__": GONE,
          "mx.nd.NDArray.as_np_ndarray": NO_NUMPY, "mx.sym.Symbol.as_np_ndarray": NO_NUMPY,
          "mx.sym.Symbol.__setstate__": "symbols are pickled through __reduce__",
          "mx.nd.NDArray.__setstate__": "arrays are pickled through __reduce__", "mx.nd.imdecode": "needs OpenCV"}
# Arguments that differ, and why.
HANDLE = "made by functions, not from handles of a library"
OTHER_ARGUMENTS = {"mx.sym.Symbol.__init__": HANDLE, "mx.runtime.Feature.__init__": HANDLE, "mx.runtime.Features.__init__": HANDLE}


def find(path):
    at = mx
    for part in path.split(".")[1:]:
        at = getattr(at, part)
    return at


def exists(path):
    try:
        return callable(find(path))
    except AttributeError:
        return False


def split(text):
    """[(name, default text or None)] of "(a, b=(1, 2), **kwargs)"."""
    inside = text.strip()[1:-1].replace("/, ", "")
    parts, depth, word = [], 0, ""
    for c in inside + ",":
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            if word.strip():
                parts.append(word.strip())
            word = ""
        else:
            word += c
    return [tuple(p.split("=", 1)) if "=" in p else (p, None) for p in parts]


def arguments(f):
    """The same of a function here, without self; defaults as values."""
    out = []
    for p in inspect.signature(f).parameters.values():
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        out.append((star + p.name, p.default))
    return out[1:] if out and out[0][0] in ("self", "cls") else out


def same_default(want, got):
    if want is None:
        return True                                     # required there; a default here does no harm
    if want == "_Null":
        return got is not inspect.Parameter.empty       # "the operator's default": checked with the operators
    if got is inspect.Parameter.empty:
        return False
    names = {"float32": np.float32, "numpy.float32": np.float32, "numpy.float64": np.float64, "dtype('float64')": np.dtype("float64")}
    if want in names:
        return got in (names[want], np.dtype(names[want]).name)
    if want.startswith("mxnet."):
        return getattr(got, "__name__", None) == want.rsplit(".", 1)[1]
    try:
        value = eval(want, {"__builtins__": {}}, {"inf": math.inf})
    except Exception:
        value = want
    return got == value and isinstance(got, bool) == isinstance(value, bool)


def compare(path, text, f):
    want = split(text)
    try:
        have = arguments(f)
    except (TypeError, ValueError):                     # compiled, without a signature
        return
    names = dict(have)
    order = [n for n, _ in have if not n.startswith("*")]
    at = -1
    for name, default in want:
        if name.startswith("*"):
            assert any(n.startswith("*" * name.count("*")) for n in names), f"{path}: {name} is not accepted"
            continue
        if name not in names and any(n.startswith("**") for n in names) and default is not None:
            continue
        assert name in names, f"{path}: there is no argument {name!r}; there are {', '.join(names)}"
        assert same_default(default, names[name]), f"{path}: {name}: expected {default}, got {names[name]!r}"
        assert order.index(name) > at, f"{path}: {name} is at another place"
        at = order.index(name)


@pytest.mark.parametrize("path", SURFACE["functions"])
def test_functions(path):
    if path in ABSENT:
        assert not hasattr(find(path.rsplit(".", 1)[0]), path.rsplit(".", 1)[1]), "it exists by now: take it off the list"
        return
    f = find(path)
    assert callable(f)
    if path not in OTHER_ARGUMENTS:
        compare(path, SURFACE["functions"][path], f)


@pytest.mark.parametrize("path", SURFACE["classes"])
def test_classes(path):
    cls = find(path)
    assert inspect.isclass(cls)
    problems = []
    for name, text in SURFACE["classes"][path].items():
        key = f"{path}.{name}"
        if key in ABSENT:
            assert not hasattr(cls, name) or name == "__setstate__", f"{key} exists by now: take it off the list"
            continue
        if text == "instance attribute":
            continue
        if not hasattr(cls, name) and not (text in ("attribute", "property") and re.search(rf"\b{name}\b", inspect.getsource(cls))):
            problems.append(f"{key} is missing")
            continue
        if text.startswith("(") and key not in OTHER_ARGUMENTS:
            member = inspect.getattr_static(cls, name)
            try:
                compare(key, text, cls if name == "__init__" else getattr(member, "__func__", member))
            except AssertionError as e:
                problems.append(str(e))
    assert not problems, "\n".join(problems)
