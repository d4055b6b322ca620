"""`rich.progress.Progress` in a function that is traced: its tasks are bars, whose counts are memory of the Program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.iteration.progress_bars import Count, whole_number
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.progress_bars import call_display
from anabranch.runtime.host.progress_libraries import RichDisplay, RichTask
from anabranch.runtime.values import atoms, effects, wrap
from anabranch.runtime.values.union import UnionValue

# Methods that look at nothing but the display, or but the task.
_OF_DISPLAY = ("log", "print", "refresh", "start", "stop")
_OF_TASK = ("start_task", "stop_task")
SHOWN = {*_OF_DISPLAY, *_OF_TASK, "add_task", "advance", "remove_task", "reset", "track", "update"}


class Opaque:
    """The stand-in of a value of which nothing but its name is known before the function runs."""

    name: str  # of the class that it is of then, for messages

    @classmethod
    def __anabranch_structure__(cls, _: object) -> None:
        """Hold nothing that a container would."""


class Task(Opaque):
    """The result of `add_task`.

    `first`: how many steps were done before.
    """

    name = "TaskID"

    def __init__(self, count: Count, first: Value) -> None:
        self.count, self.first = count, first

    def _refuse(self, *_: object) -> NoReturn:
        raise UnsupportedOperationError(
            "what add_task() of a Progress returns is a number only when the function runs; compiled code may give it "
            "to methods of the Progress, and nothing else"
        )

    __add__ = __eq__ = __format__ = __hash__ = __index__ = __int__ = __lt__ = __repr__ = __str__ = _refuse


class Display(Opaque):
    """The methods of a Progress.

    Parameters
    ----------
    find
        Returns the Progress, when the function runs.
    opened
        The count of the display, which ends it; None for one from outside that the function has not begun.
    """

    name = "Progress"

    def __init__(self, find: Callable[[], Any], opened: Count | None = None) -> None:
        self._find, self._opened = find, opened

    @classmethod
    def made(cls, kind: Any, options: Mapping[str, Value]) -> Display:
        """One that the function makes."""
        count = Count("Progress", lambda found: RichDisplay.made(kind, found), options)
        return cls(lambda: count.shown.progress, count)

    def __enter__(self) -> Display:
        if self._opened is None:
            find = self._find
            self._opened = Count("Progress", lambda _: RichDisplay(find()), {})
        self._call("start")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Where the block fails the host ends it.
        if kind is None and self._opened is not None:
            self._opened.finish(self._opened.atom)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsupportedOperationError(
            f"{name} of a Progress is not supported in compiled code; there are {', '.join(sorted(SHOWN))}"
        )

    def _call(self, method: str, *args: Value, **options: Value) -> None:
        find = self._find

        def perform(found: Any) -> None:
            args, options = found
            call_display(RichDisplay(find()), method, args, options)

        effects.emit(f"Progress.{method}", perform, (args, options), at_once=True)

    def making(self, kind: type[RichTask]) -> Callable[[Mapping[str, Any]], RichTask]:
        """Return what makes a task of it on the host, of the arguments of `add_task`."""
        find = self._find
        return lambda found: kind(find(), found)

    def add_task(
        self,
        description: Value,
        start: Value = True,
        total: Value = 100.0,
        completed: Value = 0,
        visible: Value = True,
        **fields: Value,
    ) -> Task:
        """Begin a task."""
        whole_number("completed of add_task()", completed)
        given = {"start": start, "total": total, "completed": completed, "visible": visible}
        options = {"description": description, **given, **fields}
        return Task(Count("add_task", self.making(RichTask), options), completed)

    def advance(self, task_id: Value, advance: Value = 1) -> None:
        """Note that more steps of a task are done."""
        self.update(task_id, advance=advance)

    def update(self, task_id: Value, *, completed: Value = None, advance: Value = None, **options: Value) -> None:
        """Note how many steps of a task are done, and change how it is shown."""
        if isinstance(task_id, UnionValue):
            task_id.through(lambda one: self.update(one, completed=completed, advance=advance, **options))
            return
        if not isinstance(task_id, Task):
            counts = {"completed": completed, "advance": advance}
            self._call("update", task_id, **{k: v for k, v in counts.items() if v is not None}, **options)
            return
        count = task_id.count
        if advance is not None:
            whole_number("advance of a task", advance)
            count.write(atoms.ufunc(np.add, count.atom, wrap.as_atom(advance, np.int64)))
        if completed is not None:
            whole_number("completed of a task", completed)
            count.write(wrap.as_atom(completed - task_id.first, np.int64))
        if options:
            count.call("update", (), options)

    def reset(self, task_id: Value, *, completed: Value = 0, **options: Value) -> None:
        """Begin a task anew."""
        if isinstance(task_id, UnionValue):
            task_id.through(lambda one: self.reset(one, completed=completed, **options))
        elif isinstance(task_id, Task):
            task_id.count.call("reset", (), options)
            whole_number("completed of a task", completed)
            task_id.count.write(wrap.as_atom(completed - task_id.first, np.int64))
        else:
            self._call("reset", task_id, completed=completed, **options)

    def track(self, *_: Value, **__: Value) -> NoReturn:
        """Go over items as a task: what a call of it becomes is made of other iterables (`control.stdlib.progress`)."""
        raise NotImplementedError

    def remove_task(self, task_id: Value) -> None:
        """End a task, and show it no more."""
        self._of_task("remove_task", task_id)

    def _of_task(self, method: str, task_id: Value) -> None:
        if isinstance(task_id, UnionValue):
            task_id.through(functools.partial(self._of_task, method))
        elif isinstance(task_id, Task):
            task_id.count.call("close" if method == "remove_task" else method, (), {})
        else:
            self._call(method, task_id)


def _of_display(method: str) -> Callable[..., None]:
    def call(self: Display, *args: Value, **options: Value) -> None:
        self._call(method, *args, **options)

    return call


def _of_task(method: str) -> Callable[..., None]:
    def call(self: Display, task_id: Value) -> None:
        self._of_task(method, task_id)

    return call


for _methods, _make in ((_OF_DISPLAY, _of_display), (_OF_TASK, _of_task)):
    for _method in _methods:
        _made = _make(_method)
        _made.__name__ = _method
        setattr(Display, _method, _made)
