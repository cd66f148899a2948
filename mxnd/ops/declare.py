"""One declaration per operator.  Imports nothing compiled, so build steps read it too.

Families (`unary`, `binary`, `reduction`) carry the rules that their members share; `op` is for the
rest.  CONTRIBUTING.md explains every field."""
from collections import namedtuple

from . import params as _params
from . import shapes as _shapes
from .errors import MXNetError, MXNetIndexError

REGISTRY = {}          # every name and alias -> Op
FLOATS = ("float32", "float64")


class Op:
    """What one operator is.  Front ends, graph passes, tests and docs read only the facts here.

    name, aliases       the name that symbol files hold, and other names it is called by
    inputs              names of the array inputs; for a variadic operator the one name they share
    variadic            name of the parameter that counts the inputs, or None
    takes(p)            names of the inputs used with these parameters (default: all)
    aux, mutates        inputs that are auxiliary states; inputs that the kernel writes in place
    params              {name: Param}; Params is the namedtuple of checked values
    outputs             names, or a function p -> names;  visible(p): how many of them users see
    shapes, types       inference rules, see shapes.py;  presumed: a rule for the dtypes in a graph that nothing else decides
    family              unary, binary, scalar, rscalar, python or general;  c, ints: the scalar C expressions
    kernel, arguments   kernel name; arguments(p, ins, outs) -> numbers it needs for these shapes
    kernel_types        dtypes the kernel computes in (16-bit floats then run in float32); None: any
    compose(p, *x)      the operator as a formula of other operators, instead of a kernel;  checks: whether the rules
                        are asked before the formula runs
    grad(p, g, x, y)    gradients for the inputs: a list of arrays, functions without arguments, or None
    keeps_zero          f(0) = 0, so sparse arrays keep their storage;  storage: see mxnd.sparse
    stored              how many outputs MXNet's symbol files count, or a function of p, where it has hidden ones more
    public(p, *x)       an operator that MXNet does not have, in words of MXNet's: for `autograd.get_symbol`
    run                 family python: run(core, inputs, p, out), the operator as Python code
    open_params         any keyword is a parameter
    random, uses_mode   draws random numbers; depends on autograd's training flag
    numpy, domain, samples, doc, example     for the tests and the documentation
    drawn, symmetric    for the tests: {input: expression that makes it of a random one}; the inputs count as symmetric matrices
    """

    open_params = False
    presumed = None

    def __init__(self, name, *, inputs="data", params=None, outputs="output", visible=None, aliases="",
                 family="general", takes=None, variadic=None, aux="", mutates="", shapes=None,
                 types=_shapes.same_types, kernel=None, arguments=None, kernel_types=None, compose=None, grad=None,
                 c=None, ints=None, loop=None, keeps_zero=False, storage=None, random=False, uses_mode=False,
                 auto_variables=True, numpy=None, domain=(-2.0, 2.0), samples=(), doc="", example="", **facts):
        self.name, self.family = name, family
        self.aliases = tuple(aliases.split())
        self.inputs = tuple(inputs.split())
        self.params = dict(params or {})
        self.Params = namedtuple("Params", self.params)
        self.outputs = tuple(outputs.split()) if isinstance(outputs, str) else outputs
        self.visible = visible
        self.takes, self.variadic = takes, variadic
        self.aux = tuple(aux.split())
        self.mutates = (tuple(mutates.split()) if isinstance(mutates, str) else mutates) or self.aux
        self.shapes, self.types = shapes, types
        self.kernel, self.arguments, self.kernel_types, self.compose = kernel, arguments, kernel_types, compose
        self.c, self.ints, self.loop = c, ints, loop
        self.grad = grad
        self.keeps_zero, self.storage = keeps_zero, dict(storage or {})
        self.random, self.uses_mode, self.auto_variables = random, uses_mode, auto_variables
        self.numpy, self.domain, self.samples, self.doc, self.example = numpy, domain, samples, doc, example
        self.formula = None                    # elementwise families: the gradient to trace into one pass
        for key, value in facts.items():       # further facts, read by whoever knows them
            setattr(self, key, value)
        self.facts = tuple(facts)
        self._packed = {}
        self.core = None                       # the compiled operator, set when the core is loaded
        for n in (name, *self.aliases):
            if n in REGISTRY:
                raise KeyError(f"operator {n} is declared twice")
            REGISTRY[n] = self

    def __repr__(self):
        return f"<operator {self.name}>"

    def __reduce__(self):
        return find, (self.name,)

    # ---- facts for given parameters
    def input_names(self, p, count=None):
        """Names of the inputs used with these parameters (count: how many a variadic operator got)."""
        if self.variadic:
            n = count                      # a count of layers, each with several arrays, or of the arrays themselves
            if n is None:
                n = getattr(p, self.variadic) * getattr(self, "arrays_of_each", 1) + getattr(self, "arrays_after", 0)
            return tuple(f"arg{i}" for i in range(n))
        if self.takes is None:
            return self.inputs
        names = self.takes(p)
        return tuple(names.split()) if isinstance(names, str) else tuple(names)

    def output_names(self, p):
        return self.outputs(p) if callable(self.outputs) else self.outputs

    def visible_outputs(self, p):
        """How many outputs users see."""
        if self.visible is None:
            return len(self.output_names(p))
        return self.visible(p) if callable(self.visible) else self.visible

    def state_names(self, p):
        """Inputs that are auxiliary states: those declared, or else those written in place.  p counts with open_params only."""
        return self.aux or self.mutates

    def acts_alone(self, p):
        """What backward does where no gradient arrives: "loss" has one of its own, "state" moves auxiliary states, None."""
        return "loss" if getattr(self, "loss", False) else "state" if self.aux else None

    def bound(self, p):
        """The parameters for one executor, where an operator keeps something between its runs."""
        return p

    # ---- parameters
    def pack(self, given):
        """Checked parameters from a dict of those given (values or text)."""
        return _params.parse_all(self, dict(given))

    # ---- inference; errors name the operator
    def infer_shapes(self, p, ins, outs=None):
        """Completed (input shapes, output shapes)."""
        outs = [None] * len(self.output_names(p)) if outs is None else list(outs)
        try:
            return self.shapes(p, list(ins), outs)
        except (ValueError, IndexError, OverflowError) as e:
            raise MXNetError(f"{self.name}: {e}") from None

    def infer_types(self, p, ins, outs=None):
        """Completed (input dtypes, output dtypes)."""
        outs = [None] * len(self.output_names(p)) if outs is None else list(outs)
        try:
            got, made = self.types(p, list(ins), outs)
            return self.presumed(p, got, made) if self.presumed is not None and None in made else (got, made)
        except ValueError as e:
            raise MXNetError(f"{self.name}: {e}") from None

    def formula_of(self, p, inputs):
        """What the formula makes of these inputs; errors name the operator."""
        try:
            return self.compose(p, *inputs)
        except MXNetError as e:
            if not getattr(e, "from_user", False) and type(e) in (MXNetError, MXNetIndexError):
                raise type(e)(f"{self.name}: {e}") from None
            raise
        except (ValueError, IndexError, OverflowError, ZeroDivisionError) as e:
            raise MXNetError(f"{self.name}: {e}") from None

    def gradients(self, p, g, x, y):
        """One entry per input: an array or graph node, a function that makes it when asked, or None."""
        if self.grad is None:
            return [None] * len(x)
        return self.grad(p, g, x, y)

    def packed(self, params):
        """As pack, but parameters that were checked before are looked up: for formulas and methods."""
        key = tuple(params.items())
        try:
            found = self._packed.get(key)
        except TypeError:                      # a list: not worth remembering
            return self.pack(params)
        if found is None:
            found = self.pack(params)
            if len(self._packed) > 500:
                self._packed.clear()
            self._packed[key] = found
        return found

    def __call__(self, *inputs, **params):
        """Call from a formula: arrays, graph nodes and traces alike."""
        return inputs[0]._apply(self, inputs, self.packed(params))


