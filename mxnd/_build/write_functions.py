"""Build step: the functions of `mx.nd` as plain Python source: signature, annotations, docstring, one call.

    python write_functions.py mxnd/ops functions.py
"""
import sys

from functions import arguments, docstring
from registry import load

HEAD = '''"""Written by write_functions.py from mxnd/ops; do not edit."""
from __future__ import annotations

from mxnd.ops.declare import REGISTRY
from mxnd.ops.params import REQUIRED
from mxnd._core.array import NDArray
from mxnd._core.call import call1, call2, calln, calls, invoke
from mxnd.ndarray.keywords import context_text, refuse, with_keywords

'''


def call(op, name):
    """The call of the compiled core."""
    if op.family == "unary" and not op.params:
        return f"call1({name}, {op.inputs[0]}, out)"
    if op.family == "binary":
        return f"call2({name}, {', '.join(op.inputs)}, out)"
    if op.family in ("scalar", "rscalar"):
        return f"calls({name}, {op.inputs[0]}, scalar, out)"
    if op.open_params:
        return f"invoke({name}, *with_keywords({name}, {op.inputs[0]}, {{{', '.join(f'{k!r}: {k}' for k in op.params)}, **kwargs}}), out)"
    given = "".join((f"context_text({k}), " if k == "ctx" else f"{k}, ") for k in op.params)
    inputs = op.inputs[0] if op.variadic else f"({''.join(n + ', ' for n in op.inputs)})"
    return f"calln({name}, {inputs}, ({given}), out)"


def function(op, name):
    args = [*arguments(op, "NDArray"), "out: NDArray | None = None", "name: str | None = None", "**kwargs"]
    check = f"    if kwargs:\n        refuse({name}, kwargs)\n"
    return (f"def {op.name}({', '.join(args)}):\n{docstring(op, 'NDArray', 'NDArray or list of NDArray')}"
            f"{'' if op.open_params else check}    return {call(op, name)}\n")


def main(folder, target):
    operators = load(folder)
    with open(target, "w") as f:
        f.write(HEAD)
        for k, op in enumerate(operators):
            f.write(f"_O{k} = REGISTRY[{op.name!r}].core\n\n\n{function(op, f'_O{k}')}\n")
        f.write("\nFUNCTIONS = {\n")
        for op in operators:
            f.writelines(f"    {n!r}: {op.name},\n" for n in (op.name, *op.aliases))
        f.write("}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
