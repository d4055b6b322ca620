"""Arrays of texts and of bytes of one width: as arguments, constants and results, in loops, branches and tables."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import Outcome, alike, check, check_calls

LABELS = np.array(["setosa", "virginica", "setosa", "versicolor", "virginica", "setosa", ""])
WORDS = np.array(["the", "cat", "sat", "on", "the", "mat", "the", "cät"])
GRID = np.array([["a", "bb"], ["cc", "a"], ["", "dé"]])
BYTES = np.array([b"ACGT", b"AC", b"GGT", b"AC", b""])
VALUES = np.arange(7.0) / 3


def test_comparisons():
    def f(a, b, t):
        return (
            a == b, a != b, a < b, a <= b, a > b, a >= b, a == t, t == a, a < t, t < a, a != "setosa",
            a == "no such text",
            a == ["setosa"] * 7, a == 1, a.__ne__(None), a == b[0], a[0] == b[1], a[0] < b[1], np.equal(a, b),
            np.less(a, t),
            (a == t).sum(), (a == "setosa") & (b != "setosa"), a[:, None] == b[None, :],
        )  # fmt: skip

    check(f, LABELS, LABELS[::-1], "virginica")
    check(f, LABELS, LABELS[::-1].astype("U3"), "")
    check(f, LABELS.astype("U30"), LABELS[::-1].astype("U2"), "ver")


@pytest.mark.parametrize("a", [LABELS, WORDS, GRID, GRID.T, GRID[::2], WORDS[::-2], np.array("text")], ids=str)
def test_attributes_and_views(a):
    def f(a):
        return (
            a.shape, a.ndim, a.size, a.dtype, a.itemsize, a.nbytes, a.T, a.ravel(), a.reshape(-1), a.copy(),
            a.flatten(), a,
            a[...], a[None], a == "a", np.shape(a), np.ndim(a), np.size(a), np.array(a), np.asarray(a),
            a.astype("U1"),
            a.astype(str), a.tolist(),
        )  # fmt: skip

    check(f, a)


def test_elements_and_parts():
    def f(w, i, where):
        return (
            w[i], w[-1], w[1:5], w[::-2], w[[0, 2, 1]], w[where], w[w != "the"], w[w == "no"],
            w[np.flatnonzero(where)], w.item(2),
            w.take([0, 1]), np.take(w, i), w[i : i + 2], w.tolist(), type(w[i]), isinstance(w[i], str),
            type(w.item(0)),
        )  # fmt: skip

    check(f, WORDS, 3, WORDS == "the")


def test_elements_of_a_matrix():
    def f(w, i):
        return (
            w[i],
            w[:, 1],
            w[i, 1],
            w[i][0],
            w[w == "a"],
            w[..., 0],
            w[:, None, :],
            w[[0, 1], [1, 0]],
            w[i, ...],
            w[1:, :1],
        )

    check(f, GRID, 1)


@pytest.mark.parametrize("at", [100, -9])
def test_an_index_out_of_range(at):
    check(lambda w, i: w[i], WORDS, at)


def test_elements_are_texts():
    def f(w, t):
        first = w[0]
        return (
            first + t, t + first, first * 2, first.upper(), len(first), first[1], first[::-1], first.startswith("t"),
            "h" in first,
            f"{first:>6}|{first!r}", str(first), repr(first), first == t, first < t, first.find("e"), ord(w[1][0]),
            first.item(), first.tolist(), first.ndim, first.shape, first.size, hasattr(first, "dtype"),
            hasattr(first, "nothing"), NAMES[0].item(), first or t, not first, {first: 1}, {first}, (first, t),
            "-".join(w), " ".join(w[1:3]), w[1] + w[2],
        )  # fmt: skip

    check(f, WORDS, "then")


@pytest.mark.parametrize("native", [True, False])
def test_loops(native):
    def f(w, x):
        total, longest, found = 0.0, "", []
        for text, value in zip(w, x, strict=True):
            if text == "the":
                total += value
            if len(text) > len(longest):
                longest = text
            if text.startswith("c") or "a" in text:
                found.append(text.upper())
        i = 0
        while w[i] != "mat":
            i += 1
        for k, text in enumerate(w):
            if text == "on":
                break
        same = sum(1 for a, b in itertools.pairwise(w) if a == b)
        return total, longest, found, i, k, same, [t[::-1] for t in w], [len(t) for t in w]

    with configure(native_loops=native):
        check(f, WORDS, np.arange(8.0))


def test_match():
    def f(w):
        total = 0
        for text in w:
            match text:
                case "the":
                    total += 1
                case "cat" | "mat":
                    total += 10
                case _:
                    total += 100
        return total

    check(f, WORDS)


def test_tables():
    def f(w, x):
        counts, groups, places = {}, defaultdict(list), {}
        for i, text in enumerate(w):
            counts[text] = counts.get(text, 0) + 1
            groups[text].append(x[i])
            places.setdefault(text, i)
        pairs = defaultdict(int)
        for a, b in zip(w[:-1], w[1:], strict=True):  # noqa: RUF007 - slices of texts
            pairs[a, b] += 1
        order = {text: i for i, text in enumerate(sorted(set(w)))}
        means = {k: np.mean(v) for k, v in groups.items()}
        numbers = np.array([order[text] for text in w])
        return (
            counts,
            means,
            places,
            dict(pairs),
            order,
            numbers,
            Counter(w).most_common(1),
            dict.fromkeys(w),
            dict(zip(w, x, strict=True)),
        )

    check(f, WORDS, np.arange(8.0))


def test_groups():
    def f(labels, x):
        kinds, places = np.unique(labels, return_inverse=True)
        best, highest = None, -np.inf
        for kind in np.unique(labels):
            if (top := x[labels == kind].max()) > highest:
                best, highest = kind, top
        return (
            kinds, np.bincount(places, weights=x), np.array([x[labels == k].mean() for k in kinds]), best, highest,
            len(kinds),
            {str(k): float(x[labels == k].sum()) for k in kinds}, (labels[:, None] == kinds[None, :]).astype(float),
        )  # fmt: skip

    check(f, LABELS, VALUES)


def test_confusion_matrix():
    def f(found, true):
        labels = np.unique(np.concatenate([found, true]))
        made = np.zeros((len(labels), len(labels)), int)
        for t, p in zip(true, found, strict=True):
            made[np.searchsorted(labels, t), np.searchsorted(labels, p)] += 1
        return labels, made, (found == true).mean()

    check(f, np.array(["a", "b", "a", "long label"]), np.array(["a", "b", "b", "c"]))


@pytest.mark.parametrize(
    "a", [LABELS, WORDS, BYTES, WORDS.astype("U2"), LABELS[:1]], ids=["wide", "words", "bytes", "short", "one"]
)
def test_order(a):
    def f(a):
        return (
            np.unique(a), np.unique(a, return_index=True, return_inverse=True, return_counts=True), np.sort(a),
            np.argsort(a, kind="stable"), a.argsort(kind="stable"), np.lexsort((a,)), np.searchsorted(np.sort(a), a),
            np.searchsorted(np.unique(a), a[0:1], side="right"), np.sort(a)[::-1],
        )  # fmt: skip

    check(f, a)


def test_order_in_python():
    def f(w):
        w = w[:]
        return (
            sorted(w),
            sorted(w, reverse=True),
            sorted(w, key=len),
            max(w),
            min(w),
            max(w, key=len),
            w.tolist().index("sat"),
        )

    check(f, WORDS)


def test_order_along_axes():
    check(
        lambda g: (
            np.sort(g),
            np.sort(g, axis=0),
            np.argsort(g, axis=0, kind="stable"),
            np.unique(g),
            np.sort(g, axis=None),
        ),
        GRID,
    )


def test_sets():
    def f(a, b):
        return (
            np.isin(a, ["the", "cat"]), np.isin(a, b), np.isin(a, b, invert=True), np.isin(a, [1, 2]),
            np.intersect1d(a, b),
            np.setdiff1d(a, b), np.union1d(a, b), "the" in a, "dog" in a, "dog" not in a, a[0] in b, set(a) & set(b),
            np.isin(a, np.repeat(b, 20)), np.intersect1d(a, b, return_indices=True), np.isin(a[0], b),
            np.isin("the", a), np.isin(a, ["the", 1]), np.isin(a, list("abcdefghijklmnopqrst")),
        )  # fmt: skip

    check(f, WORDS, np.array(["the", "mat", "zebra"]))


def test_the_same_elements_in_other_places():
    def f(a, b):
        return (
            np.concatenate([a, b]), np.stack([a, a]), np.vstack([a, a]), np.hstack([a, b]), np.column_stack([a, a]),
            np.append(a, "more than there was"), np.insert(a, 1, "too long"), np.delete(a, [0, 2]), np.repeat(a, 2),
            np.tile(a, 2),
            np.roll(a, 1), np.flip(a), a[::-1], np.reshape(a, (2, 4)), np.expand_dims(a, 0),
            np.broadcast_to(a, (2, 8)),
            np.compress(a == "the", a), a.repeat(2), np.array_equal(a, a), np.array_equal(a, b),
            np.where(a == "the", a, "other"),
            np.where(a == "the", b[0], a[1]), np.select([a == "the", a == "cat"], [a, "CAT"], "none at all"),
            np.ravel(a), np.copy(a), np.squeeze(a), a[None].squeeze(), np.size(a, 0), np.shares_memory(a, a),
            np.may_share_memory(a, a[1:]), np.shares_memory(a, b), np.isscalar(a[0]), np.shape(a[0]), np.ndim(a[0]),
        )  # fmt: skip

    check(f, WORDS, np.array(["the", "longer text"]))


def test_sums():
    def f(a, b):
        return a + b, a + "!", "<" + a, np.add(a, b), a + b[0], (a + "-") + b

    check(f, WORDS, WORDS[::-1].astype("U5"))
    check(f, BYTES.astype("U4"), BYTES[::-1].astype("U2"))


def test_sums_in_place():
    def f(w, z):
        v = w[1:4]
        v += w[3:6]
        w += "!"
        z += "?"
        some = w[w != "the!"]
        some += "q"
        return w, v, z, some, some + some, some + w[0], z + "x"

    check(f, WORDS.copy(), np.array("ab"))
    check(f, WORDS.astype("U6"), np.array("ab", "U5"))

    def wider(w):
        w += w[:, None]

    check(wider, WORDS.copy())


def test_operands_that_are_no_texts():
    def f(w, s, x):
        return (
            w == x, x != w, w == 1, w != [1] * 8, w == None, w == b"the", s == "AC", w == s.astype("U")[0],  # noqa: E711
            w == ["the", 1, 2, 3, 4, 5, 6, 7], w == [["the"], ["cat"]], np.array_equal(s, w[:5]),
        )  # fmt: skip

    check(f, WORDS, BYTES, np.arange(8))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda w: np.equal(w, 1),
        lambda w: np.less(b"a", w),
        lambda w: 1 + w,
        lambda w: w + 1.5,
        lambda w: w + [1] * 8,
        lambda w: w * 2,
        lambda w: -w,
        lambda w: w & w,
        lambda w: w == w[:2],
        lambda w: w + w[:2],
        lambda w: w == [],
        lambda w: w.transpose(3),
        lambda w: np.flip(w, 1),
        lambda w: np.fliplr(w),
        lambda w: np.swapaxes(w, 0, 1),
    ],
)
def test_operations_that_raise(wrong):
    check(wrong, WORDS)


def test_what_numpy_has_of_texts():
    def f(w):
        return (
            np.char.upper(w), np.char.add(w, "!"), np.char.str_len(w), np.char.find(w, "a"),
            np.char.replace(w, "t", "T"),
            np.char.startswith(w, "t"), np.strings.lower(w), np.strings.str_len(w), np.strings.isalpha(w),
            np.char.count(w, "t"),
        )  # fmt: skip

    check(f, WORDS)


def test_widths_that_the_values_decide():
    def f(w):
        r = np.char.replace(w, "t", "TTTT")
        short = np.char.replace(w, "t", "")
        short[0] = "cut off"
        head, _, tail = np.strings.partition(w, "t")
        return (
            r, r + "x", np.sort(r), r[r != "a"], [t for t in r], r[0], r.astype("S"), r.astype("U2"), r.tolist(), short,
            np.concatenate([r, w]), [np.char.multiply(r, i)[0] for i in range(3)], head, tail, np.char.encode(w),
        )  # fmt: skip

    compiled = jit(f)
    for words in (["the", "cat"], ["a", "b"], ["ttt", "tt"], ["t", ""]):
        arguments = (np.array(words, "U3"),)
        alike(Outcome(f, arguments, {}), Outcome(compiled, arguments, {}))
    check(lambda w: (w, w + "x", [t for t in w], w.astype("U2")), np.ndarray(3, "U0"))


def test_numbers_after_texts_that_are_none():
    def f(w, k):
        made = w.astype(float) if k else np.array([w[0] + "0", w[1]]).astype(int)
        return made, [complex(text) for text in w]

    numbers, words = np.array(["1", "22"]), np.array(["a", "b"])
    check_calls(f, (words, 0), (numbers, 0))
    check_calls(f, (words, 1), (numbers, 1))


def test_to_numbers():
    def f(n):
        total = 0.0
        for text in n:
            total += float(text)
        return (
            n.astype(float),
            n.astype(int),
            total,
            [int(text) for text in n],
            [float(text) for text in n],
            complex(n[1]),
        )

    check(f, np.array(["1", "22", "-3"]))


@pytest.mark.parametrize("text", ["1e3", "nan", "no number", ""])
def test_float_of_a_text(text):
    def f(w):
        try:
            return float(w[0]), None
        except ValueError as error:
            return -1.0, str(error)

    check(f, np.array([text]))
    check(lambda w: float(w[0]), np.array([text]))


@pytest.mark.parametrize("native", [True, False])
def test_writes(native):
    def f(w, where, t):
        w[0] = "a text that is cut off"
        w[where] = t
        w[3:5] = ["x", "yy"]
        v = w[5:]
        v[0] = w[1]
        for i in range(len(w)):
            if w[i] == "the":
                w[i] = w[i - 1] + "!"
        w[-1] = ""
        return w, v

    with configure(native_loops=native):
        check(f, WORDS.copy(), WORDS == "sat", "THE")
        check(f, WORDS.astype("U9"), WORDS == "sat", "longer")
    check(lambda w: (w.sort(), w), WORDS.copy())
    check(lambda w: (w.fill("q"), w), GRID.copy())


def test_writes_of_texts_to_bytes_and_back():
    def f(s, w):
        s[0] = w[0]
        w[1:3] = s[1:3]
        s[1:3] = ["x", "longer"]
        return np.insert(w, 1, b"x")

    check(f, BYTES.copy(), WORDS.copy())
    for text in ("é", b"\xe9"):
        check(lambda a, b, text=text: (a.__setitem__(0, text), b.__setitem__(0, text)), BYTES.copy(), WORDS.copy())
    check(f, BYTES.copy(), np.array(["é", "", "a"]))
    check(f, np.array([b"", b"\xe9", b"a"]), WORDS.copy())


@pytest.mark.parametrize("k", [2, -1])
def test_writes_of_other_shapes(k):
    def f(w, k):
        w[k : k + 2] = ["1", "2"]

    check(f, WORDS.copy(), k)
    check(lambda w: w.__setitem__(w == "the", ["1", "2"]), WORDS.copy())


def test_writes_to_views_of_the_callers_array():
    wide = np.array([["a", "b", "c"], ["d", "e", "f"]], "U3")

    def f(v):
        v[0] = "new"
        v[v == "e"] = "E"
        return v

    mine, eager = wide.copy(), wide.copy()
    assert np.array_equal(jit(f)(mine[:, ::2].T[0]), f(eager[:, ::2].T[0]))
    assert np.array_equal(mine, eager)
    locked = wide[0].copy()
    locked.flags.writeable = False
    check(f, locked)


def test_new_arrays():
    def f(x, n):
        out = np.empty(n, dtype="U5")
        for i in range(n):
            out[i] = "even" if i % 2 == 0 else "odd"
        kinds = np.full(x.shape, "none")
        kinds[x > 1] = "high"
        table = np.array(["low", "middle", "high"])
        return (
            out, kinds, np.where(x > 1, "hi", "low"), np.select([x < 0.5, x < 1], ["a", "bb"], "ccc"),
            table[np.digitize(x, [0.5, 1.5])],
            np.array(["lo" if v < 1 else "hi" for v in x]), np.zeros(3, "U2"), np.full((2, 2), "abc", dtype="U2"),
            np.zeros_like(table),
            np.full_like(table, "abcdefghij"), np.where(x > 1, "", "x"),
            np.unique(np.where(x > 1, "hi", "low"), return_counts=True),
            np.where(True, "a", "bb"), np.zeros(2, "S3"), np.zeros_like(table, dtype=int),
            np.full_like(table, 3, dtype=int),
            np.full(3, "5", dtype=int), np.array(["1", "2"], dtype=float), np.array(["ab", "c"], dtype="S1"),
            np.array([[out[0], "x"], ["y", "z"]]), np.array([out[:2], ["x", "a longer one"]]),
        )  # fmt: skip

    check(f, VALUES, 5)


NAMES = np.array(["x", "yy", "zzz"])


def test_constants_from_outside():
    def f(x, w):
        return NAMES[np.argmax(x) % 3], NAMES[(x > 1).astype(int)], w == NAMES[0], NAMES == "yy", np.isin(w, NAMES)

    check(f, VALUES, NAMES[::-1])


def test_a_text_and_known_arrays():
    def f(w, n):
        first, chosen = w[0], "x" if n > 0 else "yy"
        made = np.sort(NAMES)
        if n > 0:
            made[0] = "q"
        return (
            NAMES == first, first == NAMES, first != w, first < w, chosen == w, w == chosen, str(n) == NAMES,
            NAMES + first, first + NAMES, NAMES + chosen, chosen + NAMES, np.full_like(VALUES, "none", dtype="U3"),
            (first if n > 0 else "yy") == w, first == np.arange(3), made, np.full_like(NAMES, "z"),
            NAMES if n > 0 else w,
        )  # fmt: skip

    check_calls(f, (WORDS, 1), (WORDS, -1))


def test_a_constant_that_changes():
    names = np.array(["a", "b"])
    compiled = jit(lambda i: names[np.abs(i)])
    assert compiled(-1) == "b"
    names[1] = "c"
    assert compiled(-1) == "c"


def test_bytes():
    def f(s, t):
        return (
            s == b"AC",
            s != t,
            s < b"B",
            s[::-1],
            np.isin(s, [b"AC", b"X"]),
            s[s == b"AC"],
            np.unique(s, return_counts=True),
            s.astype("U"),
            s + b"!",
            s,
        )

    check(f, BYTES, BYTES[::-1])
    check(lambda s: (np.char.decode(s), s.astype(float)), np.array([b"1", b"22"]))


def test_elements_of_bytes_are_refused():
    with pytest.raises(UnsupportedOperationError, match=r"an element of an array of \|S4 .*astype\('U'\)"):
        jit(lambda s: s[0])(BYTES)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda w: w + 1,
        lambda w: w < 3,
        lambda w: w.max(),
        lambda w: w.nothing,
        lambda w: w["name"],
        lambda w: hash(w),
        lambda w: w[0].nothing,
        lambda w: w.item(),
    ],
)
def test_what_numpy_raises(wrong):
    check(wrong, WORDS)


def test_a_width_known_only_at_run_time():
    def f(w, k):
        stripped = np.array([text.strip("t") for text in w])
        one = np.array(w[k])
        more = np.concatenate([stripped, w[k : k + 1], np.array([w[k] + "!"])])
        stripped[0] = "longer than all"
        return (
            stripped, one, more, w + w[k], np.where(w == "the", w[k], w[k + 1]), np.full(3, w[k]),
            np.append(w, w[k] * 2),
            np.array(["lo" if text < "n" else "high" for text in w]), more[1:], more + "-", np.unique(stripped),
            stripped == w,
            stripped.astype("U2"), stripped.astype("U"), np.array([w[k], ""]),
            np.array([text.strip("t") for text in w], dtype="U3"),
        )  # fmt: skip

    for k in (0, 5):
        check(f, WORDS, k)
    with pytest.raises(UnsupportedOperationError, match=r"give it one with a width .* dtype='U20'"):
        jit(lambda w: np.array([text.strip("t") for text in w]).dtype)(WORDS)


def test_other_widths_and_orders_of_bytes():
    for width in (1, 3, 4, 7, 40):
        check(lambda w: (w == "the", np.unique(w), w < "on"), WORDS.astype(f"U{width}"))
    with pytest.raises(Exception, match="numbers that stand for the texts"):
        jit(lambda w: w == "the")(WORDS.astype(">U3"))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_random_choices(make):
    def f(w, seed):
        rng = make(seed)
        rng.shuffle(w)
        return w, rng.choice(w), rng.choice(w, 3), rng.choice(w, 2, replace=False), rng.permutation(w), rng.random()

    check(f, WORDS.copy(), 3)


def test_in_structures():
    def f(d, pair):
        table = {"first": d["w"][d["w"] != "the"], "both": (pair[0] == pair[1])}
        table["w"] = d["w"]
        return table, [pair[0], pair[1]], d["w"] is d["w"]

    check(f, {"w": WORDS}, (WORDS, WORDS[::-1]))


def test_lists_and_parts_of_run_time_length():
    def f(w, unwanted):
        kept = w[w != unwanted]
        items = [text + "!" for text in kept]
        kept.sort()
        kept[1:] = kept[:-1]
        return (
            np.array(items), np.array([t for t in w if len(t) > 2], dtype="U4"), np.array(sorted(set(w))),
            np.unique(items), np.isin(w, [t for t in w if t > "o"]), np.concatenate([w, items]), max(kept), min(kept),
            max(kept, key=len), min(kept[kept == "none"], default="?"), np.select([kept == "on"], [kept], "no"),
            np.array_equal(kept, kept[::-1]), np.array_equal(kept, w), kept + "?", kept,
            np.array([str(i) for i in range((w == "the").sum())]),
        )  # fmt: skip

    check_calls(f, (WORDS, "the"), (WORDS, "cat"))
    check(lambda w: np.array([t for t in w if len(t) > 9], dtype="U4"), WORDS)


@pytest.mark.parametrize("k", [0, 1])
def test_in_branches(k):
    def f(a, b, k):
        chosen = a if k > 0 else b
        if k > 0:
            text = a[0]
        else:
            text = "none"
        if text == "the":
            chosen = chosen[1:7]
        else:
            chosen = chosen[2:]
        return chosen, text, chosen == text

    check(f, WORDS, WORDS[::-1].copy(), k)


def test_random_programs():
    rng = np.random.default_rng(0)
    letters = np.array(["", "a", "b", "ab", "ba", "é", "\U0001f600", "abc", "z" * 9])

    def f(a, b, where):
        joined = np.concatenate([a, b])
        return (
            a == b, a < b, a + b, np.unique(joined, return_inverse=True), np.where(where, a, b),
            joined[np.concatenate([where, where])],
            np.isin(a, b), np.sort(joined), [x for x in a if x in b], sorted(set(a)), Counter(joined),
            np.searchsorted(np.sort(b), a),
        )  # fmt: skip

    compiled = jit(f)
    for turn in range(30):
        sizes = [(1, 2), (9, 4), (3, 3)][turn % 3]
        a, b = (rng.choice(letters, 6).astype(f"U{size}") for size in sizes)
        where = rng.random(6) < 0.5
        for got, want in zip(compiled(a, b, where), f(a, b, where), strict=True):
            if isinstance(want, np.ndarray):
                assert (got.dtype, got.tolist()) == (want.dtype, want.tolist())
            elif isinstance(want, tuple):
                assert [x.tolist() for x in got] == [x.tolist() for x in want]
            else:
                assert (type(got), got, list(map(type, got))) == (type(want), want, list(map(type, want)))


def test_keywords_of_ufuncs_are_not_lost():
    with pytest.raises(UnsupportedOperationError):
        jit(lambda w: np.equal(w, "the", dtype=object))(WORDS)
    check(lambda w: np.equal(w, "the", casting="unsafe"), WORDS)
