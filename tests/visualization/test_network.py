"""Pictures of graphs: what they hold, and where it lies."""
import pathlib
import sys
import types
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import mxnd as mx
from mxnd.visualization.layout import GAP, arrange, spread

S, V = mx.sym, mx.sym.Variable


def inception(blocks=3):
    x = V("data")
    for k in range(blocks):
        a = S.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=8, name=f"c{k}a")
        b = S.relu(S.BatchNorm(S.Convolution(x, kernel=(1, 1), num_filter=8, name=f"c{k}b"), name=f"bn{k}"), name=f"r{k}")
        x = S.concat(a, b, S.Pooling(x, kernel=(3, 3), pad=(1, 1), name=f"p{k}"), x, dim=1, name=f"join{k}")
    return x


def picture(symbol, **kwargs):
    return mx.viz.plot_network(symbol, **kwargs)


def test_svg_is_xml_and_shows_all_layers():
    svg = picture(inception(), shape={"data": (1, 3, 8, 8)})._repr_svg_()
    root = xml.fromstring(svg)
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "c0a" in titles and "join2" in titles and not [t for t in titles if t.endswith(("_weight", "_moving_var"))]
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Convolution" in texts and "3x3, 8" in texts and "3x8x8" in texts and "22x8x8" in texts
    assert len(svg) < 400 * len(titles) + 2000


def test_boxes_do_not_overlap_and_lines_avoid_them():
    rng = np.random.default_rng(0)
    for n in (1, 2, 30, 90):
        sizes = {str(k): (float(rng.integers(30, 160)), float(rng.integers(20, 50))) for k in range(n)}
        edges = [(str(k), str(rng.integers(0, k))) for k in range(1, n) for _ in range(rng.integers(1, 4))]
        boxes, lines, width, height = arrange(sizes, edges)
        all_boxes = list(boxes.values())
        for i, a in enumerate(all_boxes):
            assert a.w / 2 - 1e-6 <= a.x <= width - a.w / 2 + 1e-6 and a.h / 2 <= a.y <= height - a.h / 2 + 1e-6
            for b in all_boxes[:i]:
                assert abs(a.x - b.x) >= (a.w + b.w) / 2 or abs(a.y - b.y) >= (a.h + b.h) / 2
        for (upper, lower), points in zip(edges, lines):
            assert boxes[upper].y < boxes[lower].y and len(points) >= 2
            for (x0, y0), (x1, y1) in zip(points[1:-1:2], points[2:-1:2]):       # the upright parts, beside boxes
                assert x0 == x1
                assert not any(abs(x0 - b.x) < b.w / 2 and y0 < b.y < y1 for b in all_boxes)


def test_spread_keeps_order_and_distance():
    centres = spread([50.0, 0.0, 10.0, 300.0], [40, 20, 30, 10])
    for a, b, v, w in zip(centres, centres[1:], [40, 20, 30], [20, 30, 10]):
        assert b - a >= (v + w) / 2 + GAP - 1e-9
    assert centres[-1] == 300 and spread([7.0], [10]) == [7.0]


def test_source_and_files(tmp_path):
    p = picture(inception(1), title="a b", shape={"data": (1, 3, 8, 8)}, node_attrs={"fontsize": "9"})
    assert p.source.startswith('digraph "a b" {') and "fontsize=9" in p.source.replace('"', "")
    assert 'c0a -> data [label="3x8x8" dir=back arrowtail=open]' in p.source
    path = p.render(str(tmp_path / "new" / "net"))
    assert path.endswith("net.svg") and pathlib.Path(path).read_text().startswith("<svg")
    assert pathlib.Path(p.save("net.gv", str(tmp_path))).read_text() == p.source


def test_weights_and_dtypes_can_be_shown():
    p = picture(S.FullyConnected(V("x"), num_hidden=3, name="fc"), shape={"x": (2, 4)}, dtype="float64", hide_weights=False)
    assert 'fc -> fc_weight [label="4 float64"' in p.source


def test_odd_names():
    p = picture(S.exp(V('<a> & "b"'), name="node"))
    xml.fromstring(p._repr_svg_())
    assert '"node" -> "<a> & \\"b\\""' in p.source


