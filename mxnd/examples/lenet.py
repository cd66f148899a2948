"""A network in the style of LeNet for images of 8 x 8 points, written twice: with arrays and as a symbol."""
import mxnd as mx
from mxnd import nd, sym

CLASSES = 10
CONV1 = dict(kernel=(3, 3), pad=(1, 1), num_filter=16)
CONV2 = dict(kernel=(3, 3), pad=(1, 1), num_filter=32)
POOL = dict(kernel=(2, 2), stride=(2, 2), pool_type="max")
HIDDEN = 64


def new_weights(seed):
    """Fresh weights by name: random ones for the layers, zeros for the biases."""
    mx.random.seed(seed)
    shapes = dict(conv1_weight=(16, 1, 3, 3), conv1_bias=(16,), conv2_weight=(32, 16, 3, 3), conv2_bias=(32,),
                  fc1_weight=(HIDDEN, 128), fc1_bias=(HIDDEN,), fc2_weight=(CLASSES, HIDDEN), fc2_bias=(CLASSES,))
    weights = {}
    for name, shape in shapes.items():
        if name.endswith("bias"):
            weights[name] = nd.zeros(shape)
        else:
            inputs = 1
            for n in shape[1:]:
                inputs *= n
            weights[name] = nd.random.normal(0, (2 / inputs) ** 0.5, shape)
    return weights


def forward(x, w):
    """Scores of the classes for a batch of images, one call of an operator after the other."""
    x = nd.Convolution(x, w["conv1_weight"], w["conv1_bias"], **CONV1)
    x = nd.Pooling(nd.relu(x), **POOL)
    x = nd.Convolution(x, w["conv2_weight"], w["conv2_bias"], **CONV2)
    x = nd.Pooling(nd.relu(x), **POOL)
    x = nd.FullyConnected(x, w["fc1_weight"], w["fc1_bias"], num_hidden=HIDDEN)
    x = nd.Dropout(nd.relu(x), p=0.3)
    return nd.FullyConnected(x, w["fc2_weight"], w["fc2_bias"], num_hidden=CLASSES)


def network():
    """The same network as a symbol that ends in the softmax and its loss."""
    x = sym.Convolution(sym.Variable("data"), name="conv1", **CONV1)
    x = sym.Pooling(sym.Activation(x, act_type="relu", name="relu1"), name="pool1", **POOL)
    x = sym.Convolution(x, name="conv2", **CONV2)
    x = sym.Pooling(sym.Activation(x, act_type="relu", name="relu2"), name="pool2", **POOL)
    x = sym.FullyConnected(x, num_hidden=HIDDEN, name="fc1")
    x = sym.Dropout(sym.Activation(x, act_type="relu", name="relu3"), p=0.3, name="drop")
    x = sym.FullyConnected(x, num_hidden=CLASSES, name="fc2")
    return sym.SoftmaxOutput(x, name="softmax")