def op(name, **fields):
    """Declare an operator that belongs to no family."""
    return Op(name, **fields)


def find(name):
    """The operator of this name or alias; raises MXNetError when there is none."""
    try:
        return REGISTRY[name]
    except KeyError:
        raise MXNetError(f"unknown operator {name!r}") from None


class Formula:
    """Operators by name, for gradient formulas: F.dot(a, b)."""

    def __getattr__(self, name):
        found = REGISTRY.get(name)
        if found is None:
            raise AttributeError(f"there is no operator {name!r}")
        self.__dict__[name] = found                           # from now on a plain attribute
        return found


F = Formula()


# ---- Python's operators, for arrays, symbols, graph nodes and traces: one table --------------------
#        dunder: (two arrays, array op number, number op array)
PYTHON = {"add": ("broadcast_add", "_plus_scalar", "_plus_scalar"),
          "sub": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
          "mul": ("broadcast_mul", "_mul_scalar", "_mul_scalar"),
          "truediv": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
          "mod": ("broadcast_mod", "_mod_scalar", "_rmod_scalar"),
          "pow": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
          "eq": ("broadcast_equal", "_equal_scalar", "_equal_scalar"),
          "ne": ("broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
          "gt": ("broadcast_greater", "_greater_scalar", "_lesser_scalar"),
          "ge": ("broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
          "lt": ("broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
          "le": ("broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar")}
COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


def _method(two, one):
    def method(self, other):
        if isinstance(other, (int, float)):
            o = REGISTRY[one]
            return self._apply(o, (self,), o.Params(float(other), True))
        return self._apply(REGISTRY[two], (self, other), ())
    return method


class Arithmetic:
    """Base of graph nodes and traces: Python's operators through `_apply(op, inputs, params)`."""

    __slots__ = ()

    def __neg__(self):
        return self._apply(REGISTRY["negative"], (self,), ())


for _name, (_two, _one, _one_r) in PYTHON.items():
    if _name not in COMPARISONS:
        setattr(Arithmetic, f"__{_name}__", _method(_two, _one))
        setattr(Arithmetic, f"__r{_name}__", _method(_two, _one_r))
    elif _name not in ("eq", "ne"):             # == stays identity for nodes
        setattr(Arithmetic, f"__{_name}__", _method(_two, _one))


# ---- families -------------------------------------------------------------------------------------

def unary(name, c, grad=None, *, ints=None, aliases="", sparse=False, params=None, **kw):
    """Elementwise function of one input.

    c: expression in x (and P0, P1: the parameters in order);  ints: None (integers compute in double
    and truncate), True (the same expression) or another expression;  grad(g, x, y), with a last
    argument p if there are parameters, is one expression, None for a gradient of zero;
    sparse: also found as _sparse_<name>."""
    if sparse:
        aliases += f" _sparse_{name}"
    if grad is None:
        rule = None
    elif params:
        def rule(p, g, x, y):
            return [grad(g[0], x[0], y[0], p)]
    else:
        def rule(p, g, x, y):
            return [grad(g[0], x[0], y[0])]
    o = Op(name, inputs="data", params=params, family="unary", c=c, ints=ints, shapes=_shapes.same,
           grad=rule, aliases=aliases, loop=name, **kw)
    o.formula = grad
    return o


def reduce_to(g, x):
    """Sum g down to the shape of x (nothing to do when they agree): the adjoint of broadcasting."""
    return g if g.shape == x.shape else F._sum_to_shape(g, shape=x.shape)


def binary(name, c, grad=None, *, ints=None, names="", same="", scalar="", rscalar="", keeps_zero_scalar=False,
           numpy=None, domain=(-2.0, 2.0), domain_y=None, doc="", example="", storage=None, storage_same=None,
           refuses_zero=False, **kw):
    """Elementwise function of two inputs: the broadcast_, elemwise_ and _scalar operators at once.

    c: expression in x and y;  ints: as for unary;  grad: (for x, for y), each (g, x, y, out) at the
    broadcast shape, or None for a gradient of zero;  names, same, scalar, rscalar: operator names (the
    first is the canonical one) with broadcasting, with equal shapes, with a number on the right and on
    the left;  refuses_zero: integers raise when the right side holds a zero."""
    common = dict(c=c, ints=ints, loop=name, numpy=numpy, domain=domain, domain_y=domain_y, refuses_zero=refuses_zero, **kw)
    made = []
    pair = grad or (None, None)
    if names:
        first, *rest = names.split()

        def both(p, g, x, y):
            return [None if f is None else (lambda f=f, v=v: reduce_to(f(g[0], x[0], x[1], y[0]), v))
                    for f, v in zip(pair, x)]
        made.append(Op(first, inputs="lhs rhs", family="binary", shapes=_shapes.broadcast, grad=both if grad else None,
                       aliases=" ".join(rest), doc=doc + "  Shapes broadcast.", example=example, storage=storage, **common))
        made[-1].formula = grad
    if same:
        first, *rest = same.split()

        def equal(p, g, x, y):
            return [None if f is None else (lambda f=f: f(g[0], x[0], x[1], y[0])) for f in pair]
        made.append(Op(first, inputs="lhs rhs", family="binary", shapes=_shapes.same, grad=equal if grad else None,
                       aliases=" ".join(rest), doc=doc + "  Shapes are equal.", storage=storage_same,
                       example="" if first.startswith("_") else f"mx.nd.{first}(mx.nd.ones((2,)), mx.nd.ones((2,)))", **common))
        made[-1].formula = grad
    for spelled, side in ((scalar, 0), (rscalar, 1)):
        if spelled:
            first, *rest = spelled.split()

            def one(p, g, x, y, f=pair[side], side=side):
                if f is None:
                    return [None]
                return [f(g[0], x[0], p.scalar, y[0]) if side == 0 else f(g[0], p.scalar, x[0], y[0])]
            o = Op(first, inputs="data", params={"scalar": _params.number(1.0), "is_int": _params.flag(True)},
                   family="rscalar" if side else "scalar", shapes=_shapes.same, types=_shapes.scalar_type,
                   grad=one if pair[side] else None, aliases=" ".join(rest),
                   doc=doc + ("  The left side is a number." if side else "  The right side is a number."),
                   keeps_zero=keeps_zero_scalar, **common)
            o.formula = pair[side]
            made.append(o)
    return made[0]


REDUCE = dict(axis=_params.axes(), keepdims=_params.flag(), exclude=_params.flag())


def reduced(p, shape):
    """Shape of a reduction: full ones give (1,), as in MXNet."""
    drop = reduce_axes(p, len(shape))
    return tuple(1 if i in drop else n for i, n in enumerate(shape) if p.keepdims or i not in drop) or (1,)


def reduce_axes(p, ndim):
    axis = p.axis if p.axis is None or isinstance(p.axis, tuple) else (p.axis,)
    return _shapes.axes_of(axis, ndim, getattr(p, "exclude", False) and bool(axis))


def spread(p, g, like):
    """Adjoint of a sum: put the dropped axes back, then repeat along them."""
    drop = reduce_axes(p, len(like.shape))
    kept = tuple(1 if i in drop else n for i, n in enumerate(like.shape))
    return F.broadcast_like(F._reshape_to(g, shape=kept), like)


def reduction(name, *, kind, grad=None, params=None, aliases="", sparse=False, types=_shapes.same_types, **kw):
    """Reduction over axes: kind names the kernel's map and combination; grad(p, g, x, out).

    The kernel gets the reduced axes as a mask of bits."""
    if sparse:
        aliases += f" _sparse_{name}"

    def rule(p, g, x, y):
        return [grad(p, g[0], x[0], y[0])]

    def arguments(p, ins, outs):
        return [sum(1 << a for a in reduce_axes(p, len(ins[0])))]
    return Op(name, inputs="data", params=dict(REDUCE) if params is None else params, kernel="reduce_" + kind,
              arguments=arguments, shapes=_shapes.forward(reduced, partial=True), grad=rule if grad else None, aliases=aliases,
              types=types, reduction=kind, **kw)
