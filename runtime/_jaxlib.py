"""The door to XLA: StableHLO text in, executables on NumPy arrays out.

With `_mlir`, which reads the text, the only file that imports jaxlib. Everything they use there is private and moves
between releases, so it is all here.
It patches none of jaxlib's classes and reads none of the process-wide state that belongs to the `jax` package: both
packages work side by side in one process.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anabranch._locks import lock
from anabranch.runtime._host import (
    ArgumentMismatchError,
    BufferType,
    CompileOptions,
    ExecutionError,
    Flag,
    HostCallback,
    LoweringError,
    NDArray,
    SerializationError,
    Staging,
    adopter,
    aligned,
    aligned_copy,
    alone,
    buffer_type,
    fail,
    message_field,
    pack,
    quiet_start,
    reporting,
    unpack,
)

with quiet_start():
    from jaxlib import _jax, version, xla_client as xc


_DEFAULT_FLAGS: tuple[Flag, ...] = (
    # XLA may put several matrix products into one fusion, which can be ten times slower than each product on its own.
    ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"),
    # Without it a loop that reads and writes elements of an array copies the whole array at each step.
    ("xla_cpu_copy_insertion_use_region_analysis", True),
)

# XLA's own pass that makes native loops of small ones loses the order of reads and writes which the copy insertion
# above relies on, so it is off; the lowering marks such loops itself.
_SMALL_LOOP_BYTES = 0

# Releases before 0.12 check each result with a method that only the `jax` package adds to their class.
_UNCHECKED = {"_skip_checks": True} if "_skip_checks" in str(_jax.array_result_handler.__doc__) else {}

# What is the same for all programs, whatever their options.
FIXED_FLAGS = (*_DEFAULT_FLAGS, ("xla_cpu_small_while_loop_byte_threshold", _SMALL_LOOP_BYTES))

_PLAIN = CompileOptions()

# How the names of LAPACK's routines start. The first program that calls one registers them, which takes long.
_LAPACK_TARGET = "lapack_"


class _Sharding(_jax.SingleDeviceSharding):
    """Everything on one device."""

    memory_kind = None
    is_fully_replicated = True

    def _to_xla_hlo_sharding(self, num_dimensions: int) -> Any:
        return xc.HloSharding.replicate()

    def shard_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape


class _Backend:
    """One of the process's two clients, and its device.

    Handing a run to another thread costs 70 µs: it pays where nobody waits, for data that stays on the device.
    """

    def __init__(self, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self.client = xc.make_cpu_client(asynchronous=asynchronous)
        self.device = self.client.local_devices()[0]
        self.devices = [self.device]
        self.device_list = _jax.DeviceList((self.device,))
        self.sharding = _Sharding(self.device)
        self.default_flags = _DEFAULT_FLAGS

    def place(self, array: NDArray, kind: BufferType) -> Any:
        """Make XLA's buffer of an array, on the array's own memory where that is aligned and contiguous."""
        hold = xc.HostBufferSemantics.ZERO_COPY
        # The last argument says that 64-bit types stay: without it jaxlib would ask `jax`'s settings.
        return xc.batched_device_put(kind, self.sharding, [array], self.devices, True, False, hold, True)

    @functools.cached_property
    def keeps_memory(self) -> bool:
        """Whether buffers stand on the memory of aligned arrays."""
        kind = buffer_type((1,), np.dtype(np.float64))
        memory = aligned(kind)
        return _memory(self.place(memory, kind), kind).ctypes.data == memory.ctypes.data

    def handler(self, kind: BufferType) -> Any:
        """What makes XLA's buffer of a result; made once, as it is slow to make."""
        return _jax.array_result_handler(kind, self.sharding, committed=True, **_UNCHECKED)

    def load(self, build: Callable[[Any], Any], options: CompileOptions) -> Any:
        """Call `build` with XLA's own options, leaving out a default flag that this release doesn't know."""
        chosen = {name for name, _ in options.flags}
        while True:
            defaults = [flag for flag in self.default_flags if flag[0] not in chosen]
            xla_options = _fresh_options()
            xla_options.env_option_overrides = [*defaults, *options.flags]
            try:
                return build(xla_options)
            except _jax.JaxRuntimeError as error:
                unknown = [flag for flag in defaults if flag[0] in str(error)]
                if not unknown:
                    raise
                self.default_flags = tuple(flag for flag in self.default_flags if flag not in unknown)


