"""The quick way of a call: Python code made for one signature and its executable.

`Leaves` describes any call; here one description becomes a function that only asks whether a call fits it, copies the
numbers and arrays to where the executable reads them, runs it and builds the result. What it has no code for, arguments
of another signature as well as what a plan does beyond computing, takes the long way.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import os
import types
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.runtime._host import is_staged, reader
from anabranch.runtime._jaxlib import has_forgotten
from anabranch.runtime.array import Array
from anabranch.runtime.config import settings
from anabranch.runtime.execution import MISS, Execution, Quick, never
from anabranch.runtime.guards import Guards
from anabranch.runtime.signature import ShapeDtypeStruct, number_on_device
from anabranch.runtime.static_values import Static, is_static
from anabranch.runtime.trace import builder_or_none
from anabranch.runtime.values import containers, layout as layouts
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind
from anabranch.runtime.values.host import CallersNumber, CallersObject

# Calls of one signature may have a few forms: an argument by position or by name.
MOST_ATTEMPTS = 3

# NumPy's flags C_CONTIGUOUS and WRITEABLE, as `ndarray.flags.num` has them.
_CONTIGUOUS, _WRITEABLE = 0x1, 0x400
_MOST_CONDITIONS = 100  # of guards, checked in line
_MOST_PAIRS = 16  # of arrays that may share memory with a written one, checked in line
_COMPARED = (str, bytes, int, bool, float)
_SAME_OBJECT = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type(None), np.dtype, enum.Enum)
_numbers = itertools.count()


# Those with a quick way.
_quickened: weakref.WeakSet[Execution] = weakref.WeakSet()


def _forget() -> None:
    """A forked process has other executables and other memory for arguments than its parent."""
    for execution in _quickened:
        execution.quick, execution.quick_attempts = never, 0
    _quickened.clear()


os.register_at_fork(after_in_child=_forget)


class UnsuitedError(Exception):
    """There is no quick way for such a call."""


Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """An argument, and where it stands in the call: `args[0]`, `kwargs['n']`; None for a default."""

    where: tuple[str, int | str] | None
    value: Any

    def text(self, writer: _Writer) -> str:
        """The expression."""
        match self.where:
            case None:
                return writer.constant(self.value)
            case ("args", index):
                return f"args[{index}]"
            case (_, name):
                return f"kwargs.get({name!r}, MISS)"


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """A call as it is written: how many arguments it has, by position and by name; all that it gives, as arranged."""

    positional: int
    named: int
    places: Sequence[Place]

    @staticmethod
    def of(written: Call, arranged: Call, names: Sequence[str]) -> Form:
        """The form of a call, from its arguments as they were given and as `Statics.arrange` has them."""
        (args, kwargs), (placed, left) = written, arranged
        places = []
        for i, value in enumerate(placed):
            where: tuple[str, int | str] | None = ("args", i)
            if i >= len(args):
                where = ("kwargs", names[i]) if names[i] in kwargs else None
            places.append(Place(where, value))
        for name, value in sorted(left.items()):
            places.append(Place(("kwargs", name) if name in kwargs else None, value))
        return Form(len(args), len(kwargs), places)


def quicken(name: str, execution: Execution, form: Form) -> None:
    """Give an execution the quick way of calls such as this one, where there is one.

    Parameters
    ----------
    name : str
        The function's, for tracebacks.
    execution : Execution
        What runs calls of that signature.
    form : Form
    """
    writer = _Writer()
    try:
        body = _call(writer, execution, form)
    except UnsuitedError:
        return
    execution.quick = writer.function(name, body)
    _quickened.add(execution)


class _Writer:
    """The text of a function, and the values that its names stand for."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self.scope: dict[str, Any] = {"MISS": MISS, "Array": Array, "ndarray": np.ndarray, "copyto": np.copyto}

    def constant(self, value: Any) -> str:
        """A name for a value."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"c{len(self.scope)}"
            self.scope[name] = value
        return name

    def unless(self, condition: str) -> None:
        """Go the long way unless a condition holds."""
        self.lines.append(f"if not ({condition}): return MISS")

    def function(self, name: str, body: list[str]) -> Quick:
        """The function of these lines; a file name of the project's keeps it out of users' tracebacks."""
        text = "\n".join(["def quick(args, kwargs):", *(f"    {line}" for line in body)]) + "\n"
        filename = f"{__file__}:{name}:{next(_numbers)}"
        exec(compile(text, filename, "exec"), self.scope)
        made: Quick = self.scope["quick"]
        return made


def _call(writer: _Writer, execution: Execution, form: Form) -> list[str]:
    plan = execution.plan
    if plan.effects or plan.written or plan.slots or plan.looks_at_callers or plan.result is None:
        raise UnsuitedError
    writer.scope |= {"builder": builder_or_none, "settings": settings}
    writer.unless(f"settings() is {writer.constant(settings())}")
    writer.unless(f"len(args) == {form.positional} and len(kwargs) == {form.named}")
    arguments = _Arguments(writer)
    for place in form.places:
        arguments.argument(place.text(writer), place.value)
    for array in plan.hoisted:
        arguments.leaf(writer.constant(array), array)
    arguments.check_identities()
    arguments.check_sharing(plan.mutated)
    writer.unless(" and ".join(["builder() is None", *_guards(writer, plan.guards)]))
    _Running(writer, execution, arguments).write()
    return writer.lines


def _guards(writer: _Writer, guards: Guards) -> list[str]:
    conditions = guards.conditions(writer.constant)
    return conditions if len(conditions) <= _MOST_CONDITIONS else [f"{writer.constant(guards.hold)}()"]


class _Arguments:
    """Checks the arguments; gathers the leaves' names."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer
        self.leaves: list[str] = []
        self.values: list[Any] = []
        self.containers: list[str] = []
        self._arrays: list[str] = []
        self._known: dict[int, str] = {}  # arrays and mutable containers by identity

    def argument(self, text: str, value: Any) -> None:
        """Check an argument, or a part of one, as `Leaves.key` tells it apart."""
        name = f"a{len(self.leaves)}_{len(self._writer.lines)}"
        self._writer.lines.append(f"{name} = {text}")
        known = self._known.get(id(value))
        if known is not None:
            self._again(name, known, value)
        elif isinstance(value, (np.ndarray, np.generic, Array)) or type(value) in PYTHON_DTYPES:
            self.leaf(name, value)
        elif isinstance(value, Static):
            self.same(name, value.value)
        elif is_static(value):
            self.same(name, value)
        elif isinstance(value, ShapeDtypeStruct):
            raise UnsuitedError
        elif (structure := containers.structure_of(value)) is not None:
            self._container(name, value, structure)
        else:
            raise UnsuitedError

    def _again(self, name: str, known: str, value: Any) -> None:
        """Check that an array, or a container, is one of before."""
        self._writer.unless(f"{name} is {known}")
        if isinstance(value, np.ndarray):
            self.leaves.append(known)
            self.values.append(value)

    def leaf(self, name: str, value: Any) -> None:
        """Check an array or a number."""
        constant, kind = self._writer.constant, type(value)
        if kind is np.ndarray:
            if not value.dtype.isnative:
                raise UnsuitedError
            dtype = constant(value.dtype)
            wanted = value.flags.num & (_CONTIGUOUS | _WRITEABLE)
            condition = (
                f"type({name}) is ndarray and {name}.shape == {value.shape} and {name}.dtype is {dtype} "
                f"and {name}.flags.num & {_CONTIGUOUS | _WRITEABLE} == {wanted}"
            )
            if not wanted & _CONTIGUOUS:
                condition += f" and {name}.strides == {value.strides}"
            self._arrays.append(name)
            self._known[id(value)] = name
        elif kind is Array:
            condition = (
                f"type({name}) is Array and {name}._kind is {constant(value._kind)} and {name}._memory is not None"
            )
        elif kind in PYTHON_DTYPES or isinstance(value, np.generic):
            condition = f"type({name}) is {constant(kind)}"
        else:
            raise UnsuitedError  # a subclass of ndarray
        self._writer.unless(condition)
        self.leaves.append(name)
        self.values.append(value)

    def _container(self, name: str, value: Any, structure: containers.Structure) -> None:
        cls, keys = structure.cls, structure.keys
        parts = structure.children(value)
        condition = f"type({name}) is {self._writer.constant(cls)}"
        if structure.mutable:
            self.containers.append(name)
            self._known[id(value)] = name
        if cls in (tuple, list) or (issubclass(cls, tuple) and cls.__iter__ is tuple.__iter__):
            self._writer.unless(f"{condition} and len({name}) == {len(parts)}")
            places = [f"{name}[{i}]" for i in range(len(parts))]
        elif cls is dict and all(type(k) is str for k in keys):
            self._writer.unless(f"{condition} and tuple({name}) == {keys}")
            places = [f"{name}[{k!r}]" for k in keys]
        else:
            raise UnsuitedError
        for place, part in zip(places, parts, strict=True):
            self.argument(place, part)

    def same(self, text: str, value: Any) -> None:
        """Check for the very value that was compiled in."""
        known = self._writer.constant(value)
        if isinstance(value, _SAME_OBJECT):
            self._writer.unless(f"{text} is {known}")
        elif type(value) in _COMPARED and not (type(value) is float and (value != value or not value)):
            self._writer.unless(f"type(x := {text}) is {type(value).__name__} and x == {known}")
        else:
            raise UnsuitedError

    def check_identities(self) -> None:
        """Which arrays, and which containers, are one is part of the signature: others differ."""
        for names in (self._arrays, self.containers):
            if len(names) == 2:
                self._writer.unless(f"{names[0]} is not {names[1]}")
            elif len(names) > 2:
                self._writer.unless(f"len({{{', '.join(f'id({n})' for n in names)}}}) == {len(names)}")

    def check_sharing(self, mutated: Sequence[int]) -> None:
        """Leave arrays that may share memory with a written one to `signature.check_sharing`."""
        pairs = [(self.leaves[m], other) for m in mutated for other in self._arrays if other != self.leaves[m]]
        if len(pairs) > _MOST_PAIRS:
            raise UnsuitedError
        self._writer.scope["may_share"] = np.may_share_memory
        for written, other in pairs:
            self._writer.unless(f"not may_share({written}, {other})")


