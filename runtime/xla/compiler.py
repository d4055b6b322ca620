"""StableHLO text in, executables out; and executables from the bytes that they were kept as."""

from __future__ import annotations

import atexit
import ctypes
import functools
from collections.abc import Callable, Sequence

from anabranch.runtime._jaxlib import Backend, XlaError, backend_of, note_compilation, register_lapack, versions
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.buffer_types import Signature
from anabranch.runtime.host.callbacks import HostCallback, LoweringError, has_effects, reporting
from anabranch.runtime.host.compile_options import CompileOptions
from anabranch.runtime.host.saved_bytes import unpack
from anabranch.runtime.xla import mlir_module
from anabranch.runtime.xla.executable import CallingBack, Executable
from anabranch.runtime.xla.native_code import make_known

_PLAIN = CompileOptions()

# How the names of LAPACK's routines start. The first program that calls one registers them, which takes long.
_LAPACK_TARGET = "lapack_"


def compile_text(
    stablehlo_text: str, options: CompileOptions = _PLAIN, callbacks: Sequence[HostCallback] = ()
) -> Executable:
    """Compile a StableHLO module whose entry is the function `main`.

    Parameters
    ----------
    stablehlo_text
        The module, in MLIR's text form.
    options
        XLA flags for this program.
    callbacks
        Functions that the program calls, by index, as `custom_call @xla_ffi_python_cpu_callback` with `api_version = 4`
        and `backend_config = {index = 0 : ui64}`. They take ndarrays and return a tuple of ndarrays.

    Raises
    ------
    LoweringError
        The text does not parse or verify (MLIR's message and the line), or XLA can't compile it.
    """
    note_compilation()
    backend = backend_of(options.asynchronous)
    make_known(callbacks)
    if _LAPACK_TARGET in stablehlo_text:
        register_lapack()
    with mlir_module.context() as context:
        module = mlir_module.parse(stablehlo_text)
        signature = mlir_module.signature(module, on_device=options.asynchronous)
        load = backend.client.compile_and_load
        return _loaded(LoweringError, backend, load, (module, context), signature, options, callbacks)


def deserialize(data: bytes, options: CompileOptions = _PLAIN, callbacks: Sequence[HostCallback] = ()) -> Executable:
    """Load what `Executable.serialize` gave; `options` and `callbacks` are those it was compiled with.

    Raises
    ------
    SerializationError
        The bytes are damaged, are something else, or come from another release of jaxlib.
    """
    payload, signature, codes = unpack(data, versions(), len(callbacks))
    backend = backend_of(options.asynchronous)
    make_known(callbacks, codes)
    if _LAPACK_TARGET.encode() in payload:
        register_lapack()
    load = backend.client.deserialize_executable
    return _loaded(SerializationError, backend, load, (payload,), signature, options, callbacks, data)


def _loaded(
    failure: type[Exception],
    backend: Backend,
    load: Callable[..., object],
    program: tuple[object, ...],
    signature: Signature,
    options: CompileOptions,
    callbacks: Sequence[HostCallback],
    serialized: bytes | None = None,
) -> Executable:
    """Return the executable that a method of the client makes of a program, which stands before what it refers to."""
    reported = [reporting(callback) for callback in callbacks]
    try:
        loaded = backend.load(lambda chosen: load(program[0], backend.device_list, chosen, reported), options)
    except XlaError as error:
        raise failure(str(error)) from error
    except BaseException:
        # What a signal's handler has raised. XLA goes on with the program, in a thread of its own.
        _abandon(backend, *program, reported)
        raise
    kind = CallingBack if has_effects(callbacks) else Executable
    return kind(loaded, signature, backend, callbacks=callbacks, serialized=serialized)


def _abandon(*used: object) -> None:
    """Let what XLA reads, and its client, live for ever, and the process not wait for its threads."""
    for thing in used:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    _leave_at_once()


@functools.cache
def _leave_at_once() -> None:
    """Once the interpreter has ended, end the process with its own status, before the libraries take themselves apart.

    They would do so under the feet of the threads that compile. Where the C library can not do this, as it does on
    Linux, the process ends when they have.
    """
    library = ctypes.CDLL(None)
    try:
        on_exit, leave = library.on_exit, library._exit
    except AttributeError:
        return
    atexit.register(library.fflush, None)
    on_exit(ctypes.cast(leave, ctypes.c_void_p), None)