def _fresh_options() -> Any:
    """XLA's own options with the threshold for small loops, which no setter reaches: it is added to the message."""
    options = xc.CompileOptions()
    debug = options.executable_build_options.debug_options
    debug.xla_backend_optimization_level = debug.xla_backend_optimization_level  # makes the defaults explicit
    entry = message_field(1, b"xla_cpu_small_while_loop_byte_threshold") + message_field(
        2, str(_SMALL_LOOP_BYTES).encode()
    )
    # CompileOptionsProto.executable_build_options.debug_options.xla_backend_extra_options, a map.
    extra = message_field(3, message_field(3, message_field(500, entry)))
    return xc.CompileOptions.ParseFromString(options.SerializeAsString() + extra)


_lock = lock()
_made_backends: dict[bool, _Backend] = {}
_lapack_registered = False


def _backend(asynchronous: bool = False) -> _Backend:
    """The client of this kind, made when first asked for: it starts threads."""
    made = _made_backends.get(asynchronous)
    if made is None:
        with _lock:
            made = _made_backends.get(asynchronous) or _made_backends.setdefault(asynchronous, _Backend(asynchronous))
    return made


_compiled = False
_forgotten = False


def has_compiled() -> bool:
    """Whether this process has compiled: that starts threads, which belong to no client."""
    return _compiled


def arrays_on_device() -> list[Any]:
    """XLA's own arrays behind every `Buffer`."""
    made = _made_backends.get(True)
    return [] if made is None else list(made.client.live_arrays())


def forget_backends() -> list[_Backend]:
    """Make new clients when they are next needed; gives those that there were."""
    global _forgotten
    lost = list(_made_backends.values())
    _forgotten = _forgotten or bool(lost)
    _made_backends.clear()
    return lost


def has_forgotten() -> bool:
    """Whether there may be buffers of a client that was forgotten."""
    return _forgotten


def register_lapack() -> None:
    """Make the LAPACK custom-call targets (`lapack_dpotrf_ffi`, …) known to XLA. Safe to call again."""
    global _lapack_registered
    with _lock:
        if _lapack_registered:
            return
        from jaxlib import lapack  # noqa: PLC0415
        from jaxlib.cpu import _lapack  # noqa: PLC0415

        _lapack.initialize()
        for platform_name, targets in lapack.registrations().items():
            for name, function, api_version in targets:
                xc.register_custom_call_target(name, function, platform=platform_name, api_version=api_version)
        _lapack_registered = True


def platform() -> str:
    """Name of the platform that programs run on, `cpu`."""
    return str(_backend().client.platform)


def versions() -> str:
    """What a compiled program's bytes depend on: jaxlib's release and XLA's platform version."""
    return f"jaxlib {version.__version__}; {_backend().client.platform_version}"


class Buffer(NamedTuple):
    """An array on the device. Its contents never change."""

    array: Any
    kind: BufferType


def put(array: NDArray, *, copy: bool = True) -> Buffer:
    """Bring an array to the device.

    Writing to the array afterwards changes nothing there; without `copy` it must not be written to.
    """
    dtype = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
    kind = buffer_type(array.shape, dtype)
    return Buffer(_backend(asynchronous=True).place(aligned_copy(array, kind) if copy else array, kind), kind)


def duplicate(buffer: Buffer) -> Buffer:
    """A buffer with the same contents in memory of its own."""
    return put(to_numpy(buffer, copy=False))


def is_stale(buffer: Buffer) -> bool:
    """Whether a buffer belongs to a client that was forgotten."""
    return buffer.array._sharding is not _backend(asynchronous=True).sharding


def wait(array: Any) -> None:
    """Wait until the contents of jaxlib's array are there.

    Raises
    ------
    ExecutionError
        The run that makes them failed.
    """
    try:
        array.block_until_ready()
    except _jax.JaxRuntimeError as error:
        fail(error)


def to_numpy(buffer: Buffer, *, copy: bool = True) -> NDArray:
    """Return a buffer's contents, when they are there.

    Returns
    -------
    ndarray
        A writable array of its own, or without `copy` a read-only one that on CPU is the buffer's own memory.
    """
    wait(buffer.array)
    array = _memory(buffer.array, buffer.kind)
    if copy:
        return array.copy()
    array.flags.writeable = False
    return array


