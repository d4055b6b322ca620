"""Einstein summation: pair by pair along NumPy's own contraction path, each pair a general dot product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.numpy import operands, ufunc_reductions
from anabranch.runtime.numpy.core import fresh, operand, plain, supported
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import written
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.ops.shape import transpose
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.memory import views

rules = Rules()

_F = registry.FUNCTIONS
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@rules.any_shape(np.einsum)
def einsum(
    *given: object,
    out: object = None,
    optimize: Value = False,
    dtype: object = None,
    order: object = "K",
    casting: object = "safe",
) -> Value:
    """As `numpy.einsum`; repeated labels, ellipses and the form with lists of axes included."""
    plain("einsum", order=(order, "K"))
    subscripts, xs = _interleaved(given) if not isinstance(given[0], str) else (given[0], list(given[1:]))
    xs = list(map(operand, xs))
    sides = list(map(Operand.of, xs))
    terms, target = _parse(subscripts, [side.ndim for side in sides])
    if any(map(wrap.is_dynamic_array, xs)):
        _bring_together(terms, sides)
        subscripts = f"{','.join(terms)}->{target}"
    # NumPy's own parser checks the subscripts against the shapes, on arrays without memory, and raises as it does.
    models = [np.broadcast_to(np.zeros((), s.value.type.dtype), s.value.type.shape) for s in sides]
    chosen = np.result_type(*models) if dtype is None else supported(dtype)
    path, _ = np.einsum_path(subscripts, *models, optimize=optimize or len(sides) > 2)
    if len(xs) == 1 and out is None and set(terms[0]) <= set(target) and target:
        if isinstance(xs[0], TracedArray):
            return _view(xs[0], terms[0], target)
        if wrap.is_dynamic_array(xs[0]) and len(terms[0]) == len(target):
            return _F[np.transpose](xs[0], tuple(map(terms[0].index, target)))
    factors = [
        _prepared(atoms.convert(s.padded(0, range(s.ndim)), chosen), t) for s, t in zip(sides, terms, strict=True)
    ]
    made = wrap.with_extents(fresh(_contract(factors, target, path[1:])), [_extent(c, terms, sides) for c in target])
    return written(out, made, casting)


def _bring_together(terms: list[str], sides: Sequence[Operand]) -> None:
    """Align the axes of each label; those of one element, which stand for any size, are left out of the terms."""
    for label in dict.fromkeys("".join(terms)):
        if not any(s.extents[axis] is not None for s, axis in _places(label, terms, sides)):
            continue
        for k, side in enumerate(sides):
            if terms[k].count(label) == 1 and operands.are_same(side.shape[terms[k].index(label)], 1):
                side.drop(terms[k].index(label))
                terms[k] = terms[k].replace(label, "")
        places = _places(label, terms, sides)
        (first, i), *others = places
        text = f"operands could not be broadcast together along '{label}': {{0}} and {{1}}"
        for other, j in others:
            n, m = first.shape[i], other.shape[j]
            broadcasting.refuse(broadcasting.differ(n, m), ValueError, text, n, m)
        operands.align(places)


def _places(label: str, terms: Sequence[str], sides: Sequence[Operand]) -> list[tuple[Operand, int]]:
    """The axes of a label."""
    return [(s, axis) for t, s in zip(terms, sides, strict=True) for axis, c in enumerate(t) if c == label]


def _extent(label: str, terms: Sequence[str], sides: Sequence[Operand]) -> ValidRegion | None:
    """The extent of a label's axis."""
    found = (s.extents[t.index(label)] for t, s in zip(terms, sides, strict=True) if label in t)
    return next((e for e in found if e is not None), None)


def _interleaved(given: Sequence[Value]) -> tuple[str, list[Value]]:
    """`einsum(a, [0, 1], b, [1, 2], [0, 2])` as subscripts."""
    xs, lists = list(given[0 : len(given) - 1 : 2]), list(given[1::2])
    subscripts = ",".join(map(_labels, lists))
    if len(given) % 2:
        return f"{subscripts}->{_labels(given[-1])}", xs
    return subscripts, xs


def _labels(axes: Sequence[Value]) -> str:
    return "".join("..." if a is Ellipsis else _LETTERS[a] for a in axes)


