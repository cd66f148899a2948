"""Which namespace an operator's name belongs to; one rule for `mx.nd` and `mx.sym`."""

PREFIXES = {"_contrib_": "contrib", "_linalg_": "linalg", "_sparse_": "sparse", "_image_": "image"}
NAMES = ("op", "contrib", "linalg", "sparse", "image", "random", "_internal")


def home(name):
    """(namespace, name inside it) of an operator's name or alias; namespace "op" is the front page.

    Names that only newer symbol files hold (`_np*`) have no home: (None, name)."""
    for prefix, space in PREFIXES.items():
        if name.startswith(prefix):
            return space, name[len(prefix):]
    if name.startswith("_random_") and name.endswith("_like"):
        return "random", name[len("_random_"):]
    if name.startswith("_np"):
        return None, name
    return ("_internal", name) if name.startswith("_") else ("op", name)


def full_name(space, name):
    """The operator's name that `space.name` stands for: the inverse of `home`."""
    if space == "random":
        return "_random_" + name
    return next((p for p, s in PREFIXES.items() if s == space), "") + name
