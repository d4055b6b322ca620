"""Methods that Python calls by itself, for operators, properties, `with`: the user's own are staged while a trace runs.

Rewritten code keeps `a + b`, and Python looks into the class of `a`. As long as a trace runs, what it finds there calls
the rewritten method; for other threads, which are not tracing, it calls the method as it is.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.by_identity import IdentitySet
from anabranch.base.signals import whole
from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.iteration import pull_iteration
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.control.staging.restaging import stage_current_operator
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.heap import patched_classes
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.unset_attributes import MayBeUnset
from anabranch.runtime.values.user_classes import is_users_class, unset_names

Call = Callable[..., Any]

# Called explicitly, on the host, or where no run-time value can be.
_LEFT = frozenset(
    f"__{name}__"
    for name in (
        "call", "class", "del", "dir", "format", "getattribute", "getnewargs", "getnewargs_ex", "getstate",
        "hash", "prepare", "reduce", "reduce_ex", "repr", "set_name", "setstate", "sizeof", "str", "subclasshook",
    )
)  # fmt: skip
_IMMUTABLE = 1 << 8


class Staging:
    """The classes that one trace has met: their special methods are staged until it is closed."""

    def __init__(self, call: Call, is_user_function: Callable[[types.FunctionType], bool]) -> None:
        self._call, self._is_user_function = call, is_user_function
        self._met: IdentitySet[type] = IdentitySet()

    @whole
    def add(self, cls: type) -> None:
        """Stage the methods of a class and its bases."""
        for base in cls.__mro__:
            if base in self._met or not is_users_class(base) or base.__flags__ & _IMMUTABLE:
                continue
            self._met.add(base)
            with patched_classes.lock:
                known = patched_classes.classes.setdefault(base, patched_classes.Staged(base, {}))
                if not known.traces:
                    self._stage(known)
                known.traces += 1
                for name in unset_names(base)[0]:
                    if name not in known.stand_ins:
                        known.before[name] = vars(base).get(name, patched_classes.NONE)
                        known.stand_ins[name] = MayBeUnset(base, name)
                        type.__setattr__(base, name, known.stand_ins[name])

    @whole
    def close(self) -> None:
        """Give the classes their methods back, where no other trace needs them staged."""
        with patched_classes.lock:
            for cls in self._met:
                known = patched_classes.classes[cls]
                known.traces -= 1
                if not known.traces:
                    _put_back(known)
                    del patched_classes.classes[cls]

    def _stage(self, known: patched_classes.Staged) -> None:
        for name, value in list(vars(known.cls).items()):
            if name in _OF_THE_CLASS_ITSELF:
                continue
            replacement = self._replacement(known.cls, name, value)
            if replacement is not None:
                known.before[name] = value
                type.__setattr__(known.cls, name, replacement)
        if "__eq__" in known.before and "__ne__" not in vars(known.cls):
            known.before["__ne__"] = patched_classes.NONE
            type.__setattr__(known.cls, "__ne__", _not_equal)

    def _replacement(self, cls: type, name: str, value: object) -> object:
        """The replacement of an attribute of a class while tracing; None for the attribute itself."""
        if isinstance(value, types.FunctionType):
            if (compared := _of_dataclass(cls, name, value)) is not None:
                return compared
            if name == "__hash__":
                return _hashing(value, self._call if self._is_user_function(value) else None)
            special = name.startswith("__") and name.endswith("__") and name not in _LEFT
            return self._dispatching(value) if special and (name != "__init__" or _is_made_in_c(cls)) else None
        if type(value) is property:
            accessors: list[Call | None] = [self._dispatching(f) or f for f in (value.fget, value.fset, value.fdel)]
            return property(accessors[0], accessors[1], accessors[2], value.__doc__)
        if type(value) is functools.cached_property and (function := self._dispatching(value.func)) is not None:
            cached = functools.cached_property(function)
            cached.__set_name__(cls, name)
            return cached
        if name == "__new__" and isinstance(value, staticmethod) and (made := self._dispatching(value.__func__)):
            return staticmethod(made)
        if hasattr(type(value), "__get__"):
            self.add(type(value))
        return None

    def _dispatching(self, function: object) -> Call | None:
        if isinstance(function, types.FunctionType) and self._is_user_function(function):
            return _dispatching(function, self._call)
        return None


_COMPARISONS = {f"__{o.__name__}__": o for o in (operator.eq, operator.lt, operator.le, operator.gt, operator.ge)}


def _of_dataclass(cls: type, name: str, value: types.FunctionType) -> Call | None:
    """A comparison that `dataclass` has made, of fields that may be run-time values."""
    if name not in _COMPARISONS or not dataclasses.is_dataclass(cls) or value.__code__.co_filename != "<string>":
        return None
    operation, names = _COMPARISONS[name], tuple(f.name for f in dataclasses.fields(cls) if f.compare)

    @functools.wraps(value)
    def compare(self: Any, other: Value) -> Value:
        if not tracing() or other.__class__ is not self.__class__:
            return value(self, other)
        return container_order.compared(operation, *(tuple(getattr(v, n) for n in names) for v in (self, other)))

    return compare


# A property of such a name cannot be set: what is set is the class's own.
_OF_THE_CLASS_ITSELF = frozenset({"__name__", "__qualname__", "__class__", "__bases__"})


def _is_made_in_c(cls: type) -> bool:
    """Return whether instances are made by a `__new__` that calls `__init__` without the project's seeing it."""
    new: Any = cls.__new__
    return new is not object.__new__ and not issubclass(cls, BaseException)


