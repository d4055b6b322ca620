"""Functions of values that are one of a few known texts: a gather from a table of the results for each of them.

The texts of a table (the characters of a string, the strings of a tuple) are the options of a choice, whose tag is
their code. A function of them is computed for each while tracing, and takes as many equations as for one.
"""

from __future__ import annotations

import copy
import enum
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import exceptions
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN

# The entries of a table, and the different values in it, are no more than this.
MOST_ENTRIES: Final = 2**14
MOST_OPTIONS: Final = 2**10
_CONSTANTS = (str, bytes, bool, int, float, complex, type(None), range, type(Ellipsis))
_COMPARISONS: dict[Callable[..., Any], np.ufunc] = {
    operator.eq: np.equal, operator.ne: np.not_equal, operator.lt: np.less, operator.le: np.less_equal,
    operator.gt: np.greater, operator.ge: np.greater_equal,
}  # fmt: skip


@frozen
class _Raised:
    """The error that a function raises in place of a result."""

    error: Exception


# Of a combination that cannot be.
_NEVER: Final = object()


def is_constant(value: object) -> bool:
    """Return whether a value never changes: text, a number, None, a member of an enumeration, or a tuple of such."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return type(value) in _CONSTANTS or is_member(value) or _is_number_with_a_name(value)


def is_member(value: object) -> bool:
    """Return whether a value is a member of an enumeration, and equal to nothing but itself."""
    cls = type(value)
    return isinstance(value, enum.Enum) and cls.__eq__ is object.__eq__ and cls.__hash__ is enum.Enum.__hash__


def _is_number_with_a_name(value: object) -> bool:
    """Return whether a value is a member of an enumeration of ints or texts, compared and hashed as these are."""
    return isinstance(value, enum.Enum) and any(
        isinstance(value, base) and type(value).__eq__ is base.__eq__ and type(value).__hash__ is base.__hash__
        for base in (int, str)
    )


def is_choice(value: object) -> bool:
    """Return whether a value is one of a few constants, some of them text, or a tuple with such a part."""
    if type(value) is tuple:
        return any(map(is_choice, value)) and all(is_choice(v) or is_constant(v) for v in value)
    if not isinstance(value, UnionValue):
        return False
    return all(map(is_constant, value.options)) and any(
        isinstance(o, (str, bytes, tuple, enum.Enum)) for o in value.options
    )


def look_up(function: Callable[..., object], *operands: object) -> Value:
    """Return the result of a function without effects, or `UNKNOWN` where its operands are no such choices."""
    if not tracing() or not any(isinstance(o, (UnionValue, tuple)) for o in operands):
        return UNKNOWN
    operands = tuple(map(_set, operands))
    if not any(map(is_choice, operands)):
        return UNKNOWN
    if function in _COMPARISONS and (ranked := _ranked(function, *operands)) is not UNKNOWN:
        return ranked
    table = _Table(operands) if all(is_choice(o) or is_constant(o) for o in operands) else None
    if table is not None and function in _SUMS and (whole := _sum_of_many(table, *operands)) is not None:
        return whole
    if table is None or table.length > MOST_ENTRIES:
        return UNKNOWN
    results = [_NEVER if row is None else _result(function, row) for row in table.rows()]
    if not all(r is _NEVER or isinstance(r, _Raised) or is_constant(r) for r in results):
        return UNKNOWN
    found = table.index_into(results)
    if len(table.tags) == 1 and isinstance(found, PythonScalar) and found.python is bool:
        (tag,) = table.tags
        current().trace.text.codes_of[found.atom] = (tag, tuple(r is True for r in results))
    return found


def _sum_of_many(table: _Table, first: Value, second: Value) -> Value | None:
    """The sum of two texts that is one of many, as a text whose characters lie in memory; None where it is another.

    What a loop goes on to make of such a text would be one of ever more.
    """
    if table.length <= _MANY_SUMS or not all(map(_is_text, (first, second))):
        return None
    if table.length <= MOST_ENTRIES:
        sums = {row[0] + row[1] for row in table.rows() if row is not None}
        if len(sums) <= _MANY_SUMS:
            return None
    if not may_grow():
        return None
    texts = current().trace.outside.text_operations
    return texts.add(texts.spell(first), second)


_SUMS = (operator.add, operator.iadd)
_MANY_SUMS: Final = 128


def _is_text(operand: object) -> bool:
    options = operand.options if isinstance(operand, UnionValue) else (operand,)
    return all(type(option) is str for option in options)


def _set(operand: object) -> Value:
    """A text that may be unset, after the check that it is set."""
    if not isinstance(operand, UnionValue) or not any(isinstance(o, Undefined) for o in operand.options):
        return operand
    rest = UnionValue(operand.tag, tuple(o for o in operand.options if not isinstance(o, Undefined)))
    return operand.without_undefined() if is_choice(rest) else operand


def _result(function: Callable[..., object], row: Sequence[object]) -> Value:
    try:
        return function(*row)
    except AnabranchError:
        raise
    except Exception as error:
        return _Raised(error.with_traceback(None))


class _Table:
    """All combinations of the options of some operands, and the place of the one that they are."""

    def __init__(self, operands: Sequence[object]) -> None:
        self._operands = operands
        self.tags: dict[Atom, int] = {}
        for operand in operands:
            self._find(operand)
        self.length = math.prod(self.tags.values())

    def _find(self, operand: object) -> None:
        if isinstance(operand, UnionValue):
            self.tags[operand.tag] = len(operand.options)
        elif type(operand) is tuple:
            for part in operand:
                self._find(part)

    def rows(self) -> Iterator[tuple[Value, ...] | None]:
        """The operands of each combination; None of one that cannot be in this branch."""
        possible = [_possible(tag, length) for tag, length in self.tags.items()]
        for codes in itertools.product(*map(range, self.tags.values())):
            chosen = dict(zip(self.tags, codes, strict=True))
            can_be = all(here[code] for here, code in zip(possible, codes, strict=True))
            yield tuple(_decided(operand, chosen) for operand in self._operands) if can_be else None

    def index_into(self, results: Sequence[object]) -> Value:
        """The result of the combination that the operands are."""
        index: Atom = atoms.literal(0, np.int64)
        for place, (tag, length) in enumerate(self.tags.items()):
            code = atoms.convert(tag, np.int64)
            scaled = atoms.ufunc(np.multiply, index, atoms.literal(length, np.int64)) if place else index
            index = atoms.ufunc(np.add, scaled, code) if place else code
        return entry(index, results)


def _possible(tag: Atom, length: int) -> list[bool]:
    """Return which codes are possible where the conditions hold under which the code that is traced now runs."""
    possible = [True] * length
    for builder in current().outwards():
        known = None if builder.selector is None else builder.trace.text.codes_of.get(builder.selector)
        if known is not None and known[0] is tag and builder.way is not None:
            possible = [here and holds is bool(builder.way) for here, holds in zip(possible, known[1], strict=True)]
    return possible if any(possible) else [True] * length


def _decided(operand: object, codes: dict[Atom, int]) -> Value:
    if isinstance(operand, UnionValue):
        return operand.options[codes[operand.tag]]
    return tuple(_decided(part, codes) for part in operand) if type(operand) is tuple else operand


def entry(index: Atom, table: Sequence[Any]) -> Value:
    """The constant at a place of a table known only at run time; which is in range."""
    if _NEVER in table:
        some = next(value for value in table if value is not _NEVER)
        table = [some if value is _NEVER else value for value in table]
    raised = [i for i, value in enumerate(table) if isinstance(value, _Raised)]
    if raised:
        _fail(index, {i: table[i].error for i in raised}, len(table))
        filler = next((value for value in table if not isinstance(value, _Raised)), None)
        table = [filler if isinstance(value, _Raised) else value for value in table]
    codes: dict[tuple[Any, ...], int] = {}
    line = [codes.setdefault(_identity(value), len(codes)) for value in table]
    first = dict(zip(reversed(line), reversed(table), strict=True))
    values = [first[code] for code in range(len(codes))]
    if len(values) == 1:
        return values[0]
    if type(values[0]) in PYTHON_DTYPES and all(type(v) is type(values[0]) for v in values):
        return _number(index, table)
    if type(values[0]) is tuple and values[0] and all(type(v) is tuple and len(v) == len(values[0]) for v in values):
        return current().trace.identity.merge(tuple(entry(index, column) for column in zip(*table, strict=True)))
    if len(values) > MOST_OPTIONS:
        return UNKNOWN
    return UnionValue(atoms.coded(index, line), tuple(values))


def alike(a: object, b: object) -> bool:
    """Return whether two constants are the same, which those of different types or signs of a zero are not."""
    return bool(_identity(a) == _identity(b))


def _identity(value: object) -> tuple[Value, ...]:
    """By what a constant is told from those that are equal to it (1, 1.0, True; 0.0, -0.0)."""
    if type(value) is tuple:
        return (tuple, *map(_identity, value))
    return type(value), np.array(value).tobytes() if type(value) in (float, complex) else value


def _number(index: Atom, table: Sequence[Any]) -> Value:
    kind = type(table[0])
    if kind is int and not all(FULL.low <= v <= FULL.high for v in table):
        return UNKNOWN
    line = np.array(table, PYTHON_DTYPES[kind])
    if kind is bool:
        for answer, comparison in ((True, np.equal), (False, np.not_equal)):
            if table.count(answer) == 1:
                return python_scalar(atoms.ufunc(comparison, index, atoms.literal(table.index(answer), np.int64)))
    return python_scalar(atoms.taken(index, line), Interval(min(table), max(table)) if kind is int else FULL)


def _fail(index: Atom, errors: dict[int, Exception], length: int) -> None:
    """Raise the error of the entry at a place, where it has one."""
    kinds = dict.fromkeys((type(e), len(e.args)) for e in errors.values())
    for cls, number in kinds:
        mine = {i: e for i, e in errors.items() if type(e) is cls and len(e.args) == number}
        some = next(iter(mine.values()))
        error = copy.copy(some)
        rows = [mine.get(i, some).args for i in range(length)]
        if all(map(is_constant, rows)):
            error.args = tuple(entry(index, column) for column in zip(*rows, strict=True))
        if len(mine) == length:
            raise error
        here = entry(index, [i in mine for i in range(length)])
        exceptions.record(here.atom, error, run_time_checks.user_frames())


def _ranked(comparison: Callable[..., Any], a: Value, b: Value) -> Value:
    """The comparison of two such values that are texts of one class, by their ranks among all of them."""
    if not (isinstance(a, UnionValue) and isinstance(b, UnionValue)) or a.tag is b.tag:
        return UNKNOWN
    if len({type(o) for o in (*a.options, *b.options)}) != 1 or type(a.options[0]) not in (str, bytes):
        return UNKNOWN
    order = {text: rank for rank, text in enumerate(sorted({*a.options, *b.options}))}
    ranks = [atoms.coded(v.tag, [order[o] for o in v.options]) for v in (a, b)]
    return python_scalar(atoms.ufunc(_COMPARISONS[comparison], *ranks))
