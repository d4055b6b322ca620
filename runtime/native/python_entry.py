"""The function that Python calls: it takes ndarrays and numbers, and runs a Program on their memory.

It is one of Python's C interface, `PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count)`. Where its
last argument is not None it checks what the arrays are, and returns that argument where one is another than expected;
what other arguments are is checked before the call.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.runtime.host.object_layout import ADDRESS, TYPE
from anabranch.runtime.host.python_function import ENTRY
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.array_checks import ArrayChecks
from anabranch.runtime.native.caller_arrays import InputLayout, Output, sizes_of
from anabranch.runtime.native.host_calls import DECLARATIONS as CALLING_BACK
from anabranch.runtime.native.instructions import METADATA, Instructions
from anabranch.runtime.native.llvm_types import memory_type, of_size
from anabranch.runtime.native.signal_state import RAISED, STATE, TABLE, TICKS
from anabranch.runtime.native.signals import ASK

# Python's number types by the kind of the dtype, with the C function that reads one.
_NUMBERS = {
    "b": ("PyBool_Type", ""),
    "i": ("PyLong_Type", "PyLong_AsLongLong"),
    "f": ("PyFloat_Type", "PyFloat_AsDouble"),
}
_NONE = "_Py_NoneStruct"
_NO_LAYOUTS: Mapping[int, InputLayout] = types.MappingProxyType({})
_WIDTHS = {"b": "i8", "i": "i64", "f": "double"}
# What makes such a number, and of what.
_MAKERS = {
    "b": ("PyBool_FromLong", "i64"),
    "i": ("PyLong_FromLongLong", "i64"),
    "u": ("PyLong_FromUnsignedLongLong", "i64"),
    "f": ("PyFloat_FromDouble", "double"),
}
_WIDENED = {"b": "zext", "i": "sext", "u": "zext", "f": "fpext"}
RETURNED = frozenset(map(np.dtype, "?bhilqBHILQfd"))
"""The dtypes of results that may be numbers of Python's."""
# How `Py_BuildValue` is told of one in a tuple.
_LETTERS = {"b": "N", "i": "L", "u": "K", "f": "d"}
# Bytes of a caller's array that is written to where it is, though the run may fail.
_MOST_KEPT = 2**14


def is_kept(nbytes: int) -> bool:
    """Return whether so large an array is written to where it is even where a run may fail, which puts it back."""
    return nbytes <= _MOST_KEPT


class Lock(enum.Enum):
    """The state of Python's lock while the Program runs."""

    HELD = enum.auto()
    FREE = enum.auto()  # for other threads
    ASKED_FOR = enum.auto()  # free, but for moments in which signals are answered


