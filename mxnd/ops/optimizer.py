"""Updates of optimizers: each returns the new weight and moves its states in place.

One kernel runs all of them; `update` works out what it needs.  mp_ forms keep a float32 copy of a 16-bit weight."""
from .declare import op
from .params import flag, floats, integer, number, shape
from .shapes import known, presume, show, size, unify

STEPS = ("sgd", "sgd_mom", "nag_mom", "adam", "adamw", "ftrl", "rmsprop", "rmspropalex", "signsgd", "signum", "ftml", "lamb1",
         "adagrad")                       # in the order of the table in kernels/optimizer.h
FLOAT_TYPES = ("float32", "float64", "float16", "bfloat16")
NOTHING, RATES, FACTOR, NORMS = range(4)  # what the last inputs hold, besides arrays of the weight's shape
LATE = ("lazy_update", "clip_weights", "wd_lh")
COMMON = dict(wd=number(0.0), rescale_grad=number(1.0), clip_gradient=number(-1.0))
GRADIENT = ("The gradient is multiplied by rescale_grad and, with clip_gradient >= 0, clipped to +-clip_gradient; wd is the\n"
            "    weight decay.  Floats; arrays of one shape; states are moved in place; pass\n"
            "    out=weight to move the weight itself.")


def floats_only(types):
    for t in types:
        if t is not None and t not in FLOAT_TYPES:
            raise ValueError(f"dtype {t} is not supported; expected one of {', '.join(FLOAT_TYPES)}")


