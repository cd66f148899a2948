"""What the generated functions of `mx.nd` and `mx.sym` share: arguments, annotations and docstrings."""
from inspect import cleandoc

KINDS = {int: "int", float: "float", bool: "bool", str: "str", "shape": "tuple of int", "floats": "tuple of float",
         "dtype": "dtype"}
ANNOTATIONS = {int: "int", float: "float", bool: "bool", str: "str", "shape": "int | tuple[int, ...]",
               "floats": "float | tuple[float, ...]", "dtype": "str | type"}


def default(param):
    """The default as source text."""
    return "REQUIRED" if param.required else repr(param.default)


def annotation(param):
    return ANNOTATIONS[param.kind] + (" | None" if param.nullable else "")


def arguments(op, array):
    """Source text of a function's arguments, without the trailing ones of the front end."""
    if op.variadic:
        args = [f"*{op.inputs[0]}: {array}"]
        params = {k: p for k, p in op.params.items()}
    else:
        args = [f"{n}: {array} | None = None" for n in op.inputs]
        params = op.params
    return args + [f"{k}: {annotation(p)} = {default(p)}" for k, p in params.items()]


def docstring(op, array, returns):
    """A numpydoc docstring, indented for a module-level function."""
    lines = [*cleandoc(op.doc or f"Operator {op.name}.").splitlines(), "", "Parameters", "----------"]
    for n in op.inputs:
        what = " (auxiliary state)" if n in op.aux else " (written in place)" if n in op.mutates else ""
        lines += [f"{'*' if op.variadic else ''}{n} : {array}", f"    Input{what}."]
    for k, p in op.params.items():
        note = "required" if p.required else f"default {p.default!r}"
        lines += [f"{k} : {KINDS[p.kind]}{' or None' if p.nullable else ''}, {note}",
                  f"    {p.doc or p.expected()[0].upper() + p.expected()[1:]}."]
    lines += ["", "Returns", "-------", returns]
    count = len(op.outputs) if isinstance(op.outputs, tuple) else 0
    lines.append(f"    {'Outputs: ' + ', '.join(op.outputs) if count > 1 else 'The result'}.")
    if op.example and array == "NDArray":
        lines += ["", "Examples", "--------", f">>> y = {op.example}"]
    body = "\n".join(("    " + line).rstrip() for line in lines).replace("\\", "\\\\")
    return f'    """{body.strip()}\n    """\n'
