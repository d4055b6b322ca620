"""Machine code that a compiled program calls: LLVM's, made through llvmlite and made known to XLA by name."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Sequence
from typing import Any

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime._jaxlib import register_function
from anabranch.runtime.host.callbacks import PureCallback

_ENTRY = "handler"


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


# The engines of the functions that XLA knows, which keep their code for the life of the process, as XLA does the address.
_known: dict[str, Any] = {}
_lock = lock()


def make_known(functions: Sequence[object]) -> None:
    """Compile the native ones of the functions that a program calls, and register them with XLA."""
    for function in functions:
        if isinstance(function, NativeFunction) and function.name not in _known:
            with _lock:
                if function.name not in _known:
                    _known[function.name] = _registered(function)


def _registered(function: NativeFunction) -> Any:
    llvm, target = _llvm()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(_object_code(function)))
    engine.finalize_object()
    register_function(function.name, engine.get_function_address(_ENTRY))
    return engine


def _object_code(function: NativeFunction) -> bytes:
    llvm, target = _llvm()
    module = llvm.parse_assembly(function.llvm)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = target.emit_object(module)
    return code


@functools.cache
def _llvm() -> tuple[Any, Any]:
    """llvmlite's binding, and the machine that code is made for: this one."""
    import llvmlite.binding as llvm  # noqa: PLC0415  # takes long, and many programs have no such code

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )
    return llvm, machine
