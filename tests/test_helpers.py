"""Helpers that MXNet code imports: mx.util, mx.base, mx.runtime, mx.engine, keys of indexing, CachedOp."""
import threading

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd, sym, util


def test_np_shape_is_a_scope_a_decorator_and_of_one_thread():
    seen = []
    with util.np_shape(True):
        assert util.is_np_shape()
        with util.np_shape(False):
            assert not util.is_np_shape()
        thread = threading.Thread(target=lambda: seen.append(util.is_np_shape()))
        thread.start()
        thread.join()
        assert util.is_np_shape()
    assert not util.is_np_shape() and seen == [False]
    with pytest.raises(KeyError), util.np_shape():
        raise KeyError
    assert not util.is_np_shape()
    assert util.np_shape(True)(util.is_np_shape)() and not util.np_shape(False)(util.is_np_shape)()
    assert util.set_np_shape(True) is False and util.set_np_shape(False) is True


def test_decorated_classes():
    @util.use_np
    class A:
        def method(self):
            return util.is_np_shape(), util.is_np_array()

        @staticmethod
        def static():
            return util.is_np_shape()

        @classmethod
        def of_class(cls):
            return cls.__name__, util.is_np_shape()

        @property
        def value(self):
            return util.is_np_shape()
    assert A().method() == (True, True) and A.static() and A.of_class() == ("A", True) and A().value
    assert not util.is_np_shape() and not util.is_np_array()
    with pytest.raises(TypeError, match="use_np_shape"):
        util.use_np_shape(5)


def test_set_np():
    util.set_np()
    assert util.is_np_shape() and util.is_np_array()
    util.reset_np()
    assert not util.is_np_shape() and not util.is_np_array()
    with pytest.raises(ValueError, match="set_np"):
        util.set_np(shape=False, array=True)


def test_inference_under_np_shape():
    x = sym.var("x")
    with util.np_shape(True):
        assert (x * 2).infer_shape(x=(0, 2)) == ([(0, 2)], [(0, 2)], [])
        assert (x * 2).infer_shape(x=()) == ([()], [()], [])
        assert (x * 2).infer_shape_partial(x=(-1, 2)) == ([(-1, 2)], [(-1, 2)], [])
        assert (x * 2).infer_shape_partial() == ([None], [None], [])
        assert sym.var("x", shape=(0, 2)).infer_shape() == ([(0, 2)], [(0, 2)], [])
        assert (x * 2).simple_bind(mx.cpu(), x=(0, 2)).forward()[0].shape == (0, 2)
    assert (x * 2).infer_shape_partial(x=(0, 2)) == ([(0, 2)], [(0, 2)], [])         # 0: unknown


def test_environment_and_modules(monkeypatch):
    monkeypatch.delenv("MXND_TEST", raising=False)
    assert util.getenv("MXND_TEST") is None
    util.setenv("MXND_TEST", "1")
    assert util.getenv("MXND_TEST") == "1"
    util.setenv("MXND_TEST", None)
    util.setenv("MXND_TEST", None)
    assert util.getenv("MXND_TEST") is None
    assert util.set_module("here")(lambda: 1).__module__ == "here"
    assert util.get_gpu_count() == mx.num_gpus()
    with pytest.raises(ValueError, match="GPU"):
        util.get_cuda_compute_capability(mx.cpu())
    if not mx.num_gpus():
        for f in (lambda: util.get_gpu_memory(0), lambda: mx.gpu_memory_info(), lambda: util.get_cuda_compute_capability(mx.gpu())):
            with pytest.raises(mx.MXNetError, match="gpu"):
                f()


def test_wrapped_functions():
    f, g = util.wrap_np_unary_func(nd.exp), util.wrap_np_binary_func(nd.broadcast_add)
    out = nd.zeros((2,))
    assert f(nd.zeros((2,)), out, where=True, casting="same_kind", order="K", dtype=None, subok=True) is out
    assert out.asnumpy().tolist() == [1, 1] and g(out, out).asnumpy().tolist() == [2, 2]
    with pytest.raises(NotImplementedError, match="where"):
        f(out, where=False)
    with pytest.raises(TypeError, match="colour"):
        f(out, colour="red")
    with pytest.raises(TypeError, match="2 arrays"):
        g(out)
    assert util.np_ufunc_legal_option("dtype", "int32") and not util.np_ufunc_legal_option("dtype", 3.5)


def test_base():
    assert isinstance("a", mx.base.string_types) and isinstance(np.float32(1), mx.base.numeric_types)
    assert isinstance(np.int64(1), mx.base.integer_types) and not isinstance(1.0, mx.base.integer_types)
    doc = mx.base.build_param_doc(["a", "num_args", "a", "b"], ["int", "int", "int", "str"], ["First.", "", "Again.", ""])
    assert doc == "Parameters\n----------\na : int\n    First.\nb : str\n"
    assert mx.base.build_param_doc(["a", "a"], ["int"] * 2, [""] * 2, remove_dup=False).count("a : int") == 2
    mx.base.check_call(0)
    with pytest.raises(mx.MXNetError):
        mx.base.check_call(-1)
    made = mx.base.MXCallbackList(2, [len, len], contexts=[None, None])
    assert made.num_callbacks == 2 and made.callbacks == [len, len]
    assert issubclass(mx.base.NotImplementedForSymbol, mx.MXNetError) and "len" in str(mx.base.NotImplementedForSymbol(len, "size", 1))
    assert "tile" in str(mx.base.NotSupportedForSparseNDArray(nd.tile, None))


