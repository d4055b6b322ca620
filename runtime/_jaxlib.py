"""The door to XLA: clients, devices and their memory, and MLIR's bindings.

The only file that imports jaxlib. Everything it uses there is private and moves between releases, so it is all here.
It patches none of jaxlib's classes and reads none of the process-wide state that belongs to the `jax` package: both
packages work side by side in one process.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.machinery
import importlib.util
import mmap
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host.buffer_types import BufferType, buffer_type
from anabranch.runtime.host.callbacks import OutOfMemoryError, fail
from anabranch.runtime.host.compile_options import CompileOptions, Flag, message_field, quiet_start
from anabranch.runtime.host.kept_memory import KeptMemory
from anabranch.runtime.host.staging import Copy, aligned, aligned_copy

with quiet_start():
    from jaxlib import _jax, version, xla_client as xc


# What XLA's own calls raise.
XlaError: type[Exception] = _jax.JaxRuntimeError

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


class _Sharding(_jax.SingleDeviceSharding):
    """Everything on one device."""

    memory_kind = None
    is_fully_replicated = True

    def _to_xla_hlo_sharding(self, num_dimensions: int) -> Any:
        return xc.HloSharding.replicate()

    def shard_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape


class Backend:
    """One of the process's two clients, and its device.

    Passing a run to another thread costs 70 µs: it pays where no one waits, for data that stays on the device.
    """

    def __init__(self, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self.client = xc.make_cpu_client(asynchronous=asynchronous)
        self.device = self.client.local_devices()[0]
        self.devices = [self.device]
        self.device_list = _jax.DeviceList((self.device,))
        self.sharding = _Sharding(self.device)
        self.default_flags = _DEFAULT_FLAGS
        self.kept_results: KeptMemory[Any] = KeptMemory()
        self.kept_copies: KeptMemory[Copy] = KeptMemory()
        self._unread: np.ndarray = np.empty(0, np.uint8)  # memory that is never written to

    def place(self, array: np.ndarray, kind: BufferType) -> Any:
        """Make XLA's buffer of an array, on the array's own memory where that is aligned and contiguous."""
        hold = xc.HostBufferSemantics.ZERO_COPY
        # The last argument says that 64-bit types stay: without it jaxlib would ask `jax`'s settings.
        return xc.batched_device_put(kind, self.sharding, [array], self.devices, True, False, hold, True)

    def result_memory(self, kind: BufferType) -> Any:
        """A buffer to donate to a run: kept memory for its result, or one that XLA leaves alone for fresh memory."""
        found = self.kept_results.shelf(kind).take()
        return self._unwritten(kind) if found is None else found

    def _unwritten(self, kind: BufferType) -> Any:
        """Make XLA's buffer of any contents, on memory that is not XLA's."""
        memory = self._unread
        if memory.nbytes < kind.nbytes:
            # The system has one page for all that nobody has written to.
            try:
                pages = mmap.mmap(-1, kind.nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
            except (OSError, OverflowError) as error:
                raise OutOfMemoryError(f"Out of memory for a result of {kind.nbytes} bytes") from error
            self._unread = memory = np.frombuffer(pages, np.uint8)
        return self.place(memory[: kind.nbytes].view(kind.dtype).reshape(kind.shape), kind)

    @functools.cached_property
    def keeps_memory(self) -> bool:
        """Return whether buffers stand on the memory of aligned arrays."""
        kind = buffer_type((1,), np.dtype(np.float64))
        memory = aligned(kind)
        return _memory(self.place(memory, kind), kind).ctypes.data == memory.ctypes.data

    def handler(self, kind: BufferType) -> Any:
        """Return the function that makes XLA's buffer of a result; kept, as it is slow to make."""
        return _jax.array_result_handler(kind, self.sharding, committed=True, **_UNCHECKED)

    def load(self, build: Callable[[Any], object], options: CompileOptions) -> Any:
        """Call `build` with XLA's own options, leaving out a default flag that this release doesn't know."""
        chosen = {name for name, _ in options.flags}
        while True:
            defaults = [flag for flag in self.default_flags if flag[0] not in chosen]
            xla_options = _fresh_options()
            xla_options.env_option_overrides = [*defaults, *options.flags]
            try:
                return build(xla_options)
            except XlaError as error:
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
_made_backends: dict[bool, Backend] = {}
_lapack_registered = False