def update_types(each, wide=(), free=0, wide_out=False):
    """One dtype for the arrays of a group, float32 for those at the places `wide` (or float64, if they and the group are)."""
    def rule(p, ins, outs):
        floats_only(ins)
        ins, outs = list(ins), list(outs)
        if len(ins) - free != each * len(outs):
            raise ValueError(f"wrong number of arrays; expected {each} for each of {len(outs)} weights, got {len(ins)} in all")
        for start in range(0, len(ins) - free, each):
            group, out = ins[start:start + each], None if wide_out else outs[start // each]
            t = None
            for k, v in enumerate([*group, out]):
                if k in wide or v is None:
                    continue
                if t is not None and t != v:
                    raise ValueError(f"inputs have different dtypes: {t} and {v}; expected one dtype (use astype)")
                t = v
            broad = "float64" if t == "float64" and "float64" in [group[k] for k in wide] else "float32"
            ins[start:start + each] = [broad if k in wide else t for k in range(each)]
            outs[start // each] = broad if wide_out else t
        return ins, outs
    return rule


def usual_types(each, tail=0):
    """What weights and gradients are presumed to be: as the others; the arrays at the end float32."""
    def rule(p, ins, outs):
        n = len(ins) - tail
        t = next((v for k, v in enumerate(ins[:n]) if v and k % each < 2), None)
        return [*[v or t for v in ins[:n]], *[v or "float32" for v in ins[n:]]], [v or t for v in outs]
    return rule


class States:
    """The names of the arrays beyond weight and gradient among those of several weights: arg2, arg5, ... for three each.
    What follows at the end, two arrays at most, is none of them."""

    def __init__(self, each):
        self.each = each

    def __bool__(self):
        return self.each > 2

    def __contains__(self, name):
        return name[:3] == "arg" and int(name[3:]) % self.each >= 2


def update_shapes(each, tails=()):
    """One shape for the arrays of a group; the inputs at the end have the shapes in `tails` (None: any of one element)."""
    def rule(p, ins, outs):
        ins, outs = list(ins), list(outs)
        count = len(ins) - len(tails)
        if count != each * len(outs):
            raise ValueError(f"wrong number of inputs for {len(outs)} weights; expected {each * len(outs) + len(tails)}, "
                             f"got {len(ins)}")
        for k in range(len(outs)):
            s = outs[k]
            for v in ins[k * each:(k + 1) * each]:
                s = unify(s, v, "shapes of weight, gradient and states")
            ins[k * each:(k + 1) * each] = [s] * each
            outs[k] = s
        for k, tail in enumerate(tails, count):
            if tail is None and known(ins[k]) and size(ins[k]) != 1:
                raise ValueError(f"a number has a wrong shape; expected (1,), got {show(ins[k])}")
            ins[k] = unify(ins[k], (len(outs),)) if tail else ins[k] or (1,)
        return ins, outs
    return rule


def narrow(p, ins, outs):
    """Weight and gradient of a mixed form are presumed to be float16."""
    return [v or "float16" for v in ins], outs


def update(name, step, states="", params=None, numbers=(), aliases="", doc="", mixed=None, common=True,
           clip="clip_gradient", **kw):
    """Declare an update with one weight.  numbers: parameters that the step needs beyond the common ones;
    mixed: name of the form with a float32 copy of the weight."""
    if common:                              # in MXNet's order
        params = {**{k: v for k, v in params.items() if k not in LATE}, **COMMON, **{k: params[k] for k in params if k in LATE}}

    def arguments(master, keep):
        def work(p, ins, outs):
            extra = [float(n(p)) if callable(n) else float(getattr(p, n)) for n in numbers]
            return [STEPS.index(step), 1, 0, master, keep, NOTHING, getattr(p, "lr", 0.0), p.wd, p.rescale_grad,
                    getattr(p, clip), *extra, *[0.0] * (8 - len(extra))]
        return work
    names = f"weight grad {states}".split()
    op(name, inputs=" ".join(names), mutates=states, params=params, aliases=aliases, shapes=update_shapes(len(names)),
       types=update_types(len(names)), kernel="optimizer_update", arguments=arguments(0, 0), inplace=True, auto_variables=False,
       doc=f"{doc}\n\n    {GRADIENT}", samples=sample(len(names), params), example=example(name, len(names), params), **kw)
    if mixed:
        wide_out = step == "lamb1"
        first = 2 if step in ("sgd", "sgd_mom", "nag_mom", "lamb1") else 99
        op(mixed, inputs=" ".join([*names, "weight32"]), mutates=states if wide_out else f"{states} weight32", params=params,
           shapes=update_shapes(len(names) + 1), types=update_types(len(names) + 1, range(first, len(names) + 1), 0, wide_out),
           kernel="optimizer_update", arguments=arguments(len(names), int(not wide_out)), inplace=True, auto_variables=False,
           presumed=narrow if wide_out else None,
           doc=f"{name} for 16-bit weights and gradients; states and weight32, the weight's exact copy, are float32."
               f"\n\n    {GRADIENT}",
           example=example(mixed, len(names) + 1, params), **kw)


def required(params):
    return {k: 1 if k == "t" else 0.1 for k, v in params.items() if v.required}


def sample(count, params):
    return (dict(inputs=[(2, 3)] * count, params=required(params)),)


def many(count):
    """That many arrays, as text of an example."""
    return ", ".join(["mx.nd.ones(2)"] * count)


def example(name, count, params, where="mx.nd."):
    return f"{where}{name}({many(count)}, {', '.join(f'{k}={v}' for k, v in required(params).items())})"


LAZY = dict(lazy_update=flag(True))
LR = dict(lr=number())
update("sgd_update", "sgd", params={**LR, **LAZY}, aliases="_sparse_sgd_update", mixed="mp_sgd_update",
       doc="Gradient descent: weight = (1 - lr * wd) * weight - lr * grad.")
update("sgd_mom_update", "sgd_mom", "mom", {**LR, "momentum": number(0.0), **LAZY}, ["momentum"], "_sparse_sgd_mom_update",
       mixed="mp_sgd_mom_update",
       doc="Gradient descent with momentum: mom = momentum * mom - lr * (grad + wd * weight), weight += mom.")
update("nag_mom_update", "nag_mom", "mom", {**LR, "momentum": number(0.0)}, ["momentum"], mixed="mp_nag_mom_update",
       doc="Nesterov's accelerated gradient: mom = momentum * mom - lr * (grad + wd * weight), "
           "weight += momentum * mom - lr * (grad + wd * weight).")
ADAM = dict(beta1=number(0.9), beta2=number(0.999), epsilon=number(1e-8))
update("adam_update", "adam", "mean var", {**LR, **ADAM, **LAZY}, ["beta1", "beta2", "epsilon"], "_sparse_adam_update",
       doc="Adam: running means of the gradient and its square, weight -= lr * mean / (sqrt(var) + epsilon), uncorrected.")
update("ftrl_update", "ftrl", "z n", {**LR, "lamda1": number(0.01), "beta": number(1.0)}, ["lamda1", "beta"],
       "_sparse_ftrl_update",
       doc="Follow the regularised leader: z and n gather gradients and their squares; weights with |z| <= lamda1 are 0.")
update("rmsprop_update", "rmsprop", "n", {**LR, "gamma1": number(0.95), "epsilon": number(1e-8), "clip_weights": number(-1.0)},
       ["gamma1", "epsilon", "clip_weights"],
       doc="RMSProp: n is a running mean of squares, weight -= lr * grad / sqrt(n + epsilon), clipped with clip_weights >= 0.")
update("rmspropalex_update", "rmspropalex", "n g delta",
       {**LR, "gamma1": number(0.95), "gamma2": number(0.9), "epsilon": number(1e-8), "clip_weights": number(-1.0)},
       ["gamma1", "gamma2", "epsilon", "clip_weights"],
       doc="RMSProp after Graves: the running mean g is taken out of the squares, and delta carries momentum gamma2.")
update("signsgd_update", "signsgd", params=LR,
       doc="Steps by the sign of the gradient: weight = (1 - lr * wd) * weight - lr * sign(grad).")
update("signum_update", "signum", "mom", {**LR, "momentum": number(0.0), "wd_lh": number(0.0)}, ["momentum", "wd_lh"],
       doc="Steps by the sign of the momentum; wd_lh decays the weight apart from the gradient.")
update("ftml_update", "ftml", "d v z",
       {**LR, "beta1": number(0.6), "beta2": number(0.999), "epsilon": number(1e-8), "t": integer(),
        "wd": number(0.0), "rescale_grad": number(1.0), "clip_grad": number(-1.0)},
       ["beta1", "beta2", "epsilon", "t"], common=False, clip="clip_grad",
       doc="Follow the moving leader; t is the number of the step, from 1.")


def unbiased(beta, t):
    """What corrects an average of t steps that started at 0; infinite where nothing was averaged."""
    try:
        share = 1 - beta ** t
    except (OverflowError, ZeroDivisionError):
        raise ValueError(f"{beta} cannot be raised to the power of t {t}; expected a beta from 0 to 1 and steps from 1 on") from None
    return 1 / share if share else float("inf")


def lamb_bias(beta):
    return lambda p: unbiased(getattr(p, beta), p.t) if p.bias_correction else 1.0


LAMB = dict(beta1=number(0.9), beta2=number(0.999), epsilon=number(1e-6), t=integer(), bias_correction=flag(True), wd=number(),
            rescale_grad=number(1.0), clip_gradient=number(-1.0))
update("lamb_update_phase1", "lamb1", "mean var", LAMB, ["beta1", "beta2", "epsilon", lamb_bias("beta1"), lamb_bias("beta2")],
       common=False, mixed="mp_lamb_update_phase1",
       doc="First half of LAMB: the direction mean / (sqrt(var) + epsilon) + wd * weight, with means corrected for step t.")


def lamb2_arguments(master):
    def work(p, ins, outs):
        return [STEPS.index("sgd"), 1, 0, master, int(master > 0), NORMS, p.lr, 0.0, 1.0, -1.0, p.lower_bound, p.upper_bound,
                *[0.0] * 6]
    return work


def lamb2_shapes(p, ins, outs):
    s = outs[0]
    for k in (0, 1, *range(4, len(ins))):
        s = unify(s, ins[k], "shapes of weight and direction")
    for v in ins[2:4]:
        if known(v) and size(v) != 1:
            raise ValueError(f"r1 or r2 has a wrong shape; expected (1,), got {show(v)}")
    return [s, s, ins[2] or (1,), ins[3] or (1,), *[s] * (len(ins) - 4)], [s]


def lamb2_types(p, ins, outs):
    floats_only(ins)
    if len(ins) == 4:
        t = next((v for v in (*ins, *outs) if v), None)
        return [t] * 4, [t]
    t = ins[0] or outs[0]
    return [t, *["float64" if t == "float64" and "float64" in ins[1:] else "float32"] * 4], [t]


LAMB2_DOC = """Second half of LAMB: weight -= lr * r1 / r2 * g, where r1 and r2 are the norms of weight and g.

    r1 is kept between lower_bound and upper_bound where they are >= 0; a norm of 0 leaves lr as it is.  Floats."""
for _name, _inputs, _master in (("lamb_update_phase2", "weight g r1 r2", 0),
                                ("mp_lamb_update_phase2", "weight g r1 r2 weight32", 4)):
    op(_name, inputs=_inputs, mutates="weight32" if _master else "", shapes=lamb2_shapes, types=lamb2_types,
       kernel="optimizer_update", params={**LR, "lower_bound": number(-1.0), "upper_bound": number(-1.0)},
       arguments=lamb2_arguments(_master), inplace=True,
       auto_variables=False, doc=LAMB2_DOC, example=f"mx.nd.{_name}(mx.nd.ones(2), mx.nd.ones(2), mx.nd.ones(1), mx.nd.ones(1)"
       + (", mx.nd.ones(2)" if _master else "") + ", lr=0.1)")


# ---- AdamW ------------------------------------------------------------------------------------------

def adamw_arguments(master, each):
    def work(p, ins, outs):
        return [STEPS.index("adamw"), 1, each, master, int(master > 0), FACTOR, p.lr, p.wd, 1.0, p.clip_gradient, p.beta1,
                p.beta2, p.epsilon, p.eta, *[0.0] * 4]
    return work


def adamw_types(each, wide):
    group = update_types(each, wide)

    def rule(p, ins, outs):
        floats_only(ins)
        got, made = group(p, ins[:-1], outs)
        return [*got, ins[-1]], made
    return rule


ADAMW_DOC = """Adam with weight decay apart from the gradient: weight -= eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight).

    The gradient is multiplied by the array rescale_grad (one element); if that is 0, inf or nan nothing changes.  Floats."""
ADAMW = {**LR, **ADAM, "wd": number(0.0), "eta": number(), "clip_gradient": number(-1.0)}
for _name, _inputs, _master in (("_adamw_update", "weight grad mean var", 0),
                                ("_mp_adamw_update", "weight grad mean var weight32", 4)):
    _each = len(_inputs.split())
    op(_name, inputs=_inputs + " rescale_grad", mutates="mean var weight32" if _master else "mean var", params=ADAMW,
       shapes=update_shapes(_each, (None,)), types=adamw_types(_each, (2, 3, 4) if _master else ()), kernel="optimizer_update",
       presumed=usual_types(_each, 1),
       aliases="_contrib" + _name,            # its name in older files
       arguments=adamw_arguments(_master, _each), inplace=True, auto_variables=False, doc=ADAMW_DOC,
       example=f"mx.nd._internal.{_name}({many(_each)}, mx.nd.ones(1), lr=0.1, eta=1.0)")


# ---- several weights in one call --------------------------------------------------------------------

def weights(p):
    return tuple(f"output{k}" for k in range(p.num_weights)) if p.num_weights > 1 else ("output",)


def several(name, step, each, wide, momentum, preloaded):
    """Declare an update of num_weights weights: the arrays of each one after the other, then lrs and wds if preloaded."""
    master = each - 1 if wide else 0
    params = {} if preloaded else dict(lrs=floats(), wds=floats())
    if momentum:
        params["momentum"] = number(0.0)
    params.update(rescale_grad=number(1.0), clip_gradient=number(-1.0), num_weights=integer(1, at_least=1))
    group = update_types(each, range(2, each) if wide else (), 0)

    def types(p, ins, outs):
        floats_only(ins)
        if not preloaded:
            return group(p, ins, outs)
        got, made = group(p, ins[:-2], outs)
        return [*got, *ins[-2:]], made

    def arguments(p, ins, outs):
        n = p.num_weights
        if not preloaded:
            check_counts(n, lrs=p.lrs, wds=p.wds)
        pairs = [0.0] * (2 * n) if preloaded else [float(v) for pair in zip(p.lrs, p.wds) for v in pair]
        return [STEPS.index(step), n, each, master, int(wide), RATES if preloaded else NOTHING, *pairs, p.rescale_grad,
                p.clip_gradient, p.momentum if momentum else 0.0, *[0.0] * 7]
    arrays = "weight, gradient" + (", momentum" if momentum else "") + (", float32 weight" if wide else "")
    op(name, inputs="data", variadic="num_weights", params=params, outputs=weights, types=types,
       shapes=update_shapes(each, (True, True) if preloaded else ()), kernel="optimizer_update", arguments=arguments,
       inplace=True, arrays_of_each=each, arrays_after=2 * preloaded, mutates=States(each),
       presumed=usual_types(each, 2 * preloaded), auto_variables=False,
       example=f"mx.nd.{name}({many(each)}, " + ("mx.nd.ones(1), mx.nd.zeros(1), " if preloaded else "lrs=(0.1,), wds=(0.0,), ")
       + "num_weights=1)",
       doc=f"""{step}_update for num_weights weights at once.

    The inputs are {arrays} of the first weight, then of the next{', at the end the arrays lrs and wds' if preloaded else ''}.
    Returns the new weights.  Floats.""")


for _preloaded in (False, True):
    _first = "preloaded_multi_" if _preloaded else "multi_"
    several(_first + "sgd_update", "sgd", 2, False, False, _preloaded)
    several(_first + "sgd_mom_update", "sgd_mom", 3, False, True, _preloaded)
    several(_first + "mp_sgd_update", "sgd", 3, True, False, _preloaded)
    several(_first + "mp_sgd_mom_update", "sgd_mom", 4, True, True, _preloaded)


def several_adamw(name, each, wide):
    """AdamW for several weights; the last input multiplies the gradients."""
    group = update_types(each, range(2, each) if wide else ())

    def types(p, ins, outs):
        floats_only(ins)
        got, made = group(p, ins[:-1], outs)
        return [*got, ins[-1]], made

    def arguments(p, ins, outs):
        n = p.num_weights
        check_counts(n, lrs=p.lrs, wds=p.wds, etas=p.etas)
        pairs = [float(v) for lr, wd, eta in zip(p.lrs, p.wds, p.etas) for v in (eta * lr, eta * wd)]
        return [STEPS.index("adamw"), n, each, each - 1 if wide else 0, int(wide), FACTOR, *pairs, 1.0, p.clip_gradient, p.beta1,
                p.beta2, p.epsilon, 1.0, *[0.0] * 4]
    op(name, variadic="num_weights", outputs=weights, types=types, shapes=update_shapes(each, (None,)), kernel="optimizer_update",
       params=dict(lrs=floats(), **ADAM, wds=floats(), etas=floats(), clip_gradient=number(-1.0),
                   num_weights=integer(1, at_least=1)),
       arguments=arguments, inplace=True, arrays_of_each=each, arrays_after=1, mutates=States(each),
       presumed=usual_types(each, 1) if wide else presume(), auto_variables=False,
       example=f"mx.nd._internal.{name}({many(each)}, mx.nd.ones(1), lrs=(0.1,), wds=(0.0,), etas=(1.0,), num_weights=1)",
       doc=ADAMW_DOC + "\n\n    For num_weights weights: weight, grad, mean, var" + (", weight32" if wide else "")
       + " of each, then rescale_grad.")


def check_counts(n, **given):
    for name, values in given.items():
        if len(values) != n:
            raise ValueError(f"{name} has a wrong length; expected {n}, got {len(values)}")


def several_lamb(name, each, wide):
    """LAMB for several weights, both halves."""
    def arguments(p, ins, outs):
        n = p.num_tensors
        check_counts(n, learning_rates=p.learning_rates, wds=p.wds, step_count=p.step_count)
        own = []
        for lr, wd, t in zip(p.learning_rates, p.wds, p.step_count):
            own += [lr, wd, *[unbiased(b, t) if p.bias_correction else 1.0 for b in (p.beta1, p.beta2)]]
        return [n, each, each - 1 if wide else 0, *map(float, own), p.rescale_grad, p.clip_gradient, p.beta1, p.beta2, p.epsilon,
                p.lower_bound, p.upper_bound]
    op(name, variadic="num_tensors", types=update_types(each, range(2, each) if wide else ()), shapes=update_shapes(each),
       outputs=lambda p: tuple(f"output{k}" for k in range(p.num_tensors)) if p.num_tensors > 1 else ("output",),
       params=dict(learning_rates=floats(), beta1=number(0.9), beta2=number(0.999), epsilon=number(1e-6), wds=floats(),
                   rescale_grad=number(1.0), lower_bound=number(-1.0), upper_bound=number(-1.0), clip_gradient=number(-1.0),
                   bias_correction=flag(True), step_count=shape(), num_tensors=integer(1, at_least=1)),
       kernel="multi_lamb", arguments=arguments, inplace=True, arrays_of_each=each, mutates=States(each),
       presumed=usual_types(each),
       auto_variables=False,
       example=f"mx.nd._internal.{name}({many(each)}, learning_rates=(0.1,), wds=(0.0,), step_count=(1,), num_tensors=1)",
       doc=f"""Both halves of LAMB for num_tensors weights at once; step_count holds the number of each one's step, from 1.

    The inputs are weight, grad, mean, var{', weight32' if wide else ''} of each weight.  Returns the new weights.  Floats.""")


several_adamw("_multi_adamw_update", 4, False)
several_adamw("_multi_mp_adamw_update", 5, True)
several_lamb("_multi_lamb_update", 4, False)
several_lamb("_multi_mp_lamb_update", 5, True)


# ---- Adagrad by rows, and helpers -------------------------------------------------------------------

def group_adagrad_shapes(p, ins, outs):
    weight = unify(unify(ins[0], ins[1]), outs[0])
    history = ins[2]
    if weight is not None and history is None:
        history = (weight[0], 1)
    if known(weight) and known(history) and size(history) != weight[0]:
        raise ValueError(f"history has a wrong shape; expected ({weight[0]}, 1), got {show(history)}")
    return [weight, weight, history], [weight]


op("_contrib_group_adagrad_update", inputs="weight grad history", mutates="history", auto_variables=False, inplace=True,
   params={**LR, "rescale_grad": number(1.0), "clip_gradient": number(-1.0), "epsilon": number(1e-5)},
   shapes=group_adagrad_shapes, types=update_types(3), kernel="group_adagrad",
   arguments=lambda p, ins, outs: [ins[0][0], size(ins[0][1:]), p.lr, p.rescale_grad, p.clip_gradient, p.epsilon],
   doc="""Adagrad with one sum of squares for each row: history += mean(grad ** 2), weight -= lr * grad / sqrt(history + epsilon).

    weight and grad (rows, ...), history (rows, 1).  Floats.""",
   example="mx.nd.contrib.group_adagrad_update(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)), mx.nd.zeros((2, 1)), lr=0.1)")


def one_vector(p, ins, outs):
    s = outs[0]
    for v in ins:
        s = unify(s, v)
    return [s] * len(ins), [s]


op("multi_lars", inputs="lrs weights_sum_sq grads_sum_sq wds", shapes=one_vector, inplace=True,
   params=dict(eta=number(), eps=number(), rescale_grad=number(1.0)), types=update_types(4), kernel="lars_rates",
   arguments=lambda p, ins, outs: [p.eta, p.eps, p.rescale_grad],
   doc="""Learning rates by LARS: lr * eta * |w| / (|g| * rescale_grad + wd * |w| + eps), or lr where a norm is 0.

    The norms come as sums of squares; all arrays have one shape.  Floats.""",
   example="mx.nd.multi_lars(mx.nd.ones(2), mx.nd.ones(2), mx.nd.ones(2), mx.nd.zeros(2), eta=0.1, eps=1e-6)")


def any_floats(p, ins, outs):
    floats_only(ins)
    return ins, ["float32"] * len(outs)


def _alike(p, ins, outs):
    t = next((v for v in ins if v), None)
    return [v or t for v in ins], outs


op("multi_sum_sq", variadic="num_arrays", params=dict(num_arrays=integer()), types=any_floats, presumed=_alike, kernel="square_sums",
   shapes=lambda p, ins, outs: (ins, [(len(ins),)]), doc="Sum of squares of each array, as one float32 array.  Floats.",
   example="mx.nd.multi_sum_sq(mx.nd.ones(2), mx.nd.ones(3), num_arrays=2)")
op("multi_all_finite", variadic="num_arrays", params=dict(num_arrays=integer(1), init_output=flag(True)), types=any_floats,
   kernel="all_finite", shapes=lambda p, ins, outs: (ins, [(1,)]),
   doc="1 if every element of every array is finite, else 0; float32 of shape (1,).  Floats.",
   example="mx.nd.multi_all_finite(mx.nd.ones(2), mx.nd.ones(3), num_arrays=2)")
op("all_finite", params=dict(init_output=flag(True)), types=any_floats, kernel="all_finite",
   shapes=lambda p, ins, outs: (ins, [(1,)]), doc="1 if every element is finite, else 0; float32 of shape (1,).  Floats.",
   example="mx.nd.all_finite(mx.nd.ones(2))")
op("reset_arrays", variadic="num_arrays", params=dict(num_arrays=integer()), outputs="", kernel="reset_arrays",
   shapes=lambda p, ins, outs: (ins, []), types=lambda p, ins, outs: (ins, []), writes_all=True,
   doc="Write zeros into all arrays.  Returns nothing.", example="mx.nd.reset_arrays(mx.nd.ones(2), mx.nd.ones(3), num_arrays=2)")
