"""Machine code that a compiled program calls: LLVM's, made through llvmlite and made known to XLA by name."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime._jaxlib import register_function
from anabranch.runtime.host.callbacks import PureCallback
from anabranch.runtime.host.numpy_samplers import PREFIX, address_of

# The name of the function in each module.
ENTRY = "handler"


@frozen
class NativeFunction(PureCallback):
    """A function in machine code.

    Attributes
    ----------
    name : str
        By which programs call it: it depends on the code alone.
    llvm : str
        The code as a module of LLVM's in text, with the function `handler`, which takes XLA's call frame.
    """

    name: str
    llvm: str

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

    Parameters
    ----------
    functions
    codes
        The object code of the native ones; they are compiled where it is not given.
    """
    natives = [f for f in functions if isinstance(f, NativeFunction)]
    for place, function in enumerate(natives):
        if function.name not in _known:
            with _lock:
                if function.name not in _known:
                    code = codes[place] if codes else _compiled(function)
                    _known[function.name] = _Known(code, _linked(function, code))


def codes_of(functions: Sequence[object]) -> list[bytes]:
    """The object code of the native ones of the functions that a program calls, which XLA knows."""
    return [_known[f.name].code for f in functions if isinstance(f, NativeFunction)]


@functools.cache
def is_available() -> bool:
    """Return whether there is llvmlite to compile with."""
    return importlib.util.find_spec("llvmlite") is not None


class _Known(NamedTuple):
    """A function that XLA knows."""

    code: bytes
    library: Any  # keeps the machine code in memory


def _linked(function: NativeFunction, code: bytes) -> Any:
    """Register a function with XLA; returns what keeps its code in memory."""
    llvm = _llvm()
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(ENTRY)
    for symbol in set(re.findall(rf"@{PREFIX}(\w+)", function.llvm)):
        builder.import_symbol(PREFIX + symbol, address_of(symbol))
    library = builder.link(_linker(), function.name)
    register_function(function.name, library[ENTRY])
    return library


def _compiled(function: NativeFunction) -> bytes:
    """The object code of a function, for this machine."""
    llvm, machine = _llvm(), _machine()
    module = llvm.parse_assembly(function.llvm)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


@functools.cache
def _llvm() -> Any:
    """The binding of llvmlite, which takes long to import; many programs need none."""
    import llvmlite.binding as llvm  # noqa: PLC0415

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _machine() -> Any:
    """LLVM's description of this machine."""
    llvm = _llvm()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True)


@functools.cache
def _linker() -> Any:
    """LLVM's linker of machine code in memory, one for the process."""
    llvm = _llvm()
    return llvm.create_lljit_compiler(llvm.Target.from_default_triple().create_target_machine(jit=True))
