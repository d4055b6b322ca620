"""Dicts and sets whose keys are known only at run time."""

from __future__ import annotations

import collections
import copy
from collections import Counter, defaultdict

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedOperationError, configure, jit
from tests.equivalence import check, check_calls
from tests.program_table import Program, Table

case = Table()
WORDS = np.random.default_rng(0).integers(0, 20, 50)
FLOATS = np.round(np.random.default_rng(1).normal(size=40), 1)


@case((WORDS,))
def del_(ws):
    d = {}
    for w in ws:
        d[w] = w * 2
    for w in ws[:10]:
        d.pop(w, None)
    return d


@case((WORDS[:9],), (WORDS[:0],), (np.array([4, 5, 4]),))
def first_items_of_views(ws):
    d = {}
    for w in ws:
        d[w] = w * 2
    try:
        (k, v), (_, w) = d.items()
        found = k, v, w
    except ValueError as error:
        found = str(error)
    values = iter(d.values())
    first = next(iter(d.items()), None)
    try:
        return found, first, next(values), next(values)
    except StopIteration:
        return found, first


@case((WORDS[:9],))
def filled_anew(ws):
    d, s, line, all_of_it = {}, set(), [], []
    for w in ws:
        if w > 3:
            d[w] = w
            s.add(w)
            line.append(w)
            all_of_it.append(w)
    for w in ws:
        if w > 12:
            line.__init__(range(w))
    d.__init__({ws[0]: 5, 99: 2})
    s.__init__([w % 3 for w in ws])
    all_of_it.__init__(all_of_it)
    try:
        line.__init__(1, 2)
    except TypeError as error:
        return d, sorted(s), line, all_of_it, str(error)


@case((WORDS,))
def pop_(ws):
    d = {}
    for w in ws:
        d[w] = w * 2
    s = 0
    for w in ws[:10]:
        s += d.pop(w, 0)
    k, v = d.popitem()
    return d, s, k, v


@case((WORDS,))
def keyerr(ws):
    d = {}
    for w in ws:
        d[w] = 1
    return d[ws[0] + 100]


@case((WORDS,))
def keyerr2(ws):
    d = {}
    for w in ws:
        d[int(w)] = 1
    del d[int(ws[0]) + 100]


@case((FLOATS,))
def floats(fs):
    d = {}
    for x in fs:
        d[x] = d.get(x, 0.0) + x
    return d, 0.5 in d, len(d)


@case((WORDS, FLOATS))
def mixed(ws, fs):
    d = {}
    for w in ws:
        d[int(w)] = 1
    for x in fs:
        d[float(x)] = d.get(float(x), 0) + 1
    return d


@case((WORDS[:5],))
def beside_arrays(ws):
    counts = {}
    for w in ws:
        counts[w] = 1
    found = {w for w in ws}
    two = ws[:2]
    return counts == two, counts != two, found == two, found != two, found != set(two), counts != {}


@case((WORDS,))
def changed(ws):
    d = {}
    for w in ws:
        d[w] = 1
    for k in d:
        d[k + 1] = 2
    return d


@case((WORDS,))
def items(ws):
    d = {}
    for w in ws:
        d[w] = d.get(w, 0) + 1
    t = 0
    for k, v in d.items():
        t += k * v
    for k in d:
        d[k] = d[k] * 2
    best = max(d.values())
    m = min(d.keys())
    total = sum(d.values())
    return t, best, m, total, sorted(d), list(d.items())


@case((WORDS,))
def maxkey(ws):
    d = {}
    for w in ws:
        d[int(w)] = d.get(int(w), 0) + 1
    return max(d, key=d.get), sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))


@case((WORDS,))
def comp(ws):
    d = {w: i for i, w in enumerate(ws)}
    e = {k: v for k, v in d.items() if v > 3}
    s = {int(w) % 7 for w in ws}
    return d, e, s, len(s)


@case((WORDS,))
def setd(ws):
    d = {}
    for w in ws:
        d.setdefault(w, 0)
        d[w] += 2
    return d


@case((WORDS,))
def eq(ws):
    d = {}
    e = {}
    for w in ws:
        d[w] = 1
    for w in ws[::-1]:
        e[w] = 1
    return d == e, d != e, d == {1: 2}


