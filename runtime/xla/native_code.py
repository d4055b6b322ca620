"""Machine code that a compiled program calls: LLVM's, made known to XLA by name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime._jaxlib import register_function
from anabranch.runtime.host.callbacks import PureCallback
from anabranch.runtime.host.machine_code import compile_llvm, linked

# The name of the function in each module.
ENTRY = "handler"


@frozen
class NativeFunction(PureCallback):
    """A function in machine code."""

    name: str  # by which programs call it: it depends on the code alone
    llvm: str  # the code as a module of LLVM's in text, with the function `handler`, which takes XLA's call frame

    @classmethod
    def of(cls, llvm: str) -> NativeFunction:
        """The function of a module."""
        return cls(f"anabranch_native_{hashlib.sha256(llvm.encode()).hexdigest()[:24]}", llvm)

    def __call__(self, *arrays: object) -> tuple[Any, ...]:
        """Never called from Python: a program calls it by its name."""
        raise NotImplementedError


# The linked libraries of the functions that XLA knows. XLA keeps their addresses for the life of the process.
_known: dict[str, _Known] = {}
_lock = lock()


def make_known(functions: Sequence[object], codes: Sequence[bytes] = ()) -> None:
    """Register the native ones of the functions that a program calls with XLA.

    `codes`: the object code of the native ones; they are compiled where it is not given.
    """
    natives = [f for f in functions if isinstance(f, NativeFunction)]
    for place, function in enumerate(natives):
        if function.name not in _known:
            with _lock:
                if function.name not in _known:
                    code = codes[place] if codes else compile_llvm(function.llvm)
                    _known[function.name] = _Known(code, _linked(function, code))


def codes_of(functions: Sequence[object]) -> list[bytes]:
    """The object code of the native ones of the functions that a program calls, which XLA knows."""
    return [_known[f.name].code for f in functions if isinstance(f, NativeFunction)]


class _Known(NamedTuple):
    """A function that XLA knows."""

    code: bytes
    library: Any  # keeps the machine code in memory


def _linked(function: NativeFunction, code: bytes) -> Any:
    """Register a function with XLA; returns what keeps its code in memory."""
    address, library = linked(function.name, code, ENTRY, function.llvm)
    register_function(function.name, address)
    return library
