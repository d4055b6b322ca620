"""A compiled program, and how it is run on NumPy's arrays or on the device's."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime._jaxlib import Backend, Buffer, XlaError, versions
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.buffer_types import Signature
from anabranch.runtime.host.callbacks import (
    ArgumentMismatchError,
    ExecutionError,
    HostCallback,
    alone,
    fail,
    has_effects,
)
from anabranch.runtime.host.progress_bars import stoppable
from anabranch.runtime.host.saved_bytes import pack
from anabranch.runtime.host.staging import Staging, adopter
from anabranch.runtime.xla.native_code import codes_of


class Executable:
    """A compiled program. Calls may come from several threads at once."""

    def __init__(
        self,
        loaded: Any,
        signature: Signature,
        backend: Backend,
        *,
        callbacks: Sequence[HostCallback] = (),
        serialized: bytes | None = None,
    ) -> None:
        # Says besides what runs get after the arguments: where in their windows these begin, and memory for results.
        self.signature = signature
        # `inputs`, `outputs`: types of the arguments and results.
        self.inputs, self.outputs = signature.inputs, signature.outputs
        self._loaded = loaded
        self.callbacks = tuple(callbacks)  # the functions of this process that the program calls
        self._serialized = serialized
        self._backend = backend
        self._handlers = [backend.handler(kind) for kind in self.outputs]
        # What makes ndarrays of these, in the order of the outputs.
        self.adopters = [adopter(kind, backend.kept_results) for kind in self.outputs]
        # The call that takes a staging out of this list owns it; the list's own operations are atomic.
        # Those that no call uses now: a call takes one, or makes one by `staging`, and gives it back.
        self.stagings: list[Staging] = []
        live.add(self)

    @property
    def was_loaded(self) -> bool:
        """Return whether it was made from bytes, not compiled here."""
        return self._serialized is not None

    @property
    def has_effects(self) -> bool:
        """Return whether the program calls back what belongs to this process."""
        return has_effects(self.callbacks)

    def __call__(self, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
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
        staging.fill(arguments)
        results = self.run(staging)
        return [adopt(result) for adopt, result in zip(self.adopters, results, strict=True)]

    def staging(self) -> Staging:
        """Fresh memory for a call's arguments."""
        if not self._backend.keeps_memory:
            raise ExecutionError(f"{versions()} copies aligned arrays, so it would not see what arguments become")
        return Staging(self.signature, self._backend)

    def run(self, staging: Staging) -> list[Any]:
        """Run the program on the arguments in a staging, to its end, and free that; gives jaxlib's arrays."""
        results = self.finish(staging.operands)
        # Not after a failure: other parts of that run may still read from it.
        staging.give_back()
        self.stagings.append(staging)
        return results

    def finish(self, buffers: list[Any]) -> list[Any]:
        """Run the program on XLA's buffers, to its end; gives jaxlib's arrays."""
        try:
            if not self._handlers:
                self._loaded.execute_sharded(buffers, with_tokens=True).consume_token().block_until_ready()
                return []
            results: list[Any] = self._loaded.execute_sharded(buffers).consume_with_handlers(self._handlers)
            # All results of one run become ready at its end.
            results[0].block_until_ready()
        except XlaError as error:
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
        results = self.finish(arrays) if self.callbacks or not self._handlers else self.start(arrays)
        return [Buffer(result, kind) for result, kind in zip(results, self.outputs, strict=True)]

    def start(self, arrays: list[Any]) -> list[Any]:
        """Start the program, which has results, on jaxlib's arrays."""
        try:
            results: list[Any] = self._loaded.execute_sharded(arrays).consume_with_handlers(self._handlers)
        except XlaError as error:
            fail(error)
        return results

    def _check_count(self, arguments: Sequence[object]) -> None:
        if len(arguments) != len(self.inputs):
            raise ArgumentMismatchError(f"{len(arguments)} arguments, but the program takes {len(self.inputs)}")

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

    def serialize(self) -> bytes:
        """Return bytes that `deserialize` takes, in a process with the same jaxlib, platform and CPU features.

        With them it must be given the functions that the program calls. Raises `SerializationError`: XLA has none of
        this program, which has run.
        """
        # XLA gives incomplete bytes for an executable that was itself loaded from bytes.
        if self._serialized is not None:
            return self._serialized
        try:
            payload = self._backend.client.serialize_executable(self._loaded)
        except XlaError as error:
            raise SerializationError(f"XLA cannot give the bytes of this program: {error}") from error
        return pack(payload, self.signature, versions(), len(self.callbacks), codes_of(self.callbacks))


class CallingBack(Executable):
    """A program with effects on the host."""

    def finish(self, buffers: list[Any]) -> list[Any]:
        """As any program, while no other one with effects runs; a signal may stop one that moves progress bars."""
        run = super().finish
        return alone(lambda given: stoppable(functools.partial(run, given)))(buffers)


# Every executable of this process.
live: weakref.WeakSet[Executable] = weakref.WeakSet()