@case((WORDS,))
def sets(ws):
    a = set()
    b = set()
    for w in ws[:20]:
        a.add(int(w))
    for w in ws[20:40]:
        b.add(int(w))
    return len(a | b), len(a & b), len(a - b), len(a ^ b), a <= b, a == b, sorted(a & b), a.isdisjoint(b)


@case((WORDS,))
def setrem(ws):
    a = set(ws.tolist())
    for w in ws[:5]:
        a.discard(int(w))
    a.remove(int(ws[20]))
    return sorted(a), (3 in a)


@case((WORDS,))
def setremerr(ws):
    a = set()
    for w in ws[:5]:
        a.add(int(w))
    a.remove(int(ws[0]) + 100)
    return len(a)


@case((WORDS,))
def counter(ws):
    c = Counter(ws.tolist())
    c.update([1, 2, 3])
    return c, c[99], c.total(), c.most_common(2), c.most_common()


@case((WORDS,))
def dd(ws):
    d = defaultdict(lambda: 5)
    for w in ws:
        d[w] -= 1
    return d[100], dict(d), len(d)


@case((WORDS,))
def fk(ws):
    d = dict.fromkeys(ws.tolist(), 0)
    for w in ws:
        d[int(w)] += 1
    return d


@case((WORDS,))
def branch(ws):
    d = {}
    if ws[0] > 5:
        d[ws[0]] = 1
    else:
        d[ws[1]] = 2
    if len(d) > 0 and ws[1] in d:
        d.clear()
    if not d:
        d[3] = 4
    return d


@case((5,))
def nested(n):
    grid = {}
    for i in range(n):
        for j in range(n):
            grid[i, j] = i * j
    s = 0
    for i in range(n):
        for j in range(n):
            for di, dj in ((1, 0), (0, 1)):
                if (i + di, j + dj) in grid:
                    s += grid[i + di, j + dj]
    return s


@case((WORDS,))
def objs(ws):
    class Bag:
        def __init__(s):
            s.d = {}
            s.n = 0

        def add(s, k):
            s.d[k] = s.d.get(k, 0) + 1
            s.n += 1

    b = Bag()
    for w in ws:
        b.add(w)
    return b.d, b.n


@case((WORDS,))
def copies(ws):
    d = {}
    for w in ws[:5]:
        d[w] = 1
    e = d.copy()
    f = dict(d)
    g = {**d, 3: 4}
    for w in ws[5:]:
        d[w] = 2
    e.update(f)
    return d, e, f, g, e | {77: 1}


@case((WORDS,))
def early(ws):
    seen = set()
    for i, w in enumerate(ws):
        if w in seen:
            return i, w
        seen.add(w)
    return None


@case((WORDS,))
def isdict(ws):
    d = {}
    for w in ws:
        d[w] = 1
    return isinstance(d, dict), type(d) is dict, bool(d), len(d.items()), list(d.keys()) == sorted(d)


@case((WORDS,))
def setret(ws):
    s = set()
    for w in ws:
        s.add(int(w) * 1000003 % 97)
    return s


@case((WORDS,))
def strs(ws):
    d = {}
    for w in ws:
        k = "even" if w % 2 == 0 else "odd"
        d[k] = d.get(k, 0) + 1
    return d


@case((3000,))
def many(n):
    d = {}
    for i in range(n):
        d[i * i % 10007] = i
    return len(d), d[1]


@case((WORDS,))
def lru(ws):
    order = {}
    hits = 0
    for w in ws:
        k = int(w)
        if k in order:
            hits += 1
            v = order.pop(k)
            order[k] = v
        else:
            if len(order) >= 4:
                del order[next(iter(order))]
            order[k] = 1
    return hits, list(order)


@case((WORDS,))
def setorder(ws):
    s = set()
    for w in ws:
        s.add(int(w) * 37 % 1009)
    out = []
    for x in s:
        out.append(x)
    t = 0
    for x in s:
        t = t * 3 % 1000 + x
    return out, t, list(s), sum(s), sorted(x * 2 for x in s), s


@case((WORDS,))
def setorder2(ws):
    s = set(ws.tolist())
    return [x for x in s], max(s), len({int(w) % 3 for w in ws})


