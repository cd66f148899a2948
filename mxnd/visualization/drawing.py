"""Pictures of graphs without graphviz: its interface as far as it is used here, drawn as SVG."""
import html
import os
import re

from ..symbol import files
from .layout import arrange

LINE, CHAR, MARGIN = 17, 7.3, 12         # height of a line of text, width of a letter, border of the picture
UNSEEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")      # what XML does not allow
FONT = "font-family='Helvetica,Arial,sans-serif' text-anchor='middle'"


class Drawing:
    """A directed graph that is drawn as SVG; a small form of graphviz.Digraph.

    Parameters
    ----------
    name : str
    format : str
        Accepted for compatibility: files are SVG.
    node_attr : dict
        Attributes of all nodes, for `source`."""

    def __init__(self, name="plot", format="svg", node_attr=None):
        self.name, self.format, self.node_attr = name, format, dict(node_attr or {})
        self._nodes, self._edges = {}, []

    def node(self, name, label=None, **attrs):
        """Add a node.

        Parameters
        ----------
        name, label : str
        **attrs : str
            fillcolor and shape ("box" or "oval") are drawn.
        """
        self._nodes[name] = (name if label is None else label, attrs)

    def edge(self, tail_name, head_name, label="", **attrs):
        """Add an edge; the tail is drawn above the head.

        Parameters
        ----------
        tail_name, head_name, label : str
        **attrs : str
        """
        for end in (tail_name, head_name):
            if end not in self._nodes:
                self.node(end)
        self._edges.append((tail_name, head_name, label, attrs))

    @property
    def source(self):
        """The graph in the language of graphviz."""
        lines = [f"digraph {_quoted(self.name)} {{"]
        if self.node_attr:
            lines.append(f"\tnode [{_attributes(self.node_attr)}]")
        for name, (label, attrs) in self._nodes.items():
            lines.append(f"\t{_quoted(name)} [{_attributes({'label': label, **attrs})}]")
        for tail, head, label, attrs in self._edges:
            lines.append(f"\t{_quoted(tail)} -> {_quoted(head)} [{_attributes({'label': label, **attrs})}]")
        return "\n".join([*lines, "}", ""])

    def __str__(self):
        return self.source

    def save(self, filename=None, directory=None):
        """Write `source` to a file.

        Parameters
        ----------
        filename : str, optional
            Default: the name with the ending .gv.
        directory : str, optional

        Returns
        -------
        str
            The path of the file.
        """
        path = self._path(filename or f"{self.name}.gv", directory)
        files.write(path, self.source)
        return path

    def render(self, filename=None, directory=None, view=False, cleanup=False, format=None, **options):
        """Write the picture as an SVG file.

        Parameters
        ----------
        filename : str, optional
            Without ending; default: the name.
        directory : str, optional
        view, cleanup, format, **options
            Accepted for compatibility.

        Returns
        -------
        str
            The path of the file.
        """
        path = self._path(filename or self.name, directory)
        path = path if path.endswith(".svg") else path + ".svg"
        files.write(path, self._repr_svg_())
        return path

    @staticmethod
    def _path(filename, directory):
        path = os.path.join(os.fspath(directory), os.fspath(filename)) if directory else os.fspath(filename)
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    # ---- the picture
    def _sizes(self):
        sizes = {}
        for name, (label, attrs) in self._nodes.items():
            lines = _short(label)
            w = max(len(t) for t in lines) * CHAR + (34 if attrs.get("shape") == "oval" else 22)
            sizes[name] = max(w, 84.0), LINE * len(lines) + 14.0
        return sizes

    def _repr_svg_(self):
        """The picture as the text of an SVG file."""
        if not self._nodes:
            return "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>"
        boxes, lines, w, h = arrange(self._sizes(), [e[:3] for e in self._edges])
        half = max((len(e[2]) * 5.6 / 2 for e in self._edges), default=0)       # of the longest label: the border has room for it
        side = MARGIN + max(0.0, half - 30)
        out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{w + 2 * side:.0f}' height='{h + 2 * MARGIN:.0f}' "
               f"viewBox='{-side:.0f} {-MARGIN} {w + 2 * side:.0f} {h + 2 * MARGIN:.0f}'>",
               "<defs><marker id='mxnd-a' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='8' markerHeight='8' orient='auto'>"
               "<path d='M0 0L8 4L0 8z' fill='#555'/></marker></defs>",
               "<g fill='none' stroke='#555' marker-end='url(#mxnd-a)'>"]
        for points in lines:
            out.append(f"<path d='M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in reversed(points))}' marker-end='url(#mxnd-a)'/>")
        out.append(f"</g><g {FONT} font-size='10' fill='#333' stroke='#fff' stroke-width='3' paint-order='stroke'>")
        placed = {}
        for points, (_, head, label, _) in zip(lines, self._edges):
            whole = points[-1][1] == boxes[head].y - boxes[head].h / 2         # or it joins one that has the label
            at = _free(points, len(label) * 6.0, (head, label), placed) if label and whole else None
            if at:
                out.append(f"<text x='{at[0]:.1f}' y='{at[1] + 3:.1f}'>{escape(label)}</text>")
        out.append(f"</g><g {FONT} font-size='12'>")
        for name, b in boxes.items():
            out.append(_box(b, *self._nodes[name]))
        return "\n".join([*out, "</g></svg>"])


def _free(points, width, what, placed):
    """Where on an edge, as it leaves the lower box, a label hides no other one; None where the same text stands already."""
    (x0, y0), (x1, y1) = points[-1], points[-2]                # placed: {height in lines: labels there}
    found = None
    for part in (.45, .7, .25):
        x, y = x0 + (x1 - x0) * part, y0 + (y1 - y0) * part
        row = int(y // 11)
        near = [other for k in (row - 1, row, row + 1) for a, b, w, other in placed.get(k, ())
                if abs(a - x) < (w + width) / 2 and abs(b - y) < 11]
        if what in near:
            return None
        found = found or (x, y)
        if not near:
            found = x, y
            break
    placed.setdefault(int(found[1] // 11), []).append((*found, width, what))
    return found


def _box(b, label, attrs):
    left, top = b.x - b.w / 2, b.y - b.h / 2
    radius = b.h / 2 if attrs.get("shape") == "oval" else 4
    text = [f"<g><title>{escape(b.name)}</title><rect x='{left:.1f}' y='{top:.1f}' width='{b.w:.1f}' height='{b.h:.1f}' "
            f"rx='{radius:.1f}' fill='{escape(attrs.get('fillcolor', '#fff'))}' stroke='#555'/>"]
    lines = _short(label)
    for k, line in enumerate(lines):
        y = b.y + LINE * (k - (len(lines) - 1) / 2) + 4
        text.append(f"<text x='{b.x:.1f}' y='{y:.1f}'>{escape(line)}</text>")
    return "".join(text) + "</g>"


def _short(label):
    """Lines of a label, long ones cut."""
    return [t if len(t) <= 36 else t[:35] + "\u2026" for t in label.split("\n")]


def escape(text):
    """Text for XML; characters that it does not allow become \ufffd."""
    return UNSEEN.sub("\ufffd", html.escape(text))


def _quoted(text):
    text = re.sub("[\0\ud800-\udfff]", "\ufffd", text)             # files are UTF-8
    if text.isidentifier() and text.lower() not in ("node", "edge", "graph", "digraph", "subgraph", "strict"):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _attributes(attrs):
    return " ".join(f"{_quoted(k)}={_quoted(str(v))}" for k, v in attrs.items())