def backend_of(asynchronous: bool = False) -> Backend:
    """The client of this kind, made when first asked for: it starts threads."""
    made = _made_backends.get(asynchronous)
    if made is None:
        with _lock:
            made = _made_backends.get(asynchronous) or _made_backends.setdefault(asynchronous, Backend(asynchronous))
    return made


_compiled = False
_forgotten = False


def note_compilation() -> None:
    """Say that this process compiles: that starts threads, which belong to no client."""
    global _compiled
    _compiled = True


def has_compiled() -> bool:
    """Return whether this process has compiled."""
    return _compiled


def kept_memory() -> list[KeptMemory[Any]]:
    """The memory that the clients of this process keep."""
    return [kept for backend in list(_made_backends.values()) for kept in (backend.kept_results, backend.kept_copies)]


def arrays_on_device() -> list[Any]:
    """XLA's own arrays behind every `Buffer`."""
    made = _made_backends.get(True)
    return [] if made is None else list(made.client.live_arrays())


def forget_backends() -> list[Backend]:
    """Make new clients when they are next needed; returns the old ones."""
    global _forgotten
    lost = list(_made_backends.values())
    for backend in lost:
        backend.kept_results.close()
        backend.kept_copies.close()
    _forgotten = _forgotten or bool(lost)
    _made_backends.clear()
    return lost


def has_forgotten() -> bool:
    """Return whether there may be buffers of a client that was forgotten."""
    return _forgotten


def register_lapack() -> None:
    """Make the LAPACK custom-call targets (`lapack_dpotrf_ffi`, …) known to XLA. Safe to call again."""
    global _lapack_registered
    with _lock:
        if _lapack_registered:
            return
        from jaxlib import lapack  # noqa: PLC0415
        from jaxlib.cpu import _lapack  # noqa: PLC0415

        with _kernels_alone():
            _lapack.initialize()
        for platform_name, targets in lapack.registrations().items():
            for name, function, api_version in targets:
                xc.register_custom_call_target(name, function, platform=platform_name, api_version=api_version)
        _lapack_registered = True


def register_function(name: str, address: int) -> None:
    """Make machine code known to XLA as the target of custom calls: a function of XLA's FFI, at an address."""
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype, new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = new_capsule(address, b"xla._CUSTOM_CALL_TARGET", None)
    xc.register_custom_call_target(name, capsule, platform="cpu", api_version=1)


_KERNELS = ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack")


@contextlib.contextmanager
def _kernels_alone() -> Iterator[None]:
    """Make the two modules that jaxlib takes LAPACK from importable without the package around them, within the block.

    That package takes a quarter of a second to import. Who imports it later finds these modules in it as ever.
    """
    made = []
    try:
        if "scipy.linalg" not in sys.modules:
            (folder,) = importlib.util.find_spec("scipy").submodule_search_locations  # type: ignore[union-attr,misc]
            finder = importlib.machinery.PathFinder()
            for name in _KERNELS:
                spec = finder.find_spec(name, [os.path.join(folder, "linalg")])
                module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
                made.append(name)
                sys.modules[name] = module
                spec.loader.exec_module(module)  # type: ignore[union-attr]
    except Exception:  # laid out in another way: jaxlib imports all of it
        _forget(made)
    try:
        yield
    finally:
        _forget(made)


def _forget(names: list[str]) -> None:
    for name in names:
        sys.modules.pop(name, None)


def platform() -> str:
    """Name of the platform that programs run on, `cpu`."""
    return str(backend_of().client.platform)


def versions() -> str:
    """Return the versions that a compiled program's bytes depend on: jaxlib's release and XLA's platform version."""
    return f"jaxlib {version.__version__}; {backend_of().client.platform_version}"


class Buffer(NamedTuple):
    """An array on the device. Its contents never change."""

    array: Any
    kind: BufferType


def put(array: np.ndarray, *, copy: bool = True) -> Buffer:
    """Bring an array to the device.

    Writing to the array afterwards changes nothing there; without `copy` it must not be written to.
    """
    dtype = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
    kind = buffer_type(array.shape, dtype)
    return Buffer(backend_of(asynchronous=True).place(aligned_copy(array, kind) if copy else array, kind), kind)


