"""Loops and branches in graphs: values, gradients, shapes, files, and what is refused."""
import copy
import json
import pickle

import numpy as np
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable
C = mx.sym.contrib


def bound(sym, **arrays):
    """(executor, gradients by name) of a symbol on arrays."""
    args = {k: mx.nd.array(v, dtype="float64") for k, v in arrays.items()}
    grads = {k: mx.nd.zeros(a.shape, dtype="float64") for k, a in args.items()}
    return sym.bind(mx.cpu(), args, grads), grads


def gradients(sym, **arrays):
    """Gradients of the sum of all outputs times 1, 2, ..., by name."""
    ex, grads = bound(sym, **arrays)
    ex.backward([mx.nd.ones(y.shape, dtype="float64") * (k + 1) for k, y in enumerate(ex.forward(is_train=True))])
    return {k: g.asnumpy() for k, g in grads.items()}


def by_differences(sym, **arrays):
    """The same by central differences."""
    def value(**arrays):
        args = {k: mx.nd.array(v, dtype="float64") for k, v in arrays.items()}
        return sum((k + 1) * y.asnumpy().sum() for k, y in enumerate(sym.bind(mx.cpu(), args).forward()))
    found = {}
    for name, a in arrays.items():
        found[name] = g = np.zeros(a.shape)
        for i in np.ndindex(a.shape):
            ends = []
            for h in (1e-5, -1e-5):
                moved = a.copy()
                moved[i] += h
                ends.append(value(**{**arrays, name: moved}))
            g[i] = (ends[0] - ends[1]) / 2e-5
    return found


def check_gradients(sym, **arrays):
    got, expected = gradients(sym, **arrays), by_differences(sym, **arrays)
    for name in arrays:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-5, atol=1e-7, err_msg=name)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def scan():
    w = V("w")
    out, last = C.foreach(lambda d, s: (S.broadcast_mul(d, w) + s, S.tanh(s * w + d)), V("d"), V("s"))
    return S.Group([out, last])


def test_foreach_values():
    d, s, w = numbers(4, 3), numbers(3, seed=1), numbers(3, seed=2)
    out, last = bound(scan(), d=d, s=s, w=w)[0].forward()
    rows = []
    for row in d:
        rows.append(row * w + s)
        s = np.tanh(s * w + row)
    np.testing.assert_allclose(out.asnumpy(), rows)
    np.testing.assert_allclose(last.asnumpy(), s)


def test_foreach_gradients():
    check_gradients(scan(), d=numbers(4, 3), s=numbers(3, seed=1), w=numbers(3, seed=2))


def test_foreach_one_and_no_row():
    check_gradients(scan(), d=numbers(1, 3), s=numbers(3, seed=1), w=numbers(3, seed=2))
    ex, grads = bound(scan(), d=np.zeros((0, 3)), s=numbers(3), w=numbers(3))
    out, last = ex.forward(is_train=True)
    assert out.shape == (0, 3) and (last.asnumpy() == numbers(3)).all()
    ex.backward([mx.nd.zeros((0, 3)), mx.nd.array([1, 2, 3])])
    assert grads["s"].asnumpy().tolist() == [1, 2, 3] and not grads["w"].asnumpy().any()


def test_many_rows():
    out, last = C.foreach(lambda d, s: (s + d, s + d), V("d"), V("s"))
    d = numbers(5000, 2)
    ex, grads = bound(S.Group([out, last]), d=d, s=np.zeros(2))
    np.testing.assert_allclose(ex.forward(is_train=True)[0].asnumpy(), d.cumsum(0))
    ex.backward([mx.nd.zeros((5000, 2)), mx.nd.ones((2,))])
    assert (grads["d"].asnumpy() == 1).all()


def test_vectors_have_rows_of_length_one():
    out, last = C.foreach(lambda d, s: (d + s, s * d), V("d"), V("s"))
    g = S.Group([out, last])
    assert g.infer_shape(d=(3,), s=(1,))[1] == [(3, 1), (1,)]
    check_gradients(g, d=numbers(3), s=numbers(1))


def test_structures():
    d, e, s, t = map(V, "dest")
    out, last = C.foreach(lambda x, st: ([x[0] * x[1] + st[0], [st[1][0]]], [st[0] + x[0], [st[1][0] * 2]]), [d, e], [s, [t]])
    assert isinstance(out[1], list) and isinstance(last[1], list)
    check_gradients(S.Group([out[0], out[1][0], last[0], last[1][0]]), d=numbers(3, 2), e=numbers(3, 2, seed=1),
                    s=numbers(2, seed=2), t=numbers(2, seed=3))


def test_symbols_with_several_outputs():
    def body(d, s):
        halves = S.split(d, num_outputs=2, axis=0)
        return halves, [s[0] + halves[0]]
    out, last = C.foreach(body, V("d"), [V("s")])
    assert len(out) == 2
    check_gradients(S.Group([*out, *last]), d=numbers(3, 4), s=numbers(2, seed=1))


