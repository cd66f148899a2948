"""How a Symbol shows itself in Jupyter."""
from .drawing import Drawing, escape
from .graph import Graph
from .network import fill
from .summary import summary

MOST = 200                               # nodes that a picture can show


def svg(symbol):
    """The picture of a small graph, None for others."""
    graph = Graph(symbol, complete=False)
    if sum(not graph.is_parameter(n) for n in graph.nodes) > MOST:
        return None
    return fill(Drawing("symbol"), graph)._repr_svg_()


def html(symbol):
    """The picture of a small graph, a table of a larger one."""
    return svg(symbol) or f"<pre>{escape(summary(symbol))}</pre>"