def duplicate(buffer: Buffer) -> Buffer:
    """A buffer with the same contents in memory of its own."""
    return put(to_numpy(buffer, copy=False))


def is_stale(buffer: Buffer) -> bool:
    """Return whether a buffer belongs to a client that was forgotten."""
    return buffer.array._sharding is not backend_of(asynchronous=True).sharding


def wait(array: Any) -> None:
    """Wait until the contents of jaxlib's array are computed; raises what the run that makes them failed with."""
    try:
        array.block_until_ready()
    except XlaError as error:
        fail(error)


def to_numpy(buffer: Buffer, *, copy: bool = True) -> np.ndarray:
    """A buffer's contents, when they are computed; without `copy` read-only, and on CPU the buffer's own memory."""
    wait(buffer.array)
    array = _memory(buffer.array, buffer.kind)
    if copy:
        return array.copy()
    array.flags.writeable = False
    return array


class _Exchanged:
    """A buffer for NumPy to take over."""

    def __init__(self, array: object) -> None:
        self._array = array

    def __dlpack__(self, **_: object) -> Any:
        return _jax.buffer_to_dlpack_managed_tensor(self._array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _memory(array: Any, kind: BufferType) -> np.ndarray:
    """The memory of XLA's buffer.

    By DLPack, as jaxlib's other ways import the `jax` package, where that is installed.
    """
    if kind.dtype.isbuiltin != 1:  # of ml_dtypes, which NumPy does not take
        found: np.ndarray = array._single_device_array_to_np_array_did_copy()[0]
        return found
    return np.from_dlpack(_Exchanged(array))


def exported(buffer: Buffer) -> Any:
    """A DLPack capsule of a copy of a buffer, of any dtype that DLPack knows."""
    return _jax.buffer_to_dlpack_managed_tensor(put(to_numpy(buffer, copy=False)).array)


@functools.cache
def bindings() -> Any:
    """MLIR's bindings: `ir`, XLA's own `xla`, the printing of `hlo`, and the dialects that there are to register.

    They take long to import, and a process that finds its executables on disk needs none.
    """
    with quiet_start():
        from jaxlib.mlir import ir  # noqa: PLC0415

        # Not jaxlib.mlir.dialects: its classes for building ops take 25 ms to import.
        from jaxlib.mlir._mlir_libs import _chlo, _jax_mlir_ext, _sdy, _stablehlo  # noqa: PLC0415

        # Releases before 0.10 keep these classes elsewhere.
        try:
            from jaxlib import _hlo  # noqa: PLC0415
        except ImportError:
            _hlo = _jax
    dialects = (_chlo, _stablehlo, _sdy)
    return types.SimpleNamespace(
        ir=ir, xla=_jax, hlo=_hlo, registry=_jax_mlir_ext, stablehlo=_stablehlo, dialects=dialects
    )


@contextlib.contextmanager
def op_times() -> Iterator[dict[str, float]]:
    """The seconds that each op of the programs took which run within a `with` block, by its name; filled at the end.

    The seconds of all threads that compute an op count. An `UnsupportedValueError` says that this jaxlib does not tell.
    """
    try:
        from jaxlib import _profile_data, _profiler  # noqa: PLC0415 - for those who profile alone
    except ImportError as error:
        raise UnsupportedValueError(f"jaxlib {version.__version__} does not say how long ops take: {error}") from None

    options = _profiler.ProfileOptions()
    options.python_tracer_level, options.host_tracer_level = 0, 2
    session = _profiler.ProfilerSession(options)
    found: dict[str, float] = {}
    try:
        yield found
    finally:
        data = _profile_data.ProfileData.from_serialized_xspace(session.stop())
        # Python 3.12 warns of a class of jaxlib's; where warnings are errors, jaxlib would end the process.
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            for event in (event for plane in data.planes for line in plane.lines for event in line.events):
                name = dict(event.stats).get("hlo_op")
                if name is not None:
                    found[name] = found.get(name, 0.0) + event.duration_ns * 1e-9
