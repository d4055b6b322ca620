"""Layers and steps of machine learning."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def softmax_mlp(samples, w1, b1, w2, b2):
    """The class probabilities, of shape (samples, classes)."""
    probabilities = np.empty((samples.shape[0], b2.shape[0]))
    for i in range(samples.shape[0]):
        hidden = np.tanh(samples[i] @ w1 + b1)
        logits = hidden @ w2 + b2
        weights = np.exp(logits - np.max(logits))
        probabilities[i] = weights / np.sum(weights)
    return probabilities


def softmax_mlp_arguments(count, inputs, units, classes):
    """Random samples and weights, scaled so that few units saturate."""
    rng = generator()
    w1 = rng.standard_normal((inputs, units)) / np.sqrt(inputs)
    w2 = rng.standard_normal((units, classes)) / np.sqrt(units)
    return rng.standard_normal((count, inputs)), w1, rng.standard_normal(units), w2, rng.standard_normal(classes)


def layer_norm(x, scale, shift):
    """Rows of mean 0 and variance 1, scaled and shifted."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift


def attention(q, k, v):
    """Scaled attention of several heads."""
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ v


def gelu(x):
    """The smooth rectifier by its formula with a hyperbolic tangent."""
    return 0.5 * x * (1.0 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def convolution_layer(images, weights):
    """A layer of 3 × 3 convolutions with a rectifier, as nine matrix products."""
    b, m, n = images.shape[:3]
    out = np.zeros((b, m - 2, n - 2, weights.shape[3]))
    for i in range(3):
        for j in range(3):
            out += images[:, i : m - 2 + i, j : n - 2 + j, :] @ weights[i, j]
    return np.maximum(out, 0.0)


def cross_entropy(logits, labels):
    """The mean loss of a softmax classifier, and its gradient."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    weights = np.exp(shifted)
    sums = weights.sum(axis=1, keepdims=True)
    hot = (labels[:, None] == np.arange(logits.shape[1])[None, :]).astype(logits.dtype)
    loss = -((shifted - np.log(sums)) * hot).sum() / logits.shape[0]
    return loss, (weights / sums - hot) / logits.shape[0]


def adam_step(weights, gradient, first, second, rate):
    """One step of the optimiser Adam, in place."""
    first *= 0.9
    first += 0.1 * gradient
    second *= 0.999
    second += 0.001 * gradient**2
    weights -= rate * first / (np.sqrt(second) + 1e-8)
    return weights, first, second


def recurrent_layer(x, w, u, b):
    """A gated recurrent layer over the steps of a sequence."""
    hidden = np.zeros(b.shape[0])
    out = np.zeros((x.shape[0], b.shape[0]))
    for t in range(x.shape[0]):
        gate = 1.0 / (1.0 + np.exp(-(x[t] @ w + hidden @ u + b)))
        hidden = gate * hidden + (1.0 - gate) * np.tanh(x[t] @ w)
        out[t] = hidden
    return out


def decision_tree(samples, feature, threshold, left, right, value):
    """The prediction of a decision tree for each sample, node by node."""
    out = np.zeros(samples.shape[0])
    for i in range(samples.shape[0]):
        node = 0
        while left[node] >= 0:
            if samples[i, feature[node]] <= threshold[node]:
                node = left[node]
            else:
                node = right[node]
        out[i] = value[node]
    return out


def decision_tree_arguments(n, depth):
    """Samples of eight features, and a full tree."""
    rng = generator()
    nodes = 2 ** (depth + 1) - 1
    at = np.arange(nodes)
    inner = at < nodes // 2
    left, right = np.where(inner, 2 * at + 1, -1), np.where(inner, 2 * at + 2, -1)
    return rng.random((n, 8)), rng.integers(0, 8, nodes), rng.random(nodes), left, right, rng.random(nodes)


KERNELS = (
    Kernel(softmax_mlp, "arrays", softmax_mlp_arguments, (3, 4, 5, 3), (20, 16, 32, 10), (4000, 64, 128, 10)),
    Kernel(
        layer_norm,
        "arrays",
        lambda n, k: (generator().random((n, k)), np.ones(k), np.zeros(k)),
        (4, 3),
        (32, 64),
        (2000, 512),
        same_in_jax=True,
    ),
    Kernel(
        attention,
        "arrays",
        lambda h, n, d: (*generator().random((3, h, n, d)),),
        (2, 3, 4),
        (4, 20, 16),
        (8, 160, 64),
        same_in_jax=True,
    ),
    Kernel(gelu, "arrays", lambda n: (generator().standard_normal(n),), (8,), (3000,), (1_000_000,), same_in_jax=True),
    Kernel(
        convolution_layer,
        "arrays",
        lambda b, n, c: (generator().random((b, n, n, c)), generator().standard_normal((3, 3, c, c))),
        (1, 4, 2),
        (2, 10, 4),
        (8, 48, 16),
        same_in_jax=True,
    ),
    Kernel(
        cross_entropy,
        "arrays",
        lambda n, k: (generator().standard_normal((n, k)), generator().integers(0, k, n)),
        (4, 3),
        (40, 10),
        (10_000, 100),
        same_in_jax=True,
    ),
    Kernel(adam_step, "arrays", lambda n: (*generator().random((4, n)), 1e-3), (8,), (3000,), (500_000,)),
    Kernel(
        recurrent_layer,
        "arrays",
        lambda t, n: (generator().standard_normal((t, n)), *generator().standard_normal((2, n, n)) / n, np.zeros(n)),
        (3, 4),
        (20, 16),
        (1000, 64),
    ),
    Kernel(decision_tree, "elements", decision_tree_arguments, (5, 2), (40, 5), (10_000, 8)),
)
