"""Loops and branches: operators whose work is done by graphs inside them.

Such an operator declares, beside its parameters,

graphs               how many graphs it holds
check(p, n, sizes)   raises ValueError unless the parameters fit n inputs and (inputs, outputs) of the graphs
run(p, graphs, x, zeros)    the outputs, by calling the graphs on arrays; graph.truth(*x) asks one for a yes or no;
                     zeros(k): zeros in the place of output k, when no iteration tells its shape
spread(p, graphs, ins, outs, rule)   completes what is known; graphs are called as graph(ins, outs) -> (ins, outs),
                     and rule tells how knowledge of one step and of all steps go together: see `Shapes`

All names of inputs are arg0, arg1, ...; *_locs(p)[k] is a place among inputs."""
from .declare import F, op
from .params import integer, shape
from .shapes import known, unify

MANY = 4096                              # rows that one call splits off


class Shapes:
    """Shapes of one step and of all steps: the first dimension counts them."""

    unify = staticmethod(unify)

    @staticmethod
    def complete(values):
        return all(map(known, values))

    @staticmethod
    def step(whole):
        """What one step sees of an array; rows of vectors have length 1, as x[i] has."""
        return whole if whole is None else whole[1:] or (1,)

    @staticmethod
    def whole(step, count, given):
        """The array of all steps; given: what else is known of it (which decides what a step's (1,) comes from)."""
        if step is None or step == (1,) and given is None:
            return given
        if given is not None and len(given) == 1:
            return unify(given, (count,))
        return unify(given, (count, *step))

    @staticmethod
    def stacked(step, count, given):
        """The same for outputs, whose steps always get a dimension in front."""
        return given if step is None else unify(given, (count, *step))

    @staticmethod
    def count(whole):
        return whole[0] if whole else None


class Types:
    """Dtypes: a step has that of the whole."""

    @staticmethod
    def unify(a, b):
        if a is not None and b is not None and a != b:
            raise ValueError(f"dtypes differ: {a} and {b}")
        return b if a is None else a

    @staticmethod
    def complete(values):
        return None not in values

    @staticmethod
    def step(whole):
        return whole

    @classmethod
    def whole(cls, step, count, given):
        return cls.unify(given, step)

    stacked = whole

    @staticmethod
    def count(whole):
        return None


def outputs(p):
    return ["output"] if p.num_outputs == 1 else [f"output{k}" for k in range(p.num_outputs)]


def alone(p, ins, outs):
    raise ValueError("the operator runs only as part of a graph, with its graphs inside")


def places(name, locs, bound, count=None):
    """Check numbers of places."""
    if count is not None and len(locs) != count:
        raise ValueError(f"{name}: expected {count} numbers, got {len(locs)}")
    for k in locs:
        if not 0 <= k < bound:
            raise ValueError(f"{name}: expected numbers from 0 to {bound - 1}, got {k}")


def same_number(what, expected, got):
    if expected != got:
        raise ValueError(f"{what}: expected {expected}, got {got}")


def rows(x):
    """The rows of an array, one for each number of the first axis."""
    n = x.shape[0]
    if n == 0:
        return []
    if n > MANY:
        return [r for a in range(0, n, MANY) for r in rows(F.slice_axis(x, axis=0, begin=a, end=min(a + MANY, n)))]
    got = F.SliceChannel(x, num_outputs=n, axis=0, squeeze_axis=len(x.shape) > 1)
    return list(got) if isinstance(got, (list, tuple)) else [got]


def stacked(steps):
    return F.stack(*steps, axis=0, num_args=len(steps))


# ---- foreach --------------------------------------------------------------------------------------

