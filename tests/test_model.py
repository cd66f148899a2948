"""Checkpoints."""
import pytest

import mxnd as mx
from mxnd import nd


@pytest.fixture
def net():
    return mx.sym.BatchNorm(mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc"), name="bn")


def test_checkpoint(tmp_path, net):
    weights = {"fc_weight": nd.ones((2, 3)), "fc_bias": nd.zeros((2,))}
    states = {"bn_moving_mean": nd.zeros((2,))}
    mx.model.save_checkpoint(tmp_path / "net", 7, net, weights, states)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0007.params", "net-symbol.json"]
    assert list(nd.load(tmp_path / "net-0007.params")) == ["arg:fc_weight", "arg:fc_bias", "aux:bn_moving_mean"]
    symbol, args, aux = mx.model.load_checkpoint(str(tmp_path / "net"), 7)
    assert symbol.list_arguments() == net.list_arguments()
    assert args.keys() == weights.keys() and aux.keys() == states.keys()
    assert (args["fc_weight"].asnumpy() == 1).all()


def test_without_symbol_and_states(tmp_path):
    mx.model.save_checkpoint(tmp_path / "net", 12345, None, {"w": nd.ones((1,))}, None)
    assert [p.name for p in tmp_path.iterdir()] == ["net-12345.params"]
    args, aux = mx.model.load_params(tmp_path / "net", 12345)
    assert list(args) == ["w"] and aux == {}


def test_no_checkpoint(tmp_path):
    with pytest.raises(mx.MXNetError, match="net-0001"):
        mx.model.load_params(tmp_path / "net", 1)
    nd.save(tmp_path / "net-0001.params", [nd.ones((1,))])
    with pytest.raises(mx.MXNetError, match="without names"):
        mx.model.load_params(tmp_path / "net", 1)
    nd.save(tmp_path / "net-0001.params", {"w": nd.ones((1,))})
    with pytest.raises(mx.MXNetError, match="'w'"):
        mx.model.load_params(tmp_path / "net", 1)