class PythonEntry:
    """The text of the function.

    Its arguments are the inputs, then the outputs that are passed, then None or an object that is returned where an
    array is not as expected, then the tuple of the functions that it calls, if there are any. It returns None after a
    failure, else the other outputs as numbers of Python's: a single one itself, several in a tuple.

    Parameters
    ----------
    code
        The function of the Program, on the addresses `%a0`, … of the arguments and those of the outputs.
    passed, numbers
        The outputs that are passed, in this order, and the other ones.
    error_code
        The output that is the error code, if there is one.
    lock, calls_back
        What becomes of Python's lock meanwhile, and whether the Program calls functions of this process.
    layouts
        The inputs that do not lie in C order, and are parts of arrays of these types.
    """

    def __init__(
        self,
        code: Instructions,
        in_types: Sequence[ArrayType],
        outputs: Sequence[Output],
        *,
        passed: Sequence[int],
        numbers: Sequence[int],
        error_code: int | None,
        lock: Lock,
        calls_back: bool = False,
        layouts: Mapping[int, InputLayout] = _NO_LAYOUTS,
    ) -> None:
        self._code = code
        self._in_types, self._outputs = in_types, outputs
        self._passed, self._numbers = passed, numbers
        self._layouts = layouts
        self._error_code = error_code
        self._lock, self._calls_back = lock, calls_back
        # What asks for signals or calls functions may end with an exception.
        self._may_raise = calls_back or lock is Lock.ASKED_FOR
        self._declared: dict[str, str] = {}
        self._globals: set[str] = {_NONE}
        self._kept: dict[int, int] = {}  # the bytes of arrays in place whose contents a failure puts back
        self._reserved: list[str] = []
        self._lines: list[str] = []

    def module(self) -> str:
        """The LLVM module."""
        code, layouts = self._code, self._layouts
        shares = code.shares.functions(sizes_of(self._in_types, self._outputs, self._layouts))
        parameters, given = [], []
        written = {output.operand for output in self._outputs}
        count = len(self._in_types) + len(self._passed)
        self._check(count)
        for i, type in enumerate(self._in_types):
            self._argument(i, type)
            if i not in written:
                nbytes = layouts[i].nbytes if i in layouts else type.nbytes
                parameters.append(f"ptr noalias readonly{of_size(nbytes)} %a{i}")
                given.append(f"ptr %d{i}")
        for place, k in enumerate(self._passed, len(self._in_types)):
            self._data(f"%e{k}", self._object(place))
        for k in self._numbers:
            self._reserved.append(f"  %e{k} = alloca {memory_type(self._outputs[k].type.dtype)}")
        for k, output in enumerate(self._outputs):
            parameters.append(f"ptr noalias{of_size(output.type.nbytes)} {output.pointer}")
            given.append(f"ptr %e{k}")
            if output.operand is not None:
                self._begin_as(k, output.operand, output.type)
        if self._may_raise:
            parameters.append("ptr noalias nonnull %signals")
            given.append("ptr %signals")
        self._run(", ".join(given))
        self._return()
        self._other_ends()
        return "\n".join(
            [
                *code.globals,
                *[f"@{name} = external global i8" for name in sorted(self._globals)],
                *code.declarations.values(),
                *self._declared.values(),
                *shares,
                f"define internal void @program({', '.join(parameters)}) noinline nounwind {{",
                "entry:",
                *code.reserved,
                *code.lines,
                "}",
                f"define ptr @{ENTRY}(ptr %self, ptr %args, i64 %count) nounwind {{",
                "entry:",
                *self._reserved,
                *self._lines,
                "}",
                METADATA,
                *code.hints,
                "",
            ]
        )

    def _check(self, last: int) -> None:
        """Check the arrays, where the last argument, at this place, is not None."""
        self._lines += [
            f"  %last.p = getelementptr ptr, ptr %args, i64 {last}",
            "  %otherwise = load ptr, ptr %last.p",
            f"  %is.certain = icmp eq ptr %otherwise, @{_NONE}",
            "  br i1 %is.certain, label %fits, label %check",
            "check:",
        ]
        checks = ArrayChecks("missed")
        for place, type in enumerate(self._in_types):
            if place in self._layouts:
                layout = self._layouts[place]
                checks.check(place, ArrayType(layout.shape, type.dtype), layout.strides)
            elif type.shape:
                checks.check(place, type)
        arrays = [place for place, type in enumerate(self._in_types) if type.shape]
        for given, k in enumerate(self._passed, len(self._in_types)):
            operand = self._outputs[k].operand
            if operand is not None and operand in arrays:
                checks.disjoint(given, operand, [place for place in arrays if place != operand], self._in_types)
        self._globals |= checks.symbols
        self._lines += [*checks.lines, "  br label %fits", "fits:"]

    def _begin_as(self, output: int, operand: int, type: ArrayType) -> None:
        """Copy an operand to an output, unless that is the very array; then keep what it holds, if a run may fail."""
        target, source, keep = f"%e{output}", f"%d{operand}", f"%begun{output}"
        if is_kept(type.nbytes) and self._error_code is not None:
            keep = f"%keep{output}"
            self._kept[output] = type.nbytes
            self._reserved.append(f"  {target}.kept = alloca [{type.nbytes} x i8], align 64")
        self._lines += [
            f"  {target}.same = icmp eq ptr {target}, {source}",
            f"  br i1 {target}.same, label {keep}, label %copy{output}",
            *self._keep(output, f"{target}.kept", target, f"begun{output}"),
            f"copy{output}:",
            f"  {self._code.copying(target, source, type.nbytes)}",
            f"  br label %begun{output}",
            f"begun{output}:",
        ]

    def _keep(self, output: int, target: str, source: str, then: str) -> list[str]:
        """A block that copies what an array in place holds, or held, and goes on at a label."""
        if output not in self._kept:
            return []
        return [f"keep{output}:", f"  {self._code.copying(target, source, self._kept[output])}", f"  br label %{then}"]

    def _put_back(self, end: str) -> list[str]:
        """Code that puts back the former contents of arrays in place, before an end."""
        lines = []
        for k, nbytes in self._kept.items():
            lines += [
                f"  br i1 %e{k}.same, label %{end}.back{k}, label %{end}.next{k}",
                f"{end}.back{k}:",
                f"  {self._code.copying(f'%e{k}', f'%e{k}.kept', nbytes)}",
                f"  br label %{end}.next{k}",
                f"{end}.next{k}:",
            ]
        return lines

    def _run(self, passed: str) -> None:
        """Run the Program; return the error code, or nothing where a signal's handler has raised."""
        lines = self._lines
        if self._lock is not Lock.HELD:
            self._declared["PyEval_SaveThread"] = "declare ptr @PyEval_SaveThread()"
            self._declared["PyEval_RestoreThread"] = "declare void @PyEval_RestoreThread(ptr)"
            lines.append("  %thread = call ptr @PyEval_SaveThread()")
        if self._may_raise:
            self._reserved.append(f"  %signals = alloca {STATE}")
            lines.append(f"  store {STATE} zeroinitializer, ptr %signals")
        if self._calls_back:
            self._declared.update(CALLING_BACK)
            table = self._object(len(self._in_types) + len(self._passed) + 1)
            lines += [
                f"  %table = getelementptr {STATE}, ptr %signals, i32 0, i32 {TABLE}",
                f"  store ptr {table}, ptr %table",
            ]
        if self._lock is Lock.ASKED_FOR:
            self._declared["ask"] = ASK
            lines += [
                "  store ptr %thread, ptr %signals",
                f"  %clock = getelementptr {STATE}, ptr %signals, i32 0, i32 {TICKS}",
                "  %now = call i64 @llvm.readcyclecounter()",
                "  store i64 %now, ptr %clock",
            ]
        lines.append(f"  call void @program({passed})")
        if self._lock is Lock.FREE:
            lines.append("  call void @PyEval_RestoreThread(ptr %thread)")
        if self._lock is Lock.ASKED_FOR:
            lines += ["  %last = load ptr, ptr %signals", "  call void @PyEval_RestoreThread(ptr %last)"]
        if self._may_raise:
            lines += [
                f"  %raised.p = getelementptr {STATE}, ptr %signals, i32 0, i32 {RAISED}",
                "  %raised = load i8, ptr %raised.p",
                "  %is.raised = icmp ne i8 %raised, 0",
                "  br i1 %is.raised, label %interrupted, label %ended",
                "interrupted:",
                *self._put_back("interrupted"),
                "  ret ptr null",
                "ended:",
            ]

    def _return(self) -> None:
        """Return the numbers, or go to the end of failures."""
        lines = self._lines
        if self._error_code is not None:
            lines += [
                f"  %code = load i32, ptr %e{self._error_code}",
                "  %has.failed = icmp ne i32 %code, 0",
                "  br i1 %has.failed, label %failure, label %success",
                "success:",
            ]
        values = [self._number(k) for k in self._numbers]
        kinds = [self._outputs[k].type.dtype.kind for k in self._numbers]
        if not values:
            self._declared["PyLong_FromLong"] = "declare ptr @PyLong_FromLong(i64)"
            answer = "call ptr @PyLong_FromLong(i64 0)"
        elif len(values) == 1:
            answer = self._made(kinds[0], values[0])
        else:
            answer = self._tuple(kinds, values)
        lines += [f"  %answer = {answer}", "  ret ptr %answer"]

    def _number(self, output: int) -> str:
        """Read a number that the Program has computed, and make it as wide as Python's."""
        dtype = self._outputs[output].type.dtype
        kind, wide, name = memory_type(dtype), _MAKERS[dtype.kind][1], f"%v{output}.r"
        self._lines.append(f"  {name} = load {kind}, ptr %e{output}")
        if kind == wide:
            return name
        self._lines.append(f"  {name}.w = {_WIDENED[dtype.kind]} {kind} {name} to {wide}")
        return f"{name}.w"

    def _made(self, kind: str, value: str) -> str:
        """The call that makes a number of Python's."""
        maker, type = _MAKERS[kind]
        self._declared[maker] = f"declare ptr @{maker}({type})"
        return f"call ptr @{maker}({type} {value})"

    def _tuple(self, kinds: Sequence[str], values: Sequence[str]) -> str:
        """The call that makes a tuple of numbers of Python's."""
        text, given = "(" + "".join(_LETTERS[kind] for kind in kinds) + ")", []
        for kind, value in zip(kinds, values, strict=True):
            if kind == "b":
                self._lines.append(f"  {value}.o = {self._made(kind, value)}")
                given.append(f"ptr {value}.o")
            else:
                given.append(f"{_MAKERS[kind][1]} {value}")
        self._code.globals.append(f'@numbers = private unnamed_addr constant [{len(text) + 1} x i8] c"{text}\\00"')
        self._declared["Py_BuildValue"] = "declare ptr @Py_BuildValue(ptr, ...)"
        return f"call ptr (ptr, ...) @Py_BuildValue(ptr @numbers, {', '.join(given)})"

    def _other_ends(self) -> None:
        """Return None after a failure, and where an array is not as expected what is asked for then."""
        self._declared["Py_IncRef"] = "declare void @Py_IncRef(ptr)"
        for label, answer in (("missed", "%otherwise"), ("failure", f"@{_NONE}")):
            back = self._put_back(label) if label == "failure" else []
            self._lines += [f"{label}:", *back, f"  call void @Py_IncRef(ptr {answer})", f"  ret ptr {answer}"]

    def _object(self, place: int) -> str:
        """The name of the argument at a place."""
        self._lines += [
            f"  %p{place} = getelementptr ptr, ptr %args, i64 {place}",
            f"  %o{place} = load ptr, ptr %p{place}",
        ]
        return f"%o{place}"

    def _data(self, name: str, array: str) -> None:
        """Read the address of an ndarray's memory."""
        self._lines += [
            f"  {name}.p = getelementptr i8, ptr {array}, i64 {ADDRESS}",
            f"  {name} = load ptr, ptr {name}.p",
        ]

    def _argument(self, place: int, type: ArrayType) -> None:
        """Read the address of an argument, which may be a number of Python's where it has no axes."""
        argument, kind = self._object(place), type.dtype.kind
        if place in self._layouts:
            self._data(f"%f{place}", argument)
            self._lines.append(f"  %d{place} = getelementptr i8, ptr %f{place}, i64 {-self._layouts[place].first}")
            return
        if type.shape or kind not in _NUMBERS or type.dtype.itemsize not in (1, 8):
            self._data(f"%d{place}", argument)
            return
        python, reader = _NUMBERS[kind]
        self._globals.add(python)
        self._reserved.append(f"  %n{place} = alloca {_WIDTHS[kind]}")
        self._lines += [
            f"  %t{place}.p = getelementptr i8, ptr {argument}, i64 {TYPE}",
            f"  %t{place} = load ptr, ptr %t{place}.p",
            f"  %is{place} = icmp eq ptr %t{place}, @{python}",
            f"  br i1 %is{place}, label %number{place}, label %array{place}",
            f"number{place}:",
            *self._read(place, kind, argument, reader),
            f"  br label %found{place}",
            f"array{place}:",
        ]
        self._data(f"%m{place}", argument)
        self._lines += [
            f"  br label %found{place}",
            f"found{place}:",
            f"  %d{place} = phi ptr [ %n{place}, %read{place} ], [ %m{place}, %array{place} ]",
        ]

    def _read(self, place: int, kind: str, argument: str, reader: str) -> list[str]:
        """Read a number of Python's; the block that this ends in is `read`, with the place's number."""
        width = _WIDTHS[kind]
        if not reader:
            self._globals.add("_Py_TrueStruct")
            return [
                f"  %b{place} = icmp eq ptr {argument}, @_Py_TrueStruct",
                f"  %v{place} = zext i1 %b{place} to i8",
                f"  store i8 %v{place}, ptr %n{place}",
                f"  br label %read{place}",
                f"read{place}:",
            ]
        self._declared[reader] = f"declare {width} @{reader}(ptr)"
        lines = [f"  %v{place} = call {width} @{reader}(ptr {argument})", f"  store {width} %v{place}, ptr %n{place}"]
        if kind == "i":
            # -1 may stand for an error: an int that is too long.
            self._declared["PyErr_Occurred"] = "declare ptr @PyErr_Occurred()"
            lines += [
                f"  %odd{place} = icmp eq i64 %v{place}, -1",
                f"  br i1 %odd{place}, label %ask{place}, label %read{place}",
                f"ask{place}:",
                f"  %error{place} = call ptr @PyErr_Occurred()",
                f"  %fine{place} = icmp eq ptr %error{place}, null",
                f"  br i1 %fine{place}, label %read{place}, label %raise{place}",
                f"raise{place}:",
                "  ret ptr null",
            ]
        else:
            lines.append(f"  br label %read{place}")
        return [*lines, f"read{place}:"]
