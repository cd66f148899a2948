"""Recognise handwritten digits: train one network with arrays and autograd, and once more as a bound symbol.

    python -m mxnd.examples.digits [--epochs 25] [--out folder]

Both are saved as MXNet checkpoints, loaded back and tried again; a picture shows how the losses fell and
what the network says of some test images.
"""
import argparse
import sys
import time
from pathlib import Path

import numpy as np

import mxnd as mx
from mxnd import autograd, nd
from mxnd.datasets import digits

from .lenet import forward, network, new_weights
from .picture import BLUE, GREEN, GREY, ORANGE, RED, Canvas, curves
from .progress import Progress

GOAL = 0.98
BATCH = 32


def batches(count, epochs, seed):
    """Indices of the images of each batch; every epoch shuffles them anew and leaves the last few out."""
    order = np.random.RandomState(seed)
    for epoch in range(epochs):
        mixed = order.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            yield epoch, mixed[start:start + BATCH]


def rate(epoch, epochs, first):
    """The learning rate: it falls to a tenth for the last third."""
    return first if epoch < 2 * epochs // 3 else first / 10


def bar(title, data, epochs):
    return Progress(title, epochs * (len(data.train_labels) // BATCH))


def train_with_arrays(data, epochs, seed):
    """Record each step, go backward, update with Adam.  Gives the weights and the losses."""
    weights = new_weights(seed)
    states = {}
    for name, w in weights.items():
        w.attach_grad()
        states[name] = nd.zeros(w.shape), nd.zeros(w.shape)
    losses = []
    with bar("arrays  ", data, epochs) as progress:
        for epoch, chosen in batches(len(data.train_labels), epochs, seed):
            x, y = nd.array(data.train_images[chosen]), nd.array(data.train_labels[chosen])
            with autograd.record():
                loss = -nd.pick(nd.log_softmax(forward(x, weights)), y).mean()
            loss.backward()
            for name, w in weights.items():
                nd.adam_update(w, w.grad, *states[name], lr=rate(epoch, epochs, 0.002), out=w)
            losses.append(float(loss.asscalar()))
            progress.step(f"epoch {epoch + 1}, loss {losses[-1]:.3f}")
    return weights, losses


def train_as_symbol(data, epochs, seed):
    """Bind the symbol once, then forward, backward and an update with momentum per batch."""
    executor = network().simple_bind(mx.cpu(), data=(BATCH, 1, 8, 8), softmax_label=(BATCH,))
    weights = executor.arg_dict
    executor.copy_params_from(new_weights(seed))
    momenta = {name: nd.zeros(g.shape) for name, g in executor.grad_dict.items() if name not in ("data", "softmax_label")}
    losses = []
    with bar("symbol  ", data, epochs) as progress:
        for epoch, chosen in batches(len(data.train_labels), epochs, seed):
            label = data.train_labels[chosen]
            executor.forward(is_train=True, data=nd.array(data.train_images[chosen]), softmax_label=nd.array(label))
            executor.backward()
            for name, momentum in momenta.items():
                nd.sgd_mom_update(weights[name], executor.grad_dict[name], momentum, lr=rate(epoch, epochs, 0.03),
                                  momentum=0.9, wd=1e-4, rescale_grad=1 / BATCH, out=weights[name])
            right = executor.outputs[0].asnumpy()[np.arange(BATCH), label.astype(int)]
            losses.append(float(-np.log(np.maximum(right, 1e-30)).mean()))
            progress.step(f"epoch {epoch + 1}, loss {losses[-1]:.3f}")
    return {name: weights[name] for name in momenta}, losses


def accuracy_of_arrays(data, weights):
    scores = forward(nd.array(data.test_images), weights).asnumpy()
    return float((scores.argmax(1) == data.test_labels).mean())


def predictions(data, symbol, weights):
    """What a symbol with these weights says of the test images: a class each."""
    count = len(data.test_labels)
    executor = symbol.bind(mx.cpu(), {"data": nd.array(data.test_images), "softmax_label": nd.zeros((count,)), **weights},
                           grad_req="null")
    return executor.forward(is_train=False)[0].asnumpy().argmax(1)


def smooth(losses, width=20):
    """Means over some batches, so that a curve can be read."""
    return [max(float(np.mean(losses[max(0, i - width):i + 1])), 1e-4) for i in range(len(losses))]


def draw(fname, data, losses, predicted):
    """The falling losses, and test images with what the network says: wrong ones first, in red."""
    canvas = Canvas(760, 640)
    canvas.text(20, 14, "handwritten digits", scale=3)
    curves(canvas, 70, 70, 660, 220, [("arrays, adam", BLUE, smooth(losses[0])), ("symbol, sgd", ORANGE, smooth(losses[1]))],
           "training loss")
    wrong = predicted != data.test_labels
    shown = np.argsort(~wrong, kind="stable")[:36]
    canvas.text(20, 312, f"test images and what the symbol says (in brackets: the truth). {wrong.sum()} of {len(wrong)} wrong")
    for i, k in enumerate(shown):
        x, y = 20 + 60 * (i % 12), 334 + 98 * (i // 12)
        canvas.image(x, y, data.test_images[k, 0], 6)
        canvas.frame(x - 1, y - 1, 50, 50, RED if wrong[k] else GREY)
        said = f"{predicted[k]} ({data.test_labels[k]:.0f})" if wrong[k] else f"{predicted[k]}"
        canvas.text(x + 24 - 4 * len(said), y + 56, said, RED if wrong[k] else GREEN)
    canvas.save(fname)


def main(argv=None):
    """Run the whole job; gives 0 when both networks reach the goal."""
    options = argparse.ArgumentParser(prog="python -m mxnd.examples.digits", description=__doc__.splitlines()[0])
    options.add_argument("--epochs", type=int, default=25, help="passes over the training images (25)")
    options.add_argument("--seed", type=int, default=1, help="seed of weights and batches (1)")
    options.add_argument("--out", type=Path, default=Path("digits-out"), help="folder for the results (digits-out)")
    options = options.parse_args(argv)
    if options.epochs < 1:
        print("--epochs: expected 1 or more", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    data = digits()
    print(f"{len(data.train_labels)} images to train with, {len(data.test_labels)} to test with")

    symbol, all_losses, reached = network(), [], True
    for title, train in (("arrays", train_with_arrays), ("symbol", train_as_symbol)):
        start = time.perf_counter()
        weights, losses = train(data, options.epochs, options.seed)
        seconds = time.perf_counter() - start
        all_losses.append(losses)
        accuracy = float((predictions(data, symbol, weights) == data.test_labels).mean())
        if title == "arrays" and accuracy_of_arrays(data, weights) != accuracy:
            print("the arrays and the symbol do not agree about the same weights", file=sys.stderr)
            return 1
        print(f"{title}: {accuracy:.2%} of the test images right after {seconds:.1f} s")
        reached &= accuracy >= GOAL

        prefix = str(options.out / f"digits-{title}")
        mx.model.save_checkpoint(prefix, options.epochs, symbol, weights, {})
        loaded, arguments, _ = mx.model.load_checkpoint(prefix, options.epochs)
        predicted = predictions(data, loaded, arguments)
        again = float((predicted == data.test_labels).mean())
        print(f"  saved {prefix}-symbol.json and {prefix}-{options.epochs:04d}.params, loaded them: {again:.2%}")
        if again != accuracy:
            print("the loaded network is not the one that was saved", file=sys.stderr)
            return 1

    picture = options.out / "digits.png"
    draw(picture, data, all_losses, predicted)
    print(f"drew {picture}")
    if not reached:
        print(f"fewer than {GOAL:.0%} right", file=sys.stderr)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
