"""Chemistry and biology."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from tests.programs.science.table import program

CODONS = {
    "AUG": "M",
    "UUU": "F",
    "UUC": "F",
    "GGU": "G",
    "GGC": "G",
    "UAU": "Y",
    "AAA": "K",
    "UAA": "*",
    "UAG": "*",
    "UGA": "*",
}


@program(lambda: (np.array([0.5, 1.0, 2.0, 5.0, 10.0]), 2.0, 1.5, 0.8))
def michaelis_menten_with_inhibitor(s, vmax, km, inhibitor):
    rates = []
    for c in s:
        competitive = vmax * c / (km * (1 + inhibitor / 0.5) + c)
        rates.append(competitive)
    slope, intercept = np.polyfit(1 / s, 1 / np.array(rates), 1)
    return rates, 1 / intercept, slope / intercept


@program(
    lambda: (np.random.default_rng(0), 30, 0, 2.0, 0.1, 3.0), lambda: (np.random.default_rng(1), 5, 2, 2.0, 0.1, 3.0)
)
def gillespie(rng, a, b, k1, k2, t_end):
    t = 0.0
    history = [(t, a, b)]
    while t < t_end:
        r1, r2 = k1 * a, k2 * b
        total = r1 + r2
        if total == 0:
            break
        t += -math.log(1 - rng.random()) / total
        if rng.random() * total < r1:
            a, b = a - 1, b + 1
        else:
            a, b = a + 1, b - 1
        history.append((t, a, b))
    return len(history), history[-1]


@program(lambda: (10.0, 5.0, (1.1, 0.4, 0.1, 0.4), 0.01, 300))
def lotka_volterra(prey, predators, rates, dt, steps):
    alpha, beta, delta, gamma = rates
    peaks = []
    before = growing = None
    for i in range(steps):
        prey += dt * (alpha * prey - beta * prey * predators)
        predators += dt * (delta * prey * predators - gamma * predators)
        if before is not None:
            rising = predators > before
            if growing and not rising:
                peaks.append(i * dt)
            growing = rising
        before = predators
    return prey, predators, peaks


@program(lambda: ("GGAUGUUUGGCAAAUAAGG",), lambda: ("GGCC",))
def translate_codons(rna):
    start = rna.find("AUG")
    if start < 0:
        return None
    protein = []
    for i in range(start, len(rna) - 2, 3):
        amino = CODONS.get(rna[i : i + 3], "?")
        if amino == "*":
            break
        protein.append(amino)
    return "".join(protein)


@program(lambda: ("ATGCGCGATATATGCGC", 6))
def gc_content_windows(dna, width):
    windows = []
    for i in range(len(dna) - width + 1):
        part = dna[i : i + width]
        windows.append((part.count("G") + part.count("C")) / width)
    return windows, max(range(len(windows)), key=windows.__getitem__)


@program(lambda: (np.frombuffer(b"ATGCGCGATATATGCGC", dtype=np.uint8), 5))
def gc_content_of_codes(codes, width):
    best, where = -1.0, -1
    for i in range(len(codes) - width + 1):
        n = 0
        for c in codes[i : i + width]:
            if c == ord("G") or c == ord("C"):
                n += 1
        if n / width > best:
            best, where = n / width, i
    return best, where


@program(lambda: ("ATTGCC",))
def reverse_complement(dna):
    pairs = {"A": "T", "T": "A", "G": "C", "C": "G"}
    return "".join(pairs[b] for b in reversed(dna)), dna.translate(str.maketrans("ATGC", "TACG"))[::-1]


@program(lambda: ({"AA": 30, "Aa": 50, "aa": 20},), lambda: ({"AA": 1, "Aa": 0, "aa": 3},))
def hardy_weinberg(observed):
    n = sum(observed.values())
    p = (2 * observed["AA"] + observed["Aa"]) / (2 * n)
    expected = {"AA": p * p * n, "Aa": 2 * p * (1 - p) * n, "aa": (1 - p) ** 2 * n}
    chi2 = sum((observed[g] - expected[g]) ** 2 / expected[g] for g in observed)
    return p, expected, chi2, chi2 < 3.84


@program(lambda: (50, 0.3, 40, 5), lambda: (10, 0.5, 40, 6))
def wright_fisher(population, frequency, generations, seed):
    rng = np.random.default_rng(seed)
    trajectory = [frequency]
    for generation in range(generations):
        frequency = rng.binomial(2 * population, frequency) / (2 * population)
        trajectory.append(frequency)
        if frequency in (0.0, 1.0):
            return trajectory, generation, "fixed" if frequency else "lost"
    return trajectory, generations, "segregating"


@program(lambda: ("ACGTACGTGACG", 3))
def kmer_spectrum(dna, k):
    counts = Counter(dna[i : i + k] for i in range(len(dna) - k + 1))
    graph = defaultdict(list)
    for kmer in counts:
        graph[kmer[:-1]].append(kmer[1:])
    return counts.most_common(3), {node: sorted(out) for node, out in graph.items()}


@program(lambda: (np.array([[0, 5, 9, 9], [5, 0, 10, 10], [9, 10, 0, 8], [9, 10, 8, 0.0]]), ["a", "b", "c", "d"]))
def upgma(distance, names):
    sizes = [1] * len(names)
    d = distance.copy()
    np.fill_diagonal(d, np.inf)
    heights = []
    while len(names) > 1:
        i, j = sorted(int(v) for v in np.unravel_index(np.argmin(d), d.shape))
        heights.append(d[i, j] / 2)
        merged = (sizes[i] * d[i] + sizes[j] * d[j]) / (sizes[i] + sizes[j])
        d[i], d[:, i] = merged, merged
        d[i, i] = np.inf
        d = np.delete(np.delete(d, j, axis=0), j, axis=1)
        names = [*names[:i], f"({names[i]},{names[j]})", *names[i + 1 : j], *names[j + 1 :]]
        sizes[i] += sizes.pop(j)
    return names[0], heights


@program(lambda: ("C6H12O6",), lambda: ("Ca(OH)2",), lambda: ("Xy2",))
def molar_mass(formula):
    weights = {"H": 1.008, "C": 12.011, "O": 15.999, "Ca": 40.078, "N": 14.007}
    stack = [{}]
    i = 0
    while i < len(formula):
        c = formula[i]
        i += 1
        if c == "(":
            stack.append({})
            continue
        if c == ")":
            group = stack.pop()
        else:
            while i < len(formula) and formula[i].islower():
                c += formula[i]
                i += 1
            group = {c: 1}
        digits = ""
        while i < len(formula) and formula[i].isdigit():
            digits += formula[i]
            i += 1
        for element, n in group.items():
            stack[-1][element] = stack[-1].get(element, 0) + n * int(digits or 1)
    return sum(weights[e] * n for e, n in stack[0].items()), stack[0]


@dataclass
class Compartment:
    name: str
    amount: float
    rate: float


@program(lambda: ([Compartment("gut", 100.0, 1.0), Compartment("blood", 0.0, 0.2)], 0.05, 100))
def pharmacokinetics(chain, dt, steps):
    peak, when = 0.0, 0.0
    for i in range(steps):
        flows = [c.amount * c.rate * dt for c in chain]
        for k, flow in enumerate(flows):
            chain[k].amount -= flow
            if k + 1 < len(chain):
                chain[k + 1].amount += flow
        if chain[1].amount > peak:
            peak, when = chain[1].amount, i * dt
    return peak, when, {c.name: c.amount for c in chain}


@program(lambda: (0.1, 1.8e-5), lambda: (1e-6, 1e-3))
def weak_acid_ph(concentration, ka):
    low, high = 0.0, 14.0
    while high - low > 1e-9:
        ph = (low + high) / 2
        h = 10.0**-ph
        charge = h - 1e-14 / h - concentration * ka / (ka + h)
        if charge > 0:
            low = ph
        else:
            high = ph
    return round(ph, 6)
