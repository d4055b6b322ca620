"""The first difference between two outcomes: values, dtypes, shapes, structure, mutations, exceptions, printed text."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.runtime.device.array import Array
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.host.generator_state import GeneratorKind, kind_of
from anabranch.runtime.testing.outcomes import Outcome, is_sequence, parts
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.same_constants import is_same


@frozen
class Tolerance:
    """The bounds within which floating-point numbers count as the same; all else must be equal.

    Attributes
    ----------
    ulps : float
        In units in the last place of the larger of the two: sums are added up in another order than NumPy's.
    atol : float
        As a number, for results that are differences of numbers that are nearly the same.
    copies : bool
        Whether what is returned may be a copy where the plain function returns an argument, a part or a view of it, as
        is documented of names that a loop binds to one of several arrays or lists, and a copy that is read-only where
        the view is not, as is documented of rows of run-time length.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.testing import Tolerance, assert_equivalent
    >>> assert_equivalent(np.sort, np.array([2.0, 1.0]), tolerance=Tolerance(ulps=0))
    """

    ulps: float = 4096.0
    atol: float = 0.0
    copies: bool = False

    def far(self, want: np.ndarray, got: np.ndarray) -> np.ndarray:
        """Which elements of two arrays of one shape and dtype are further apart."""
        if want.dtype.kind in "mM":
            return np.asarray((want != got) & ~(np.isnat(want) & np.isnat(got)))
        if want.dtype.kind not in "fc":
            return np.asarray(want != got)
        with np.errstate(all="ignore"):
            same = (want == got) | (_nan(want) & _nan(got))
            if want.dtype.kind == "c":
                parts = zip((want.real, want.imag), (got.real, got.imag), strict=True)
                return np.asarray(~same & np.logical_or(*[self._far(a, b, np.abs(want)) for a, b in parts]))
            return np.asarray(~same & self._far(want, got, np.abs(want)))

    def _far(self, want: np.ndarray, got: np.ndarray, scale: np.ndarray) -> np.ndarray:
        larger = np.maximum(scale, np.abs(got))
        allowed = self.atol + self.ulps * np.spacing(larger)
        near = (want == got) | (_nan(want) & _nan(got)) | (np.abs(want - got) <= allowed)
        return np.asarray(~near)

    def distance(self, want: Any, got: Any) -> str:
        """How far apart two numbers are, for a message; nothing for what is no finite float."""
        a, b = np.asarray(want), np.asarray(got)
        if a.dtype.kind not in "fc" or not (np.isfinite(a).all() and np.isfinite(b).all()):
            return ""
        with np.errstate(all="ignore"):
            unit = np.spacing(np.maximum(np.abs(a), np.abs(b)))
            return f"{float(np.abs(a - b) / unit):.3g} units in the last place apart"


def _nan(value: np.ndarray) -> np.ndarray:
    return np.asarray(np.isnan(value))


@frozen
class Difference:
    """Where two outcomes part first.

    Attributes
    ----------
    where : str
        "the result[0]", "the argument a", "the exception", "the printed text".
    what : str
        What of it differs: "value", "type", "dtype", "shape", "length", "keys", "attributes", "default_factory",
        "maxlen", "message", "access", "identity", "memory", "state".
    plain, compiled : str
        Both sides.

    Examples
    --------
    >>> from anabranch.testing import check_equivalent
    >>> report = check_equivalent(abs, -1.5, compiler=lambda function: lambda x: function(x) + 1.0)
    >>> report.difference.what, report.difference.plain
    ('value', '1.5')
    """

    where: str
    what: str
    plain: str
    compiled: str

    def __str__(self) -> str:
        return f"{self.what} of {self.where}: plain {self.plain}, compiled {self.compiled}"


def first_difference(
    want: Outcome, got: Outcome, names: tuple[str, ...] = (), tolerance: Tolerance | None = None
) -> Difference | None:
    """Return the first difference; None where there is none.

    Parameters
    ----------
    want, got : Outcome
        That of the plain function, and the other.
    names : tuple of str
        Those of the positional arguments, for the message.
    tolerance : Tolerance, optional
    """
    return next(_differences(want, got, names, _Comparison(tolerance or Tolerance())), None)


def value_difference(want: object, got: object, where: str, tolerance: Tolerance | None = None) -> Difference | None:
    """Return the first difference between two values; None where there is none.

    Parameters
    ----------
    want, got : object
    where : str
        What they are, for the message: "the result".
    tolerance : Tolerance, optional
    """
    return next(_Comparison(tolerance or Tolerance()).compare(want, got, where), None)


def _differences(want: Outcome, got: Outcome, names: tuple[str, ...], comparison: _Comparison) -> Iterator[Difference]:
    if want.error is not None or got.error is not None:
        yield from _exceptions(want, got)
        yield from _drawn_before(want, got, comparison)
        return
    yield from comparison.compare(want.value, got.value, "the result")
    for i, (a, b) in enumerate(zip(want.args, got.args, strict=True)):
        name = names[i] if i < len(names) else str(i)
        yield from comparison.compare(a, b, f"the argument {name} after the call")
    for name in want.kwargs:
        yield from comparison.compare(want.kwargs[name], got.kwargs[name], f"the argument {name} after the call")
    yield from _identities(want, got, comparison.copies)
    if want.text != got.text:
        yield Difference("the printed text", "value", repr(want.text), repr(got.text))


def _exceptions(want: Outcome, got: Outcome) -> Iterator[Difference]:
    plain, compiled = (_ended(o) for o in (want, got))
    if want.error is None or got.error is None or not isinstance(got.error, type(want.error)):
        yield Difference("the exception", "type", plain, compiled)
        return
    # What is raised while tracing tells of the user's line below NumPy's own words.
    words, others = str(want.error), str(got.error)
    if words != others and not (isinstance(got.error, AnabranchError) and others.startswith(f"{words}\n")):
        yield Difference("the exception", "message", plain, compiled)
    elif want.text != got.text:
        yield Difference("the printed text", "value", repr(want.text), repr(got.text))


def _drawn_before(want: Outcome, got: Outcome, comparison: _Comparison) -> Iterator[Difference]:
    """The differences between generators among the arguments, which keep what was drawn before an exception."""
    ours, theirs = (
        [(place, value) for place, value in _walk(("the arguments", (o.args, o.kwargs))) if kind_of(value) is not None]
        for o in (want, got)
    )
    # Each beside its like: a list that was written to before the exception may have more items in one of the calls.
    for (place, value), (_, other) in zip(ours, theirs, strict=False):
        yield from comparison.compare(value, other, f"{place} after the exception")


def _ended(outcome: Outcome) -> str:
    if outcome.error is None:
        return f"returns {outcome.value!r}"
    words = str(outcome.error).partition("\n")[0]
    return f"raises {type(outcome.error).__name__}: {words}" if words else f"raises {type(outcome.error).__name__}"


class _Comparison:
    """Goes through two values side by side."""

    def __init__(self, tolerance: Tolerance) -> None:
        self._tolerance = tolerance
        self.copies = tolerance.copies
        self._under_way: IdentitySet[object] = IdentitySet()

    def compare(self, want: Any, got: Any, where: str) -> Iterator[Difference]:
        """The differences between two values."""
        if not _is_one_type(type(want), type(got)):
            yield Difference(where, "type", _shown(want), _shown(got))
        elif isinstance(want, (np.ndarray, np.generic, Array)):
            yield from self._arrays(np.asarray(want), np.asarray(got), where)
            if isinstance(want, np.ndarray) and _access(want) != _access(got) and not (self.copies and _access(got)):
                yield Difference(where, "access", *(_access(a) or "may be written to" for a in (want, got)))
        elif isinstance(want, (float, complex)):
            if self._tolerance.far(np.asarray(want), np.asarray(got)):
                yield self._numbers(want, got, where)
        elif (kind := kind_of(want)) is not None:
            yield from self._generators(kind, want, got, where)
        elif parts(want) is not None:
            yield from self._containers(want, got, where)
        elif isinstance(want, (set, frozenset)):
            if not _are_same_members(want, got):
                yield Difference(where, "value", repr(want), repr(got))
        elif want is not got and not callable(want) and want != got:
            yield Difference(where, "value", repr(want), repr(got))

    def _generators(self, kind: GeneratorKind, want: object, got: object, where: str) -> Iterator[Difference]:
        """The difference between the states of two generators of random numbers."""
        if kind_of(got) != kind:
            yield Difference(where, "type", repr(want), repr(got))
        elif not np.array_equal(kind.read(want), kind.read(got)):
            yield Difference(where, "state", *(f"after which come {_next(g)}" for g in (want, got)))

    def _arrays(self, want: Any, got: Any, where: str) -> Iterator[Difference]:
        for what in ("dtype", "shape"):
            if getattr(want, what) != getattr(got, what):
                yield Difference(where, what, str(getattr(want, what)), str(getattr(got, what)))
                return
        if want.dtype == object:
            yield from self.compare(want.tolist(), got.tolist(), where)
            return
        far = self._tolerance.far(want, got)
        if far.any():
            place = tuple(int(i) for i in np.unravel_index(int(np.argmax(far)), far.shape)) if far.ndim else ()
            at = f"{where}[{', '.join(map(str, place))}]" if place else where
            yield self._numbers(want[place], got[place], at)

    def _numbers(self, want: Any, got: Any, where: str) -> Difference:
        apart = self._tolerance.distance(want, got)
        return Difference(where, "value", repr(want), f"{got!r}{f' ({apart})' if apart else ''}")

    def _containers(self, want: object, got: object, where: str) -> Iterator[Difference]:
        if want in self._under_way:
            return
        ours, theirs = parts(want), parts(got)
        assert ours is not None
        assert theirs is not None
        if len(ours) != len(theirs) or not all(map(_is_one_key, ours, theirs)):
            what = "keys" if isinstance(want, dict) else "length" if is_sequence(want) else "attributes"
            yield Difference(where, what, _keys(want, ours), _keys(got, theirs))
            return
        for what in ("default_factory", "maxlen"):
            plain, compiled = (getattr(value, what, None) for value in (want, got))
            if plain is not compiled and plain != compiled:
                yield Difference(where, what, repr(plain), repr(compiled))
                return
        self._under_way.add(want)
        for (key, part), other in zip(ours.items(), theirs.values(), strict=True):
            yield from self.compare(part, other, f"{where}{_step(want, key)}")
        self._under_way.discard(want)


def _next(generator: Any) -> str:
    """The number that a generator would draw next."""
    return repr(copy.deepcopy(generator).random())


def _is_one_type(want: type, got: type) -> bool:
    """Return whether two types are one, or come from one class statement in the function, which each call runs."""
    inside = all("<locals>" in kind.__qualname__ for kind in (want, got))
    return want is got or (inside and (want.__module__, want.__name__) == (got.__module__, got.__name__))


def _is_one_key(a: Any, b: Any) -> bool:
    """Return whether two keys are the same; of objects, copies are."""
    return is_same(a, b, operator.eq)


def _are_same_members(ours: Any, theirs: Any) -> bool:
    """Return whether two sets have the same members, each of one type, in whatever order."""
    if len(ours) != len(theirs):
        return False
    own = {one: one for one in theirs}
    return all(one in own and _is_one_key(one, own[one]) for one in ours)


def _keys(value: object, held: dict[Any, Any]) -> str:
    return str(len(held)) if is_sequence(value) else str(list(held))


def _step(value: object, key: object) -> str:
    return f"[{key!r}]" if isinstance(value, dict) or is_sequence(value) else f".{key}"


def _access(array: Any) -> str:
    # The interface counts what NumPy is about to make read-only as such, where the flag would warn.
    return "is read-only" if array.__array_interface__["data"][1] else ""


def _shown(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"


# ---- which of them are one object ------------------------------------------------------------------------------------


def _identities(want: Outcome, got: Outcome, copies: bool) -> Iterator[Difference]:
    """Lists, dicts, objects that are one in one outcome and two in the other; arrays that are an argument's."""
    # What a loop binds anew to a view of the very same part may be either.
    ours, theirs = (dict(_repeated(o, arrays=not copies)) for o in (want, got))
    for place in [*ours, *theirs]:
        if copies and place in ours and place not in theirs and place.startswith("the result"):
            continue
        if ours.get(place) != theirs.get(place):
            plain, compiled = (f"is {d[place]}" if place in d else "is an object of its own" for d in (ours, theirs))
            yield Difference(place, "identity", plain, compiled)
            return
    before, after = (set(_shared(o)) for o in (want, got))
    for place, other in sorted(after - before if copies else before ^ after):
        plain, compiled = (f"{'is' if (place, other) in s else 'is not'} memory of {other}" for s in (before, after))
        yield Difference(place, "memory", plain, compiled)
        return


