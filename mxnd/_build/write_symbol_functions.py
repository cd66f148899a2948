"""Build step: the functions of `mx.sym` as plain Python source: signature, annotations, docstring, one call.

    python write_symbol_functions.py mxnd/ops functions.py

An automatic name starts with the name that the operator was called by, so every operator has a maker of its
functions, one for each of its names; `FUNCTIONS` holds them by those names.
"""
import sys

from functions import annotation, docstring
from registry import load

HEAD = '''"""Written by write_symbol_functions.py from mxnd/ops; do not edit."""
from __future__ import annotations

from mxnd.ops.declare import REGISTRY
from mxnd.symbol.compose import DEFAULT, joined, made
from mxnd.symbol.spaces import table
from mxnd.symbol.symbol import Symbol

'''


def function(op, number):
    """Source text of the maker of one function."""
    params = [f"{k}: {annotation(p)} = DEFAULT" for k, p in op.params.items()]
    tail = ["name: str | None = None", "attr: dict | None = None", "**kwargs"]
    given = f"({''.join(k + ', ' for k in op.params)})"
    if op.variadic:
        args = [f"*{op.inputs[0]}: Symbol", *params, *tail]
        call = f"joined(Symbol, _O{number}, hint, {op.inputs[0]}, {given}, name, attr, kwargs)"
    else:
        args = [*(f"{n}: Symbol | None = None" for n in op.inputs), *params, *tail]
        call = f"made(Symbol, _O{number}, hint, ({''.join(n + ', ' for n in op.inputs)}), {given}, name, attr, kwargs)"
    text = f"def {op.name}({', '.join(args)}) -> Symbol:\n{docstring(op, 'Symbol', 'Symbol')}    return {call}\n"
    inside = "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))
    return f"def _make_{op.name}(hint):\n{inside}    return {op.name}\n"


def main(folder, target):
    operators = load(folder)
    with open(target, "w") as f:
        f.write(HEAD)
        for k, op in enumerate(operators):
            f.write(f"_O{k} = REGISTRY[{op.name!r}]\n\n\n{function(op, k)}\n\n")
        f.write("FUNCTIONS = table({\n")
        f.writelines(f"    {op.name!r}: _make_{op.name},\n" for op in operators)
        f.write("})\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
