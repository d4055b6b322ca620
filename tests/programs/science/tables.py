"""Tables: group by, sort, pivot, rolling statistics, joins."""

from __future__ import annotations

import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, namedtuple

import numpy as np

from tests.programs.science.table import program


def _sales():
    return [
        {"region": "north", "item": "pen", "units": 10, "price": 1.5},
        {"region": "south", "item": "pen", "units": 4, "price": 1.6},
        {"region": "north", "item": "ink", "units": 2, "price": 7.0},
        {"region": "east", "item": "pen", "units": 7, "price": 1.4},
        {"region": "south", "item": "ink", "units": 3, "price": 6.5},
    ]


@program(lambda: (_sales(),))
def revenue_by_region(rows):
    totals = {}
    for row in rows:
        totals.setdefault(row["region"], 0.0)
        totals[row["region"]] += row["units"] * row["price"]
    return dict(sorted(totals.items(), key=lambda kv: kv[1], reverse=True))


@program(lambda: (_sales(),))
def pivot(rows):
    items = sorted({row["item"] for row in rows})
    table = {}
    for row in rows:
        line = table.setdefault(row["region"], dict.fromkeys(items, 0))
        line[row["item"]] += row["units"]
    return items, [[region] + [line[i] for i in items] for region, line in sorted(table.items())]


@program(lambda: (np.array([2, 0, 1, 2, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
def group_means(keys, values):
    groups = {}
    for k, v in zip(keys, values):
        groups.setdefault(int(k), []).append(float(v))
    return {k: sum(v) / len(v) for k, v in sorted(groups.items())}


@program(lambda: (np.array([2, 0, 1, 2, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
def group_statistics_numpy(keys, values):
    unique, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, weights=values)
    spread = np.zeros(len(unique))
    for i in range(len(unique)):
        member = values[inverse == i]
        spread[i] = member.max() - member.min()
    return unique, sums / counts, spread


@program(lambda: (np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]), 3))
def rolling(values, width):
    means, highs = [], []
    for i in range(len(values)):
        window = values[max(0, i - width + 1) : i + 1]
        means.append(window.mean())
        highs.append(window.max())
    return np.array(means), np.array(highs)


@program(lambda: ([(1, "ann"), (2, "bob"), (4, "cat")], [(1, 30.0), (1, 12.5), (2, 8.0), (3, 1.0)]))
def inner_join(people, payments):
    index = defaultdict(list)
    for key, amount in payments:
        index[key].append(amount)
    joined = []
    for key, name in people:
        for amount in index.get(key, []):
            joined.append((name, amount))
    missing = [name for key, name in people if key not in index]
    return joined, missing


@program(lambda: (np.array([1, 3, 5, 7, 9]), np.array([3, 4, 5, 9, 10])))
def sorted_merge_join(a, b):
    i = j = 0
    pairs = []
    while i < len(a) and j < len(b):
        if a[i] < b[j]:
            i += 1
        elif a[i] > b[j]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


@program(lambda: ([("eva", 31, 1.68), ("ben", 25, 1.80), ("amy", 31, 1.75), ("dan", 25, 1.62)],))
def sort_by_several_keys(records):
    Person = namedtuple("Person", "name age height")
    people = [Person(*r) for r in records]
    by_age = sorted(people, key=operator.attrgetter("age", "name"))
    groups = {age: [p.name for p in g] for age, g in itertools.groupby(by_age, key=lambda p: p.age)}
    tallest = max(people, key=lambda p: p.height)
    return [p.name for p in by_age], groups, tallest.name


@program(lambda: ({"a": [1.0, 2.0, 3.0], "b": [2.0, None, 6.0], "c": [5.0, 5.0, 5.0]},))
def column_summary(table):
    summary = OrderedDict()
    for name, column in table.items():
        present = [v for v in column if v is not None]
        mean = sum(present) / len(present)
        variance = sum((v - mean) ** 2 for v in present) / max(1, len(present) - 1)
        summary[name] = {"n": len(present), "mean": mean, "sd": variance**0.5}
    return summary


@program(lambda: (np.array([5.0, 1.0, 3.0, 3.0, 2.0]),))
def ranks_with_ties(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    ranks = [0.0] * len(x)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and x[order[j + 1]] == x[order[i]]:
            j += 1
        for k in range(i, j + 1):
            ranks[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return ranks


@program(lambda: (np.array([0, 1, 1, 2, 0, 2, 2]), np.array([1, 1, 0, 2, 0, 2, 1]), 3))
def confusion_matrix(truth, guess, k):
    m = np.zeros((k, k), dtype=int)
    for t, g in zip(truth, guess):
        m[t, g] += 1
    report = []
    for c in range(k):
        tp = m[c, c]
        precision = tp / m[:, c].sum() if m[:, c].sum() else 0.0
        recall = tp / m[c].sum() if m[c].sum() else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        report.append((precision, recall, f1))
    return m, report


@program(lambda: ([["milk", "bread"], ["milk", "eggs"], ["milk", "bread", "eggs"], ["bread"]], 2))
def frequent_pairs(baskets, support):
    singles = Counter(itertools.chain.from_iterable(baskets))
    frequent = {i for i, n in singles.items() if n >= support}
    pairs = Counter()
    for basket in baskets:
        for pair in itertools.combinations(sorted(frequent & set(basket)), 2):
            pairs[pair] += 1
    return {p: n for p, n in pairs.items() if n >= support}


@program(lambda: ([3, 1, 2, 3, 1, 7, 3],), lambda: (np.array([5, 5, 2, 2]),))
def unique_in_order(values):
    seen = set()
    out = []
    for v in values:
        if v not in seen:
            seen.add(v)
            out.append(v)
    return out


@program(lambda: (np.array([3, 3, 4, 4, 4, 7]),), lambda: (np.array([1]),))
def mode_with_counter(values):
    counts = Counter(values.tolist())
    top = max(counts.values())
    return sorted(k for k, n in counts.items() if n == top)


@program(lambda: (np.array([15, 22, 37, 41, 58, 63]), [0, 20, 40, 60], ["teen", "young", "middle", "senior"]))
def cut_into_bins(ages, edges, labels):
    groups = {label: [] for label in labels}
    for age in ages:
        for edge, label in reversed(list(zip(edges, labels))):
            if age >= edge:
                groups[label].append(int(age))
                break
    return groups


@program(lambda: ([("2024-01", 10.0), ("2024-02", 12.0), ("2024-03", 9.0)],))
def cumulative_and_change(rows):
    out, total, previous = [], 0.0, None
    for month, value in rows:
        total += value
        change = None if previous is None else (value - previous) / previous
        out.append({"month": month, "total": total, "change": change})
        previous = value
    return out
