"""Guards on what a traced function read from outside: globals, closure cells, and the objects they lead to.

An executable holds good as long as these are what they were; when one has changed the function is traced again.
"""

from __future__ import annotations

import itertools
import sys
import types
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentitySet
from anabranch.base.code_objects import codes
from anabranch.runtime.guards.bytecode import assigned_globals, imported, looked_up, read_globals
from anabranch.runtime.host.same_objects import hold_the_same
from anabranch.runtime.values.heap.patched_classes import Snapshot, as_written, methods
from anabranch.runtime.values.heap.slots import GlobalVariable
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.user_classes import is_users_class

ABSENT = object()


class _LastingHeap(Heap):
    """Guards of what an executable has read: they keep nothing alive that only weak references lead to."""

    def referents(self, reference: weakref.ref[Any]) -> tuple[()]:
        return ()


class Guards:
    """Names and objects with what they held when a function that reads them was first called."""

    def __init__(self, receiver: Callable[[], object] | None = None) -> None:
        self.names: dict[tuple[ByIdentity, str], tuple[Mapping[str, Any], str, Any]] = {}
        self.heap = _LastingHeap((), watch_arrays=True, receiver=receiver)
        self.variables: dict[tuple[ByIdentity, str], GlobalVariable] = {}
        self.code: dict[object, _Code] = {}
        self._receiver = receiver
        self._kept: object = None

    def keep_receiver(self) -> None:
        """Keep the instance of a method alive, which a compiled method that hangs on it must not do."""
        self._kept = None if self._receiver is None else self._receiver()

    def __reduce__(self) -> tuple[type[Guards], tuple[()]]:
        """Elsewhere there is nothing to guard: what was read stays in its process."""
        return Guards, ()

    def start(self) -> None:
        """Guard the classes of the arguments."""
        self._add_code()

    def add(self, value: object) -> list[Any]:
        """Guard what a function's code can read from outside, or what an object holds; gives what is new."""
        self.heap.extend((value,))
        if not isinstance(value, types.FunctionType):
            self._add_code()
            return [value]
        new: list[Any] = [value]
        scope, names = value.__globals__, set(_names(value.__code__))
        places = [(scope, looked_up(value.__code__)), *((vars(m), names) for m in _modules(scope, names))]
        for place, known in places:
            for name in known:
                if self._add_name(place, name):
                    new.append(place[name])
        for name in read_globals(value.__code__):
            # A built-in function, or nothing as yet: a global of that name would be found first.
            self.names.setdefault((ByIdentity(scope), name), (scope, name, ABSENT))
        self._add_code()
        return [*new, *self._variables(value)]

    def add_imports(self) -> None:
        """Guard what functions have read from modules that they import; at the end, when these are there."""
        for function in list(self.heap.functions):
            names = imported(function.__code__)
            found = _imported_modules(names, function.__globals__.get("__package__")) if names else {}
            for place in map(vars, _modules(found, {*found, *_names(function.__code__)})):
                for name in set(_names(function.__code__)):
                    self._add_name(place, name)
        self._add_code()

    def _variables(self, function: types.FunctionType) -> list[GlobalVariable]:
        """The global names that a function assigns, where they are new."""
        found: list[GlobalVariable] = []
        for name in assigned_globals(function.__code__):
            key = (ByIdentity(function.__globals__), name)
            if key not in self.variables:
                self.variables[key] = GlobalVariable(function.__globals__, name)
                found.append(self.variables[key])
        self.heap.extend(found)
        return found

    def _add_name(self, scope: Mapping[str, object], name: str) -> bool:
        if name not in scope or (key := (ByIdentity(scope), name)) in self.names:
            return False
        value = scope[name]
        self.names[key] = (scope, name, value)
        self.heap.extend((value,))
        return True

    def add_answer(self, question: Callable[..., Any], asked: tuple[Any, ...], answer: object) -> None:
        """Guard what a function says of some classes."""
        self.code[question, *map(ByIdentity, asked)] = _Answer(question, asked, answer)

    def knows(self, value: object) -> bool:
        """Return whether an object was there before the trace, as far as was seen."""
        return self.heap.has_seen(value)

    def hold(self) -> bool:
        """Return whether everything is as it was."""
        return self.hold_but_for_elements() and not self.heap.has_written_arrays()

    def hold_but_for_elements(self) -> bool:
        """Return whether everything is as it was, but for the elements of arrays."""
        for scope, name, value in self.names.values():
            if scope.get(name, ABSENT) is not value:
                return False
        for code in self.code.values():
            if not code.holds():
                return False
        return not self.heap.has_changed_slots()

    def conditions(self, constant: Callable[[Any], str]) -> list[str]:
        """Return the conditions of `hold`, as Python expressions; `constant` gives the name of a value in these."""
        return [
            *self._conditions(constant, self.names.values(), self.code.values()),
            *self.heap.conditions(constant),
        ]

    @staticmethod
    def _conditions(
        constant: Callable[[Any], str],
        names: Iterable[tuple[Mapping[str, Any], str, Any]],
        code: Iterable[_Code],
    ) -> list[str]:
        absent = constant(ABSENT)
        held = [f"{constant(scope)}.get({name!r}, {absent}) is {constant(value)}" for scope, name, value in names]
        return [*held, *(one.condition(constant) for one in code)]

    def native_conditions(self, constant: Callable[[Any], str]) -> list[str]:
        """Return the conditions of `hold`, of which machine code asks those of names and functions."""
        names = [entry for entry in self.names.values() if type(entry[0]) is dict]
        functions = [c for c in self.code.values() if isinstance(c, _FunctionCode) and not c.keywords]
        tables = itertools.chain(*names), itertools.chain(*((c.function, *c.before) for c in functions))
        asked = f"{constant(hold_the_same())}({', '.join(constant(tuple(t)) for t in tables)}, {constant(ABSENT)})"
        others = self._conditions(
            constant,
            [entry for entry in self.names.values() if type(entry[0]) is not dict],
            [c for c in self.code.values() if c not in functions],
        )
        return [asked, *others, *self.heap.conditions(constant)]

    def _add_code(self) -> None:
        """Guard what the functions and classes on the heap do."""
        for function in self.heap.functions:
            if function not in self.code:
                self.code[function] = _FunctionCode(function)
        for cls in self.heap.classes:
            for base in cls.__mro__:
                if (key := ByIdentity(base)) not in self.code and is_users_class(base):
                    self.code[key] = _ClassCode(base)

    def written_arrays(self) -> list[np.ndarray]:
        """Arrays from outside whose contents changed."""
        return [a for a, before in self.heap.arrays.values() if not _equal(a, before)]


