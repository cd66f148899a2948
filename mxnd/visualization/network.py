"""Graphs as pictures: `mx.viz.plot_network`."""
from .drawing import Drawing
from .graph import Graph

STYLE = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034", "style": "filled"}
# The package graphviz reads a meaning into some characters of names and labels; these look the same.
ALIKE = str.maketrans({":": "\u2236", "\\": "\u2216", "<": "\u2039", ">": "\u203a", "\0": "\ufffd",
                       **dict.fromkeys(map(chr, range(0xd800, 0xe000)), "\ufffd")})
# Operators by what they do: pale colours that black text can be read on.
COLOURS = {"input": "#e7e2d3", "weights": "#cfdcf0", "activation": "#f6e3a1", "normalise": "#d5cbe8", "pool": "#c5e3c2",
           "shape": "#f1cdb0", "loss": "#f2b9b5", "other": "#dfe3e6"}
KINDS = {"Convolution": "weights", "Deconvolution": "weights", "FullyConnected": "weights", "Embedding": "weights",
         "RNN": "weights", "dot": "weights", "batch_dot": "weights", "Activation": "activation", "LeakyReLU": "activation",
         "relu": "activation", "sigmoid": "activation", "tanh": "activation", "BatchNorm": "normalise", "LayerNorm": "normalise",
         "InstanceNorm": "normalise", "GroupNorm": "normalise", "LRN": "normalise", "L2Normalization": "normalise",
         "Dropout": "normalise", "Pooling": "pool", "UpSampling": "pool", "ROIPooling": "pool", "Concat": "shape",
         "Flatten": "shape", "Reshape": "shape", "SliceChannel": "shape", "transpose": "shape", "softmax": "loss",
         "log_softmax": "loss", "SoftmaxOutput": "loss", "MakeLoss": "loss", "make_loss": "loss", "SVMOutput": "loss",
         "LinearRegressionOutput": "loss", "MAERegressionOutput": "loss", "LogisticRegressionOutput": "loss"}


def plot_network(symbol, title="plot", save_format="pdf", shape=None, dtype=None, node_attrs={}, hide_weights=True):      # noqa: B006
    """Draw a graph: data at the bottom, outputs at the top.

    Parameters
    ----------
    symbol : Symbol
    title : str, default 'plot'
        Name of the picture and of the file that `render` writes.
    save_format : str, default 'pdf'
        Format of that file where the package graphviz is installed; otherwise it is SVG.
    shape : dict of str to tuple, optional
        Shapes of the inputs; edges then tell the shapes of what flows along them, without the batch.
    dtype : dtype or dict of str to dtype, optional
        Dtypes of the inputs, shown at the edges as well.
    node_attrs : dict of str to str
        Attributes for the nodes in the language of graphviz.
    hide_weights : bool, default True
        Leave out weights and other parameters.

    Returns
    -------
    graphviz.Digraph, or a `Drawing` where that package is not installed
        Both show themselves in Jupyter and have `source`, `save` and `render`.

    Examples
    --------
    >>> net = mx.sym.Activation(mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3), act_type="relu")
    >>> mx.viz.plot_network(net, shape={"x": (2, 4)}).source.splitlines()[0]
    'digraph plot {'
    """
    graph = Graph(symbol, shape, dtype, "plot_network")
    if not isinstance(node_attrs, dict):
        raise TypeError(f"plot_network: node_attrs: expected a dict, got {type(node_attrs).__name__}")
    style = {**STYLE, **node_attrs}
    try:
        from graphviz import Digraph
    except ImportError:
        return fill(Drawing(title, save_format, style), graph, hide_weights)
    return fill(Digraph(name=title, format=save_format, node_attr=style), graph, hide_weights, lambda text: text.translate(ALIKE))


def fill(picture, graph, hide_weights=True, written=str):
    """Draw a graph into a picture; written: how the picture has to spell a text."""
    names, taken, tried = {}, set(), {}
    for node in graph.nodes:
        if hide_weights and graph.is_parameter(node):
            continue
        name = first = written(node.name)
        k = tried.get(first, 1)
        while name in taken:                                   # two nodes may have one name
            k += 1
            name = f"{first} ({k})"
        taken.add(name)
        names[id(node)], tried[first] = name, k
        picture.node(name=name, label=written(label(node)), fillcolor=colour(node), **({} if node.op else {"shape": "oval"}))
        for n, i in node.inputs:
            if id(n) in names:
                text = graph.without_batch((n, i))
                kind = graph.dtype((n, i))
                text = " ".join(t for t in (text, kind) if t)
                picture.edge(tail_name=name, head_name=names[id(n)], label=text, dir="back", arrowtail="open")
    return picture


def colour(node):
    return COLOURS["input" if node.op is None else KINDS.get(node.op.name, "other")]


def label(node):
    """What stands in the box of a node."""
    if node.op is None:
        return node.name
    given = node.attrs
    parts = []
    for key in ("act_type", "pool_type", "kernel", "stride", "num_filter", "num_hidden", "p", "num_outputs", "scalar"):
        if key not in given or key in ("pool_type", "kernel", "stride") and given.get("global_pool") == "True":
            continue
        text = given[key].strip("()").replace(", ", "x").rstrip(",")
        if key == "stride" and parts:
            parts[-1] += "/" + text
        else:
            parts.append(text)
    if given.get("global_pool") == "True":
        parts.insert(0, f"global {given.get('pool_type', 'max')}")
    return node.op.name + ("\n" + ", ".join(parts) if parts else "")