class _Exchanged:
    """A buffer for NumPy to take over."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **_: Any) -> Any:
        return _jax.buffer_to_dlpack_managed_tensor(self._array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _memory(array: Any, kind: BufferType) -> NDArray:
    """The memory of XLA's buffer.

    By DLPack, as jaxlib's other ways import the `jax` package, where that is installed.
    """
    if kind.dtype.isbuiltin != 1:  # of ml_dtypes, which NumPy does not take
        found: NDArray = array._single_device_array_to_np_array_did_copy()[0]
        return found
    return np.from_dlpack(_Exchanged(array))


def exported(buffer: Buffer) -> Any:
    """A DLPack capsule of a copy of a buffer, of any dtype that DLPack knows."""
    return _jax.buffer_to_dlpack_managed_tensor(put(to_numpy(buffer, copy=False)).array)


class Executable:
    """A compiled program. Calls may come from several threads at once.

    Attributes
    ----------
    inputs, outputs
        Types of the arguments and results.
    run
        Runs the program on the buffers of a `Staging`, to its end; gives jaxlib's arrays.
    adopters
        What makes ndarrays of these, in the order of the outputs.
    stagings
        Those that no call uses now: a call takes one, or makes one by `staging`, and gives it back.
    """

    def __init__(
        self,
        loaded: Any,
        inputs: tuple[BufferType, ...],
        outputs: tuple[BufferType, ...],
        backend: _Backend,
        *,
        callbacks: Sequence[HostCallback] = (),
        serialized: bytes | None = None,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self._loaded = loaded
        self.run = alone(self._execute) if callbacks else self._execute
        self._callbacks = tuple(callbacks)
        self._serialized = serialized
        self._backend = backend
        self._handlers = [backend.handler(kind) for kind in outputs]
        self.adopters = [adopter(kind) for kind in outputs]
        # The call that takes a staging out of this list owns it; the list's own operations are atomic.
        self.stagings: list[Staging] = []
        live.add(self)

    @property
    def was_loaded(self) -> bool:
        """Whether it was made from bytes, not compiled here."""
        return self._serialized is not None

    def __call__(self, arguments: Sequence[NDArray]) -> list[NDArray]:
        """Run the program and wait for its end.

        Parameters
        ----------
        arguments
            Arrays of the types in `inputs`, of any layout and alignment. They are read, and free again on return.

        Returns
        -------
        list of ndarray
            Writable arrays that share memory with no argument and not with one another.

        Raises
        ------
        ArgumentMismatchError
            The arguments do not fit `inputs`.
        ExecutionError
            The run failed.
        CallbackError
            A host callback raised.
        """
        self._check_count(arguments)
        try:
            staging = self.stagings.pop()
        except IndexError:
            staging = self.staging()
        results = self.run(staging.fill(arguments))
        # Not after a failure: other parts of that run may still read from it.
        self.stagings.append(staging)
        return [adopt(result) for adopt, result in zip(self.adopters, results, strict=True)]

    def staging(self) -> Staging:
        """Fresh memory for a call's arguments."""
        if not self._backend.keeps_memory:
            raise ExecutionError(f"{versions()} copies aligned arrays, so it would not see what arguments become")
        return Staging(self.inputs, self._backend.place)

    def _execute(self, buffers: list[Any]) -> list[Any]:
        """Run to the end."""
        try:
            if not self._handlers:
                self._loaded.execute_sharded(buffers, with_tokens=True).consume_token().block_until_ready()
                return []
            results: list[Any] = self._loaded.execute_sharded(buffers).consume_with_handlers(self._handlers)
            # All results of one run become ready at its end.
            results[0].block_until_ready()
        except _jax.JaxRuntimeError as error:
            fail(error)
        return results

    def execute_buffers(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Start the program, compiled as asynchronous, on buffers; one with callbacks is waited for.

        Raises as a call does; what fails after the start is raised where a result is waited for.
        """
        self._check_count(buffers)
        for index, (buffer, kind) in enumerate(zip(buffers, self.inputs, strict=True)):
            if buffer.kind is not kind and buffer.kind != kind:
                raise ArgumentMismatchError(f"argument {index} is {buffer.kind}, not {kind}")
        arrays = [buffer.array for buffer in buffers]
        results = self.run(arrays) if self._callbacks or not self._handlers else self.start(arrays)
        return [Buffer(result, kind) for result, kind in zip(results, self.outputs, strict=True)]

    def start(self, arrays: list[Any]) -> list[Any]:
        """Start the program, which has results, on jaxlib's arrays."""
        try:
            results: list[Any] = self._loaded.execute_sharded(arrays).consume_with_handlers(self._handlers)
        except _jax.JaxRuntimeError as error:
            fail(error)
        return results

    def _check_count(self, arguments: Sequence[object]) -> None:
        if len(arguments) != len(self.inputs):
            raise ArgumentMismatchError(f"{len(arguments)} arguments, but the program takes {len(self.inputs)}")

    @property
    def has_callbacks(self) -> bool:
        """Whether the program calls back into this process."""
        return bool(self._callbacks)

    @property
    def loaded(self) -> Any:
        """XLA's own object."""
        return self._loaded

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates: `flops`, `bytes accessed`, …; the names are XLA's."""
        return dict(self._loaded.cost_analysis())

    def memory_stats(self) -> dict[str, int]:
        """Bytes that one run takes: `argument`, `output`, `temp`, `alias` and `generated_code`."""
        stats = self._loaded.get_compiled_memory_stats()
        names = ("argument", "output", "temp", "alias", "generated_code")
        return {name: int(getattr(stats, f"{name}_size_in_bytes")) for name in names}

    def hlo_text(self) -> str:
        """The program as XLA optimised it."""
        return "\n\n".join(module.to_string() for module in self._loaded.hlo_modules())

    def serialize(self, *, with_callbacks: bool = False) -> bytes:
        """Return bytes that `deserialize` takes, in a process with the same jaxlib, platform and CPU features.

        Parameters
        ----------
        with_callbacks
            Whether `deserialize` will be given the functions that the program calls.

        Raises
        ------
        SerializationError
            The program calls back into this process, or it sorts and has run.
        """
        if self._callbacks and not with_callbacks:
            raise SerializationError("a program with host callbacks lives in its own process only")
        # XLA gives incomplete bytes for an executable that was itself loaded from bytes.
        if self._serialized is not None:
            return self._serialized
        try:
            payload = self._backend.client.serialize_executable(self._loaded)
        except _jax.JaxRuntimeError as error:
            raise SerializationError(f"XLA cannot give the bytes of this program: {error}") from error
        return pack(payload, (self.inputs, self.outputs), versions(), len(self._callbacks))


# Every executable of this process.
live: weakref.WeakSet[Executable] = weakref.WeakSet()


@functools.cache
def mlir() -> types.ModuleType:
    """The door to MLIR: a process that finds its executables on disk needs none."""
    from anabranch.runtime import _mlir  # noqa: PLC0415

    return _mlir


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
    global _compiled
    _compiled = True
    backend = _backend(options.asynchronous)
    if _LAPACK_TARGET in stablehlo_text:
        register_lapack()
    reported = [reporting(callback) for callback in callbacks]

    def build(xla_options: Any) -> Any:
        return backend.client.compile_and_load(module, backend.device_list, xla_options, reported)

    with mlir().context():
        module = mlir().parse(stablehlo_text)
        inputs, outputs = mlir().signature(module, may_donate=options.asynchronous)
        try:
            loaded = backend.load(build, options)
        except _jax.JaxRuntimeError as error:
            raise LoweringError(str(error)) from error
    return Executable(loaded, inputs, outputs, backend, callbacks=reported)


def estimate(stablehlo_text: str) -> dict[str, float]:
    """XLA's estimates of a module before it optimises, by XLA's names."""
    return dict(_jax.hlo_module_cost_analysis(_backend().client, mlir().hlo(stablehlo_text).get_hlo_module()))


def deserialize(data: bytes, options: CompileOptions = _PLAIN, callbacks: Sequence[HostCallback] = ()) -> Executable:
    """Load what `Executable.serialize` gave; `options` and `callbacks` are those it was compiled with.

    Raises
    ------
    SerializationError
        The bytes are damaged, are something else, or come from another release of jaxlib.
    """
    payload, (inputs, outputs) = unpack(data, versions(), len(callbacks))
    reported = [reporting(callback) for callback in callbacks]
    backend = _backend(options.asynchronous)
    if _LAPACK_TARGET.encode() in payload:
        register_lapack()

    def build(xla_options: Any) -> Any:
        return backend.client.deserialize_executable(payload, backend.device_list, xla_options, reported)

    try:
        loaded = backend.load(build, options)
    except _jax.JaxRuntimeError as error:
        raise SerializationError(str(error)) from error
    return Executable(loaded, inputs, outputs, backend, callbacks=reported, serialized=data)
