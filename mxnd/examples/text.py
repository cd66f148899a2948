"""Tell from a sentence which Python module's documentation it is from: sparse logistic regression.

    python -m mxnd.examples.text [--epochs 12]

The sentences are rows of a csr array with a column for each word.  The weights are a row_sparse array with a
row for each word: a step computes gradients for the words of its few sentences only, and changes only their rows.
"""
import argparse
import sys
import time

import numpy as np

import mxnd as mx
from mxnd import autograd, nd

from . import corpus
from .progress import Progress

BATCH = 32
RATE = 8.0


def csr(rows, columns):
    """Rows of the corpus as a csr array."""
    return nd.sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(len(rows.labels), columns))


def scores(x, weight, bias):
    return nd.broadcast_add(nd.sparse.dot(x, weight), bias)


def train(rows, columns, classes, epochs, seed):
    """Gives the weights, the biases and how many rows of the weights a step changed on average."""
    mx.random.seed(seed)
    weight = nd.random.normal(0, 0.01, (columns, classes)).tostype("row_sparse")
    bias = nd.zeros((classes,))
    weight.attach_grad(stype="row_sparse")
    bias.attach_grad()
    order = np.random.RandomState(seed)
    steps = len(rows.labels) // BATCH
    changed = 0
    with Progress("text", epochs * steps) as progress:
        for epoch in range(epochs):
            mixed = order.permutation(len(rows.labels))
            rate = RATE / (1 + epoch)
            for step in range(steps):
                batch = corpus.choose(rows, mixed[step * BATCH:(step + 1) * BATCH])
                x, y = csr(batch, columns), nd.array(batch.labels)
                with autograd.record():
                    loss = -nd.pick(nd.log_softmax(scores(x, weight, bias)), y).mean()
                loss.backward()
                nd.sgd_update(weight, weight.grad, lr=rate, lazy_update=True, out=weight)
                nd.sgd_update(bias, bias.grad, lr=rate / 10, out=bias)
                changed += weight.grad.indices.shape[0]
                progress.step(f"epoch {epoch + 1}, loss {float(loss.asscalar()):.3f}")
    return weight, bias, changed / (epochs * steps)


def accuracy(rows, columns, weight, bias):
    said = scores(csr(rows, columns), weight, bias).asnumpy().argmax(1)
    return float((said == rows.labels).mean())


def main(argv=None):
    """Run the job; gives 0 when the words tell far more than the commonest module does."""
    options = argparse.ArgumentParser(prog="python -m mxnd.examples.text", description=__doc__.splitlines()[0])
    options.add_argument("--epochs", type=int, default=12, help="passes over the sentences (12)")
    options.add_argument("--seed", type=int, default=1, help="seed of weights and batches (1)")
    options = options.parse_args(argv)
    if options.epochs < 1:
        print("--epochs: expected 1 or more", file=sys.stderr)
        return 2
    train_rows, test_rows, words, topics = corpus.load()
    print(f"{len(train_rows.labels)} sentences to train with, {len(test_rows.labels)} to test with, {len(words)} words, "
          f"{len(topics)} modules; {len(train_rows.data) / len(train_rows.labels):.1f} words a sentence")

    start = time.perf_counter()
    weight, bias, changed = train(train_rows, len(words), len(topics), options.epochs, options.seed)
    print(f"trained for {time.perf_counter() - start:.1f} s; a step changed {changed:.0f} of {len(words)} rows of the weights")

    reached = accuracy(test_rows, len(words), weight, bias)
    commonest = np.bincount(train_rows.labels.astype(int)).argmax()
    baseline = float((test_rows.labels == commonest).mean())
    print(f"test sentences given to the right module: {reached:.1%} (always saying {topics[commonest]}: {baseline:.1%})")
    dense = weight.tostype("default").asnumpy()
    for label, topic in enumerate(topics):
        strongest = np.argsort(-dense[:, label])[:6]
        print(f"  {topic:<16}{', '.join(words[i] for i in strongest)}")
    return 0 if reached > 2 * baseline else 1


if __name__ == "__main__":
    sys.exit(main())