def _put_back(known: patched_classes.Staged) -> None:
    for name, value in known.before.items():
        if name in known.stand_ins and vars(known.cls).get(name) is not known.stand_ins[name]:
            continue  # the user's code has set another
        if value is patched_classes.NONE:
            type.__delattr__(known.cls, name)
        else:
            type.__setattr__(known.cls, name, value)


def _dispatching(function: Call, call: Call) -> Call:
    # Python takes nothing but an int of its own from these.
    plain, name = function.__name__ in ("__index__", "__length_hint__"), function.__name__

    @functools.wraps(function)
    def special(*args: object, **kwargs: object) -> Value:
        if not tracing():
            return function(*args, **kwargs)
        if name == "__iter__" and unpacking.asks(sys._getframe(1)):
            return iter(call(list, *args))  # it checks at run time how many items there are
        if name == "__next__":
            return pull_iteration.asked_at_once(args[0], lambda: call(function, *args))
        made = call(function, *args, **kwargs)
        return made.__index__() if plain and isinstance(made, Tracer) else made

    special.staged_ = functools.partial(call, function)  # type: ignore[attr-defined]
    return special


def _hashing(function: Call, call: Call | None) -> Call:
    """A `__hash__` as it is written; where its answer is known only at run time, a dict or a set becomes a table."""

    @functools.wraps(function)
    def special(self: object) -> Value:
        if tracing() and has_traced(self):
            current().trace.tables.ask_for_places()
            stage_current_operator()
        made = function(self)
        return hash(made) if isinstance(made, Tracer) else made

    if call is not None:
        special.staged_ = functools.partial(call, function)  # type: ignore[attr-defined]
    return special


_CODE: types.CodeType = _dispatching(len, len).__code__


def _not_equal(a: object, b: object) -> Value:
    """`object.__ne__` for an `__eq__` whose answer may be known only at run time."""
    equal: Call = type(a).__eq__
    answer = equal(a, b)
    return answer if answer is NotImplemented else boolean.not_(answer)


def original(function: types.FunctionType) -> types.FunctionType:
    """The user's function, where it stands staged in its class."""
    if function.__code__ is not _CODE:
        return function
    wrapped: types.FunctionType = function.__wrapped__  # type: ignore[attr-defined]
    return wrapped