def foreach_check(p, n, sizes):
    (takes, gives), = sizes
    where = [*p.in_data_locs, *p.in_state_locs, *p.remain_locs]
    same_number("num_outputs", gives, p.num_outputs)
    same_number("inputs", takes, n)
    if sorted(where) != list(range(n)):
        raise ValueError(f"in_data_locs, in_state_locs and remain_locs: expected each number from 0 to {n - 1} once, got {where}")
    same_number("in_state_locs: length", p.num_outputs - p.num_out_data, len(p.in_state_locs))
    if not p.in_data_locs:
        raise ValueError("in_data_locs: expected at least one number")


def foreach_run(p, graphs, x, zeros):
    body, = graphs
    d, s = len(p.in_data_locs), len(p.in_state_locs)
    data, states, rest = x[:d], list(x[d:d + s]), x[d + s:]
    where = [*p.in_data_locs, *p.in_state_locs, *p.remain_locs]
    inside = [None] * len(x)
    for k, value in zip(p.remain_locs, rest):
        inside[k] = value
    steps = []
    for step in zip(*map(rows, data), strict=True):
        for k, value in zip(where, (*step, *states)):
            inside[k] = value
        got = body(*inside)
        steps.append(got[:p.num_out_data])
        states = got[p.num_out_data:]
    outs = [stacked(one) for one in zip(*steps)] if steps else [zeros(k) for k in range(p.num_out_data)]
    return [*outs, *states]


def foreach_spread(p, graphs, ins, outs, rule):
    body, = graphs
    d, m = len(p.in_data_locs), p.num_out_data
    ins, outs = list(ins), list(outs)
    where = [*p.in_data_locs, *p.in_state_locs, *p.remain_locs]
    n = None
    for v in (*ins[:d], *outs[:m]):
        count = rule.count(v)
        if n is not None and count is not None and n != count:
            raise ValueError(f"the first dimension counts the steps: expected {n}, got {count}")
        n = count if n is None else n
    inside = [None] * len(ins)
    for k, loc in enumerate(where):
        inside[loc] = rule.step(ins[k]) if k < d else ins[k]
    made = [rule.step(v) if v is None or len(v) > 1 or rule is Types else None for v in outs[:m]] + outs[m:]
    before = None
    while before != (inside, made):                        # states go round: what comes out goes in
        before = list(inside), list(made)
        inside, made = map(list, body(inside, made))
        for k, loc in enumerate(p.in_state_locs):
            inside[loc] = made[m + k] = rule.unify(inside[loc], made[m + k])
        if rule.complete(before[0]):
            break
    for k, loc in enumerate(where):
        ins[k] = rule.whole(inside[loc], n, ins[k]) if k < d else rule.unify(ins[k], inside[loc])
    return ins, [rule.stacked(v, n, old) if k < m else v for k, (v, old) in enumerate(zip(made, outs))]


# ---- while_loop -----------------------------------------------------------------------------------

def while_check(p, n, sizes):
    (cond_takes, cond_gives), (takes, gives) = sizes
    same_number("outputs of the condition", 1, cond_gives)
    same_number("num_outputs", gives, p.num_outputs)
    places("cond_input_locs", p.cond_input_locs, n, cond_takes)
    places("func_input_locs", p.func_input_locs, n, takes)
    places("func_var_locs", p.func_var_locs, takes, p.num_outputs - p.num_out_data)


def while_run(p, graphs, x, zeros):
    cond, body = graphs
    x = list(x)
    places_ = [p.func_input_locs[k] for k in p.func_var_locs]      # of the loop's variables among the inputs
    steps = []
    while len(steps) < p.max_iterations and cond.truth(*[x[k] for k in p.cond_input_locs]):
        got = body(*[x[k] for k in p.func_input_locs])
        steps.append(got[:p.num_out_data])
        for k, value in zip(places_, got[p.num_out_data:]):
            x[k] = value
    outs = [padded(stacked(one), p.max_iterations) for one in zip(*steps)] if steps else [zeros(k) for k in range(p.num_out_data)]
    return [*outs, *(x[k] for k in places_)]


