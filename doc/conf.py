"""Sphinx configuration; the operator pages are written from the registry when the manual is built."""
import re
from pathlib import Path

import mxnd as mx
from mxnd.ops import REGISTRY

project = "mxnd"
author = "mxnd contributors"
copyright = "mxnd contributors"
version = release = mx.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"description": "The MXNet 1.x array API on today's Python and NumPy", "fixed_sidebar": True}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

FAMILIES = {"unary": "Elementwise, one array", "binary": "Elementwise, two arrays", "scalar": "Elementwise, array and number",
            "rscalar": "Elementwise, number and array", "general": "Others", "python": "Python code"}


def operators():
    """Each declared operator once."""
    return list(dict.fromkeys(REGISTRY.values()))


def plain(text):
    """Text of a declaration: formulas in it are no markup."""
    return re.sub(r"([*|_\\])", r"\\\1", text)


def page(op):
    """The page of an operator, as reStructuredText."""
    lines = [op.name, "=" * len(op.name), "", plain(op.doc or ""), ""]
    if op.aliases:
        lines += ["Also called " + ", ".join(f"``{a}``" for a in op.aliases) + ".", ""]
    inputs = f"``*{op.inputs[0]}``" if op.variadic else ", ".join(f"``{n}``" for n in op.inputs) or "none"
    lines += [f":Inputs: {inputs}"]
    if op.aux:
        lines += [":Auxiliary states: " + ", ".join(f"``{n}``" for n in op.aux)]
    if not callable(op.outputs):
        lines += [":Outputs: " + ", ".join(f"``{n}``" for n in op.outputs)]
    lines += [f":Gradient: {'yes, of any order' if op.grad or op.compose else 'none'}",
              f":Keeps zeros: {'yes: sparse arrays keep their storage' if op.keeps_zero else 'no'}", ""]
    if op.params:
        lines += [".. list-table::", "   :header-rows: 1", "", "   * - Parameter", "     - Default", "     - Meaning"]
        for name, p in op.params.items():
            default = "required" if p.required else f"``{p.default!r}``"
            meaning = plain(p.doc or p.expected())
            lines += [f"   * - ``{name}``", f"     - {default}", f"     - {meaning}"]
        lines += [""]
    if op.example:
        lines += [".. code-block:: python", "", f"   >>> {op.example}", ""]
    return "\n".join(lines)


def write_operator_pages(app):
    """One page per operator and the page that lists them."""
    folder = Path(app.srcdir) / "api" / "operators"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {"index.rst": ["Operators", "=========", "",
                            "Every operator is a function of ``mx.nd`` and of ``mx.sym``; most are methods too.", ""]}
    for family, title in FAMILIES.items():
        members = sorted((op for op in operators() if op.family == family), key=lambda op: op.name.lower())
        if members:
            wanted["index.rst"] += [title, "-" * len(title), "", ".. toctree::", "   :maxdepth: 1", ""]
            wanted["index.rst"] += [f"   {op.name}" for op in members] + [""]
    for op in operators():
        wanted[f"{op.name}.rst"] = [page(op)]
    for stale in folder.glob("*.rst"):
        if stale.name not in wanted:
            stale.unlink()
    for name, lines in wanted.items():
        text = "\n".join(lines)
        target = folder / name
        if not target.exists() or target.read_text() != text:      # unchanged pages are not built again
            target.write_text(text)


def setup(app):
    app.connect("builder-inited", write_operator_pages)