class _Running:
    """Runs the executable on the leaves, and builds the result."""

    def __init__(self, writer: _Writer, execution: Execution, arguments: _Arguments) -> None:
        self._writer, self._execution, self._plan = writer, execution, execution.plan
        self._arguments = arguments
        self._executable = execution.executable
        self._outputs = [f"r{i}" for i in range(len(self._executable.outputs))]
        self._built: set[int] = set()
        self._results: list[str] = []
        self._read: set[str] = set()  # outputs that become Python numbers

    def write(self) -> None:
        """Write the lines."""
        plan, lines = self._plan, self._writer.lines
        if any(len(o) > 1 or o[0].pred is not None or o[0].path for o in plan.returned_arguments.values()):
            raise UnsuitedError
        if plan.readonly_results or plan.result_count + len(plan.mutated) > len(self._outputs):
            raise UnsuitedError
        self._results = self._leaves_of_result()
        assert isinstance(plan.result, layouts.Node)
        text = self._text(plan.result.children[0], iter(self._results))
        if plan.on_device:
            self._start()
        else:
            self._run()
        lines.append(f"return {text}")

    # ---- on the host -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        lines, constant, executable = self._writer.lines, self._writer.constant, self._executable
        stagings = constant(executable.stagings)
        lines += [
            f"try: staging = {stagings}.pop()",
            f"except IndexError: staging = {constant(executable.staging)}()",
            "buffers = staging.buffers",
        ]
        in_memory = {i: f"m{i}" for i, kind in enumerate(executable.inputs) if is_staged(kind)}
        if in_memory:
            lines.append(f"{', '.join(in_memory.values())}, = staging.memories")
        for i, leaf in enumerate(self._arguments.leaves):
            lines.append(
                f"{in_memory[i]}[...] = {leaf}" if i in in_memory else f"buffers[{i}] = staging.placed({i}, {leaf})"
            )
        # Not given back after a failure: other parts of that run may still read from it.
        lines += [f"{self._unpacked()}{constant(executable.run)}(buffers)", f"{stagings}.append(staging)"]
        self._fail()
        lines += [
            f"{name} = {constant(self._executable.adopters[i])}({name})"
            for i, name in enumerate(self._outputs[: self._plan.result_count])
            if name not in self._read
        ]
        for i, written in enumerate(self._plan.mutated, self._plan.result_count):
            adopt = constant(executable.adopters[i])
            lines.append(f"copyto({self._arguments.leaves[written]}, {adopt}({self._outputs[i]}))")

    def _fail(self) -> None:
        """What failed is told the long way."""
        if not self._plan.can_fail:
            return
        place = len(self._outputs) - len(self._plan.details) - 1
        code = self._writer.constant(reader(self._executable.outputs[place]))
        self._writer.scope["failed"] = self._execution.failed
        outputs = ", ".join(self._outputs)
        self._writer.lines.append(f"if {code}({self._outputs[place]}): failed([{outputs}])")

    def _unpacked(self) -> str:
        return f"{', '.join(self._outputs)}, = " if self._outputs else ""

    # ---- on the device ---------------------------------------------------------------------------------------------

    def _start(self) -> None:
        plan, constant, executable = self._plan, self._writer.constant, self._executable
        if (
            has_forgotten()
            or plan.mutated
            or plan.can_fail
            or plan.result_count != len(self._outputs)
            or not self._outputs
        ):
            raise UnsuitedError
        put = constant(number_on_device)
        inputs = []
        for leaf, value in zip(self._arguments.leaves, self._arguments.values, strict=True):
            if not isinstance(value, (Array, *PYTHON_DTYPES)):
                raise UnsuitedError
            inputs.append(f"{leaf}._memory" if isinstance(value, Array) else f"{put}({leaf})")
        self._writer.lines.append(f"{self._unpacked()}{constant(executable.start)}([{', '.join(inputs)}])")

    # ---- the result ------------------------------------------------------------------------------------------------

    def _leaves_of_result(self) -> list[str]:
        """What each leaf of the result is: an output, an argument's array, or what an earlier leaf is."""
        plan, fresh = self._plan, iter(self._outputs)
        found: list[str] = []
        for k in range(plan.leaf_count):
            if k in plan.shared_results:
                found.append(found[plan.shared_results[k]])
            elif plan.is_returned(k):
                found.append(self._arguments.leaves[plan.returned_arguments[k][0].leaf])
            else:
                found.append(next(fresh))
        return found

    def _text(self, layout: layouts.Layout, leaves: Iterator[str]) -> str:
        """The expression of a part of the result."""
        constant = self._writer.constant
        match layout:
            case layouts.Held(CallersObject(index)):
                return self._arguments.containers[index]
            case layouts.Held(CallersNumber(leaf)):
                return self._arguments.leaves[leaf]
            case layouts.Held(value):
                if isinstance(value, (np.ndarray, np.generic)) and (
                    self._plan.on_device or isinstance(value, np.ndarray)
                ):
                    raise UnsuitedError
                return constant(value)
            case layouts.Leaf(abstract):
                return self._leaf(abstract.kind, next(leaves))
            case layouts.Node(structure, children, source):
                if source is not None and structure.mutable:
                    if id(source) in self._built:
                        raise UnsuitedError  # one container in two places
                    self._built.add(id(source))
                parts = [self._text(c, leaves) for c in children]
                if structure.cls is tuple:
                    return f"({''.join(f'{p}, ' for p in parts)})"
                if structure.cls is list:
                    return f"[{', '.join(parts)}]"
                if structure.cls is dict and all(type(k) is str for k in structure.keys):
                    return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(structure.keys, parts, strict=True)) + "}"
                return f"{constant(structure.build)}([{', '.join(parts)}])"
        raise UnsuitedError  # one of a few values

    def _leaf(self, kind: Kind, name: str) -> str:
        if name not in self._outputs:
            return name
        place = self._outputs.index(name)
        output = self._executable.outputs[place]
        if self._plan.on_device:
            made = f"Array({name}, {self._writer.constant(output)})"
            return f"{made}.item()" if kind is Kind.PYTHON else made
        if kind is Kind.PYTHON:
            self._read.add(name)
            return f"{self._writer.constant(reader(output))}({name})"
        return f"{name}[()]" if kind is Kind.SCALAR else name