def padded(x, rows_wanted):
    """Zeros after the rows of an array."""
    more = rows_wanted - x.shape[0]
    if not more:
        return x
    tail = F._whole(F._part(x, shape=(0,), start=0), shape=(more, *x.shape[1:]), start=0)
    return F.Concat(x, tail, dim=0, num_args=2)


def while_spread(p, graphs, ins, outs, rule):
    cond, body = graphs
    ins, outs = list(ins), list(outs)
    m = p.num_out_data
    variables = [p.func_input_locs[k] for k in p.func_var_locs]
    before = None
    made = [rule.step(v) if v is None or len(v) > 1 or rule is Types else None for v in outs[:m]] + outs[m:]
    while before != (ins, made):
        before = list(ins), list(made)
        inside, _ = cond([ins[k] for k in p.cond_input_locs], [None])
        for k, v in zip(p.cond_input_locs, inside):
            ins[k] = rule.unify(ins[k], v)
        inside, made = body([ins[k] for k in p.func_input_locs], made)
        made = list(made)
        for k, v in zip(p.func_input_locs, inside):
            ins[k] = rule.unify(ins[k], v)
        for k, loc in enumerate(variables):
            ins[loc] = made[m + k] = rule.unify(ins[loc], made[m + k])
        if rule.complete(before[0]):
            break
    return ins, [rule.stacked(v, p.max_iterations, old) if k < m else v for k, (v, old) in enumerate(zip(made, outs))]


# ---- cond -----------------------------------------------------------------------------------------

def cond_locs(p):
    return p.cond_input_locs, p.then_input_locs, p.else_input_locs


def cond_check(p, n, sizes):
    for name, locs, (takes, gives), expected in zip(("cond", "then", "else"), cond_locs(p), sizes,
                                                    (1, p.num_outputs, p.num_outputs)):
        same_number(f"outputs of {name}", expected, gives)
        places(f"{name}_input_locs", locs, n, takes)


def cond_run(p, graphs, x, zeros):
    cond, then, other = graphs
    if cond.truth(*[x[k] for k in p.cond_input_locs]):
        return then(*[x[k] for k in p.then_input_locs])
    return other(*[x[k] for k in p.else_input_locs])


def cond_spread(p, graphs, ins, outs, rule):
    ins, outs = list(ins), list(outs)
    before = None
    while before != (ins, outs):
        before = list(ins), list(outs)
        for number, (graph, locs) in enumerate(zip(graphs, cond_locs(p))):
            inside, made = graph([ins[k] for k in locs], outs if number else [None])
            for k, v in zip(locs, inside):
                ins[k] = rule.unify(ins[k], v)
            if number:
                outs = [rule.unify(a, b) for a, b in zip(outs, made)]
        if rule.complete(before[0]):
            break
    return ins, outs


def control(name, graphs, params, check, run, spread, doc):
    op(name, inputs="data", variadic="num_args", outputs=outputs, shapes=alone, types=alone, auto_variables=False,
       params=dict(num_args=integer(at_least=1), num_outputs=integer(at_least=0), **params),
       graphs=graphs, check=check, run=run, spread=spread, doc=doc)


control("_foreach", 1, dict(num_out_data=integer(at_least=0), in_state_locs=shape(), in_data_locs=shape(), remain_locs=shape()),
        foreach_check, foreach_run, foreach_spread,
        "A graph run once for every row of the data; its states go from one run to the next: see `mx.sym.contrib.foreach`.")
control("_while_loop", 2, dict(num_out_data=integer(at_least=0), max_iterations=integer(at_least=0), cond_input_locs=shape(),
                               func_input_locs=shape(), func_var_locs=shape()),
        while_check, while_run, while_spread,
        "A graph run as long as another one says yes: see `mx.sym.contrib.while_loop`.")
control("_cond", 3, dict(cond_input_locs=shape(), then_input_locs=shape(), else_input_locs=shape()),
        cond_check, cond_run, cond_spread,
        "One of two graphs, chosen by a third one: see `mx.sym.contrib.cond`.")
