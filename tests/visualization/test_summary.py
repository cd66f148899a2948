"""Tables of layers: numbers of parameters."""
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


def table(symbol, capsys, **kwargs):
    """{layer: (shape, parameters, previous layers)} and the total."""
    mx.viz.print_summary(symbol, **kwargs)
    lines = capsys.readouterr().out.splitlines()
    found, last = {}, None
    for line in lines[3:]:
        if line[:1] in "_=" or line.startswith("Total"):
            continue
        if line[0] != " ":
            last = line[:52].strip()
            found[last] = [line[52:76].strip(), line[76:88].strip(), []]
        if line[88:].strip():
            found[last][2].append(line[88:].strip())
    return found, next(line for line in lines if line.startswith("Total"))


def test_counts_every_array_once(capsys):
    w = V("shared_weight")
    x = S.Convolution(V("data"), kernel=(3, 3), num_filter=4, name="conv")
    x = S.BatchNorm(x, name="bn")
    x = S.Flatten(x, name="flat")
    x = S.FullyConnected(x, w, num_hidden=144, name="a")
    x = S.FullyConnected(x, w, num_hidden=144, name="b", no_bias=True)
    x = S.LayerNorm(x, name="ln")
    x = S.SoftmaxOutput(x, name="softmax")
    found, total = table(x, capsys, shape={"data": (2, 3, 8, 8)})
    assert found["conv(Convolution)"] == ["4x6x6", "112", ["data"]]
    assert found["bn(BatchNorm)"][1] == "8"
    assert found["a(FullyConnected)"] == ["144", str(144 * 144 + 144), ["flat"]]
    assert found["b(FullyConnected)"][1] == "0"
    assert found["ln(LayerNorm)"][1] == "288"
    assert found["softmax(SoftmaxOutput)"][2] == ["ln", "softmax_label"]
    assert total == f"Total params: {112 + 8 + 144 * 144 + 144 + 288}"


@pytest.mark.parametrize("make, shape, expected", [
    (lambda x: S.Convolution(x, kernel=(3, 3), num_filter=6, num_group=3, no_bias=True, name="l"), (1, 3, 5, 5), 6 * 9),
    (lambda x: S.Deconvolution(x, kernel=(2, 2), num_filter=5, name="l"), (1, 3, 5, 5), 3 * 5 * 4),
    (lambda x: S.Embedding(x, input_dim=7, output_dim=4, name="l"), (3,), 28),
    (lambda x: S.FullyConnected(x, num_hidden=4, flatten=False, name="l"), (2, 3, 5), 24),
    (lambda x: S.LeakyReLU(x, act_type="prelu", name="l"), (2, 3, 5), 3),
    (lambda x: x * V("scale", shape=(2, 3)), (2, 3), 6),
])
def test_counts_by_shape(make, shape, expected, capsys):
    total = table(make(V("x")), capsys, shape={"x": shape})[1]
    assert total == f"Total params: {expected}"


@pytest.mark.parametrize("make, inputs, expected", [
    (lambda x: S.where(x, V("yes"), V("no")), {"yes", "no"}, 0),
    (lambda x: x + V("b"), {"b"}, 0),
    (lambda x: S.dot(x, V("w", init="zeros", shape=(4, 3))), set(), 12),
    (lambda x: S.FullyConnected(x, V("w"), V("v"), num_hidden=3, name="l"), set(), 15),
    (lambda x: S.FullyConnected(x, V("w"), no_bias=True, num_hidden=3, name="l") * V("factor", lr_mult=2.0, shape=(4, 3)), set(), 24),
    (lambda x: S.take(x, V("rows")), {"rows"}, 0),
    (lambda x: (lambda a: S.BatchNorm(S.BatchNorm(x, a, V("b")), a, V("c")))(V("a")), set(), 12),
    (lambda x: S.RNN(S.reshape(x, shape=(4, 2, 2)), state_size=3, num_layers=2, bidirectional=True, mode="gru", name="l"), {"l_state"},
     2 * 3 * 3 * (2 + 3 + 2) + 2 * 3 * 3 * (6 + 3 + 2)),
])
def test_data_are_no_parameters(make, inputs, expected, capsys):
    s = make(V("x"))
    given = {"x": (4, 4), **dict.fromkeys(inputs & {"yes", "no", "rows"}, (4, 4))}
    found, total = table(s, capsys, shape=given)
    assert total == f"Total params: {expected}"
    assert {k[:-6] for k in found if k.endswith("(null)")} == {"x"} | inputs
    assert {k for k in inputs if f'{k} [' not in mx.viz.plot_network(s).source} == set()


def test_loops_hold_parameters(capsys):
    out, _ = S.contrib.foreach(lambda d, s: (S.FullyConnected(d, num_hidden=3, name="fc") + s, s * 2), V("x"), V("state"))
    assert table(out, capsys, shape={"x": (5, 2, 4)})[1] == "Total params: 15"


def test_without_shapes(capsys):
    found, total = table(S.FullyConnected(V("x"), num_hidden=3, name="fc"), capsys)
    assert found["fc(FullyConnected)"][1] == "?" and total.startswith("Total params: 0 and")


def test_columns(capsys):
    mx.viz.print_summary(S.exp(V("x"), name="a" * 200), line_length=60)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_refused():
    y = S.FullyConnected(V("x"), num_hidden=3)
    with pytest.raises(TypeError, match="Symbol"):
        mx.viz.print_summary(3)
    with pytest.raises(TypeError, match="dict"):
        mx.viz.print_summary(y, shape=(2, 3))
    with pytest.raises(ValueError, match="do not tell"):
        mx.viz.print_summary(y, shape={})
    with pytest.raises(mx.MXNetError, match="no argument"):
        mx.viz.print_summary(y, shape={"z": (2, 3)})
