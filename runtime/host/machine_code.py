"""LLVM's modules in text as machine code of this process, by llvmlite."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import os
import re
import sys
import threading
import types
from collections.abc import Mapping
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime.config import settings
from anabranch.runtime.host import blas, library_ufuncs, numpy_c_functions, object_layout
from anabranch.runtime.host.llvm_pipeline import as_written, binding, machine, optimised
from anabranch.runtime.host.numpy_c_functions import PREFIX, address_of

# Where code finds the functions that make threads, and count processors, by the names that it has for them.
HAS_THREADS = sys.platform == "linux"
_at_fork = threading.local()
_NONE: Mapping[str, int] = types.MappingProxyType({})


def _before_fork() -> None:
    """Wait until no thread is in LLVM, whose locks a forked process would find taken for ever."""
    library: Any = sys.modules.get("llvmlite.binding.ffi")
    if library is not None:
        lock = library.lib._lock  # which each call of llvmlite takes, and each end of an object of LLVM's
        lock.__enter__()
        _at_fork.held = lock


def _after_fork() -> None:
    lock = getattr(_at_fork, "held", None)
    if lock is not None:
        _at_fork.held = None
        lock.__exit__(None, None, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@functools.cache
def is_available() -> bool:
    """Return whether there is llvmlite to compile with."""
    return importlib.util.find_spec("llvmlite") is not None


@frozen
class NativeOptions:
    """The choices in making machine code."""

    fastmath: tuple[str, ...] = ()  # LLVM's flags for the arithmetic of floats
    threads: int = 0  # how many run a large loop at most; 0 for as many as there are processors

    @staticmethod
    def in_force() -> NativeOptions | None:
        """Those of the settings; None where there is to be no machine code, or nothing to make it with."""
        chosen = settings()
        return (
            NativeOptions(chosen.fastmath, chosen.threads if HAS_THREADS else 1)
            if chosen.native_loops and is_available()
            else None
        )


def compile_llvm(llvm: str) -> bytes:
    """The object code of a module, for this machine; floating-point arithmetic is as written."""
    code: bytes = machine().emit_object(optimised(llvm))
    return code


def compile_as_written(llvm: str) -> bytes:
    """The object code of a module that has nothing to be optimised, in less time."""
    code: bytes = machine().emit_object(as_written(llvm))
    return code


def assembly(llvm: str) -> str:
    """The same code as text, in the assembler's language of this machine."""
    text: str = machine().emit_assembly(optimised(llvm))
    return text


def sections(code: bytes) -> dict[str, bytes]:
    """The contents of object code by the names of its sections."""
    found = binding().ObjectFileRef.from_data(code).sections()
    return {section.name().decode(): section.data() for section in found if section.name()}


def linked(name: str, code: bytes, entry: str, llvm: str, symbols: Mapping[str, int] = _NONE) -> tuple[int, Any]:
    """Bring object code into memory.

    Parameters
    ----------
    name
        One that no other code in memory has.
    code
    entry
        The name of a function in it.
    llvm
        The module that it was compiled from, which says which functions of libraries it calls.
    symbols
        The addresses of what else it names.

    Returns
    -------
    int
        The function's address.
    object
        What keeps the code in memory.
    """
    builder = binding().JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(entry)
    for symbol in set(re.findall(rf"@{PREFIX}(\w+)", llvm)):
        builder.import_symbol(PREFIX + symbol, address_of(symbol))
    libraries = (library_ufuncs, blas, object_layout, numpy_c_functions)
    found = (*(library.symbols_in(llvm) for library in libraries), symbols.items())
    for symbol, address in itertools.chain(*found):
        builder.import_symbol(symbol, address)
    library = builder.link(_linker(), name)
    return library[entry], library


@functools.cache
def _linker() -> Any:
    """LLVM's linker of machine code in memory, one for the process."""
    llvm = binding()
    return llvm.create_lljit_compiler(llvm.Target.from_default_triple().create_target_machine(jit=True))
