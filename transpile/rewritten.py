"""The door: functions in, rewritten functions out, each rewritten once."""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import linecache
import marshal
import sys
import types
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anabranch.base.code_objects import codes
from anabranch.base.fork_locks import lock
from anabranch.base.instance_cache import PerInstance
from anabranch.transpile import cache
from anabranch.transpile.bytecode_scan import code_needs_rewriting, has_operators
from anabranch.transpile.result import (
    Counterpart as Counterpart,
    GeneratorStep as GeneratorStep,
    Resumed as Resumed,
    Rewritten as Rewritten,
    StepHelpers as StepHelpers,
    StepOf,
)
from anabranch.transpile.source import FunctionSource, find_source

if TYPE_CHECKING:
    from anabranch.transpile.rewriter import MadeSteps

_lock = lock()
# By identity of the code: code objects of different files can be equal. An entry goes when its code does.
_Key = tuple[Counterpart, bool, frozenset[str], tuple[str | None, ...]]
_known: PerInstance[dict[_Key, Rewritten]] = PerInstance()
# The kinds of operators that become calls, by the user's code; and the user's code of what was made.
_operators: PerInstance[set[str]] = PerInstance()
_owners: PerInstance[weakref.ref[types.CodeType]] = PerInstance()
# The steps of generator functions, by their code: where these stand, and the number of the step.
_steps: PerInstance[tuple[FunctionSource, StepOf]] = PerInstance()
# The steps that were made of a generator function, by its code, what names stood for, and the code of each step.
_made_steps: PerInstance[dict[tuple[Any, ...], MadeSteps]] = PerInstance()


def rewrite(
    function: types.FunctionType, counterpart: Counterpart, folder: Path | None = None, generator: bool = False
) -> Rewritten:
    """The rewritten form of `function`.

    Parameters
    ----------
    function : function
        A plain Python function or lambda with source.
    counterpart : callable
        Given the value of a global or builtin that the function reads, the text of its staged counterpart
        ("ab.numpy", "ab.builtins.min"), "" for a function that is called as it is, or None.
    folder : Path, optional
        Where rewritten functions are kept for other processes; by default they are not.
    generator : bool
        For a generator function: give a function that pushes each value to its first parameter, which answers whether
        it wants no more, instead of refusing the yields.

    Returns
    -------
    Rewritten
        The same one for every function with the same code, as long as the names in it stand for the same built-in
        functions and modules.

    Raises
    ------
    NoSourceError
        When the function has no source text.
    UnsupportedConstructError
        When something in it can't be rewritten; it lists everything.
    """
    code, scope = getattr(function, "__code__", None), getattr(function, "__globals__", None)
    names = _counterparts(code, scope, counterpart) if isinstance(code, types.CodeType) and scope is not None else ()
    key = (counterpart, generator, operators_of(code), names)
    with _lock:
        found = (_known.get(code) or {}).get(key)
        if found is None:
            found = _with_one_code(_rewrite(function, counterpart, folder, generator), _known.get(code) or {})
            linecache.cache[found.filename] = (
                len(found.source), None, found.source.splitlines(keepends=True), found.filename
            )  # fmt: skip
            (_known.get(code) or _known.put(code, {}))[key] = found
            _own(found, function)
        return found


def _with_one_code(made: Rewritten, others: Mapping[_Key, Rewritten]) -> Rewritten:
    """The form with the code object of another form of the function where that is equal.

    Code objects are keys of tables. Python compares equal ones in a time that doubles with each function in which they
    nest another, as the branches of a chain of `elif` do; one and the same is equal to itself at once.
    """
    same = (other.code for other in others.values() if _whole(other.code) == _whole(made.code))
    return dataclasses.replace(made, code=next(same, made.code))


def _whole(code: types.CodeType) -> bytes:
    """All of a code object: equal bytes of equal ones, whoever else holds their parts, as in this old format."""
    return marshal.dumps(code, 2)


def _own(made: Rewritten, function: types.FunctionType) -> None:
    """Note which function of the user's was rewritten."""
    for code in codes(made.code):
        _owners.put(code, weakref.ref(function.__code__))


def rewrite_for(function: types.FunctionType, counterpart: Counterpart, known: Mapping[str, object]) -> Rewritten:
    """The rewritten form of `function` for these values of parameters: what they decide is decided.

    Called with these values it computes what `rewrite(function)` does. Short loops over them are written out.

    Raises
    ------
    NoSourceError
    UnsupportedConstructError
    """
    from anabranch.transpile.rewriter import rewrite_function  # noqa: PLC0415

    source, step = _source_of(function)
    with _lock, _deep_recursion():
        operators = operators_of(function.__code__)
        made = rewrite_function(function, source, counterpart, operators=operators, known=known, step=step)
        _own(made, function)
    return made