@case((WORDS,))
def anew_in_each_step(ws):
    def uniq(a):
        return len({int(x) for x in a})

    total = 0
    for i in range(len(ws)):
        seen = {}
        for j in range(i):
            seen[int(ws[j])] = seen.get(int(ws[j]), 0) + 1
        for k, v in seen.items():
            total += k * v
    return total, uniq(ws[:3]), uniq(ws)


@case((WORDS,))
def caught(ws):
    d = {}
    s = set()
    n = 0
    for w in ws:
        try:
            d[int(w)] += 1
        except KeyError:
            d[int(w)] = 1
        try:
            s.remove(int(w))
            n += 1
        except KeyError:
            s.add(int(w))
    return d, n, sorted(s)


@case((WORDS,))
def views_are_live(ws):
    d = {}
    for w in ws[:3]:
        d[int(w)] = 1
    view = d.keys()
    before = len(view)
    for w in ws:
        d[int(w)] = 2
    return before, len(view), sorted(view), list(view)


@case((WORDS,))
def in_place_operators_of_sets(ws):
    s = {int(w) for w in ws}
    t = {int(w) for w in ws[:4]}
    a = s
    s &= t
    n = len(a)
    s |= {77}
    s -= {1}
    s ^= t
    return n, len(a), sorted(a), a is s


@case((WORDS[:6], WORDS[4:9]), (WORDS[:4], WORDS[:4]))
def keys_as_sets(ws, vs):
    d, e = {}, {}
    for w in ws:
        d[w] = 1
    for v in vs:
        e[v] = 1
    same = d.keys() == e.keys(), d.items() == e.items(), d.items() != d.items()
    return same, d.keys() <= e.keys(), sorted(d.keys() & e.keys()), sorted({1, 7} - d.keys())


@case((WORDS, FLOATS))
def sorted_items(ws, fs):
    groups = {}
    for w, x in zip(ws, fs, strict=False):
        groups.setdefault(int(w) % 4, []).append(float(x))
    means = {k: sum(v) / len(v) for k, v in sorted(groups.items())}
    return means, dict(sorted(means.items(), key=lambda item: item[1], reverse=True))


@case((WORDS,))
def counters_compare_missing_keys_as_zero(ws):
    c = Counter(int(w) for w in ws)
    e = Counter(int(w) for w in ws)
    e[99] = 0
    return c == e, c != e, c == Counter(int(w) for w in ws[:3]), c == {1: 2}


@case((WORDS[:9],), (WORDS[20:29],))
def none_or_a_number(ws):
    d = {}
    s = set()
    for w in ws.tolist():
        key = None if w % 3 == 1 else w * 0.5
        d[key] = d.get(key, 0) + 1
        s.add(key)
        d[None if w > 5 else (w, 1)] = w
    return d, list(d), None in s, d.get(None), s


@case((WORDS[:9],))
def texts_and_numbers(ws):
    d = {}
    for w in ws.tolist():
        key = "many" if w > 9 else w
        d[key] = d.get(key, 0) + 1
    return d, d["many"]


@case((WORDS[:6], 0), (WORDS[:6], 2))
def begun_anew(ws, n):
    d = {}
    for _ in range(n):
        d = {}
        for w in ws[:3]:
            d[w] = 1
    d[ws[5]] = d.get(ws[1], 3)
    return d


@case((WORDS[:6], 1), (WORDS[:6], 2))
def another_of_pairs(ws, n):
    d = {}
    members = {n, 3}
    for _ in range(n % 6):
        d = dict(zip(list(members), range(3)))  # noqa: B905
    d[n] = d.get(int(ws[0]), 0) + 1
    return d


@case((2,), (5,))
def views_of_a_dict_that_grows(n):
    d = {1: 1, 2: 2}
    keys, values, items = d.keys(), d.values(), d.items()
    d[n] = 9
    for key in list(keys):
        d[key + n] = key
    return list(keys), list(values), len(items), sum(values), [k for k, _ in items], n in keys


@case((1,), (4,))
def grown_in_a_loop_over_it(n):
    s = {k * 2 for k in range(n)}
    for member in s:
        if member == 6:
            s.add(member + n)
    return s


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


IN_XLA = (del_, floats, counter, nested, early)