def test_the_same_state_twice():
    s = V("s")
    out, last = C.foreach(lambda d, st: (d + st[0], [st[0] * 2, st[1] + st[0]]), V("d"), [s, s])
    check_gradients(S.Group([out, *last]), d=numbers(3, 2), s=numbers(2, seed=1))


def test_while_loop():
    def run(limit):
        out, last = C.while_loop(lambda i, t: S.sum(t) < 20, lambda i, t: ([t - i * 3], [i + 2, t * 2 + V("w")]),
                                 [V("i"), V("t")], max_iterations=limit)
        return S.Group([*out, *last])
    arrays = dict(i=np.array([1.0]), t=np.array([2.0]), w=np.array([0.5]))
    out, i, t = bound(run(6), **arrays)[0].forward()
    assert out.asnumpy().ravel().tolist() == [-1, -4.5, -5.5, -1.5, 0, 0]
    assert (i.asscalar(), t.asscalar()) == (9, 39.5)
    for limit in (0, 2, 6):
        check_gradients(run(limit), **arrays)


def test_while_loop_without_steps():
    out, last = C.while_loop(lambda i: i < 0, lambda i: (i * 2, i + 1), V("i"), max_iterations=3)
    ex, grads = bound(S.Group([out, last]), i=np.array([5.0]))
    out, last = ex.forward(is_train=True)
    assert out.shape == (3, 1) and not out.asnumpy().any() and last.asscalar() == 5
    ex.backward([mx.nd.ones((3, 1)), mx.nd.array([4])])
    assert grads["i"].asscalar() == 4


def test_variables_made_inside_are_shared_by_name():
    out, _ = C.while_loop(lambda i: i < V("n"), lambda i: (i * V("n"), i + 1), V("i"), max_iterations=3)
    assert out.list_arguments() == ["i", "n"]
    assert out.eval(i=mx.nd.array([1]), n=mx.nd.array([3]))[0].asnumpy().ravel().tolist() == [3, 6, 0]
    out = C.cond(V("p"), lambda: V("a") * V("w"), lambda: V("a") - V("w"))
    assert out.list_arguments() == ["p", "a", "w"]


def test_unknown_lengths():
    out, _ = C.foreach(lambda d, s: (S.FullyConnected(d, num_hidden=3, name="fc", flatten=False), s * 1), V("d"), V("s"))
    assert out.infer_shape_partial(d=(0, 2, 4))[1] == [(0, 2, 3)]
    assert out.infer_shape_partial(d=(5, 0, 4))[1] == [(5, 0, 3)]


def test_outside_of_a_graph():
    x = mx.nd.ones((2, 3))
    params = dict(num_outputs=1, num_out_data=1, in_state_locs=(1,), in_data_locs=(0,), remain_locs=())
    with pytest.raises(mx.MXNetError, match="only as part of a graph"):
        mx.nd._internal._foreach(x, x, **params)
    with pytest.raises(mx.MXNetError, match="only as part of a graph"):
        S._internal._foreach(V("x"), V("y"), **params).infer_shape(x=(2, 3))


def test_cond():
    a, c = V("a"), V("c")
    y = C.cond(a + c > 1, lambda: [a * 3 - c, [c]], lambda: [S.exp(c) * a, [a]])
    g = S.Group([y[0], y[1][0]])
    for x in (0.2, 0.9):
        check_gradients(g, a=np.array([x]), c=np.array([0.4]))


def test_nested():
    w = V("w")

    def outer(d, s):
        return C.foreach(lambda e, r: (C.cond(S.sum(e) > 0, lambda: e * w + r, lambda: r - e), S.sin(r + e)), d, s)
    out, last = C.foreach(outer, V("d"), V("s"))
    check_gradients(S.Group([out, last]), d=numbers(3, 2, 2), s=numbers(2, seed=1), w=numbers(2, seed=2))


def test_auxiliary_states_and_random_numbers_inside():
    def body(d, s):
        return S.Dropout(S.BatchNorm(d, fix_gamma=False, momentum=0.5, name="bn"), p=0.5) + s, s * 1
    out, last = C.foreach(body, V("d"), V("s"))
    g = S.Group([out, last])
    ex = g.simple_bind(mx.cpu(), d=(3, 4, 2), s=(4, 2))
    ex.arg_dict["d"][:] = mx.nd.array(numbers(3, 4, 2) + 3)
    ex.arg_dict["bn_gamma"][:] = 1
    mx.random.seed(3)
    first = ex.forward(is_train=True)[0].asnumpy()
    ex.backward([mx.nd.ones((3, 4, 2)), mx.nd.ones((4, 2))])
    assert ex.arg_dict["bn_moving_mean"].asnumpy().min() > 1
    assert ex.grad_dict["bn_beta"].asnumpy().sum() == 2 * np.count_nonzero(first)      # the numbers of that very forward


