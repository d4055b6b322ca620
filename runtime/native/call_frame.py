"""The function that XLA calls: it takes the buffers out of XLA's call frame and runs the loop nest on them.

The frame is that of XLA's foreign function interface, whose C structures are kept stable: `XLA_FFI_CallFrame`,
`XLA_FFI_Args`, `XLA_FFI_Rets`, `XLA_FFI_Buffer`, `XLA_FFI_Metadata_Extension`.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.caller_arrays import Output, sizes_of
from anabranch.runtime.native.instructions import METADATA, Instructions
from anabranch.runtime.native.llvm_types import of_size
from anabranch.runtime.xla.native_code import ENTRY

# Offsets in bytes.
_EXTENSION, _ARGUMENTS, _RESULTS, _DATA = 8, 72, 112, 24
_METADATA_EXTENSION, _METADATA, _MAJOR, _MINOR = 1, 24, 24, 28
_API, _ERROR_CREATE, _CANCELLED = 16, 48, 1
_ERROR_ARGS, _ERROR_SIZE = "{ i64, ptr, ptr, i32 }", 28
# The version of the interface that this is: any later one takes it.
_VERSION = (0, 1)


def handler(code: Instructions, in_types: Sequence[ArrayType], outputs: Sequence[Output]) -> str:
    """The LLVM module of a loop nest on the addresses `%a0`, … of the operands and those of the outputs."""
    shares = code.shares.functions(sizes_of(in_types, outputs, {}))
    parameters, passed, lines = [], [], []
    written = {output.operand for output in outputs}
    for i, type in enumerate(in_types):
        if i not in written:
            parameters.append(f"ptr noalias readonly{of_size(type.nbytes)} %a{i}")
            passed.append(f"ptr %d{i}")
            lines += _buffer(f"%d{i}", "%args", i)
    for k, output in enumerate(outputs):
        parameters.append(f"ptr noalias{of_size(output.type.nbytes)} {output.pointer}")
        passed.append(f"ptr %e{k}")
        lines += _buffer(f"%e{k}", "%rets", k)
        if output.copied:
            lines += _buffer(f"%d{output.operand}", "%args", output.operand or 0)
            lines.append(f"  {code.copying(f'%e{k}', f'%d{output.operand}', output.type.nbytes)}")
    ended = ["  ret ptr null"]
    if code.may_stop:
        parameters.append("ptr noalias nonnull %stopped")
        passed.append("ptr %stopped")
        lines += ["  %stopped = alloca i8", "  store i8 0, ptr %stopped"]
        ended = _STOPPED
    return "\n".join(
        [
            *code.globals,
            *([_MESSAGE] if code.may_stop else []),
            *code.declarations.values(),
            *shares,
            f"define internal void @nest({', '.join(parameters)}) noinline nounwind {{",
            "entry:",
            *code.reserved,
            *code.lines,
            "}",
            f"define ptr @{ENTRY}(ptr %frame) nounwind {{",
            *_METADATA_CALL,
            *_loaded("%args", "%frame", _ARGUMENTS),
            *_loaded("%rets", "%frame", _RESULTS),
            *lines,
            f"  call void @nest({', '.join(passed)})",
            *ended,
            "}",
            METADATA,
            *code.hints,
            "",
        ]
    )


def _loaded(name: str, base: str, offset: int) -> list[str]:
    return [f"  {name}.p = getelementptr i8, ptr {base}, i64 {offset}", f"  {name} = load ptr, ptr {name}.p"]


def _buffer(name: str, buffers: str, place: int) -> list[str]:
    """The address of a buffer's contents."""
    return [*_loaded(f"{name}.b", buffers, 8 * place), *_loaded(name, f"{name}.b", _DATA)]


# A nest that was stopped ends the run by an error, whose text nobody reads: `XLA_FFI_Error_Create_Args`.
_MESSAGE = '@message = private constant [8 x i8] c"stopped\\00"'
_STOPPED = [
    "  %is.stopped.i = load i8, ptr %stopped",
    "  %is.stopped = icmp ne i8 %is.stopped.i, 0",
    "  br i1 %is.stopped, label %stop, label %done",
    "stop:",
    *_loaded("%api", "%frame", _API),
    *_loaded("%create", "%api", _ERROR_CREATE),
    f"  %error.args = alloca {_ERROR_ARGS}",
    f"  store {_ERROR_ARGS} {{ i64 {_ERROR_SIZE}, ptr null, ptr @message, i32 {_CANCELLED} }}, ptr %error.args",
    "  %error = call ptr %create(ptr %error.args)",
    "  ret ptr %error",
    "done:",
    "  ret ptr null",
]

# XLA asks once, when the function is registered, which version of the interface it is for.
_METADATA_CALL = [
    *_loaded("%extension", "%frame", _EXTENSION),
    "  %none = icmp eq ptr %extension, null",
    "  br i1 %none, label %run, label %extended",
    "extended:",
    "  %type.p = getelementptr i8, ptr %extension, i64 8",
    "  %type = load i32, ptr %type.p",
    f"  %asked = icmp eq i32 %type, {_METADATA_EXTENSION}",
    "  br i1 %asked, label %answer, label %run",
    "answer:",
    *_loaded("%metadata", "%extension", _METADATA),
    f"  %major = getelementptr i8, ptr %metadata, i64 {_MAJOR}",
    f"  store i32 {_VERSION[0]}, ptr %major",
    f"  %minor = getelementptr i8, ptr %metadata, i64 {_MINOR}",
    f"  store i32 {_VERSION[1]}, ptr %minor",
    "  ret ptr null",
    "run:",
]