@pytest.mark.parametrize("program", [p for p in case.programs if p.values[0].function in IN_XLA])
def test_as_in_eager_python_in_loops_of_xla(program: Program) -> None:
    with configure(native_loops=False):
        program.check()


@pytest.mark.slow
def test_many_keys_ask_for_more_room() -> None:
    keys = np.random.default_rng(2).integers(0, 5000, 9000)

    def counts(keys):
        found = {}
        for key in keys:
            found[key] = found.get(key, 0) + 1
        return found

    check(counts, keys)


def test_nan_is_refused_where_it_is_a_key() -> None:
    def f(values):
        found = {}
        for value in values:
            found[value] = 1
        return len(found)

    with pytest.raises(UnsupportedOperationError, match="NaN is a key"):
        jit(f)(np.array([1.0, np.nan]))


def test_the_order_of_a_set_that_has_lost_members_is_refused() -> None:
    def f(values):
        found = set(values.tolist())
        found.discard(3)
        return [value for value in found]

    with pytest.raises(UnsupportedOperationError, match="the order of a set"):
        jit(f)(WORDS)


def test_a_loop_that_removes_keys_of_what_it_goes_over_is_refused() -> None:
    def f(values):
        found = {}
        for value in values:
            found[value] = 1
        for key in found:
            if key > 3:
                del found[key]
        return len(found)

    with pytest.raises(UnsupportedOperationError, match="loses keys in a loop over it"):
        jit(f)(WORDS)


def test_texts_that_a_counter_gets() -> None:
    def counted(values):
        counts, sums = Counter(), defaultdict(float)
        for value in values:
            kind = "large" if value > 2 else "small"
            counts[kind] += 1
            sums[kind] += value
        return counts, dict(sums)

    check(counted, np.array([3.0, 1.0, 4.0]))
    check(counted, np.array([1.0]))


def test_an_array_is_no_key() -> None:
    def f(values):
        found = {}
        for value in values:
            found[value] = 1
        return len(found)

    assert "unhashable" in str(check(f, np.zeros((2, 2))))


def _counter_operators(values):
    a, b, known = Counter(values.tolist()), Counter(values[:3].tolist()), Counter([1, 2, 2])
    c, d = a.copy(), a.copy()
    same = c
    c += b
    d &= known
    return a + b, b - a, a | known, known & a, -b, c, d, same is c, sorted(b.elements())


def _compared_counters(values):
    a, b = Counter(values.tolist()), Counter(values[:3].tolist())
    return a == b, b <= a, a < a, a >= b, b > a, b < a + b


def _counts_in_known_counters(values):
    total, letters = Counter(), Counter("abracadabra")
    for value in values:
        total += Counter([int(value), 1])
    counts = Counter({"even": int(values[0]), "big": 2})
    return total, letters.most_common(int(values[0]) - 1), counts - Counter({"even": 1}), counts.total()


@pytest.mark.parametrize("f", [_counter_operators, _compared_counters, _counts_in_known_counters])
def test_operators_of_counters(f) -> None:
    check_calls(f, (WORDS,), (WORDS[::-1].copy(),))