def test_shapes_and_dtypes_flow_both_ways():
    out, last = C.foreach(lambda d, s: (S.FullyConnected(d, num_hidden=3, name="fc") + s, s * 2), V("d"), V("s"))
    g = S.Group([out, last])
    args, outs, _ = g.infer_shape(d=(5, 2, 4))
    assert dict(zip(g.list_arguments(), args)) == {"d": (5, 2, 4), "s": (2, 3), "fc_weight": (3, 4), "fc_bias": (3,)}
    assert outs == [(5, 2, 3), (2, 3)]
    assert g.infer_type(s="float64")[0] == [np.float64] * 4
    with pytest.raises(mx.MXNetError, match=r"inside _foreach .* FullyConnected 'fc'.*weight"):
        g.infer_shape(d=(5, 2, 4), fc_weight=(3, 7))
    two, _ = C.foreach(lambda d, s: (d[0] + d[1], s), [V("a"), V("b")], V("c") * 1)
    with pytest.raises(mx.MXNetError, match="counts the steps"):
        two.infer_shape(a=(2, 3), b=(4, 3))


def test_text_comes_back():
    for g in (scan(), C.cond(V("a") > 1, lambda: V("b"), lambda: V("c") * 2),
              C.while_loop(lambda i: i < V("n"), lambda i: (i, i + 1), V("i"), max_iterations=3)[0]):
        text = g.tojson()
        assert S.load_json(text).tojson() == text
        assert pickle.loads(pickle.dumps(g)).tojson() == text
        assert copy.deepcopy(g).tojson() == text


def test_composition_reaches_the_inputs_of_loops():
    f = scan()(d=V("q") * 2)
    assert f.list_arguments() == ["q", "s", "w"]


@pytest.mark.parametrize("change, message", [
    (lambda n: n.pop("subgraphs"), "expected 1 graphs"),
    (lambda n: n["attrs"].update(in_data_locs="[9]"), "in_data_locs"),
    (lambda n: n["attrs"].update(num_outputs="3"), "num_outputs"),
    (lambda n: n["attrs"].update(num_args="3"), "num_args"),
    (lambda n: n["inputs"].pop(), "num_args"),
    (lambda n: n["subgraphs"].append(n["subgraphs"][0]), "expected 1 graphs"),
    (lambda n: n["subgraphs"][0].update(heads=[[99, 0, 0]]), "no output"),
])
def test_damaged_text(change, message):
    graph = json.loads(scan().tojson())
    change(next(n for n in graph["nodes"] if n["op"] == "_foreach"))
    with pytest.raises(mx.MXNetError, match=message):
        S.load_json(json.dumps(graph))


@pytest.mark.parametrize("error, call", [
    (AssertionError, lambda: C.foreach(lambda d, s: (d, d), V("d"), V("s"))),
    (AssertionError, lambda: C.foreach(lambda d, s: (s, s), V("d"), V("s"))),
    (AssertionError, lambda: C.foreach(lambda d, s: (d, [s]), V("d"), V("s"))),
    (AssertionError, lambda: C.foreach(lambda d, s: (d, s), 3, V("s"))),
    (AssertionError, lambda: C.foreach(lambda d, s: (d, s), V("d"), "s")),
    (ValueError, lambda: C.while_loop(lambda i: i < 1, lambda i: (i, i), V("i"))),
    (ValueError, lambda: C.while_loop(lambda i: i < 1, lambda i: (i, i), V("i"), max_iterations="x")),
    (ValueError, lambda: C.while_loop(lambda i: i < 1, lambda i: (i, i), [], max_iterations=3)),
    (ValueError, lambda: C.while_loop(lambda i, j: i < 1, lambda i, j: (i, [i]), [V("i"), V("j")], max_iterations=3)),
    (ValueError, lambda: C.while_loop(lambda i, j: i < 1, lambda i, j: (i, [i, i]), [V("i"), V("j")], max_iterations=3)),
    (ValueError, lambda: C.cond(V("a"), lambda: [V("a"), V("b")], lambda: V("a"))),
    (ValueError, lambda: C.cond([V("a"), V("b")], lambda: V("a"), lambda: V("a"))),
    (AssertionError, lambda: C.cond(3, lambda: V("a"), lambda: V("a"))),
])
def test_refused(error, call):
    with pytest.raises(error):
        call()


def test_condition_of_several_elements():
    y = C.cond(V("p"), lambda: V("a") * 1, lambda: V("a") * 2)
    with pytest.raises(mx.MXNetError, match="one element"):
        y.eval(p=mx.nd.ones((2,)), a=mx.nd.ones((2,)))
