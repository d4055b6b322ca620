"""Text of LLVM's, as it is written, and what it may call."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from anabranch.runtime.call.quick.steps import Step

WORD = 8
"""The bytes of an address."""

# The names that the code has for what it gets from this process.
EPOCH, MAKE_ARRAY = "quick.epoch", "quick.make_array"
DECLARATIONS = f"""
@_Py_NoneStruct = external global i8
@_Py_TrueStruct = external global i8
@PyExc_OverflowError = external global ptr
@{EPOCH} = external global i64
declare ptr @{MAKE_ARRAY}(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare i32 @PyContextVar_Get(ptr, ptr, ptr)
declare ptr @PyCell_Get(ptr)
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare i64 @PyDict_Size(ptr)
declare void @PyErr_Clear()
declare i32 @PyErr_ExceptionMatches(ptr)
declare ptr @PyErr_Occurred()
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyFunction_GetCode(ptr)
declare ptr @PyFunction_GetDefaults(ptr)
declare ptr @PyFunction_GetKwDefaults(ptr)
declare ptr @PyList_New(i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare i64 @PyLong_AsUnsignedLongLongMask(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare ptr @PyObject_GenericGetDict(ptr, ptr)
declare i32 @PyObject_IsTrue(ptr)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
"""


class Code:
    """Text of LLVM's, with names for what has none."""

    def __init__(self, first: str) -> None:
        self.lines: list[str] = []
        self._first = first
        self._numbers = itertools.count()

    def new(self, text: str) -> str:
        name = f"%{self._first}{next(self._numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def act(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def load(self, base: str, offset: int = 0, kind: str = "ptr") -> str:
        return self.new(f"load {kind}, ptr {self.at(base, offset)}")

    def at(self, base: str, offset: int) -> str:
        return self.new(f"getelementptr i8, ptr {base}, i64 {offset}") if offset else base

    def label(self) -> str:
        return f"{self._first}.{next(self._numbers)}"

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def unless(self, condition: str, otherwise: str) -> None:
        """Go on where a condition holds."""
        then = self.label()
        self.act(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self.begin(then)

    def equal(self, one: str, other: str, kind: str = "ptr") -> str:
        return self.new(f"icmp eq {kind} {one}, {other}")

    def differ(self, one: str, other: str, kind: str = "ptr") -> str:
        return self.new(f"icmp ne {kind} {one}, {other}")

    def repeat(self, count: str, body: Callable[[str], None]) -> None:
        """Run a body for the numbers below a count; it holds no such loop."""
        place, head, inside, after = "%number", self.label(), self.label(), self.label()
        self.act(f"store i64 0, ptr {place}")
        self.act(f"br label %{head}")
        self.begin(head)
        k = self.new(f"load i64, ptr {place}")
        self.act(f"br i1 {self.new(f'icmp ult i64 {k}, {count}')}, label %{inside}, label %{after}")
        self.begin(inside)
        body(k)
        self.act(f"store i64 {self.new(f'add i64 {k}, 1')}, ptr {place}")
        self.act(f"br label %{head}")
        self.begin(after)


class StepText(Code):
    """The text of steps."""

    def word(self, place: int, kind: str = "ptr") -> str:
        """An operand."""
        return self.load(self.pc, (1 + place) * WORD, kind)

    def indexed(self, k: str, first: int) -> str:
        """The operand at a computed place behind the first ones, as a word."""
        place = self.new(f"getelementptr i64, ptr {self.pc}, i64 {k}")
        return self.load(place, (1 + first) * WORD, "i64")

    def object(self, place: int) -> str:
        """The object whose number is an operand."""
        return self.numbered(self.word(place, "i64"))

    def numbered(self, number: str) -> str:
        return self.load(self.new(f"getelementptr ptr, ptr %objects, i64 {number}"))

    def keep(self, place: int, value: str) -> None:
        """Give an object the number that is an operand."""
        number = self.word(place, "i64")
        self.act(f"store ptr {value}, ptr {self.new(f'getelementptr ptr, ptr %objects, i64 {number}')}")

    def own(self, value: str) -> None:
        """Let go of an object at the end."""
        count = self.new("load i64, ptr %owned.count")
        self.act(f"store ptr {value}, ptr {self.new(f'getelementptr ptr, ptr %owned, i64 {count}')}")
        self.act(f"store i64 {self.new(f'add i64 {count}, 1')}, ptr %owned.count")

    def made(self, place: int, value: str) -> None:
        """Keep and own an object; NULL is an exception."""
        self.unless(self.differ(value, "null"), "raise")
        self.own(value)
        self.keep(place, value)

    def step(self, step: Step) -> None:
        self.begin(f"step{step.value}")
        self.pc = self.new("load ptr, ptr %place")

    def done(self, words: int | str) -> None:
        if isinstance(words, int):
            after = self.at(self.pc, (1 + words) * WORD)
        else:
            after = self.new(f"getelementptr i64, ptr {self.pc}, i64 {words}")
        self.act(f"store ptr {after}, ptr %place")
        self.act("br label %dispatch")

    def expect(self, condition: str, words: int) -> None:
        self.unless(condition, "miss")
        self.done(words)
