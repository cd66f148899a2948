"""Nested lists of arrays or symbols, as loops and branches take and give them."""


def flat(args, leaves, what, kind):
    """(all leaves in one list, the structure they come from).

    leaves(x): what one value stands for as a list, or None when it is no value.  In a structure 0 is one leaf, a number a
    value that stands for so many, and a list a list."""
    found = leaves(args)
    if found is not None:
        return found, len(found) if len(found) > 1 else 0
    if not isinstance(args, (list, tuple)):
        raise AssertionError(f"{what} must be (nested) list of {kind}, got {type(args).__name__}")
    parts = [flat(a, leaves, what, kind) for a in args]
    return [v for one, _ in parts for v in one], [form for _, form in parts]


def grouped(values, form):
    """The leaves in their structure again."""
    rest = iter(values)

    def build(form):
        if isinstance(form, list):
            return [build(f) for f in form]
        return [next(rest) for _ in range(form)] if form else next(rest)
    return build(form)


def listed(value):
    """None as an empty list, a tuple as a list."""
    return [] if value is None else list(value) if isinstance(value, tuple) else value


def iterations(given):
    """max_iterations of a loop as a number."""
    if given is None:
        raise ValueError("while_loop: max_iterations: expected a number, got None")
    try:
        return int(given.asscalar() if hasattr(given, "asscalar") else given)
    except (TypeError, ValueError):
        raise ValueError(f"while_loop: max_iterations: expected a number, got {given!r:.60}") from None
