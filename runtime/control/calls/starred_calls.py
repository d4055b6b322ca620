"""Calls `f(*items)` where the number of items is known only at run time."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import lists
from anabranch.runtime.control.calls.counterparts import original_of
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration import user_iterators
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.stdlib import print_and_log
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks

# `call(function, *args)`, which this module cannot import: it stands above.
Call = Callable[..., Any]

# A function of so many more arguments than it needs is not called in as many branches.
_MOST_OPTIONAL = 4


class Spread:
    """Stands among the arguments of a call for items whose number is known only at run time."""

    def __init__(self, items: Value) -> None:
        self.items = items


def spread(items: Value) -> Value:
    """The items of a starred argument: themselves, or one that stands for them."""
    if not tracing():
        return items
    items = user_iterators.iterated(items)
    if isinstance(items, PushIterator):
        items = lists.items_of(items)
    return (Spread(lists.items_of(items)),) if lists.is_of_run_time_length(items) else items


def called(call: Call, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """The result of a call some of whose arguments stand for more.

    Raises `ConcretizationError` for a function that takes any number of arguments.
    """
    items = lists.made_growable([])
    for one in args:
        items.extend(one.items if isinstance(one, Spread) else [one])
    if not is_dynamic_list(items):
        return call(function, *items, **kwargs)
    function = _original(function)
    form = _FORMS.get(function) if isinstance(function, types.BuiltinFunctionType | type) else None
    if form is not None:
        return form(call, function, items, kwargs)
    taking, bound = _python_function(function)
    if taking is None or taking.__code__.co_flags & inspect.CO_VARARGS:
        name = getattr(function, "__qualname__", None) or type(function).__name__
        raise ConcretizationError(
            f"{name}(*items) of a list whose length is known only at run time: the function takes any number of "
            "arguments, so how many there are has to be known while tracing; give it the list itself, or call it for "
            "each item"
        )
    return _by_signature(call, function, taking, bound, items, kwargs)


def _original(function: Any) -> Any:
    """The function of Python's that a staged one stands for; any other as it is."""
    found = original_of(function)
    code = getattr(found, "__code__", None)
    return inspect.unwrap(found) if code is not None and internal(code.co_filename) else found


def _python_function(function: Any) -> tuple[types.FunctionType | None, int]:
    """The function of the user's that a call runs, and how many arguments it gets beside those of the call."""
    if isinstance(function, type):
        makes, fills = (getattr(function, name) for name in ("__new__", "__init__"))
        return (fills, 1) if isinstance(fills, types.FunctionType) and makes is object.__new__ else (None, 0)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        return function.__func__, 1
    return (function, 0) if isinstance(function, types.FunctionType) else (None, 0)


def _by_signature(
    call: Call, function: Any, taking: types.FunctionType, bound: int, items: Value, kwargs: dict[str, Value]
) -> Value:
    code, length = taking.__code__, items.items.length
    names = code.co_varnames[bound : code.co_argcount]
    positional = tuple(itertools.takewhile(lambda name: name not in kwargs, names))
    least = max(0, min(len(positional), len(names) - len(taking.__defaults__ or ())))
    most = len(positional)
    if most - least > _MOST_OPTIONAL:
        raise ConcretizationError(
            f"{code.co_name}(*items) of a list whose length is known only at run time, where the function takes from "
            f"{least} to {most} of them; pass them one by one"
        )
    wrong = wrap.as_atom((length < least) | (length > most), np.bool_)
    run_time_checks.fail_if(
        wrong, lambda count: _refusal(taking, bound + int(count), kwargs), wrap.as_atom(length, np.int64)
    )

    def of(count: int) -> Value:
        if count == most:
            return call(function, *[items[i] for i in range(count)], **kwargs)
        return if_(
            length == count,
            lambda: call(function, *[items[i] for i in range(count)], **kwargs),
            lambda: of(count + 1),
        )

    return of(least)


def _refusal(function: types.FunctionType, count: int, kwargs: dict[str, Value]) -> BaseException:
    """The exception of Python's for a call with so many arguments."""
    empty, code = _refusal_body.__code__, function.__code__
    taken = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    made = code.replace(
        co_code=empty.co_code, co_consts=empty.co_consts, co_names=(), co_cellvars=(), co_freevars=(),
        co_flags=empty.co_flags | code.co_flags & taken, co_linetable=empty.co_linetable, co_exceptiontable=b"",
        co_stacksize=empty.co_stacksize,
    )  # fmt: skip
    plain = types.FunctionType(made, {}, function.__name__, function.__defaults__)
    plain.__qualname__, plain.__kwdefaults__ = function.__qualname__, function.__kwdefaults__
    try:
        plain(*[None] * count, **dict.fromkeys(kwargs))
    except TypeError as error:
        return error
    return TypeError(f"{function.__qualname__}() takes another number of arguments than {count}")


def _refusal_body() -> None:
    """Do nothing."""


# ---- functions that take any number of arguments ---------------------------------------------------------------------


def _printed(call: Call, function: Any, items: Value, kwargs: dict[str, Value]) -> None:
    print_and_log.print_all(items, **kwargs)


def _extreme(call: Call, function: Any, items: Value, kwargs: dict[str, Value]) -> Value:
    length = items.items.length
    none = TypeError(f"{function.__name__} expected at least 1 argument, got 0")
    run_time_checks.fail_if(wrap.as_atom(length == 0, np.bool_), lambda _: none)
    alone = UnsupportedOperationError(
        f"{function.__name__}(*items) of one item, in compiled code; write {function.__name__}(items)"
    )
    run_time_checks.fail_if(wrap.as_atom(length == 1, np.bool_), lambda _: alone)
    return call(function, items, **kwargs)


def _divisors(call: Call, function: Any, items: Value, kwargs: dict[str, Value]) -> Value:
    return call(functools.reduce, function, items, 0 if function is math.gcd else 1)


def _chained(call: Call, function: Any, items: Value, kwargs: dict[str, Value]) -> Value:
    return call(itertools.chain.from_iterable, items)


_FORMS: dict[object, Callable[[Call, Any, Value, dict[str, Value]], Value]] = {
    print: _printed, max: _extreme, min: _extreme, math.gcd: _divisors, math.lcm: _divisors, itertools.chain: _chained,
}  # fmt: skip
