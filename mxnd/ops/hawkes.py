"""The likelihood of events that excite further ones."""
from .declare import F, op
from .shapes import unify


def _shapes(p, ins, outs):
    lda, alpha, beta, state, lags, marks, valid, end = ins
    lda = state = unify(lda, state, "shapes of lda and state")
    lags = marks = unify(lags, marks, "shapes of lags and marks")
    for name, s in (("lda", lda), ("lags", lags)):
        if s is not None and len(s) != 2:
            raise ValueError(f"{name} has {len(s)} dimensions; expected 2")
    n, k = lda or (None, None)
    n = unify((n,), lags and lags[:1], "number of rows of lda and of lags")
    for s in (valid, end, outs[0]):
        n = unify(n, s, "shapes of valid_length and max_time")
    k = unify(unify((k,), alpha), beta, "shapes of alpha and beta")
    lda = state = (*n, *k)
    lags = marks = (*n, lags[1] if lags else None)
    return [lda, k, k, state, lags, marks, n, n], [n, unify(outs[1], lda)]


def _types(p, ins, outs):
    t = ins[0] or outs[0]
    for name, v in zip(("alpha", "beta", "state", "lags"), ins[1:5]):
        if v not in (None, t) and t is not None:
            raise ValueError(f"inputs have different dtypes: lda {t} and {name} {v}; expected one dtype (use astype)")
    return [t] * 5 + [ins[5] or "int32", ins[6] or t, ins[7] or t], [t, t]


def _column(x, *shape):
    return F._reshape_to(x, shape=shape)


def _likelihood(p, lda, alpha, beta, state, lags, marks, valid_length, max_time):
    """Events are compared in pairs, so memory grows with the square of their number."""
    (n, k), t = lda.shape, lags.shape[1]
    end = F._cast_like(_column(max_time, n, 1), lda)
    number = F._contrib_arange_like(lags, axis=1)
    valid = F.broadcast_lesser(_column(number, 1, t), F._cast_like(_column(valid_length, n, 1), lda))
    before = F.broadcast_greater(_column(number, t, 1), _column(number, 1, t))          # event i comes after j
    mark = F.broadcast_mul(F._cast_like(F.one_hot(marks, depth=k), lda), _column(valid, n, t, 1))
    time = F.cumsum(lags * valid, axis=1)

    def of_event(x):
        """A number per process, for the process of each event."""
        return F.sum(F.broadcast_mul(mark, x), axis=(2,))
    decay, rate, weight = of_event(beta), of_event(_column(lda, n, 1, k)), of_event(alpha)
    pairs = F.broadcast_mul(F.batch_dot(mark, mark, transpose_b=True), _column(before, 1, t, t))
    gap = F.broadcast_sub(_column(time, n, t, 1), _column(time, n, 1, t)) * pairs
    excited = F.sum(F.exp(-F.broadcast_mul(gap, _column(decay, n, t, 1))) * pairs, axis=(2,))
    excited = excited + of_event(_column(state, n, 1, k)) * F.exp(-(decay * time))
    intensity = rate + weight * decay * excited
    left = _column(F.broadcast_sub(end, time), n, t, 1)
    ended = F.sum(F.exp(-F.broadcast_mul(left, _column(beta, 1, 1, k))) * mark, axis=(1,))
    ended = ended + state * F.exp(-F.broadcast_mul(end, _column(beta, 1, k)))
    expected = F.broadcast_mul(lda, end) + F.broadcast_mul(state + F.sum(mark, axis=(1,)) - ended, _column(alpha, 1, k))
    likelihood = F.sum(F.log(intensity + (1.0 - valid)), axis=(1,)) - F.sum(expected, axis=(1,))
    return [likelihood, ended]


op("_contrib_hawkesll", inputs="lda alpha beta state lags marks valid_length max_time", outputs="output out_state", shapes=_shapes,
   types=_types, compose=_likelihood, domain=(0.2, 1.0),
   samples=(dict(inputs=[(2, 3), (3,), (3,), (2, 3), (2, 4), [[0, 2, 1, 0], [1, 1, 0, 2]], [4, 2], [6.0, 7.0]], params={}),),
   doc="Log likelihood of Hawkes processes: of events at the times cumsum(lags), each of the process that its mark names, observed up to "
       "max_time.\nThe intensity of process k is lda[k] + alpha[k] * beta[k] * s[k], where s[k] sums exp(-beta[k] * age) over the earlier "
       "events of k and begins as state.  lda and state are (n, k), alpha and beta (k,), lags and marks (n, events), of which the first "
       "valid_length[n] count.  Also returns s at max_time.",
   example="mx.nd.contrib.hawkesll(mx.nd.ones((1, 2)), mx.nd.array([0.2, 0.3]), mx.nd.array([1, 2]), mx.nd.zeros((1, 2)), "
           "mx.nd.array([[1, 2, 1]]), mx.nd.array([[0, 1, 0]], dtype='int32'), mx.nd.array([3]), mx.nd.array([10]))")
