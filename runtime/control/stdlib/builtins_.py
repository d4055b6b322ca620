"""Python's built-in functions on traced values; on concrete ones they are Python's own."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.runtime.control import boolean, lists
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.calls.output import print_
from anabranch.runtime.control.calls.signature_errors import fitted
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.iteration import countable, generator_reductions, zip_columns as columns_
from anabranch.runtime.control.iteration.push_iteration import Source
from anabranch.runtime.control.iteration.remaining_items import is_named, remaining
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.text import ascii_, format_, repr_, str_ as str_
from anabranch.runtime.control.truth import truth, truth_value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.trace import current, tracing
from anabranch.runtime.values import atoms, attributes, containers, registry, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.dynamic_array import Sized
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists.growable import MayGrow, is_grown
from anabranch.runtime.values.interval import FULL, Interval
from anabranch.runtime.values.lazy_text import Text, refusal
from anabranch.runtime.values.python_numbers import python_conversions, python_operands, python_power
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up

COUNTERPARTS: dict[Any, str] = {}


def _counterpart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function of this module as the staged form of the built-in of the same name."""
    original = getattr(builtins, function.__name__.rstrip("_"))
    COUNTERPARTS[original] = function.__name__
    return function if isinstance(function, type) else fitted(function, original)


def _of_each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, done with each list that the first argument may be, where one is of run-time length."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else None
        if isinstance(first, ChoiceValue) and any(map(is_grown, first.options)):
            return first.through(lambda v: function(v, *args[1:], **kwargs))
        return function(*args, **kwargs)

    return call


def is_traced(value: Any) -> bool:
    """Whether a value is known only at run time, as a whole."""
    return isinstance(value, (Traced, ChoiceValue))


def _plain(value: Any) -> Any:
    if not isinstance(value, ChoiceValue):
        return value
    value = value.without_undefined()
    return value.resolve() if isinstance(value, ChoiceValue) and not value.of_objects else value


@_counterpart
def len_(items: Any) -> Any:
    """As `len`; of an array or a list whose size is known only at run time, a traced int."""
    if isinstance(items, ChoiceValue):
        items = _plain(items)
        if (found := looked_up(len, items)) is not UNKNOWN:
            return found
        if isinstance(items, ChoiceValue):
            return items.through(len_)
    if isinstance(items, MayGrow) and items.is_grown and not items.is_fixed:
        assert items.items is not None
        return items.items.length
    return items.shape[0] if isinstance(items, Sized) else len(items)


# ---- iteration -------------------------------------------------------------------------------------------------------