def _is_immutable(value: object) -> bool:
    """Return whether a container is a tuple or a frozen dataclass, which have no identity in compiled code."""
    structure = structure_of(value)
    return structure is not None and not structure.mutable


def _walk(*roots: tuple[str, object]) -> Iterator[tuple[str, Any]]:
    """Each part of some values, the last one first, with its place; containers once."""
    pending, seen = list(roots), IdentitySet[object]()
    while pending:
        place, value = pending.pop()
        yield place, value
        held = parts(value)
        if held is None or value in seen:
            continue
        if not _is_immutable(value):  # a new one of the same parts is as good
            seen.add(value)
        pending += [(f"{place}{_step(value, key)}", part) for key, part in reversed(list(held.items()))]


def _roots(outcome: Outcome) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("the result", outcome.value), ("the arguments", (outcome.args, outcome.kwargs))


def _repeated(outcome: Outcome, arrays: bool) -> Iterator[tuple[str, str]]:
    """Which lists, dicts and objects are one, and with `arrays` which arrays are one of the caller's."""
    first: IdentityDict[object, str] = IdentityDict()
    own = IdentitySet(outcome.arrays) if arrays else ()
    for place, value in _walk(*_roots(outcome)):
        if isinstance(value, np.ndarray):
            # Of two names for one new array a loop or a branch may make two.
            known = first.setdefault(value, place) if value in own else None
        elif parts(value) is not None and not (_is_immutable(value) or isinstance(value, BaseException)):
            known = first.setdefault(value, place)
        else:
            continue
        if known is not None and known != place:
            yield place, known


def _shared(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Which arrays of the result are memory of which of the arguments, also within an argument's own list."""
    results, arguments = ([(p, v) for p, v in _walk(root) if _is_memory(v)] for root in _roots(outcome))
    for place, array in results:
        for other, memory in arguments:
            if np.shares_memory(array, memory):
                yield place, other


def _is_memory(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.size > 0