def test_runtime_and_engine():
    features = mx.runtime.Features()
    assert mx.runtime.Features.instance is mx.runtime.Features.instance and set(features) == set(mx.runtime.Features.instance)
    assert features.is_enabled("openmp") and all(isinstance(f.enabled, bool) for f in mx.runtime.feature_list())
    with pytest.raises(RuntimeError, match="NOTHING"):
        features.is_enabled("nothing")
    before = mx.engine.set_bulk_size(4)
    with mx.engine.bulk(7):
        assert mx.engine.set_bulk_size(7) == 7
    assert mx.engine.set_bulk_size(before) == 4


def test_keys():
    s = slice(None)
    assert nd.indexing_key_expand_implicit_axes(1, (2, 3)) == ((1, s), -1)
    assert nd.indexing_key_expand_implicit_axes((1, ..., None), (2, 3, 4)) == ((1, s, s, None), -1)
    key, mask = nd.indexing_key_expand_implicit_axes(np.array([True, False]), (2, 3))
    assert key[0].tolist() == [0] and key[1] == s and mask == 0
    with pytest.raises(IndexError):
        nd.indexing_key_expand_implicit_axes((..., ...), (2, 3))
    assert nd.get_indexing_dispatch_code((1, s, None)) == 0 and nd.get_indexing_dispatch_code((1, nd.ones((2,)))) == 1
    for bad in ((1.5,), (...,)):
        with pytest.raises(ValueError, match="get_indexing_dispatch_code"):
            nd.get_indexing_dispatch_code(bad)
    assert nd.get_oshape_of_gather_nd_op((2, 3, 4), (2, 5)) == (5, 4)
    assert nd.gather_nd(nd.ones((2, 3, 4)), nd.zeros((2, 5))).shape == (5, 4)


def test_arguments_by_name():
    assert nd.power(base=nd.array([2.0]), exp=3).asscalar() == 8 and nd.power(2, 3) == 8
    assert nd.from_numpy(np.ones(2), array_cls=nd.NDArray).shape == (2,)
    with pytest.raises(TypeError, match="array_cls"):
        nd.from_numpy(np.ones(2), array_cls=list)
    assert bool(nd.ones((1,)).__nonzero__())


def test_cached_op():
    data = sym.var("x")
    op = nd.CachedOp(sym.Group([sym.dot(data, sym.var("w")), sym.exp(data)]))
    x, w = nd.ones((2, 3)), nd.ones((3, 1))
    x.attach_grad()
    w.attach_grad()
    with mx.autograd.record():
        a, b = op(x, w)
        loss = a.sum() * 2 + b.sum()
    loss.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 2 + np.full((2, 3), np.e), rtol=1e-6)
    np.testing.assert_allclose(w.grad.asnumpy(), np.full((3, 1), 4.0))
    out = [nd.zeros((2, 1)), nd.zeros((2, 3))]
    assert op(x, w, out=out) is out and out[0].asnumpy().tolist() == [[3], [3]]
    assert isinstance(nd.CachedOp(sym.var("x") * 2)(x), nd.NDArray)
    with pytest.raises(mx.MXNetError, match="expected 2"):
        op(x)
    with pytest.raises(TypeError, match="colour"):
        op(x, w, colour="red")


def test_back_ends():
    s = sym.exp(sym.var("x"))
    for t in (s.get_backend_symbol("MKLDNN"), s.optimize_for("MKLDNN", args={}), s.optimize_for("mine")):
        assert t is not s and t.tojson() == s.tojson()
    with pytest.raises(mx.MXNetError, match="mine"):
        s.get_backend_symbol("mine")
    with pytest.raises(TypeError):
        s.optimize_for(3)
    with pytest.raises(mx.base.NotImplementedForSymbol):
        s.__nonzero__()


def test_names_at_the_top_and_modules_of_before():
    for name in ("is_np_array", "is_np_shape", "np_array", "np_shape", "set_np_shape", "use_np", "use_np_array", "use_np_shape"):
        assert getattr(mx, name) is getattr(util, name)
    assert nd.ndarray.NDArray is nd.utils.NDArray is nd.NDArray and sym.symbol.Symbol is sym.Symbol
    assert all(getattr(nd.ndarray, n) is getattr(nd, n) for n in nd.ndarray.__all__)
    assert all(getattr(nd.utils, n) is getattr(nd, n) for n in nd.utils.__all__)


def test_errors():
    @mx.error.register("other_name")
    class Mine(mx.MXNetError):
        pass
    assert mx.error.TYPES["other_name"] is Mine and mx.error.register("third", Mine) is Mine is mx.error.TYPES["third"]
    assert issubclass(mx.error.InternalError, mx.MXNetError) and "broken" in str(mx.error.InternalError("broken"))
    with pytest.raises(TypeError):
        mx.error.register("x", int)


def test_scopes_belong_to_threads():
    seen = {}

    def look():
        seen["context"] = mx.current_context()
        seen["attributes"] = mx.AttrScope.current.get(None)
        seen["name"] = mx.name.NameManager.current.get(None, "fc")
    with mx.Context("cpu", 3), mx.AttrScope(ctx_group="a"), mx.name.Prefix("p_"):
        assert mx.current_context() == mx.cpu(3) and mx.AttrScope.current.get(None) == {"ctx_group": "a"}
        assert mx.name.NameManager.current.get(None, "fc") == "p_fc0"
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == {"context": mx.cpu(0), "attributes": {}, "name": "fc0"} and mx.current_context() == mx.cpu(0)
    assert mx.cpu_pinned().device_type == "cpu_pinned" and nd.ones((1,), ctx=mx.cpu_pinned()).context == mx.cpu_pinned()


def test_onehot_encode():
    out = nd.full((3, 4), 7)
    assert nd.onehot_encode(nd.array([2, 0, 3]), out) is out
    np.testing.assert_array_equal(out.asnumpy(), np.eye(4)[[2, 0, 3]])
