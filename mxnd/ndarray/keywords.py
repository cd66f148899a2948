"""Small checks that the generated functions share."""
from ..ops.errors import MXNetError


def refuse(op, kwargs):
    """Raise for keywords that an operator does not have."""
    known = ", ".join((*op.decl.inputs, *op.decl.params)) or "none"
    raise MXNetError(f"{op.name}: unknown argument {next(iter(kwargs))!r}; expected one of {known}")


def context_text(ctx):
    """A context as the text that operators hold."""
    return "" if ctx is None else ctx if isinstance(ctx, str) else str(ctx)
