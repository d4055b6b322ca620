"""Hidden Markov models and Markov chains."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.science.table import program


def _casino():
    start = np.array([0.5, 0.5])
    trans = np.array([[0.95, 0.05], [0.1, 0.9]])
    emit = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    rolls = np.array([0, 1, 5, 5, 5, 2, 3, 5, 5, 1, 0, 4, 5, 5, 5, 5])
    return start, trans, emit, rolls


@program(_casino)
def forward(start, trans, emit, obs):
    alpha = start * emit[:, obs[0]]
    log_likelihood = 0.0
    for o in obs[1:]:
        scale = alpha.sum()
        log_likelihood += np.log(scale)
        alpha = (alpha / scale) @ trans * emit[:, o]
    return log_likelihood + np.log(alpha.sum()), alpha


@program(_casino)
def viterbi(start, trans, emit, obs):
    n, k = len(obs), len(start)
    score = np.zeros((n, k))
    back = np.zeros((n, k), dtype=int)
    score[0] = np.log(start) + np.log(emit[:, obs[0]])
    for t in range(1, n):
        for j in range(k):
            options = score[t - 1] + np.log(trans[:, j])
            back[t, j] = np.argmax(options)
            score[t, j] = options[back[t, j]] + np.log(emit[j, obs[t]])
    path = [int(np.argmax(score[-1]))]
    for t in range(n - 1, 0, -1):
        path.append(int(back[t, path[-1]]))
    path.reverse()
    return path, score[-1].max()


@program(_casino)
def forward_backward_posterior(start, trans, emit, obs):
    n, k = len(obs), len(start)
    alpha, beta = np.zeros((n, k)), np.ones((n, k))
    alpha[0] = start * emit[:, obs[0]]
    alpha[0] /= alpha[0].sum()
    for t in range(1, n):
        alpha[t] = (alpha[t - 1] @ trans) * emit[:, obs[t]]
        alpha[t] /= alpha[t].sum()
    for t in reversed(range(n - 1)):
        beta[t] = trans @ (emit[:, obs[t + 1]] * beta[t + 1])
        beta[t] /= beta[t].sum()
    posterior = alpha * beta
    posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, posterior.argmax(axis=1).tolist()


@program(lambda: (*_casino(), 3))
def baum_welch(start, trans, emit, obs, rounds):
    trans, emit = trans.copy(), emit.copy()
    n, k = len(obs), len(start)
    history = []
    for _ in range(rounds):
        alpha, beta, c = np.zeros((n, k)), np.zeros((n, k)), np.zeros(n)
        alpha[0] = start * emit[:, obs[0]]
        c[0] = alpha[0].sum()
        alpha[0] /= c[0]
        for t in range(1, n):
            alpha[t] = alpha[t - 1] @ trans * emit[:, obs[t]]
            c[t] = alpha[t].sum()
            alpha[t] /= c[t]
        beta[-1] = 1
        for t in range(n - 2, -1, -1):
            beta[t] = trans @ (emit[:, obs[t + 1]] * beta[t + 1]) / c[t + 1]
        gamma = alpha * beta
        xi = np.zeros((k, k))
        for t in range(n - 1):
            xi += np.outer(alpha[t], emit[:, obs[t + 1]] * beta[t + 1]) * trans / c[t + 1]
        trans = xi / xi.sum(axis=1, keepdims=True)
        for s in range(emit.shape[1]):
            emit[:, s] = gamma[obs == s].sum(axis=0) / gamma.sum(axis=0)
        history.append(float(np.log(c).sum()))
    return trans, emit, history


@program(lambda: (["walk", "shop", "clean", "clean", "walk"],), lambda: (["clean", "walk"],))
def viterbi_dicts(observations):
    states = ("Rainy", "Sunny")
    start_p = {"Rainy": 0.6, "Sunny": 0.4}
    trans_p = {"Rainy": {"Rainy": 0.7, "Sunny": 0.3}, "Sunny": {"Rainy": 0.4, "Sunny": 0.6}}
    emit_p = {
        "Rainy": {"walk": 0.1, "shop": 0.4, "clean": 0.5},
        "Sunny": {"walk": 0.6, "shop": 0.3, "clean": 0.1},
    }
    table = [{s: {"prob": start_p[s] * emit_p[s][observations[0]], "prev": None} for s in states}]
    for t in range(1, len(observations)):
        table.append({})
        for s in states:
            prev = max(states, key=lambda p: table[t - 1][p]["prob"] * trans_p[p][s])
            prob = table[t - 1][prev]["prob"] * trans_p[prev][s] * emit_p[s][observations[t]]
            table[t][s] = {"prob": prob, "prev": prev}
    best = max(states, key=lambda s: table[-1][s]["prob"])
    path = [best]
    for t in range(len(table) - 1, 0, -1):
        path.insert(0, table[t][path[0]]["prev"])
    return path, table[-1][best]["prob"]


@program(lambda: (np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]]), 1e-12))
def stationary_distribution(p, tol):
    pi = np.ones(len(p)) / len(p)
    steps = 0
    while True:
        new = pi @ p
        steps += 1
        if np.abs(new - pi).sum() < tol:
            return new, steps
        pi = new


@program(lambda: ("the cat sat on the mat the cat ran", "the", 8, 3))
def text_chain(text, word, length, seed):
    followers = {}
    words = text.split()
    for a, b in zip(words, words[1:]):
        followers.setdefault(a, []).append(b)
    out = [word]
    state = seed
    while len(out) < length:
        options = followers.get(out[-1])
        if not options:
            break
        state = (state * 1103515245 + 12345) % 2**31
        out.append(options[state % len(options)])
    return " ".join(out), followers


@program(lambda: (np.array([0, 1, 1, 2, 0, 1, 2, 2, 2, 0, 1]), 3))
def estimate_transitions(states, k):
    counts = {}
    for a, b in zip(states[:-1], states[1:]):
        key = (int(a), int(b))
        counts[key] = counts.get(key, 0) + 1
    matrix = np.zeros((k, k))
    for (a, b), n in counts.items():
        matrix[a, b] = n
    row_sums = matrix.sum(axis=1)
    for i in range(k):
        if row_sums[i] > 0:
            matrix[i] /= row_sums[i]
    return matrix, counts


@program(lambda: (np.array([[0.5, 0.5, 0.0, 0.0], [0.3, 0.2, 0.5, 0.0], [0.0, 0.4, 0.3, 0.3], [0, 0, 0, 1.0]]),))
def absorption_times(p):
    n = len(p)
    transient = [i for i in range(n) if p[i, i] < 1.0]
    q = p[np.ix_(transient, transient)]
    fundamental = np.linalg.inv(np.eye(len(transient)) - q)
    return {i: float(t) for i, t in zip(transient, fundamental.sum(axis=1))}


@program(lambda: (1, 6, 12, 0.48, 11))
def gamblers_ruin(start, target, max_games, p, seed):
    rng = np.random.default_rng(seed)
    results = []
    for _ in range(8):
        money = start
        for game in range(max_games):
            money += 1 if rng.random() < p else -1
            if money == 0 or money == target:
                break
        results.append((money, game + 1))
    wins = sum(1 for m, _ in results if m == target)
    return results, wins / len(results)


@program(lambda: ([1.2, 0.8, 1.1, 4.9, 5.2, 5.0, 1.0], (1.0, 5.0), 0.5, 0.9))
def gaussian_hmm_filter(values, means, sd, stay):
    belief = [0.5, 0.5]
    labels = []
    for v in values:
        predicted = [stay * belief[0] + (1 - stay) * belief[1], stay * belief[1] + (1 - stay) * belief[0]]
        like = [math.exp(-0.5 * ((v - m) / sd) ** 2) / (sd * math.sqrt(2 * math.pi)) for m in means]
        joint = [a * b for a, b in zip(predicted, like)]
        total = sum(joint)
        belief = [j / total for j in joint]
        labels.append("high" if belief[1] > 0.5 else "low")
    return labels, belief