def steps_of_generator(function: types.FunctionType, helpers: StepHelpers) -> tuple[GeneratorStep, ...]:
    """The steps of a generator function: plain functions, each of which runs from one yield to the next.

    The first takes the function's arguments; the one with number `k` takes what its `parameters` say. Each returns
    `helpers.deliver(number, value, names)` for the yield that it has come to, 0 at the end of the function.

    Raises
    ------
    NoSourceError
    UnsupportedConstructError
        Where it yields where no step can begin or end.
    """
    from anabranch.transpile.rewriter import steps_of_generator as make  # noqa: PLC0415

    source = find_source(function)
    with _lock, _deep_recursion():
        made = make(function, source)
        # The same code objects as before, of which it is known which operators become calls.
        forms = _made_steps.get(function.__code__) or _made_steps.put(function.__code__, {})
        made = forms.setdefault((made.known, *(_whole(m.code) for m in made.steps)), made)
    cells = {n: types.CellType(v) for n, v in zip(made.outside, helpers.listed(), strict=True)}
    cells |= dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    steps = []
    for number, (code, step) in enumerate((m.code, m.step) for m in made.steps):
        closure = tuple(cells[n] for n in code.co_freevars)
        plain = types.FunctionType(code, function.__globals__, function.__name__, None, closure)
        plain.__qualname__, plain.__module__ = function.__qualname__, function.__module__
        _steps.put(code, (source, StepOf(number, made.known)))
        steps.append(GeneratorStep(plain, code.co_varnames[: code.co_argcount], step.gives, step.told, step.kind))
    return tuple(steps)


def _source_of(function: types.FunctionType) -> tuple[FunctionSource, StepOf | None]:
    """The source of a function, and which step of the generator function there it is."""
    return _steps.get(getattr(function, "__code__", None)) or (find_source(function), None)


def _counterparts(code: types.CodeType, scope: dict[str, object], counterpart: Counterpart) -> tuple[str | None, ...]:
    """The counterparts of what the global names of the code stand for now."""
    names = sorted({name for part in codes(code) for name in part.co_names})
    values = (scope.get(name, getattr(builtins, name, None)) for name in names)
    return tuple(None if value is None else counterpart(value) for value in values)


def _rewrite(function: types.FunctionType, counterpart: Counterpart, folder: Path | None, generator: bool) -> Rewritten:
    source, step = _source_of(function)
    operators = operators_of(function.__code__)
    options: tuple[object, ...] = (generator, sorted(operators))
    if step is not None:
        options = (*options, step.number, sorted(step.known.builtin), sorted(step.known.generators))
    key = None if folder is None else cache.key_of(function, source, counterpart, *options)
    found = None if folder is None or key is None else cache.load(folder, key)
    if found is None:
        # The lazy door: libcst takes longer to import than everything else together.
        from anabranch.transpile.rewriter import rewrite_function  # noqa: PLC0415

        with _deep_recursion():
            found = rewrite_function(function, source, counterpart, generator, operators, step=step)
        if folder is not None and key is not None:
            cache.save(folder, key, found)
    return found


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for walks over deep trees: a sum of three hundred terms is a tree three hundred levels deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


_DEPTH = 20_000


def inner_code(code: types.CodeType) -> types.CodeType | None:
    """The user's code of a function inside a rewritten one; None where it is not found."""
    owner = (_owners.get(code) or (lambda: None))()
    if owner is None:
        return None
    places = [part for part in codes(owner) if part.co_name == code.co_name and part is not owner]
    return next((part for part in places if part.co_firstlineno == code.co_firstlineno), None)


def is_rewritten(code: types.CodeType) -> bool:
    """Return whether `code` is that of a rewritten function, or of a function inside one."""
    # By identity: where nothing had to be rewritten, the two codes are equal.
    return _owners.get(code) is not None


def rewritten_with(code: types.CodeType) -> Rewritten | None:
    """The rewritten form that a code object is part of; None for code that is as the user wrote it."""
    owner = _owners.get(code)
    if owner is None:
        return None
    with _lock:
        known = list((_known.get(owner()) or {}).values())
    return next((one for one in known if any(part is code for part in codes(one.code))), None)


def needs_rewriting(function: types.FunctionType) -> bool:
    """Return whether `function` has anything to rewrite: a construct, a call, a `del`. Never imports libcst."""
    code = function.__code__
    return not is_rewritten(code) and ((bool(operators_of(code)) and has_operators(code)) or code_needs_rewriting(code))


def operators_of(code: types.CodeType | None) -> frozenset[str]:
    """The kinds of operators that become calls when the function with this code is rewritten."""
    return frozenset(_operators.get(code) or ())


def stage_operators(code: types.CodeType, kind: str) -> bool:
    """Let operators of a kind ("subscript", "compare") become calls in the function with this code, rewritten or not.

    Returns
    -------
    bool
        False when they are already.
    """
    with _lock:
        owner = (_owners.get(code) or (lambda: code))()
        if owner is None or kind in operators_of(owner):
            return False
        (_operators.get(owner) or _operators.put(owner, set())).add(kind)
        return True
