"""Text of run-time values: a `str` that is known when the computation has run.

A `Text` is a method of `str` and what it is called on and with (`"got {}".format(x)`, `", ".join(parts)`), or a
function of NumPy that gives a text: nothing of it is computed while tracing. It is taken apart like a container, and
built on the host it is the `str` that Python makes of the same values. What needs the characters themselves while
tracing is refused.
"""

from __future__ import annotations

import contextlib
import copy
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError, UnsupportedValueError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.upper_layers import TextOperations
from anabranch.runtime.values import containers, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.attributes import TextStandIn
from anabranch.runtime.values.comparisons import Compared
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory.handle import Handle
from anabranch.runtime.values.static_requests import with_static_request
from anabranch.runtime.values.tracer import SHOWN, Tracer, shown_to_tools
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up

# Methods of str that return a str, whatever it holds.
_GIVE_TEXT = frozenset(
    {
        "__add__", "__mod__", "__mul__", "__rmul__", "capitalize", "casefold", "center", "expandtabs", "format", "join",
        "ljust", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase",
        "title", "translate", "upper", "zfill",
    }
)  # fmt: skip

_OF_CASE = frozenset({"capitalize", "casefold", "lower", "swapcase", "upper"})

PrintOptions: TypeAlias = tuple[tuple[str, object], ...]

# In these nothing can hide.
_OPEN = (str, bytes, int, float, complex, type(None), np.ndarray, np.generic, np.dtype, types.FunctionType, type)


@frozen
class TextStructure(containers.Structure):
    """A text: the method, and the names of its last parts."""

    method: str = "format"
    keywords: tuple[str, ...] = ()
    options: PrintOptions = ()

    mutable = False
    holds_copies = True

    def children(self, value: Value) -> list[Value]:
        if self.method == _SPELLED and not is_spelled(value):
            value = current().trace.outside.text_operations.spell(value)
        return list(value.parts)

    def build(self, children: Sequence[object]) -> Value:
        if any(map(containers.has_traced, children)):
            return Text(self.method, tuple(children), self.keywords, self.options)
        return self.on_host(children, ())

    def on_host(self, children: Sequence[object], members: Sequence[object]) -> Value:
        with with_options(self.options) if self.options else contextlib.nullcontext():
            return _evaluate(self.method, children, self.keywords)


def changed_options() -> PrintOptions:
    """NumPy's options for printing, as far as the function that is traced has set others than its caller."""
    now, before = dict(np.get_printoptions()), current().trace.output.print_options
    return tuple((name, value) for name, value in now.items() if value != before[name])


def with_options(options: PrintOptions) -> contextlib.AbstractContextManager[object]:
    """Print NumPy's arrays with these options."""
    # Its stub has each option by name.
    print_options: Callable[..., contextlib.AbstractContextManager[object]] = np.printoptions
    manager: contextlib.AbstractContextManager[object] = print_options(**dict(options))
    return manager


