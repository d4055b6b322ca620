"""Calls of compiled functions that machine code answers: `step_code` has the code, a `Table` what it goes through.

A class gets the code as its `__call__`, a slot wrapper as built-in classes have them, so that Python calls it without a
frame. What no table fits is passed on to the `__call__` that the class had before.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import itertools
import os
import sys
import sysconfig
from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime.call.quick.code_text import DECLARATIONS, EPOCH, MAKE_ARRAY, WORD, Code
from anabranch.runtime.call.quick.step_code import offer
from anabranch.runtime.call.quick.steps import BYTES, HEAD, MOST
from anabranch.runtime.host.machine_code import compile_as_written, is_available, linked
from anabranch.runtime.host.object_layout import ITEMS, LENGTH, is_as_expected
from anabranch.runtime.host.python_function import ENTRY
from anabranch.runtime.xla import disk_cache

_MAKE_ARRAY_PLACE = 94  # of `PyArray_NewFromDescr` in NumPy's table, which no release changes
_PLAIN = "quick.plain"
_epoch = ctypes.c_int64(1)
_numbers = itertools.count()


def _begin_epoch() -> None:
    """No table of the parent's fits in a forked process."""
    _epoch.value += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_epoch)


class Table:
    """A call of one form, as machine code reads it.

    Attributes
    ----------
    entry : tuple
        What the code reads: the words, and the objects that they name.
    form : tuple
        How many arguments are passed by position, and the names of the others.
    calls : int
        How many calls it has answered.
    """

    __slots__ = ("_count", "entry", "form")

    def __init__(self, positional: int, named: frozenset[str], steps: Sequence[int], objects: Sequence[object]) -> None:
        self._count, self.form = ctypes.c_int64(0), (positional, named)
        head = (ctypes.addressof(self._count), _epoch.value, positional, len(named))
        assert len(head) == HEAD
        words = (ctypes.c_int64 * (HEAD + len(steps)))(*head, *[_signed(word) for word in steps])
        self.entry = (bytes(words), (*objects, self._count))

    @property
    def calls(self) -> int:
        return self._count.value


def _signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


@functools.cache
def are_possible() -> bool:
    """Return whether this Python is one whose objects machine code can read, under its lock."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") == 1:
        return False
    text = b"some"
    found = is_available() and is_as_expected() and ctypes.string_at(id(text) + BYTES, len(text)) == text
    return found and _word_at(id(type.__call__) + _OF_CLASS) == id(type)


# Where a slot wrapper has the class that it is of, and what says which slot it is for.
_OF_CLASS, _SLOT = object.__basicsize__, object.__basicsize__ + 3 * WORD


def _word_at(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def slot_offset(instance: object, name: str) -> int:
    """Where an object has what one of its class's `__slots__` holds."""
    held = getattr(instance, name)
    for offset in range(object.__basicsize__, type(instance).__basicsize__, WORD):
        if _word_at(id(instance) + offset) == id(held):
            return offset
    raise ValueError(f"{name} has no slot")