def test_a_counter_that_a_loop_binds_anew() -> None:
    def f(values):
        counts = Counter(values.tolist())
        for _ in range(int(values[0]) % 3):
            after = Counter()
            for key, n in counts.items():
                after[key // 2] += n
            counts = after
        total = sum(counts.values())
        return total, max(counts), [n for _, n in counts.items()], dict(counts), list(counts)

    check_calls(f, (WORDS,), (WORDS[1:].copy(),))


def _frozen_pairs(values):
    bonds, seen = {}, set()
    for i in range(len(values) - 1):
        pair = frozenset((int(values[i]), int(values[i + 1])))
        bonds[i % 2, pair] = i
        seen.add(pair)
    return bonds, seen, frozenset((1, 3)) in seen, [sorted(pair) for _, pair in bonds if len(pair) == 1]


def _frozen_states(values):
    states, todo = {}, [frozenset([0])]
    while todo:
        state = todo.pop()
        if state in states:
            continue
        after = frozenset((int(values[q]) + 1) % 6 for q in state)
        states[state] = len(after)
        todo.append(after)
    return states


def _frozen_operators(values):
    whole, known = frozenset(int(v) for v in values), frozenset()
    for value in values:
        known |= {int(value)}
    mixed = {1, 2} | whole, whole | {1, 2}, whole & known, whole ^ {1, 9}, whole - {1}
    return mixed, known == whole, whole == {1, 2, 3}, type(known) is frozenset, frozenset(whole) is whole


def _frozen_missing(values):
    pairs = {frozenset((int(v), 0)): 1 for v in values}
    return pairs[frozenset((int(values[0]), 7))]


@pytest.mark.parametrize("f", [_frozen_pairs, _frozen_states, _frozen_operators, _frozen_missing])
def test_frozensets(f) -> None:
    check(f, np.array([3, 1, 2, 1, 3, 3]))


def test_a_frozenset_has_no_methods_that_change_it() -> None:
    assert "has no attribute 'add'" in str(check(lambda values: frozenset(values.tolist()).add(1), WORDS))
    assert jit(lambda n: frozenset((n, 2)) | {3})(1) == frozenset((1, 2, 3))


def test_an_exception_carries_a_set() -> None:
    def f(values):
        raise ValueError({int(v) for v in values}, {int(v): 1 for v in values})

    check(f, WORDS)


def test_a_set_in_a_set_is_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match=r"look for frozenset"):
        jit(lambda values: set(values.tolist()) in {frozenset([3])})(WORDS)


def _by_count(values):
    counts = {}
    for v in values:
        counts[int(v)] = counts.get(int(v), 0) + 1
    found = [int(v) for v in values if v < 3]
    found.sort(key=counts.get)
    return sorted(counts, key=counts.get), sorted(counts, key=counts.get, reverse=True)[:2], found


def _by_what_may_be_missing(values):
    counts = {int(v): 1 for v in values if v > 1}
    return sorted({int(v) for v in values}, key=counts.get)


def _copied_deeply(values):
    counts = {int(v): 1.0 for v in values}
    known, other = {int(v) for v in values}, copy.deepcopy([counts])
    counts[9] = 2.0
    return counts, other, copy.deepcopy(known)


@pytest.mark.parametrize("f", [_by_count, _copied_deeply])
def test_orders_and_deep_copies(f) -> None:
    check(f, np.array([3, 1, 2, 1, 3, 3]))


def test_a_missing_key_is_not_compared() -> None:
    f = jit(_by_what_may_be_missing)
    for values in ([3, 3, 2], [1], [1, 3]):
        if values == [1, 3]:
            with pytest.raises(TypeError, match="'<' not supported between instances of"):
                f(np.array(values))
        else:
            assert f(np.array(values)) == _by_what_may_be_missing(np.array(values))


def test_code_that_catches_a_missing_key_itself_is_refused() -> None:
    def f(values):
        return collections.ChainMap({int(v): 1 for v in values}, {9: 2})[9]

    with pytest.raises(ConcretizationError, match="whose keys are known only at run time"):
        jit(f)(np.array([3, 1]))


def _in_a_display(a, x):
    return len({x, a if x > 3 else x + 1})


def _in_a_dict_display(a, x):
    d = {a if x > 3 else x: 1.0}
    return d.get(x, 0.0)


def _set_later(a, x):
    d = {x: 1.0}
    d[None if x > 5 else [1] if x > 4 else a if x > 3 else x] = 2.0
    return sum(d.values())


def _in_a_known_set(a, x):
    return (a if x > 3 else x) in {1, 2, 3}


def _in_a_tuple(a, x):
    k = (x, a if x > 3 else x)
    return k in {k: 1.0}


@pytest.mark.parametrize("f", [_in_a_display, _in_a_dict_display, _set_later, _in_a_known_set, _in_a_tuple])
def test_a_key_that_may_be_unhashable(f) -> None:
    check_calls(f, *[(np.arange(4.0), x) for x in (2.0, 3.5, 4.5, 6.0)])


def test_what_is_made_of_the_keys_of_an_empty_table():
    def f(n):
        d = {n: 1}
        d.clear()
        try:
            first = next(iter(d))
        except StopIteration:
            first = -1
        return dict.fromkeys(d.keys() & d.keys(), 2), first, next(iter(d), 7), list(iter(d))

    check(f, 3)