class Text(Compared, TextStandIn):
    """A str that is known only at run time."""

    __slots__ = ("keywords", "method", "options", "parts")

    def __init__(
        self, method: str, parts: tuple[object, ...], keywords: tuple[str, ...] = (), options: PrintOptions = ()
    ) -> None:
        self.method = method
        self.parts = parts
        self.keywords = keywords
        self.options = options

    def __anabranch_sample__(self) -> str:
        return np.str_("") if self.method == NUMPYS_TEXT else ""

    def __anabranch_structure__(self) -> TextStructure:
        return TextStructure(
            Text, tuple(range(len(self.parts))), method=self.method, keywords=self.keywords, options=self.options
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.method == NUMPYS_TEXT and not hasattr("", name):
            return _attribute_of_numpys(self, name)
        getattr("", name)  # raises what Python does of other names
        return StrMethod(name, self)

    def __add__(self, other: Value) -> Value:
        return _sum(self, other) if isinstance(other, (str, Text, UnionValue)) else NotImplemented

    def __radd__(self, other: object) -> Value:
        return _sum(other, self) if isinstance(other, (str, UnionValue)) else NotImplemented

    def __mul__(self, count: Value) -> Value:
        return deferred("__mul__", self, count)

    __rmul__ = __mul__

    def __mod__(self, values: object) -> Value:
        return deferred("__mod__", self, values)

    def __rmod__(self, template: object) -> Value:
        return deferred("__mod__", template, self) if isinstance(template, str) else NotImplemented

    def __copy__(self) -> Text:
        return self

    def __deepcopy__(self, memo: dict[int, Value]) -> Text:
        return self

    def _needs_characters(self, *_: object, **__: object) -> NoReturn:
        raise refused(self)

    def __iter__(self) -> NoReturn:
        if tracing():
            current().trace.outside.needs_plain()
        raise refused(self)

    __len__ = __bool__ = __str__ = __format__ = __contains__ = _needs_characters
    __int__ = __float__ = __complex__ = __index__ = __fspath__ = __reduce__ = __array__ = _needs_characters

    def __hash__(self) -> int:
        if tracing():
            current().trace.outside.needs_plain()
            current().trace.tables.ask_for_places()
        raise refused(self)

    def _compared(self, operation: Callable[[Any, Any], Any], other: Value) -> Value:
        return _operations(self).compare(operation, self, other)

    def __getitem__(self, key: Value) -> Value:
        return _operations(self).item(self, key)

    def __repr__(self) -> str:
        return shown_to_tools(f"{SHOWN}text, str.{self.method} of {len(self.parts)} parts>")


def _attribute_of_numpys(text: Text, name: str) -> Any:
    """An attribute that `numpy.str_` has and `str` has not."""
    found = getattr(np.str_("a"), name)  # raises what NumPy's scalar does
    if name in ("item", "tolist"):
        return lambda: text.parts[0]
    if name in ("ndim", "shape", "size"):
        return found
    raise UnsupportedOperationError(
        f"{name} of an element of an array of texts is not supported in compiled code; make a text of Python's of it, "
        "str(x), or ask the array"
    )


def is_spelled(value: object) -> bool:
    """Return whether the characters of a text, or of texts of a structure, lie in memory: a list is its one part."""
    return isinstance(value, (Text, TextStructure)) and value.method == _SPELLED


def _sum(first: object, second: object) -> Value:
    """`first + second`, of which one is a text that is known only at run time."""
    if tracing() and (is_spelled(first) or is_spelled(second)):
        return current().trace.outside.text_operations.add(first, second)
    return deferred("__add__", first, second)


_SPELLED = "spelled"
Text.__name__ = "str"  # as Python's messages name the class


def _operations(text: Text) -> TextOperations:
    if not tracing():
        raise refused(text)
    return current().trace.outside.text_operations


def refused(text: object, use: str = "") -> ConcretizationError:
    """The error where the characters of a text are wanted, which says what would have to be known for them."""
    error = refusal(use)
    for part in text.parts if isinstance(text, Text) else ():
        with_static_request(error, part.tag if isinstance(part, UnionValue) else part, "a plain str")
    return error


def refusal(use: str) -> ConcretizationError:
    """The error where the characters of a text are wanted."""
    return ConcretizationError(
        f"a plain str is needed while tracing{use} (for a comparison, a dict key, a length or a part of a text), but "
        "this text shows values known only at run time; compare the values instead, print or return the text, or "
        "make the arguments it comes from static (static_argnames=...)"
    )


@frozen
class StrMethod:
    """A method of `str`, with the text it belongs to where it was looked up on one."""

    name: str
    owner: Any = None

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        args = args if self.owner is None else (self.owner, *args)
        if self.name == "join" and len(args) == 2:
            args = (args[0], current().trace.outside.text_operations.parts(args[1]) if tracing() else list(args[1]))
            if tracing() and current().trace.text.spells_joins:
                made = current().trace.outside.text_operations.join(*args)
                if made is not None:
                    return made
        found = UNKNOWN if kwargs else looked_up(getattr(str, self.name), *args)
        if found is not UNKNOWN:
            return found
        if self.name in _GIVE_TEXT:
            return deferred(self.name, *args, **kwargs)
        if tracing() and not kwargs and containers.has_traced(args):
            made = current().trace.outside.text_operations.method(self.name, *args)
            if made is not NotImplemented:
                return made
        method = getattr(str, self.name)
        if containers.has_traced((args, kwargs)):
            raise refused(self.owner, f" by str.{self.name}")
        return method(*args, **kwargs)


def deferred(method: str, *parts: object, **keywords: object) -> Value:
    """The method of `str` on these parts, of which some may be known only at run time.

    Raises `TypeError` or `ValueError` or `KeyError` or `IndexError`: what Python raises for such parts, where their
    types alone tell. Raises `UnsupportedValueError` for an object that hides run-time values.
    """
    parts = (*parts, *keywords.values())
    names = tuple(keywords)
    if not containers.has_traced(parts):
        try:
            made = _evaluate(method, parts, names)  # once: a method of the user's may do more than give a text
        except ConcretizationError:
            _refuse_each(parts)
            raise
        if isinstance(made, str) and SHOWN in made:
            _refuse_each(parts)
        return made
    kept = tuple(map(snapshot, parts))
    if all(map(_is_simple, kept)):
        _evaluate(method, tuple(map(_sample, kept)), names)  # raises what Python would
    _check_options(method, kept, names)
    if method in _OF_CASE and tracing():
        current().trace.outside.text_operations.check_case(method, *kept)
    return Text(method, kept, names, changed_options())


def by_function(function: Callable[..., str], *parts: object, **keywords: object) -> Value:
    """The text that a function of NumPy's gives of these parts, of which some may be known only at run time."""
    kept = tuple(map(snapshot, (*parts, *keywords.values())))
    return Text(f"{_NUMPYS}{function.__name__}", kept, tuple(keywords), changed_options())


_NUMPYS = "numpy."
# The method of a text that is NumPy's scalar, `numpy.str_`, of its one part.
NUMPYS_TEXT = f"{_NUMPYS}str_"


def _check_options(method: str, parts: tuple[Value, ...], names: tuple[str, ...]) -> None:
    """Raise what Python would where the type of the one part that is a choice, as it is at run time, tells."""
    choices = [place for place, part in enumerate(parts) if isinstance(part, UnionValue)]
    if len(choices) != 1 or len(parts[choices[0]].options) > _FEW:
        return
    choice = parts[choices[0]]
    for i, option in enumerate(choice.options):
        chosen = (*parts[: choices[0]], option, *parts[choices[0] + 1 :])
        if all(map(_is_simple, chosen)):
            try:
                _evaluate(method, tuple(map(_sample, chosen)), names)
            except (TypeError, ValueError) as error:
                told = error.with_traceback(None)
                run_time_checks.fail_if(choice.chosen(i), lambda _, told=told: told)


# Of so many options each is tried.
_FEW = 8


def _method_named(name: str) -> Callable[..., Value]:
    if name.startswith(_NUMPYS):
        return getattr(np, name.removeprefix(_NUMPYS))  # type: ignore[no-any-return]
    return _OTHERS.get(name) or getattr(str, name)


def _part(text: str, start: int | None, stop: int | None, step: int | None) -> str:
    return text[start:stop:step]


def decoded(codes: np.ndarray, length: int) -> str:
    """The text of so many characters of these codes."""
    return codes[:length].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


_OTHERS: dict[str, Callable[..., Value]] = {"part": _part, "decoded": decoded, _SPELLED: "".join}


def _evaluate(method: str, parts: Sequence[object], keywords: Sequence[str]) -> Value:
    named = dict(zip(keywords, parts[len(parts) - len(keywords) :], strict=True))
    made = _method_named(method)(*parts[: len(parts) - len(keywords)], **named)
    if made is NotImplemented:
        raise TypeError(f"unsupported operands of str.{method}: {', '.join(type(p).__name__ for p in parts)}")
    return made


def snapshot(value: object) -> Value:
    """The value as it is now: arrays, lists and objects in it may change later."""
    if isinstance(value, Handle):
        return wrap.array_of(value.atom)
    if isinstance(value, UnionValue):
        value = value.without_undefined()
        if not isinstance(value, UnionValue):
            return snapshot(value)
        return UnionValue(value.tag, tuple(map(snapshot, value.options)))
    if isinstance(value, (Tracer, Text)):  # the parts of a text never change
        return value
    structure = containers.structure_of(value)
    if structure is not None:
        return structure.build([snapshot(c) for c in structure.children(value)])
    refuse_hidden(value)
    return copy.copy(value) if isinstance(value, (np.ndarray, set, dict, bytearray)) else value


def _refuse_each(parts: Sequence[object]) -> None:
    for part in parts:
        refuse_hidden(part)


def refuse_hidden(value: object) -> None:
    """Refuse an object that cannot be taken apart where what stands for run-time values shows in its text."""
    if isinstance(value, _OPEN) or (type(value) in (tuple, list, dict) and _is_simple(value)):
        return
    try:
        hides = any(SHOWN in text for text in (str(value), repr(value)))
    except ConcretizationError:
        hides = True
    if hides:
        raise UnsupportedValueError(
            f"the text of {a(type(value).__name__)} that holds run-time values is not supported; put them into a "
            "tuple, list or dict, or format them one by one"
        )


def _is_simple(value: Value) -> bool:
    """Return whether the text of a value of this type is made by Python and NumPy alone, whatever it is."""
    if isinstance(value, (Text, Tracer, str, int, float, complex, type(None), np.ndarray, np.generic)):
        return True
    return type(value) in (tuple, list, dict) and all(map(_is_simple, value.values() if type(value) is dict else value))


def _sample(value: Value) -> Value:
    """Some value of the type that this one will have."""
    if isinstance(value, Text):
        return "1"
    if wrap.is_dynamic_array(value):
        return np.ones((1,) * value.ndim, value.dtype)
    if isinstance(value, Tracer):
        abstract = value.abstract
        some = np.ones(abstract.shape if len(abstract.shape) < 1 else (1,) * len(abstract.shape), abstract.dtype)
        return some if abstract.kind is Kind.ARRAY else some.item() if abstract.kind is Kind.PYTHON else some[()]
    if type(value) is dict:
        return {k: _sample(v) for k, v in value.items()}
    return type(value)(map(_sample, value)) if type(value) in (tuple, list) else value