def _parse(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, ellipses spelled out."""
    text = subscripts.replace(" ", "")
    inputs, arrow, target = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError("Number of einsum subscripts must be equal to the number of operands.")
    free = [c for c in _LETTERS if c not in text]
    hidden = [n - len(t.replace("...", "")) if "..." in t else 0 for t, n in zip(terms, ranks, strict=True)]
    dots = "".join(free[: max(hidden, default=0)])
    terms = [t.replace("...", dots[len(dots) - n :] if n else "") for t, n in zip(terms, hidden, strict=True)]
    if not arrow:
        joined = "".join(terms)
        return terms, dots + "".join(sorted(c for c in set(joined) - set(dots) if joined.count(c) == 1))
    return terms, target.replace("...", dots)


def _view(array: TracedArray, term: str, target: str) -> TracedArray:
    """A single operand of which nothing is summed: a view, of other axes or of diagonals, whatever `dtype` says."""
    while len(set(term)) < len(term):
        label = next(c for c in term if term.count(c) > 1)
        first = term.index(label)
        second = term.index(label, first + 1)
        others = [i for i in range(len(term)) if i not in (first, second)]
        array = array.viewed(views.Permute((*others, first, second)), views.Diagonal())
        term = "".join(term[i] for i in others) + label
    return _F[np.transpose](array, tuple(term.index(c) for c in target))  # type: ignore[no-any-return]


Term = tuple[Atom, str]


def _prepared(x: Atom, term: str) -> Term:
    """An operand with a repeated label replaced by its diagonal."""
    while len(set(term)) < len(term):
        label = next(c for c in term if term.count(c) > 1)
        first = term.index(label)
        second = term.index(label, first + 1)
        diagonal = registry.FUNCTIONS[np.diagonal](fresh(x), 0, first, second)
        x = diagonal.atom
        term = "".join(c for i, c in enumerate(term) if i not in (first, second)) + label
    return x, term


def _contract(terms: list[Term], target: str, path: Sequence[Value]) -> Atom:
    for step in path:
        chosen = [terms[i] for i in step]
        terms = [t for i, t in enumerate(terms) if i not in step]
        while len(chosen) > 1:
            others = "".join(label for _, label in (*chosen[2:], *terms)) + target
            chosen = [_pair(chosen[0], chosen[1], others), *chosen[2:]]
        terms.append(chosen[0])
    ((value, term),) = terms
    return _arranged(value, term, target)


def _arranged(x: Atom, term: str, target: str) -> Atom:
    """Sum over what the result lacks and put its axes in order."""
    gone = tuple(i for i, c in enumerate(term) if c not in target)
    if gone:
        x = ufunc_reductions.reduce_atom(np.add, x, ufunc_reductions.ReductionKeywords(gone, x.type.dtype))
        term = "".join(c for c in term if c in target)
    return atoms.transpose(x, [term.index(c) for c in target])


def _pair(left: Term, right: Term, others: str) -> Term:
    """The product of two operands, summed over labels that nothing else needs."""
    (x, a), (y, b) = _alone(left, right[1] + others), _alone(right, left[1] + others)
    x, y = _stretched(x, a, y, b), _stretched(y, b, x, a)
    shared = [c for c in a if c in b]
    batch = [c for c in shared if c in others]
    contract = [c for c in shared if c not in others]
    value = dot_general(
        x,
        y,
        ([a.index(c) for c in contract], [b.index(c) for c in contract]),
        ([a.index(c) for c in batch], [b.index(c) for c in batch]),
    )
    rest = [c for c in a if c not in shared] + [c for c in b if c not in shared]
    return value, "".join(batch + rest)


def _alone(term: Term, needed: str) -> Term:
    """The operand summed over labels that no other has."""
    x, labels = term
    kept = "".join(c for c in labels if c in needed)
    return _arranged(x, labels, kept), kept


def _stretched(x: Atom, a: str, y: Atom, b: str) -> Atom:
    """Axes of size one repeated to the other operand's size, as NumPy broadcasts them."""
    shape = [y.type.shape[b.index(c)] if n == 1 and c in b else n for c, n in zip(a, x.type.shape, strict=True)]
    return atoms.broadcast_to(x, shape)


@rules.implements(np.einsum_path)
def einsum_path(*given: Value, **options: Value) -> tuple[list[Value], str]:
    """As `numpy.einsum_path`, which asks for shapes only."""
    models = [
        np.broadcast_to(np.zeros((), x.dtype), x.shape) if hasattr(x, "dtype") and not isinstance(x, str) else x
        for x in given
    ]
    return np.einsum_path(*models, **options)


def dot_general(
    x: Atom,
    y: Atom,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Atom:
    """Batch axes first, then the rest of x, then the rest of y."""
    if x.type.dtype.kind == "b" and not batch[0] and len(contract[0]) == 1 == min(len(x.type.shape), len(y.type.shape)):
        return _any_true(x, y, contract[0][0]) if len(y.type.shape) == 1 else _any_true(y, x, contract[1][0])
    summed = [tuple(axes) for axes in contract]
    if not batch[0]:
        x, summed[0] = _untransposed(x, summed[0])
        y, summed[1] = _untransposed(y, summed[1])
    return atoms.op("dot_general", x, y, contract=tuple(summed), batch=(tuple(batch[0]), tuple(batch[1])))


def _any_true(array: Atom, vector: Atom, axis: int) -> Atom:
    """The product of bools with a vector along an axis: a search, which ends where one is found."""
    shape = array.type.shape
    line = atoms.reshape(vector, (shape[axis], *[1] * (len(shape) - axis - 1)))
    both = atoms.ufunc(np.logical_and, array, atoms.broadcast_to(line, shape))
    return atoms.op("reduce_any", both, axes=(axis,))


def added_up(x: Atom, y: Atom, axes: tuple[list[int], list[int]]) -> Atom:
    """The sums of products; of single elements of BLAS's types NumPy gives the product, without a 0.0 added to it."""
    if x.type.size == y.type.size == 1 and x.type.dtype.char in "fdFD":
        shape = (1,) * (len(x.type.shape) + len(y.type.shape) - 2 * len(axes[0]))
        return atoms.ufunc(np.multiply, atoms.reshape(x, shape), atoms.reshape(y, shape))
    return dot_general(x, y, axes)


def _untransposed(x: Atom, axes: tuple[int, ...]) -> tuple[Atom, tuple[int, ...]]:
    """The matrix that one, of which an axis is summed over, is the transpose of, or itself; and that axis of it."""
    maker = current().maker(x) if isinstance(x, Var) and len(x.type.shape) == 2 and len(axes) == 1 else None
    if maker is None or maker.op is not transpose:
        return x, axes
    return maker.inputs[0], (maker.params["axes"][axes[0]],)
