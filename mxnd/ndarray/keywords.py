"""Small checks that the generated functions share."""
from .._core.array import NDArray
from ..ops.errors import MXNetError
from ..ops.params import REQUIRED


def refuse(op, kwargs):
    """Raise for keywords that an operator does not have."""
    known = ", ".join((*op.decl.inputs, *op.decl.params)) or "none"
    raise MXNetError(f"{op.name}: unknown argument {next(iter(kwargs))!r}; expected one of {known}")


def context_text(ctx):
    """A context as the text that operators hold."""
    return "" if ctx is None else ctx if isinstance(ctx, str) else str(ctx)


def with_keywords(op, inputs, given):
    """(inputs, checked parameters) of an operator that takes any keyword: those that hold arrays are inputs, by name."""
    named = {k: v for k, v in given.items() if isinstance(v, NDArray)}
    p = op.decl.pack({k: v for k, v in given.items() if k not in named and v is not REQUIRED})
    if named:
        names = op.decl.input_names(p)
        for key in named:
            if key not in names[len(inputs):]:
                raise MXNetError(f"{op.name}: there is no input {key!r} left; expected one of {', '.join(names[len(inputs):])}")
        lost = [n for n in names[len(inputs):] if n not in named]
        if lost:
            raise MXNetError(f"{op.name}: input {lost[0]!r} is missing")
        inputs = (*inputs, *(named[n] for n in names[len(inputs):]))
    return inputs, p
