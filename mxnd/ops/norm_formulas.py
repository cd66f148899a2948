"""Gradients of the normalisation operators, written once for all of them.

Each operator has a kernel forward and one for the first derivative.  The first derivative is an operator too; its
own gradient is `second_order`: a view of three dimensions with gamma on the middle axis covers every case.  Saved
statistics are only a shortcut for the kernels: formulas work them out again from the data, so that every order of
derivative sees them as functions of the data."""
from .declare import F
from .shapes import axis_of, size


def once(f):
    """f()'s parts as functions without arguments; f runs at most once."""
    made = []

    def part(i):
        def get():
            if not made:
                made.append(f())
            return made[0][i]
        return get
    return part


def total(*terms):
    """Sum of those terms that are not None."""
    terms = [t for t in terms if t is not None]
    out = terms[0] if terms else None
    for t in terms[1:]:
        out = out + t
    return out


class Groups:
    """Data seen in three dimensions: `axes` are normalised together, gamma lies along the middle axis."""

    def __init__(self, shape, axes, like, eps, mode=None, mean=None, inv=None):
        self.shape, self.axes, self.like, self.eps = shape, axes, like, eps
        self.mode, self.given_mean, self.given_inv = mode, mean, inv

    def see(self, x):
        return F._reshape_to(x, shape=self.shape)

    def mean(self, x):
        return F.mean(x, axis=self.axes, keepdims=True)

    def along(self, gamma):
        return F._reshape_to(gamma, shape=(1, self.shape[1], 1))

    def total(self, x):
        """Sum down to gamma's shape."""
        return F.sum(x, axis=(0, 2))

    def back(self, x):
        return F._reshape_to(x, shape=self.like)

    def statistics(self, x):
        """Normalised data and 1/std as formulas of the data; with a mode, 1 mixes in the batch's, 0 the given ones."""
        if self.mode is not None and not self.mode:
            return (x - self.given_mean) * self.given_inv, self.given_inv
        mean = self.mean(x)
        if self.mode is not None:
            mean = self.blend(mean, self.given_mean)
        d = x - mean
        if self.mode is None:
            inv = F.rsqrt(self.mean(d * d) + self.eps)
        else:
            away = x - self.mean(x)
            inv = self.blend(F.rsqrt(self.mean(away * away) + self.eps), self.given_inv)
        return d * inv, inv

    def blend(self, own, given):
        return self.mode * own + (1.0 - self.mode) * given

    def apply_mode(self, x):
        return x if self.mode is None else x * self.mode


def second_order(s, heads, g, x, gamma, fix_gamma=False):
    """Gradients of (for data, gamma, beta) = backward(g, data, gamma) for g, data and gamma.

    With xh the normalised data, r = 1/std, P(a) = a - mean(a) - xh mean(a xh) and a = gamma g:
    for data: r P(a); for gamma: sum(g xh); for beta: sum(g)."""
    off = s.mode is not None and not s.mode

    def work():
        hx, hg, hb = heads
        gs, xs = s.see(g), s.see(x)
        xh, r = s.statistics(xs)
        scale = None if fix_gamma else s.along(gamma)
        a = gs if fix_gamma else gs * scale
        u = None if hx is None else s.see(hx)
        v = None if hg is None or fix_gamma else s.along(hg)
        w = None if hb is None else s.along(hb)

        def project(t):
            return t if off else t - s.apply_mode(s.mean(t) + xh * s.mean(t * xh))
        for_g, for_gamma, cot, for_x = [], None, [], []
        if u is not None:
            pu = project(u)
            for_g.append(pu * r if fix_gamma else pu * r * scale)
            for_gamma = s.total(r * pu * gs)
            if not off:
                cot.append(s.apply_mode(r * (u * s.mean(a * xh) + a * s.mean(u * xh)) * -1.0))
                for_x.append(s.apply_mode(r * r * xh * s.mean(pu * a)) * -1.0)
        if v is not None:
            for_g.append(xh * v)
            cot.append(gs * v)
        if w is not None:
            for_g.append(F.broadcast_like(w, gs))
        if cot:
            for_x.append(r * project(total(*cot)))
        for_g, for_x = total(*for_g), total(*for_x)
        return (None if for_g is None else s.back(for_g), None if for_x is None else s.back(for_x),
                None if fix_gamma else for_gamma)
    part = once(work)
    return part(0), part(1), part(2)


def with_statistics_heads(for_data, s, x, head_mean, head_spread, std):
    """Add what gradients of the shown statistics bring: of the mean, and of std (or of 1/std)."""
    if head_mean is None and head_spread is None:
        return for_data

    def get():
        xs = s.see(x)
        n = size(s.shape[i] for i in s.axes)
        xh, r = s.statistics(xs)
        keep = tuple(1 if i in s.axes else d for i, d in enumerate(s.shape))
        more = []
        if head_mean is not None:
            more.append(s.apply_mode(F.broadcast_like(F._reshape_to(head_mean, shape=keep), xs)) / n)
        if head_spread is not None:
            h = F._reshape_to(head_spread, shape=keep)
            more.append(s.apply_mode(xh * h / n if std else xh * r * r * h / -n))
        return for_data() + s.back(total(*more))
    return get


def channel_axis(p, ndim):
    return axis_of(getattr(p, "axis", 1), ndim)


def channel_view(p, shape):
    """(outer, channels, inner) of data."""
    a = channel_axis(p, len(shape))
    return size(shape[:a]), shape[a], size(shape[a + 1:])
