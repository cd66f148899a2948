"""Shape and type rules: partial knowledge in, partial knowledge out.

A shape is None (nothing known) or a tuple whose unknown dimensions are None.  A rule is called as
`rule(p, ins, outs)` with the parameters, one shape per input and one per output, and returns the
two lists, completed as far as it can.  Contradictions raise ValueError."""


def known(shape):
    """Whether every dimension is known."""
    return shape is not None and None not in shape


def size(shape):
    n = 1
    for v in shape:
        n *= v
    return n


def plus(*lengths):
    """Their sum, None where one is not known."""
    return None if None in lengths else sum(lengths)


def times(*lengths):
    """Their product, None where one is not known."""
    return None if None in lengths else size(lengths)


def over(n, by, message):
    """n / by, None where n is not known; raises ValueError with the message where it leaves a rest."""
    if n is None:
        return None
    if n % by:
        raise ValueError(message)
    return n // by


def unify(a, b, what="shapes"):
    """The knowledge of both shapes together."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b) or any(x != y and x is not None and y is not None for x, y in zip(a, b)):
        raise ValueError(f"{what} differ: {show(a)} and {show(b)}; expected equal ones")
    return tuple(x if y is None else y for x, y in zip(a, b))


def show(shape):
    """A shape as users read it, with ? for what is not known."""
    if shape is None:
        return "?"
    return "(" + ", ".join("?" if v is None else str(v) for v in shape) + ("," if len(shape) == 1 else "") + ")"


def axis_of(axis, ndim, what="axis"):
    """The axis counted from the front; raises ValueError when out of range."""
    if not -ndim <= axis < ndim:
        raise ValueError(f"{what} {axis} is out of range for {ndim} dimensions; expected "
                         + (f"{-ndim} to {ndim - 1}" if ndim else "at least one dimension"))
    return axis + ndim if axis < 0 else axis


def axes_of(axes, ndim, exclude=False):
    """Sorted axes to reduce over; None or () means all of them."""
    if axes is None or len(axes) == 0:
        return tuple(range(ndim))
    named = [axis_of(a, ndim) for a in axes]
    if len(set(named)) != len(named):
        raise ValueError(f"axis {tuple(axes)} names an axis twice")
    return tuple(i for i in range(ndim) if (i in named) != exclude)


def same(p, ins, outs):
    """All inputs and outputs have one shape."""
    s = None
    for one in (*ins, *outs):
        s = unify(s, one)
    return [s] * len(ins), [s] * len(outs)


def forward(f, partial=False):
    """A rule made from f(p, *input shapes) -> the output's shape (or a list, one per output).

    It is asked only when every input is known in full (partial: also with None for dimensions that are not known);
    nothing flows backward: see `both_ways`."""
    def rule(p, ins, outs):
        if not all(map(known, ins)) and (not partial or None in ins):
            return ins, outs
        got = f(p, *ins)
        got = got if isinstance(got, list) else [got]
        return ins, [unify(a, b, "expected and worked-out output shapes") for a, b in zip(outs, got, strict=True)]
    return rule


def both_ways(f, back):
    """A rule for one input and one output: f(p, input shape) -> output shape, and back(p, output shape) -> input shape,
    either with None for dimensions that are not known."""
    def rule(p, ins, outs):
        data, out = ins[0], outs[0]
        if out is not None and not known(data):
            data = unify(data, back(p, out), "expected and worked-out input shapes")
        if data is not None:
            out = unify(out, f(p, data), "expected and worked-out output shapes")
        return [data], [out]
    return rule


def broadcast(p, ins, outs):
    """Two inputs stretched to one shape, axes of length 1 repeated, as NumPy does."""
    a, b = ins
    if a is None or b is None:
        return ins, outs
    return ins, [unify(outs[0], broadcast_shapes(a, b))]


def broadcast_shapes(a, b):
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    out = []
    for i, j in zip(x, y):
        if i == j or j == 1:
            out.append(i)
        elif i == 1:
            out.append(j)
        elif i is None or j is None:
            out.append(j if i is None else i)
        else:
            raise ValueError(f"shapes {show(a)} and {show(b)} do not broadcast; expected lengths that are equal or 1, "
                             "axis by axis from the last")
    return tuple(out)


# ---- types: None (not known) or a dtype's name ------------------------------------------------

def same_types(p, ins, outs):
    """All inputs and outputs have one dtype."""
    t = None
    for one in (*ins, *outs):
        if one is not None and t is not None and one != t:
            raise ValueError(f"inputs have different dtypes: {t} and {one}; expected one dtype (use astype)")
        t = t or one
    return [t] * len(ins), [t] * len(outs)


def scalar_type(p, ins, outs):
    """An array and a number: the dtype of the array, and int64 for bool."""
    t = ins[0]
    if t is None:                                              # int64 may come of bool too
        return ins if outs[0] in (None, "bool", "int64") else [outs[0]], outs
    return ins, same_types(p, ["int64" if t == "bool" else t], outs)[1]


def first_type(p, ins, outs):
    """Outputs have the dtype of the first input; the other inputs are free."""
    t = ins[0] or next((o for o in outs if o), None)
    return [t, *ins[1:]], [t] * len(outs)


def last_type(p, ins, outs):
    """Outputs have the dtype of the last input; the other inputs are free."""
    t = ins[-1] or next((o for o in outs if o), None)
    return [*ins[:-1], t], [t] * len(outs)


def presume(default=None):
    """A rule for what nothing else decides (`Op.presumed`): the first known dtype at the node, or else the default."""
    def rule(p, ins, outs):
        t = next((v for v in (*ins, *outs) if v), default)
        return [v or t for v in ins], [v or t for v in outs]
    return rule


def given_type(default=None):
    """Outputs have the dtype parameter, or where that is None the first input's dtype (or default)."""
    def rule(p, ins, outs):
        t = p.dtype or (ins[0] if ins else None) or default
        return ins, [t] * len(outs)
    return rule
