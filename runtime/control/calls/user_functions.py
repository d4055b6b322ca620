"""The user's own functions: which are rewritten, when they are first called, and to what they are bound."""

from __future__ import annotations

import calendar
import dataclasses
import dis
import functools
import inspect
import linecache
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch import transpile
from anabranch.base.code_objects import codes
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.calls import resumable_generators, special_methods, tail_calls
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.control.iteration.generators import generator
from anabranch.runtime.device.array import Array
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import OWN_SPEED, internal, standard
from anabranch.runtime.values.decisions import note
from anabranch.transpile import is_rewritten as is_rewritten

# Of the standard library: what functools.total_ordering puts into classes, what goes over parts of objects, leap
# years.
_LIBRARYS = frozenset(
    f.__code__
    for f in (
        *(f for made in vars(functools)["_convert"].values() for _, f in made),
        *(getattr(dataclasses, name) for name in ("asdict", "_asdict_inner", "astuple", "_astuple_inner", "replace")),
        *filter(None, [getattr(dataclasses, "_replace", None)]),
        *(calendar.isleap, calendar.leapdays),
    )
)


# What these files of the project's have is staged as the user's own.
_SOURCES = (
    "functools_source.py", "generator_source.py", "heapq_source.py", "itertools_source.py", "list_source.py",
    "queue_source.py", "random_source.py", "splitting_source.py",
)  # fmt: skip


def is_user_function(function: types.FunctionType) -> bool:
    """Return whether a function is to be rewritten: not the standard library's or a numeric package's, with source."""
    code = function.__code__
    if internal(code.co_filename):
        return os.path.basename(code.co_filename) in _SOURCES
    if code in _LIBRARYS:
        return True
    if code.co_filename.startswith("<"):
        consoles = ("<ipython", "<stdin", "<doctest", "<python-input", "<console")
        known = code.co_filename.startswith(consoles) or code.co_filename in linecache.cache
        return (known and code.co_filename != "<string>") or transpile.is_of_program(code)
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    module = function.__module__ or ""
    if module.split(".")[0] in OWN_SPEED:
        return False
    return not standard(code.co_filename)


def rewritten(function: types.FunctionType) -> Callable[..., Any]:
    """The function with its control flow staged; itself when there is nothing to rewrite, or nothing is traced."""
    function = special_methods.original(function)
    if not tracing():
        return function
    trace = current().trace
    if trace.lists.may_grow:
        transpile.stage_operators(function.__code__, "list")
    if trace.tables.sites:
        transpile.stage_operators(function.__code__, "table")
    if internal(function.__code__.co_filename):  # where an operator meets a run-time value the user's code is asked
        for kind in ("subscript", "compare"):
            transpile.stage_operators(function.__code__, kind)
    else:
        trace.outside.enter(function)
    if transpile.is_rewritten(function.__code__) or not is_user_function(function):
        return function
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        note("rewritten", _named(function), lambda: "a generator, which hands its values to the loop over it")
        pushing = transpile.rewrite(function, counterpart, settings().cache_dir, generator=True)
        if function.__code__ in trace.resumable:
            cls = resumable_generators.class_of(function, rewritten)
            if cls is not None:
                return functools.partial(resumable_generators.made, cls, function)
        return generator(pushing.bind(function, trace.outside.vocabulary, _outside), function)
    if not transpile.needs_rewriting(function) and not _reads_arrays(function):
        note("rewritten", _named(function), lambda: "left as it is: there is nothing to rewrite")
        return function
    note("rewritten", _named(function), lambda: "its control flow and calls go through anabranch; f.source() shows it")
    found = transpile.rewrite(function, counterpart, settings().cache_dir)
    bound = found.bind(function, trace.outside.vocabulary, _outside)
    is_looped = function.__code__ in (trace.calls.looped or ())
    return tail_calls.Looped(function, bound) if is_looped else bound


def inner_generator(function: types.FunctionType) -> Callable[..., Any]:
    """The generator function that stands in a rewritten one, where `function` pushes its values.

    Where its generators have to go on wherever they are asked, they are made of the steps of the user's own code.
    """
    code = transpile.inner_code(function.__code__)
    if code is not None and tracing() and code in current().trace.resumable:
        plain = _as_written(function, code)
        cls = None if plain is None else resumable_generators.class_of(plain, rewritten)
        if plain is not None and cls is not None:
            for step in cls.code_.steps:
                current().trace.identity.created.add(step.function)
            return functools.partial(resumable_generators.made, cls, plain)
    return generator(function, None, code)


def _as_written(function: types.FunctionType, code: types.CodeType) -> types.FunctionType | None:
    """The user's function, with the variables of its rewritten form; None where it gives some of them other values."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    written = {i.argval for part in codes(code) for i in dis.get_instructions(part) if i.opname in _WRITES}
    if not cells.keys() >= set(code.co_freevars) or written & set(code.co_freevars):
        return None
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    return made


_WRITES = ("STORE_DEREF", "DELETE_DEREF")


def _named(function: types.FunctionType) -> str:
    return f"{function.__qualname__} at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"


def _reads_arrays(function: types.FunctionType) -> bool:
    """Return whether a function has an array in its globals or its closure."""
    names = function.__code__.co_names
    if any(type(function.__globals__.get(n)) in (np.ndarray, Array) for n in names):
        return True
    return any(_holds_array(cell) for cell in function.__closure__ or ())


def _holds_array(cell: types.CellType) -> bool:
    try:
        return type(cell.cell_contents) in (np.ndarray, Array)
    except ValueError:  # of a name that is not set
        return False


def _outside(value: object) -> Value:
    """The traced form of a value from a function's globals or closure: an array is an input of the computation."""
    if not is_capturable(value) or not tracing():
        return value
    return current().trace.outside.capture(value)


def is_capturable(value: object) -> bool:
    """Return whether a value from outside is an array of numbers."""
    return type(value) is Array or (type(value) is np.ndarray and value.dtype.kind in "biufc")
