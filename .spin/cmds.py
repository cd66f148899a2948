"""Commands of the project for spin."""
import os
import sys

import click
from spin import util
from spin.cmds import meson


def _python(*args, build_dir="build", **kwargs):
    """Run Python with the built package."""
    meson._set_pythonpath(build_dir)
    return util.run([sys.executable, "-P", *args], **kwargs)


@click.command()
def lint():
    """Check the style of Python and Cython files."""
    util.run(["ruff", "check", "."])
    util.run(["cython-lint", "mxnd"])


@click.command()
@click.argument("pytest_args", nargs=-1)
@click.pass_context
def test(ctx, pytest_args):
    """Build, then run the tests; arguments after -- go to pytest."""
    ctx.invoke(meson.build)
    _python("-m", "pytest", *pytest_args, replace=True)


@click.command()
@click.argument("cases", nargs=-1)
@click.pass_context
def bench(ctx, cases):
    """Time operators; CASES are parts of their names (all without)."""
    ctx.invoke(meson.build)
    _python("benchmarks/operators.py", *cases, replace=True)


@click.command()
@click.pass_context
def docs(ctx):
    """Build the manual in doc/_build/html."""
    ctx.invoke(meson.build)
    _python("-m", "sphinx", "-W", "--keep-going", "-b", "html", "doc", os.path.join("doc", "_build", "html"), replace=True)


@click.command()
@click.argument("name", type=click.Choice(["digits", "text"]), default="digits")
@click.pass_context
def examples(ctx, name):
    """Run an example: digits or text."""
    ctx.invoke(meson.build)
    _python("-m", f"mxnd.examples.{name}", replace=True)