def _make_array() -> int:
    """The address of NumPy's function that makes arrays."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]
    table: int = get(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    return _word_at(table + _MAKE_ARRAY_PLACE * WORD)


@frozen
class Taker:
    """A class whose `__call__` machine code takes."""

    cls: type
    plain: Any  # function; its own `__call__`, which takes the calls that no table fits
    # Where an instance has its tables: names of slots, each of the object that the one before holds. The last one holds
    # a tuple of what `Table.entry` is.
    path: tuple[str, ...]
    example: object  # an instance, whose slots hold something
    first: str | None = None  # the slot with an object that is the first argument of each call, if there is one

    def text(self, name: str) -> list[str]:
        """The text of `__call__`, under a name."""
        offsets, holder = [], self.example
        for slot in self.path:
            offsets.append(slot_offset(holder, slot))
            holder = getattr(holder, slot)
        return _caller(name, offsets, None if self.first is None else slot_offset(self.example, self.first))


class QuickCalls:
    """The machine code that takes the calls of some classes, and of those made of them.

    `takers`: returns the classes; it is called once, when there is a call to be taken.
    """

    def __init__(self, takers: Callable[[], Sequence[Taker]]) -> None:
        self._takers = takers
        self._lock = lock()
        self._linked: list[tuple[Taker, Any]] = []
        self._libraries: list[object] = []  # never let go of: other threads are in there, or will be

    def begin(self) -> None:
        """Take calls, unless somebody has put something before a class's own code."""
        if not self._lock.acquire(blocking=False):
            return  # another thread is doing it
        try:
            if not self._linked:
                self._linked = self._link()
            for taker, wrapper in self._linked:
                if vars(taker.cls)["__call__"] is taker.plain:
                    taker.cls.__call__ = wrapper  # type: ignore[method-assign]
        finally:
            self._lock.release()

    def _link(self) -> list[tuple[Taker, Any]]:
        takers = {f"{ENTRY}{k}": taker for k, taker in enumerate(self._takers())}
        texts = [line for name, taker in takers.items() for line in taker.text(name)]
        llvm = "\n".join([DECLARATIONS, f"@{_PLAIN} = external global i8", *offer(), *texts, ""])
        code, _ = disk_cache.machine_code(llvm, "(a call)", compile_as_written)
        symbols = {EPOCH: ctypes.addressof(_epoch), MAKE_ARRAY: _make_array()}
        new = ctypes.pythonapi.PyDescr_NewWrapper
        new.restype, new.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
        made = []
        for name, taker in takers.items():
            given = {**symbols, _PLAIN: id(taker.plain)}
            address, library = linked(f"calls.{next(_numbers)}", code, name, llvm, given)
            self._libraries.append(library)
            made.append((taker, new(taker.cls, _word_at(id(type.__call__) + _SLOT), address)))
        return made


def _caller(name: str, path: Sequence[int], first: int | None) -> list[str]:
    """The text of `__call__` of objects that have their tables there."""
    c = Code("c")
    c.lines += [
        f"define ptr @{name}(ptr %self, ptr %args, ptr %named) nounwind {{",
        "entry:",
        "  %number = alloca i64",
        f"  %given = alloca [{MOST} x ptr]",
    ]
    count, arguments = c.load("%args", LENGTH, "i64"), c.at("%args", ITEMS)
    holder = "%self"
    for offset in path:
        holder = c.load(holder, offset)
        c.unless(c.differ(holder, "null"), "plain")
    if first is not None:
        c.unless(c.new(f"icmp ult i64 {count}, {MOST - 1}"), "plain")
        c.act(f"store ptr {c.load('%self', first)}, ptr %given")
        behind = c.at("%given", WORD)

        def pass_on(k: str) -> None:
            item = c.load(c.new(f"getelementptr ptr, ptr {arguments}, i64 {k}"))
            c.act(f"store ptr {item}, ptr {c.new(f'getelementptr ptr, ptr {behind}, i64 {k}')}")

        c.repeat(count, pass_on)
    given = (arguments, count) if first is None else ("%given", c.new(f"add i64 {count}, 1"))
    answer = c.new(f"call ptr @offer(ptr {holder}, ptr {given[0]}, i64 {given[1]}, ptr %named)")
    c.unless(c.equal(answer, f"@{EPOCH}"), "answered")
    c.act("br label %plain")
    c.begin("answered")
    c.act(f"ret ptr {answer}")
    c.begin("plain")
    whole = c.new(f"call ptr @PyTuple_New(i64 {c.new(f'add i64 {count}, 1')})")
    c.unless(c.differ(whole, "null"), "raise")
    c.act("call void @Py_IncRef(ptr %self)")
    c.new(f"call i32 @PyTuple_SetItem(ptr {whole}, i64 0, ptr %self)")

    def add(k: str) -> None:
        item = c.load(c.new(f"getelementptr ptr, ptr {arguments}, i64 {k}"))
        c.act(f"call void @Py_IncRef(ptr {item})")
        c.new(f"call i32 @PyTuple_SetItem(ptr {whole}, i64 {c.new(f'add i64 {k}, 1')}, ptr {item})")

    c.repeat(count, add)
    result = c.new(f"call ptr @PyObject_Call(ptr @{_PLAIN}, ptr {whole}, ptr %named)")
    c.act(f"call void @Py_DecRef(ptr {whole})")
    c.act(f"ret ptr {result}")
    c.begin("raise")
    c.act("ret ptr null")
    return [*c.lines, "}"]
