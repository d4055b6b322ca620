"""A Plan without what belongs to its process: guards, equations, the identity of the arguments it was traced with."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.runtime.call.call_spec import CallSpec
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.host.generator_state import OutsideGenerator
from anabranch.runtime.signature.static_keys import Shown, Static
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.values import containers
from anabranch.runtime.values.heap.slots import GlobalVariable
from anabranch.runtime.values.pytrees import exceptions, layout as layouts
from anabranch.runtime.xla.executable import Executable


@frozen(eq=False)
class _Object:
    """Stands for a mutable object: layouts that name the same one are of the same object."""


@frozen
class _Known:
    """Makes an exception that was known while tracing."""

    structure: containers.ExceptionStructure
    parts: tuple[Any, ...]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        made: BaseException = self.structure.build(self.parts)
        return made


def saved(plan: Plan, calling: CallSpec) -> bytes:
    """Return the bytes that `loaded` takes.

    Raises `SerializationError` for a function whose calls reach into its process: it writes to objects from outside,
    prints, or what it holds or raises cannot be pickled. The message says which.
    """
    name = calling.fun_name
    _refuse_the_outside(plan, calling)
    stripping = _Stripping()
    parts: dict[str, Any] = {
        "result": None if plan.result is None else stripping.layout(plan.result),
        "captured": tuple(a.copy() for a in plan.captured),
        "approach": None,
    }
    told = {"result": "its result", "captured": "an array from outside"}
    for part, what in told.items():
        _pickled(name, what, parts[part])
    failures = tuple(_failure(name, failure, stripping) for failure in plan.failures)
    program = dataclasses.replace(plan.program, equations=())
    portable = dataclasses.replace(plan, program=program, guards=Guards(), failures=failures, **parts)
    return _pickled(name, "what surrounds its program", (portable, stripping.calling(calling)))


def loaded(data: bytes) -> tuple[Plan, CallSpec]:
    """A plan and how it is called.

    Raises `SerializationError` when a class or a function that is named in it is not there.
    """
    plan, calling = unpickled(data, Plan, CallSpec)
    return plan, calling


def unpickled(data: bytes, *classes: type) -> tuple[Any, ...]:
    """A tuple of objects of these classes.

    Raises `SerializationError` when a class or a function that is named in it is not there, and for something else.
    """
    try:
        found = pickle.loads(data)
    except Exception as error:  # whatever importing the user's modules raises
        raise SerializationError(f"what was saved needs something that is not here: {error!r}") from error
    if type(found) is not tuple or list(map(type, found)) != list(classes):
        raise SerializationError(f"what was saved is no {' and '.join(c.__name__ for c in classes)}")
    return found


def check_fits(plan: Plan, executable: Executable) -> None:
    """Refuse a program that takes other arrays than its plan gives it.

    Raises `SerializationError`.
    """
    wanted = [(v.type.shape, v.type.dtype) for v in plan.program.inputs]
    if wanted != [(kind.shape, kind.dtype) for kind in executable.inputs]:
        raise SerializationError("what was saved holds the program of one function and the arguments of another")


def _refuse_the_outside(plan: Plan, calling: CallSpec) -> None:
    if plan.effects:
        names = ", ".join(sorted({action.name for action, _ in plan.effects}))
        raise SerializationError(
            f"{calling.fun_name} calls {names}, which its own process does at each call; let it return what it shows"
        )
    if plan.slots:
        targets = [s.target for s in plan.slots]
        what = ", ".join(
            f"the global {t.name}" if isinstance(t, GlobalVariable) else f"a {type(t).__name__} from outside"
            for t in targets
        )
        raise SerializationError(
            f"{calling.fun_name} changes {what}, which another process does not have; pass it as an argument"
        )
    if any(isinstance(array, OutsideGenerator) for array in plan.captured):
        raise SerializationError(
            f"{calling.fun_name} draws from a generator of random numbers from outside, which another process does not "
            "have; pass it as an argument"
        )
    count = len(calling.leaf_structs())
    if any(leaf >= count for leaf in plan.mutated):
        raise SerializationError(
            f"{calling.fun_name} writes into an array from outside, which another process does not have; pass it as an "
            "argument"
        )


class _Stripping:
    """Takes the objects of this process out of layouts."""

    def __init__(self) -> None:
        self._objects: IdentityDict[object, _Object] = IdentityDict()

    def layout(self, layout: layouts.Layout) -> layouts.Layout:
        """The layout with nothing of what was there while tracing but what it holds fast."""
        match layout:
            case layouts.Leaf(abstract):
                return layouts.Leaf(abstract)
            case layouts.Node(structure, children, source):
                made = tuple(map(self.layout, children))
                shared = source is not None and structure.mutable
                token = self._objects.setdefault(source, _Object()) if shared else None
                return layouts.Node(structure, made, token)
            case layouts.Union(options):
                return layouts.Union(tuple(map(self.layout, options)))
            case layouts.Constant(Static() as static):
                return layouts.Constant(_nameless(static))
        return layout

    def calling(self, calling: CallSpec) -> CallSpec:
        """How it is called, without the values of static arguments."""
        arguments, passed = calling.arguments, calling.passed
        given, named, aliases = calling.key
        places = tuple((n, None if mark is None else _nameless(mark)) for n, mark in passed.places)
        by_name = {n: None if mark is None else _nameless(mark) for n, mark in passed.named.items()}
        keys = tuple(k if mark is None else ("static", *mark.key) for k, (_, mark) in zip(given, places, strict=True))
        marks = {n: mark for n, mark in by_name.items() if mark is not None}
        return dataclasses.replace(
            calling,
            key=(keys, tuple((n, ("static", *marks[n].key) if n in marks else k) for n, k in named), aliases),
            arguments=dataclasses.replace(
                arguments,
                args=tuple(map(self.layout, arguments.args)),
                kwargs={n: self.layout(t) for n, t in arguments.kwargs.items()},
            ),
            passed=dataclasses.replace(passed, places=places, named=by_name),
        )


def _nameless(static: Static) -> Static:
    """A static argument of which only the text is left."""
    text = Shown(f"{static.value!r:.60}")
    return Static((Static, text), text)


def _failure(name: str, failure: Failure, stripping: _Stripping) -> Failure:
    """A failure that another process can raise."""
    make: Callable[[list[np.ndarray]], BaseException] = failure.make
    if isinstance(make, exceptions.HeldException):
        make = exceptions.HeldException(stripping.layout(make.layout))
    elif not failure.details:
        error = failure.make([])
        structure = containers.ExceptionStructure(type(error))
        make = _Known(structure, tuple(structure.children(error)))
    _pickled(name, f"an exception that it raises ({_where(failure)})", make)
    return Failure(make, None, failure.frames, failure.details)


def _where(failure: Failure) -> str:
    if not failure.frames:
        return "of the project's own"
    file, line, _ = failure.frames[-1]
    return f"{file}:{line}"


def _pickled(name: str, what: str, value: object) -> bytes:
    try:
        return pickle.dumps(value, protocol=5)
    except Exception as error:  # of the user's classes, too
        raise SerializationError(f"{name} cannot be saved: {what} cannot be pickled ({error})") from error