class _Code(Protocol):
    """The contents of a function or a class, or the answer of a class, as first seen."""

    def holds(self) -> bool: ...

    def condition(self, constant: Callable[[Any], str]) -> str: ...

    def change(self) -> str: ...


class _FunctionCode:
    __slots__ = ("before", "function", "keywords")

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.before = function.__code__, function.__defaults__, function.__kwdefaults__
        self.keywords = dict(function.__kwdefaults__ or ())

    def holds(self) -> bool:
        """Return whether the function has the same code and the same defaults."""
        code, defaults, keywords = self.before
        now = self.function
        if now.__code__ is not code or now.__defaults__ is not defaults or now.__kwdefaults__ is not keywords:
            return False
        return keywords is None or _are(keywords, self.keywords)

    def condition(self, constant: Callable[[Any], str]) -> str:
        """`holds`, as an expression."""
        function, absent = constant(self.function), constant(ABSENT)
        code, defaults, keywords = map(constant, self.before)
        same_defaults = f"{function}.__defaults__ is {defaults} and {function}.__kwdefaults__ is {keywords}"
        held = [f"{keywords}.get({name!r}, {absent}) is {constant(v)}" for name, v in self.keywords.items()]
        count = [f"len({keywords}) == {len(held)}"] if held else []
        return " and ".join([f"{function}.__code__ is {code} and {same_defaults}", *count, *held])

    def change(self) -> str:
        """Return words for what has changed."""
        what = "code" if self.function.__code__ is not self.before[0] else "defaults"
        return f"the function {self.function.__qualname__} has other {what}"


