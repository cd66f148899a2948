"""A table of the layers of a graph: `mx.viz.print_summary`."""
from .graph import Graph

HEAD = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")


def print_summary(symbol, shape=None, line_length=120, positions=[.44, .64, .74, 1.]):      # noqa: B006
    """Print a table: layers, their output shapes, how many parameters they hold, and what they read.

    Every parameter array counts once, where it is used first, with the number of elements that its inferred shape
    has; without `shape` the numbers that are not known are shown as ?.  Parameters are variables that layers take as weight, bias,
    gamma or beta, those whose names say so, and those with an initialiser, a multiplier of their own, or (beside a given `shape`)
    a declared shape.  Auxiliary states are none.

    Parameters
    ----------
    symbol : Symbol
    shape : dict of str to tuple, optional
        Shapes of the inputs, with the batch as the first dimension.
    line_length : int, default 120
    positions : list of float
        Where the columns end: parts of the line, or numbers of characters.

    Raises
    ------
    ValueError
        The shapes that were given do not tell all others.

    Examples
    --------
    >>> y = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, name="fc")
    >>> mx.viz.print_summary(y, shape={"x": (2, 4)}, line_length=80)      # doctest: +NORMALIZE_WHITESPACE
    ________________________________________________________________________________
    Layer (type)                       Output Shape    Param # Previous Layer
    ================================================================================
    x(null)                            4               0
    ________________________________________________________________________________
    fc(FullyConnected)                 3               15      x
    ================================================================================
    Total params: 15
    ________________________________________________________________________________
    """
    print(summary(symbol, shape, line_length, positions))


def summary(symbol, shape=None, line_length=120, positions=(.44, .64, .74, 1.)):
    """The table of `print_summary` as text."""
    graph = Graph(symbol, shape)
    ends = [int(line_length * p) if positions[-1] <= 1 else p for p in positions]
    lines = ["_" * line_length, _line(HEAD, ends), "=" * line_length]
    counted, total, unknown = set(), 0, False
    shown = [n for n in graph.nodes if not graph.is_parameter(n)]
    for node in shown:
        own, lost = 0, False
        for n, _ in node.inputs:
            if graph.is_parameter(n) and not graph.is_auxiliary(n) and id(n) not in counted:
                counted.add(id(n))
                size = graph.size(n)
                own, lost = own + (size or 0), lost or size is None
        total, unknown = total + own, unknown or lost
        before = [n.name for n, _ in node.inputs if not graph.is_parameter(n)]
        kind = "null" if node.op is None else node.op.name
        name = f"{node.name}({kind})"
        lines.append(_line((name, graph.without_batch((node, 0)), "?" if lost else own, before[0] if before else ""), ends))
        lines += [_line(("", "", "", name), ends) for name in before[1:]]
        lines.append("_" * line_length)
    lines[-1] = "=" * line_length
    lines += [f"Total params: {total}{' and those whose shapes are not known' if unknown else ''}", "_" * line_length]
    return "\n".join(lines)


def _line(fields, ends):
    line = ""
    for field, end in zip(fields, ends):
        line = (line + str(field))[:end].ljust(end)
    return line