@pytest.mark.parametrize("name", ["a<b&c>'\"", "\0ctl\a", "a\nb\tc", "", " ", "x" * 300, "]]>", "<!--", "\ud800", "\uffff", "\U0001f600"])
def test_any_name_gives_xml_and_files(name, tmp_path):
    s = S.exp(V(name + "x") * 2, name=name)
    for p in (picture(s, title="t"), picture(s, title="t", shape={name + "x": (2, 3)}, node_attrs={"fontname": name})):
        assert len(list(xml.fromstring(p._repr_svg_()).iter("{http://www.w3.org/2000/svg}title"))) == 3
        p.save("t.gv", str(tmp_path))
        xml.parse(p.render(str(tmp_path / "t")))
    xml.fromstring(s._repr_html_())


def test_edges_that_bring_the_same_go_together():
    sizes = {str(k): (80.0, 30.0) for k in range(200)}
    edges = [(str(k), str(k - 1), "a") for k in range(1, 200)] + [(str(k), "0", "b") for k in range(2, 200)] + [("199", "0", "c")]
    boxes, lines, _, _ = arrange(sizes, edges)
    assert sum(map(len, lines)) < 5 * len(edges)
    for (upper, lower, what), points in zip(edges, lines):
        x, y = points[-1]
        if what == "b" and upper != "199":             # ends on the line of the longest
            assert any(abs(x - a) + abs(y - b) < 1e-9 for a, b in lines[edges.index(("199", "0", "b"))])
        else:
            assert (x, y) == (boxes[lower].x, boxes[lower].y - boxes[lower].h / 2)
        assert points[0] == (boxes[upper].x, boxes[upper].y + boxes[upper].h / 2)


def test_very_long_edges_go_straight():
    sizes = {str(k): (80.0, 30.0) for k in range(600)}
    edges = [(str(k), str(k - 1)) for k in range(1, 600)] + [(str(599 - k), str(k)) for k in range(300)]
    _, lines, _, _ = arrange(sizes, edges)
    assert 10 * 600 < sum(map(len, lines)) < 100 * 600 and len(lines[599]) == 2


def test_two_nodes_of_one_name():
    assert picture(S.exp(S.log(V("x"), name="n"), name="n")).source.count('"n (2)"') == 2


def test_graphviz_is_used_where_it_is(monkeypatch):
    class Digraph:
        def __init__(self, name, format, node_attr):
            self.name, self.format, self.nodes, self.edges = name, format, [], []

        def node(self, name, label=None, **attrs):
            self.nodes.append(name)

        def edge(self, tail_name, head_name, label=None, **attrs):
            self.edges.append((tail_name, head_name))
    monkeypatch.setitem(sys.modules, "graphviz", types.SimpleNamespace(Digraph=Digraph))
    p = picture(S.exp(V("x"), name="e"), title="t")
    assert type(p) is Digraph and p.name == "t" and p.format == "pdf" and p.nodes == ["x", "e"] and p.edges == [("e", "x")]
    p = picture(S.exp(V("a:0"), name="<b\\>"))             # ports, escapes and HTML of its language
    assert not set("".join(p.nodes)) & set(":\\<>") and p.edges == [(p.nodes[1], p.nodes[0])]


def test_symbols_show_themselves():
    assert inception()._repr_html_().startswith("<svg") and inception()._repr_svg_().startswith("<svg")
    x = V("x")
    for _ in range(300):
        x = S.exp(x)
    assert x._repr_svg_() is None and x._repr_html_().startswith("<pre>")
    assert S.Group([V("a"), V("b")])._repr_html_().startswith("<svg")


def test_deep_graph():
    x = V("x")
    for _ in range(3000):
        x = S.exp(x)
    assert picture(x)._repr_svg_().count("<rect") == 3001


def test_refused():
    with pytest.raises(TypeError, match="Symbol"):
        mx.viz.plot_network("x")
    with pytest.raises(TypeError, match="node_attrs"):
        mx.viz.plot_network(V("x"), node_attrs=3)
    with pytest.raises(ValueError, match="do not tell"):
        mx.viz.plot_network(S.FullyConnected(V("x"), num_hidden=3), shape={})


def test_one_dtype_is_that_of_the_data():
    bn = S.BatchNorm(S.FullyConnected(V("x"), num_hidden=3), name="bn")        # its parameters stay float32
    assert "float16" in picture(bn, shape={"x": (2, 4)}, dtype="float16").source