@_counterpart
def range_(*args: Any) -> Any:
    """As `range`; with run-time bounds, a range that `for` stages."""
    args = tuple(arg.resolve(range) if isinstance(arg, ChoiceValue) else arg for arg in args)
    if not any(map(is_traced, args)) or len(args) > 3:
        return range(*args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return countable.Range(start, stop, step)


@_counterpart
@_of_each
def enumerate_(items: Any, start: Any = 0) -> Any:
    """As `enumerate`."""
    staged = countable.countable(items)
    return enumerate(items, start) if staged is None else countable.Enumerated(staged, start)


@_counterpart
def zip_(*columns: Any, strict: bool = False) -> Any:
    """As `zip`; staged when every column is a range or an array, or one has a length known only at run time."""
    staged = columns_.staged(columns) if columns else None
    return zip(*columns, strict=strict) if staged is None else countable.Zipped(staged, strict)


@_counterpart
@_of_each
def reversed_(items: Any) -> Any:
    """As `reversed`."""
    if isinstance(items, countable.Once):
        raise TypeError("an iterator is not reversible")
    staged = countable.countable(items)
    return reversed(items) if staged is None else countable.Reversed(staged)


# ---- reductions ------------------------------------------------------------------------------------------------------


@_counterpart
@_of_each
def min_(*args: Any, **kwargs: Any) -> Any:
    """As `min`: the first smallest, by `<` alone (so NaN is Python's NaN, not NumPy's)."""
    return _extreme(min, args, kwargs)


@_counterpart
@_of_each
def max_(*args: Any, **kwargs: Any) -> Any:
    """As `max`."""
    return _extreme(max, args, kwargs)


def _extreme(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if tracing() and kwargs.get("key") is not None:
        kwargs = {**kwargs, "key": registry.called(kwargs["key"])}
    if not args or not kwargs.keys() <= {"key", "default"}:
        return function(*args, **kwargs)  # raises TypeError
    items = args if len(args) > 1 else iterated(args[0])
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.extreme(function, source, kwargs)
    if isinstance(items, Array) and items.ndim == 1 and items.size and not kwargs:
        return _extreme_of_array(function, items)
    items = list(items) if not isinstance(items, (tuple, list)) else items
    if not any(map(containers.has_traced, items)) and "key" not in kwargs:
        return function(items, **kwargs)
    if not items:
        return function(items, **kwargs)
    key = kwargs.get("key") or (lambda v: v)
    # What a key ranks highest may be any of them.
    within = Interval.__or__ if kwargs.get("key") else Interval.min if function is min else Interval.max
    best = items[0]
    for item in items[1:]:
        better = container_order.compared(operator.lt if function is min else operator.gt, key(item), key(best))
        decided = truth(better)
        if isinstance(decided, bool):
            best = item if decided else best
        else:
            best = select_value.choose(decided, item, best, _bounds(within, item, best), f"{function.__name__}()")
    return best


@_counterpart
@_of_each
def sorted_(items: Any, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> Any:
    """As `sorted`."""
    if not tracing():
        return sorted(items, key=key, reverse=reverse)
    key = registry.called(key)
    made = lists.items_of(items)
    if not is_grown(made):
        return lists.let_grow(container_order.in_order(made, key, reverse))
    made.sort(key=key, reverse=reverse)
    return made


def _bounds(within: Callable[[Interval, Interval], Interval], a: Any, b: Any) -> Any:
    if not all(isinstance(v, (int, PythonScalar)) for v in (a, b)):
        return FULL
    if any(isinstance(v, PythonScalar) and v.python is not int for v in (a, b)):
        return FULL
    return within(interval_of(a), interval_of(b))


def _extreme_of_array(function: Callable[..., Any], array: Array) -> Any:
    """Python's `min` of a vector: NaNs are passed over, unless the first element is one."""
    atom = array.atom
    name = "reduce_min" if function is min else "reduce_max"
    if atom.type.dtype.kind != "f":
        return wrap.numpy_result(atoms.op(name, atom, axes=(0,)))
    first = atoms.reshape(atoms.op("slice", atom, starts=(0,), limits=(1,), strides=(1,)), ())
    bad = atoms.ufunc(np.isnan, first)
    worst = atoms.literal(np.inf if function is min else -np.inf, atom.type.dtype)
    cleaned = atoms.select(atoms.ufunc(np.isnan, atom), atoms.broadcast_to(worst, atom.type.shape), atom)
    return wrap.numpy_result(atoms.select(bad, first, atoms.op(name, cleaned, axes=(0,))))


@_counterpart
@_of_each
def sum_(items: Any, start: Any = 0) -> Any:
    """As `sum`; over an array, one reduction."""
    items = iterated(_plain(items))
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.total(source, start)
    if not isinstance(items, Array) or not items.ndim or not items.shape[0]:
        return sum(items, start)
    atom = items.atom
    if atom.type.dtype == np.bool_:
        atom = atoms.convert(atom, np.int64)
    total = wrap.numpy_result(atoms.op("reduce_sum", atom, axes=(0,)))
    return start + total


@_counterpart
@_of_each
def any_(items: Any) -> Any:
    """As `any`: elements after the first true one are not evaluated."""
    return _quantify(items, "reduce_any", boolean.or_, False)


@_counterpart
@_of_each
def all_(items: Any) -> Any:
    """As `all`."""
    return _quantify(items, "reduce_all", boolean.and_, True)


def _quantify(items: Any, reduction: str, connective: Callable[..., Any], empty: bool) -> Any:
    items = iterated(_plain(items))
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.quantified(source, until=not empty)
    if isinstance(items, Array) and items.ndim == 1:
        return python_scalar(atoms.op(reduction, atoms.convert(items.atom, np.bool_), axes=(0,)))
    return _quantify_each(remaining(items), connective, empty)


def _quantify_each(items: Iterable[Any], connective: Callable[..., Any], empty: bool) -> Any:
    for item in items:
        decided = truth(item)
        if isinstance(decided, bool):
            if decided is not empty:
                return decided
            continue
        return connective(truth_value(item), lambda: _quantify_each(items, connective, empty))
    return empty


# ---- conversions -----------------------------------------------------------------------------------------------------


def _python_value(value: Any, kind: type) -> PythonScalar | Any:
    """A traced scalar or one-element array as the Python scalar that a number of the kind is made of."""
    if isinstance(value, PythonScalar) or not is_traced(value):
        return value
    atom = wrap.as_atom(value)
    if isinstance(value, Array) and value.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if atom.type.dtype.kind == "c" and kind in (int, float) and not isinstance(value, Array):
        atom = python_conversions.real_part(atom)
    if atom.type.dtype == np.uint64 and kind is not int:
        atom = atoms.convert(atom, np.float64)
    return python_conversions.of_numpy(atom)


def _convert(kind: type) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        if kind is bool and len(args) == 1:
            return truth_value(args[0])
        if not kwargs and (found := looked_up(kind, *args)) is not UNKNOWN:
            return found
        if len(args) == 1 and isinstance(args[0], ChoiceValue):
            return args[0].through(lambda value: convert(value, **kwargs))
        args = tuple(map(_plain, args))
        if not any(map(is_traced, args)):
            return _convert_object(kind, *args) if len(args) == 1 and not kwargs else kind(*args, **kwargs)
        if kind is complex and len(args) == 2:
            return complex_parts(*(_python_value(part, complex) for part in args))
        if len(args) > 1:
            if kind is not int or len(args) > 2:
                return kind(*(0 for _ in args))  # raises TypeError
            if kind is int and isinstance(args[0], (str, bytes, bytearray)):
                return int(args[0], operator.index(args[1]))
            raise TypeError(f"{kind.__name__}() can't convert non-string with explicit base")
        value = _python_value(args[0], kind)
        return python_conversions.to_kind(value, kind) if isinstance(value, PythonScalar) else kind(value)

    return convert


def _convert_object(kind: type, value: Any) -> Any:
    """`kind(value)`, for which the value's class may have a method of the user's."""
    method = containers.own_method(value, f"__{kind.__name__}__")
    if method is None:
        return kind(value)
    made = method()
    if class_of(made) is kind:
        return made
    name = type(value).__name__
    raise TypeError(f"{name}.__{kind.__name__}__ returned non-{kind.__name__} (type {class_of(made).__name__})")


def complex_parts(real: Any, imag: Any) -> Any:
    """`complex(real, imag)`; an argument that is complex itself counts with both of its parts."""
    if python_operands.kind_of(imag) is complex:
        return real + imag * 1j
    if python_operands.kind_of(real) is complex:
        return complex_parts(real.real, real.imag + imag)
    parts = (python_operands.as_kind(part, float) for part in (real, imag))
    return python_scalar(atoms.op("complex", *parts))


int_, float_, bool_, complex_ = (_convert(kind) for kind in (int, float, bool, complex))
COUNTERPARTS.update({int: "int_", float: "float_", bool: "bool_", complex: "complex_"})


@_counterpart
def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    """As `pow`, with a modulus also where only one of the others is traced."""
    if mod is None:
        return pow(base, exp)
    base, exp, mod = map(_plain, (base, exp, mod))
    if isinstance(mod, PythonScalar) or isinstance(exp, PythonScalar):
        return python_power.modular(base, exp, mod)
    return pow(base, exp, mod)


# ---- types -----------------------------------------------------------------------------------------------------------


def class_of(value: Any) -> Any:
    """The class of the object that a traced value stands for."""
    if isinstance(value, PythonScalar):
        return value.python
    if isinstance(value, Traced):
        return np.ndarray if value.abstract.kind is Kind.ARRAY else value.abstract.dtype.type
    if isinstance(value, ChoiceValue):
        value = value.without_undefined()
        return _class_of_choice(value) if isinstance(value, ChoiceValue) else class_of(value)
    if isinstance(value, MayGrow):
        return value.native
    return str if isinstance(value, Text) else attributes.class_of(value)


def _class_of_choice(value: ChoiceValue) -> Any:
    if isinstance(value, Reference):
        return value.through(class_of)
    first, *others = classes = tuple(map(class_of, value.options))
    return first if all(other is first for other in others) else ChoiceValue(value.tag, classes)


def class_(value: Any) -> Any:
    """`value.__class__`: of what a traced value stands for."""
    return class_of(value) if isinstance(value, (Traced, ChoiceValue, MayGrow, attributes.Bare)) else value.__class__


def type_(*args: Any) -> Any:
    """As `type`: the class of a traced value is that of what it stands for."""
    return class_of(args[0]) if len(args) == 1 else type(*args)


def _original(classes: Any) -> Any:
    """The classes, where rewritten code has their staged forms by their names."""
    if isinstance(classes, tuple):
        return tuple(map(_original, classes))
    return {range_: range, enumerate_: enumerate, zip_: zip, reversed_: reversed}.get(classes, classes)


@_counterpart
def isinstance_(value: Any, classes: Any) -> Any:
    """As `isinstance`: a traced value is an instance of the class it stands for."""
    classes = _original(classes)
    if isinstance(value, Reference):
        return value.through(lambda v: isinstance_(v, classes))
    if isinstance(value, ChoiceValue):
        value = value.without_undefined()
    if isinstance(value, ChoiceValue):
        matching = [i for i, o in enumerate(value.options) if isinstance_(o, classes)]
        if len(matching) == len(value.options):
            return True
        return python_scalar(value.among(matching))
    if not isinstance(value, (Traced, Text, attributes.Bare)):
        return isinstance(value, classes)
    try:
        return issubclass(class_of(value), classes)
    except TypeError:
        isinstance(None, classes)  # says what it takes, in words of its own
        raise


@_counterpart
def hasattr_(value: Any, name: Any, /) -> Any:
    """As `hasattr`: of one of a few objects, that of each."""
    return value.each(lambda v: hasattr_(v, name)) if isinstance(value, ChoiceValue) else attributes.has(value, name)


@_counterpart
def getattr_(value: Any, name: Any, /, *default: Any) -> Any:
    """As `getattr`: of one of a few objects, each without the attribute gives the default."""
    if not isinstance(name, str) or not attributes.is_stand_in(value):
        return getattr(value, name, *default)
    if default and isinstance(value, ChoiceValue):
        return value.each(lambda v: getattr_(v, name, *default))
    try:
        return attributes.read(value, name)
    except AttributeError:
        if not default:
            raise
        return default[0]


@_counterpart
def setattr_(value: Any, name: Any, new: Any, /) -> None:
    """As `setattr`."""
    attributes.write(value, name, new)


@_counterpart
def delattr_(value: Any, name: Any, /) -> None:
    """As `delattr`."""
    attributes.delete(value, name)


@_counterpart
def dir_(*args: Any) -> Any:
    """As `dir`."""
    if not args or not isinstance(args[0], ChoiceValue):
        return attributes.names(*args) if len(args) == 1 else dir(*args)
    return args[0].each(attributes.names)


@_counterpart
def next_(iterator: Any, *default: Any) -> Any:
    """As `next`, of an iterator made by the function itself.

    Raises
    ------
    UnsupportedOperationError
        For one from outside, which would move on once for each trace instead of for each call.
    """
    if tracing() and current().trace.is_outside(iterator):
        raise UnsupportedOperationError(
            "next() of an iterator from outside would give the same item at each call; pass the item as an argument"
        )
    if isinstance(iterator, Source) and not iterator.begun and not is_named(iterator):
        # Nobody is likely to ask it again; if somebody does, it is refused, as a generator that a loop has left.
        return generator_reductions.first(iterator, *default)
    return next(iterator, *default)


@_counterpart
def callable_(value: Any) -> Any:
    """As `callable`."""
    if isinstance(value, Reference):
        return value.through(callable_)
    if isinstance(value, ChoiceValue):
        value = value.without_undefined()
    if isinstance(value, ChoiceValue):
        return python_scalar(value.among([i for i, o in enumerate(value.options) if callable_(o)]))
    return not is_traced(value) and callable(value)


# ---- text ------------------------------------------------------------------------------------------------------------


@_counterpart
def ord_(character: Any, /) -> Any:
    """As `ord`."""
    found = looked_up(ord, character)
    if found is UNKNOWN and isinstance(character, Text):
        raise refusal(" by ord()")
    return ord(character) if found is UNKNOWN else found


print_, repr_, ascii_, format_ = map(_counterpart, (print_, repr_, ascii_, format_))
COUNTERPARTS[str] = "str_"
