"""The function that Python calls: it takes ndarrays and numbers, and runs a Program on their memory.

It is one of Python's C interface, `PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count)`. What the
arguments are is checked before the call.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from anabranch.runtime.host.object_layout import ADDRESS, TYPE
from anabranch.runtime.host.python_function import ENTRY
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.instructions import METADATA, Instructions
from anabranch.runtime.native.outputs import Output
from anabranch.runtime.native.signals import ASK, STATE

# Python's number types by the kind of the dtype, with the C function that reads one.
_NUMBERS = {
    "b": ("PyBool_Type", ""),
    "i": ("PyLong_Type", "PyLong_AsLongLong"),
    "f": ("PyFloat_Type", "PyFloat_AsDouble"),
}
_WIDTHS = {"b": "i8", "i": "i64", "f": "double"}


class Lock(enum.Enum):
    """The state of Python's lock while the Program runs."""

    HELD = enum.auto()
    FREE = enum.auto()  # for other threads
    ASKED_FOR = enum.auto()  # free, but for moments in which signals are answered


class PythonEntry:
    """The text of the function.

    Parameters
    ----------
    code
        The function of the Program, on the addresses `%a0`, … of the arguments and those of the outputs.
    in_types, outputs
    error_code
        The output that is the error code, if there is one: it is what the call returns, and no argument.
    lock
        What becomes of Python's lock meanwhile.
    """

    def __init__(
        self,
        code: Instructions,
        in_types: Sequence[ArrayType],
        outputs: Sequence[Output],
        error_code: int | None,
        lock: Lock,
    ) -> None:
        self._code = code
        self._in_types, self._outputs = in_types, outputs
        self._error_code = error_code
        self._lock = lock
        self._declared = {"PyLong_FromLong": "declare ptr @PyLong_FromLong(i64)"}
        self._globals: set[str] = set()
        self._reserved: list[str] = []
        self._lines: list[str] = []

    def module(self) -> str:
        """The LLVM module."""
        code = self._code
        parameters, passed = [], []
        written = {output.operand for output in self._outputs}
        for i, type in enumerate(self._in_types):
            self._argument(i, type)
            if i not in written:
                parameters.append(f"ptr noalias nonnull readonly dereferenceable({type.nbytes}) %a{i}")
                passed.append(f"ptr %d{i}")
        arguments = len(self._in_types)
        for k, output in enumerate(self._outputs):
            parameters.append(f"ptr noalias nonnull dereferenceable({output.type.nbytes}) {output.pointer}")
            passed.append(f"ptr %e{k}")
            if k == self._error_code:
                self._reserved.append(f"  %e{k} = alloca i32")
                continue
            self._data(f"%e{k}", self._object(arguments))
            arguments += 1
            if output.operand is not None:
                self._begin_as(k, output.operand, output.type)
        if self._lock is Lock.ASKED_FOR:
            parameters.append("ptr noalias nonnull %signals")
            passed.append("ptr %signals")
        self._run(", ".join(passed))
        return "\n".join(
            [
                *code.globals,
                *[f"@{name} = external global i8" for name in sorted(self._globals)],
                *code.declarations.values(),
                *self._declared.values(),
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
                "",
            ]
        )

    def _begin_as(self, output: int, operand: int, type: ArrayType) -> None:
        """Copy an operand to an output, unless that is the very array."""
        target, source = f"%e{output}", f"%d{operand}"
        self._lines += [
            f"  {target}.same = icmp eq ptr {target}, {source}",
            f"  br i1 {target}.same, label %begun{output}, label %copy{output}",
            f"copy{output}:",
            f"  {self._code.copying(target, source, type.nbytes)}",
            f"  br label %begun{output}",
            f"begun{output}:",
        ]

    def _run(self, passed: str) -> None:
        """Run the Program; return the error code, or nothing where a signal's handler has raised."""
        lines = self._lines
        if self._lock is not Lock.HELD:
            self._declared["PyEval_SaveThread"] = "declare ptr @PyEval_SaveThread()"
            self._declared["PyEval_RestoreThread"] = "declare void @PyEval_RestoreThread(ptr)"
            lines.append("  %thread = call ptr @PyEval_SaveThread()")
        if self._lock is Lock.ASKED_FOR:
            self._declared["ask"] = ASK
            self._reserved.append(f"  %signals = alloca {STATE}")
            lines += [
                f"  store {STATE} zeroinitializer, ptr %signals",
                "  store ptr %thread, ptr %signals",
                f"  %clock = getelementptr {STATE}, ptr %signals, i32 0, i32 1",
                "  %now = call i64 @llvm.readcyclecounter()",
                "  store i64 %now, ptr %clock",
            ]
        lines.append(f"  call void @program({passed})")
        if self._lock is Lock.FREE:
            lines.append("  call void @PyEval_RestoreThread(ptr %thread)")
        if self._lock is Lock.ASKED_FOR:
            lines += [
                "  %last = load ptr, ptr %signals",
                "  call void @PyEval_RestoreThread(ptr %last)",
                f"  %raised.p = getelementptr {STATE}, ptr %signals, i32 0, i32 2",
                "  %raised = load i8, ptr %raised.p",
                "  %is.raised = icmp ne i8 %raised, 0",
                "  br i1 %is.raised, label %interrupted, label %ended",
                "interrupted:",
                "  ret ptr null",
                "ended:",
            ]
        code = "0"
        if self._error_code is not None:
            code = "%code"
            lines += [f"  %code.i = load i32, ptr %e{self._error_code}", "  %code = sext i32 %code.i to i64"]
        lines += [f"  %answer = call ptr @PyLong_FromLong(i64 {code})", "  ret ptr %answer"]

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
