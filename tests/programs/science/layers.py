"""Layers of neural networks and other learners, forward and backward."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.programs.science.table import program


def _batch(n=8, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@program(lambda: (np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0]), 6, 0.5, 30))
def mlp_xor(x, y, hidden, rate, epochs):
    rng = np.random.default_rng(0)
    w1, b1 = rng.normal(size=(2, hidden)), np.zeros(hidden)
    w2, b2 = rng.normal(size=hidden), 0.0
    losses = []
    for _ in range(epochs):
        h = np.tanh(x @ w1 + b1)
        p = 1 / (1 + np.exp(-(h @ w2 + b2)))
        losses.append(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
        d = (p - y) / len(y)
        dh = np.outer(d, w2) * (1 - h**2)
        w2 -= rate * (h.T @ d)
        b2 -= rate * d.sum()
        w1 -= rate * (x.T @ dh)
        b1 -= rate * dh.sum(axis=0)
    return losses[0], losses[-1], np.round(p, 6)


@program(lambda: (_batch(2, 36).reshape(2, 1, 6, 6), _batch(3, 9, 1).reshape(3, 1, 3, 3), np.zeros(3), 1, 1))
def conv2d(x, w, b, stride, pad):
    n, c, h, width = x.shape
    f, _, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    oh, ow = (h + 2 * pad - kh) // stride + 1, (width + 2 * pad - kw) // stride + 1
    out = np.zeros((n, f, oh, ow))
    for i in range(oh):
        for j in range(ow):
            patch = xp[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            for k in range(f):
                out[:, k, i, j] = np.sum(patch * w[k], axis=(1, 2, 3)) + b[k]
    return np.maximum(out, 0)


@program(
    lambda: (_batch(5, 4), _batch(5, 4, 1), _batch(5, 4, 2), True),
    lambda: (_batch(5, 4), _batch(5, 4, 1), _batch(5, 4, 2), False),
)
def attention(q, k, v, causal):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    if causal:
        mask = np.triu(np.ones_like(scores, dtype=bool), k=1)
        scores = np.where(mask, -np.inf, scores)
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


@program(lambda: (_batch(), np.array([0, 1, 2, 3, 3, 2, 1, 0])))
def softmax_cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(labels))
    loss = -log_p[rows, labels].mean()
    gradient = np.exp(log_p)
    gradient[rows, labels] -= 1
    return loss, gradient / len(labels), (log_p.argmax(axis=1) == labels).mean()


class BatchNorm:
    def __init__(self, size, momentum=0.9):
        self.gamma, self.beta = np.ones(size), np.zeros(size)
        self.mean, self.var = np.zeros(size), np.ones(size)
        self.momentum = momentum

    def __call__(self, x, training):
        if training:
            mean, var = x.mean(axis=0), x.var(axis=0)
            self.mean = self.momentum * self.mean + (1 - self.momentum) * mean
            self.var = self.momentum * self.var + (1 - self.momentum) * var
        else:
            mean, var = self.mean, self.var
        return self.gamma * (x - mean) / np.sqrt(var + 1e-5) + self.beta


@program(lambda: (_batch(), 3))
def batch_norm(x, steps):
    layer = BatchNorm(x.shape[1])
    for _ in range(steps):
        y = layer(x, training=True)
    return y, layer(x, training=False), layer.mean


@program(lambda: (_batch(6, 3), np.zeros(5), _batch(5, 3, 1), _batch(5, 5, 2) * 0.3))
def recurrent_forward_backward(xs, h, wx, wh):
    states = [h]
    for x in xs:
        h = np.tanh(wx @ x + wh @ h)
        states.append(h)
    dwx, dwh = np.zeros_like(wx), np.zeros_like(wh)
    dh = np.ones(5)
    for t in reversed(range(len(xs))):
        dz = dh * (1 - states[t + 1] ** 2)
        dwx += np.outer(dz, xs[t])
        dwh += np.outer(dz, states[t])
        dh = wh.T @ dz
    for g in (dwx, dwh):
        np.clip(g, -1, 1, out=g)
    return h, dwx, dwh


@program(lambda: (_batch(1, 64).reshape(8, 8), 2))
def max_pool_with_indices(x, size):
    h, w = x.shape[0] // size, x.shape[1] // size
    out = np.empty((h, w))
    switches = np.zeros((h, w, 2), dtype=int)
    for i in range(h):
        for j in range(w):
            block = x[i * size : (i + 1) * size, j * size : (j + 1) * size]
            k = np.unravel_index(block.argmax(), block.shape)
            out[i, j] = block[k]
            switches[i, j] = i * size + k[0], j * size + k[1]
    return out, switches


@program(lambda: (_batch(12, 2), np.array([1, 1, -1, 1, -1, -1, 1, -1, 1, 1, -1, -1]), 20))
def perceptron(x, y, epochs):
    w, b = np.zeros(x.shape[1]), 0.0
    for epoch in range(epochs):
        mistakes = 0
        for xi, yi in zip(x, y):
            if yi * (w @ xi + b) <= 0:
                w += yi * xi
                b += yi
                mistakes += 1
        if mistakes == 0:
            break
    return w, b, epoch, mistakes


@program(lambda: (_batch(10, 3, 4), np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0])))
def decision_stump(x, y):
    best = {"error": 1.0}
    for feature in range(x.shape[1]):
        for threshold in np.sort(x[:, feature]):
            guess = (x[:, feature] > threshold).astype(int)
            for flip in (False, True):
                error = np.mean((1 - guess if flip else guess) != y)
                if error < best["error"]:
                    best = {"error": error, "feature": feature, "threshold": threshold, "flip": flip}
    return best


@program(lambda: (["good fun film", "bad dull film", "fun great"], ["pos", "neg", "pos"], "great dull fun"))
def naive_bayes_text(texts, labels, query):
    counts, priors = {}, Counter(labels)
    for text, label in zip(texts, labels):
        counts.setdefault(label, Counter()).update(text.split())
    vocabulary = {w for c in counts.values() for w in c}
    scores = {}
    for label, words in counts.items():
        total = sum(words.values()) + len(vocabulary)
        score = np.log(priors[label] / len(labels))
        for w in query.split():
            score += np.log((words[w] + 1) / total)
        scores[label] = score
    return max(scores, key=scores.get), scores


@program(
    lambda: (np.random.default_rng(5), _batch(6, 4, 6), 0.5, True),
    lambda: (np.random.default_rng(5), _batch(6, 4, 6), 0.5, False),
)
def dropout_residual_block(rng, x, rate, training):
    w = np.eye(4) * 0.5
    out = x
    for _ in range(3):
        h = np.maximum(out @ w, 0.1 * (out @ w))
        if training:
            keep = rng.random(h.shape) >= rate
            h = h * keep / (1 - rate)
        out = out + h
        mean, std = out.mean(axis=-1, keepdims=True), out.std(axis=-1, keepdims=True)
        out = (out - mean) / (std + 1e-6)
    return out


@program(lambda: (4, 3, 0.9, 0.5, 25, 3))
def q_learning(rows, columns, gamma, alpha, episodes, seed):
    rng = np.random.default_rng(seed)
    q = np.zeros((rows, columns, 4))
    moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    lengths = []
    for _ in range(episodes):
        state, steps = (0, 0), 0
        while state != (rows - 1, columns - 1) and steps < 40:
            action = int(rng.integers(4)) if rng.random() < 0.3 else int(np.argmax(q[state]))
            r = min(max(state[0] + moves[action][0], 0), rows - 1)
            c = min(max(state[1] + moves[action][1], 0), columns - 1)
            reward = 1.0 if (r, c) == (rows - 1, columns - 1) else -0.04
            q[state][action] += alpha * (reward + gamma * q[r, c].max() - q[state][action])
            state = (r, c)
            steps += 1
        lengths.append(steps)
    return lengths, q.max(axis=2)
