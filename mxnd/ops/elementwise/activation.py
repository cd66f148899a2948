"""Elementwise functions used between layers."""
from ..declare import F, unary
from ..params import flag, number

unary("relu", "x < 0 ? 0 : x", lambda g, x, y: g * (y > 0), ints=True, sparse=True, keeps_zero=True, domain=(0.2, 2),
      numpy="np.maximum(x, 0)", rising=True, doc="max(x, 0) for each element.", example="mx.nd.relu(mx.nd.array([-1.0, 2.0]))")
unary("sigmoid", "m_sigmoid(x)", lambda g, x, y: g * (y * (1 - y)), sparse=True, numpy="1 / (1 + np.exp(-x))",
      rising=True, doc="Logistic function 1 / (1 + exp(-x)) of each element.", example="mx.nd.sigmoid(mx.nd.array([0.0]))")
unary("softrelu", "m_softrelu(x)", lambda g, x, y: g * F.sigmoid(x), numpy="np.log1p(np.exp(x))",
      public=lambda p, x: F.Activation(x, act_type="softrelu"), rising=True, doc="log(1 + exp(x)) of each element.",
      example="mx.nd.softrelu(mx.nd.array([0.0]))")
unary("softsign", "x / (1 + m_abs(x))", lambda g, x, y: g / F.square(1 + F.abs(x)), aliases="_npx_softsign", keeps_zero=True,
      domain=(0.2, 2), numpy="x / (1 + np.abs(x))", rising=True, doc="x / (1 + |x|) for each element.",
      example="mx.nd.softsign(mx.nd.array([-1.0, 2.0]))")
unary("hard_sigmoid", "P0 * x + P1 < 0 ? K(0) : P0 * x + P1 > 1 ? K(1) : P0 * x + P1",
      lambda g, x, y, p: g * (((y > 0) * (y < 1)) * p.alpha), params={"alpha": number(0.2), "beta": number(0.5)},
      domain=(-1, 1), numpy="np.clip(p.alpha * x + p.beta, 0, 1)",
      doc="alpha * x + beta for each element, kept between 0 and 1.", example="mx.nd.hard_sigmoid(mx.nd.array([0.0, 9.0]))")
unary("clip", "x > P1 ? P1 : x < P0 ? P0 : x", lambda g, x, y, p: g * ((x >= p.a_min) * (x <= p.a_max)), ints=True,
      params={"a_min": number(), "a_max": number()}, aliases="_npi_clip", sparse=True, samples=({"params": {"a_min": -1.0, "a_max": 1.3}},),
      numpy="np.minimum(np.maximum(x, p.a_min), p.a_max)", clips=True,
      doc="Each element kept between a_min and a_max.", example="mx.nd.clip(mx.nd.array([-3.0, 0.5]), -1, 1)")
unary("smooth_l1", "m_abs(x) < 1 / (P0 * P0) ? K(0.5) * (P0 * x) * (P0 * x) : m_abs(x) - K(0.5) / (P0 * P0)",
      lambda g, x, y, p: g * F.clip(x * (p.scalar * p.scalar), a_min=-1.0, a_max=1.0),
      params={"scalar": number(1.0), "is_int": flag(True)}, aliases="_npx_smooth_l1", keeps_zero=True, domain=(-0.8, 0.8),
      doc="Smooth absolute value: (s x)^2 / 2 where |x| < 1 / s^2, |x| - 1 / (2 s^2) elsewhere.",
      example="mx.nd.smooth_l1(mx.nd.array([0.5, 2.0]), scalar=1.0)")
