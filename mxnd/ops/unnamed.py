"""Operators whose inputs MXNet knows by number only: monitors see them as input0, input1 and so on."""

FAMILIES = ("unary", "scalar", "rscalar")
UNNAMED = frozenset("""
    Reshape Flatten expand_dims transpose shape_array size_array slice _slice_assign_scalar slice_axis broadcast_to broadcast_axis
    _contrib_arange_like zeros_like ones_like _copy BlockGrad Cast amp_cast sum nansum mean prod nanprod max min argmax argmin
    argmax_channel norm sort argsort topk softmin SoftmaxActivation Activation make_loss _random_uniform_like _random_normal_like
    _random_gamma_like _random_exponential_like _random_poisson_like _random_negative_binomial_like
    _random_generalized_negative_binomial_like _sample_multinomial _shuffle sgd_update sgd_mom_update nag_mom_update adam_update
    ftrl_update rmsprop_update rmspropalex_update signsgd_update signum_update ftml_update lamb_update_phase1""".split())


def shown_inputs(op, names):
    """The names of inputs as monitors see them."""
    if op.family in FAMILIES or op.name in UNNAMED:
        return tuple(f"input{k}" for k in range(len(names)))
    return names
