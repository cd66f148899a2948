"""Build step: the scalar expressions of the elementwise operators, which the C and CUDA loops expand.

    python write_lists.py mxnd/ops elementwise_list.h
"""
import sys

from registry import load

MACROS = {None: "G", True: "F"}         # integers in double, integers by the same expression; else H


def lists(operators):
    """{list name: lines of its macro}."""
    out = {"UNARY": {}, "PARAM": {}, "BINARY": {}}
    for op in operators:
        if op.c is None:
            continue
        kind = "BINARY" if op.family in ("binary", "scalar", "rscalar") else "PARAM" if op.params else "UNARY"
        macro = MACROS.get(op.ints, "H")
        extra = f", {op.ints}" if macro == "H" else ""
        line = f"{macro}({op.loop}, {op.c}{extra})"
        if out[kind].setdefault(op.loop, line) != line:
            raise ValueError(f"loop {op.loop} is declared with two expressions")
    return out


def main(folder, target):
    with open(target, "w") as f:
        f.write("/* Written by write_lists.py from mxnd/ops; do not edit. */\n")
        for name, lines in lists(load(folder)).items():
            f.write(f"#define MXND_{name}_LIST(F, G, H) \\\n" + " \\\n".join(f"    {line}" for line in lines.values()) + "\n\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