class _ClassCode:
    # What holds goes on to hold as long as the version of this class is the same.
    __slots__ = ("before", "cls", "snapshot", "version_of")

    def __init__(self, cls: type) -> None:
        self.version_of = self.cls = cls
        self.before = as_written(cls)
        self.snapshot = Snapshot(self.before)

    def holds(self) -> bool:
        """Return whether the class has the same methods and properties."""
        if self.snapshot.is_of(vars(self.cls)):
            return True
        now = as_written(self.cls)
        return _are(now, self.before) or _are(methods(now), methods(self.before))

    def condition(self, constant: Callable[[Any], str]) -> str:
        """`holds`, as an expression."""
        return f"{constant(self.holds)}()"

    def change(self) -> str:
        """Return words for what has changed."""
        now, before = methods(as_written(self.cls)), methods(self.before)
        names = [n for n in {**before, **now} if now.get(n, ABSENT) is not before.get(n, ABSENT)]
        return f"the class {self.cls.__qualname__} has another {', '.join(names)}"


class _Answer:
    """The answer of a function about classes, such as `issubclass`: a registration, or a hook, may change it."""

    __slots__ = ("answer", "asked", "question")

    def __init__(self, question: Callable[..., Any], asked: tuple[Any, ...], answer: object) -> None:
        self.question, self.asked, self.answer = question, asked, answer

    def holds(self) -> bool:
        """Return whether the answer is the same."""
        return self.question(*self.asked) is self.answer

    def condition(self, constant: Callable[[Any], str]) -> str:
        """`holds`, as an expression."""
        return f"{constant(self.question)}({', '.join(map(constant, self.asked))}) is {constant(self.answer)}"

    def change(self) -> str:
        """Return words for what has changed."""
        asked = ", ".join(getattr(cls, "__qualname__", repr(cls)) for cls in self.asked)
        return f"{self.question.__qualname__}({asked}) has another answer"


def _are(now: Mapping[str, object], before: Mapping[str, object]) -> bool:
    return len(now) == len(before) and all(now.get(name, ABSENT) is value for name, value in before.items())


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield what may be looked up in a scope or a module: names, and texts as `getattr(module, "name")` has them."""
    for part in codes(code):
        yield from part.co_names
        yield from (c for c in part.co_consts if type(c) is str and c.isidentifier())


def _imported_modules(names: Collection[str], package: str | None) -> dict[str, types.ModuleType]:
    """The modules of these names, which may be relative to a package or to one around it."""
    around = [""]
    while package:
        around.append(package)
        package = package.rpartition(".")[0]
    candidates = {f"{outer}.{name}".strip(".") for name in names for outer in around}
    # `import a.b` binds `a`.
    candidates |= {c.partition(".")[0] for c in candidates}
    return {c: m for c in candidates if isinstance(m := sys.modules.get(c), types.ModuleType)}


def _modules(scope: Mapping[str, object], names: Collection[str]) -> list[types.ModuleType]:
    """The modules that these names lead to from a scope: a module, one in it, and so on."""
    found: IdentitySet[types.ModuleType] = IdentitySet()
    pending = [scope]
    while pending:
        place = pending.pop()
        for name in names:
            module: Any = place.get(name)
            # By its type: a proxy of an object that is no more raises where it is asked for its class.
            if issubclass(type(module), types.ModuleType) and found.admit(module):
                pending.append(vars(module))
    return list(found)
