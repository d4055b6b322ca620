"""`djit`: a function that is traced at each call, and compiled for each new program that comes of it."""

from __future__ import annotations

import contextvars
import hashlib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from anabranch.base.context_values import having
from anabranch.base.signals import Watched
from anabranch.runtime.api.compile_driver import lowered_of, shown
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.memory_cache import CacheInfo, ExecutableCache
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.call_spec import Call
from anabranch.runtime.call.donation import DonatingExecution
from anabranch.runtime.call.execution import executable_of
from anabranch.runtime.config import configure
from anabranch.runtime.frontend.function_info import name_of
from anabranch.runtime.host.callbacks import HostCallback, HostFunction, PureCallback, has_effects
from anabranch.runtime.signature.flatten_to_key import Leaves, LeavesButNumbers, SignatureKey
from anabranch.runtime.xla.executable import Executable

P = ParamSpec("P")
R = TypeVar("R")


class Dynamic(Wrapped[P, R]):
    """A function that is traced at each call: Python's numbers stay Python's, so plain `if`s decide on them.

    What is traced is compiled once for each program that comes of it, which its text tells apart; the executables that
    have not been used for longest make room for new ones, as in `Wrapped`.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import djit
    >>> repeated = djit(lambda x, n: np.tile(x, n) if n else None)
    >>> repeated(np.array([1, 2]), 2)
    array([1, 2, 1, 2])
    >>> repeated(np.array([1, 2]), 0)
    """

    _taking = LeavesButNumbers

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        super().__init__(function, options)
        self._programs: ExecutableCache[bytes, Executable] = ExecutableCache()

    def clear_cache(self) -> None:
        """Forget all executables."""
        super().clear_cache()
        self._programs.clear()

    def cache_info(self) -> CacheInfo:
        """How many calls found an executable, how many did not, how many there may be, and how many there are."""
        return self._programs.info(self.__anabranch_options__.in_force().cache_size)

    def __repr__(self) -> str:
        return f"<anabranch.djit of {self.__anabranch_function__!r}>"

    def _compile(self, key: SignatureKey, leaves: Leaves, call: Call) -> Compiled:
        """Trace, and find the program's executable; no signature leads past this."""
        function, name = self.__anabranch_function__, name_of(self.__anabranch_function__)
        with (
            Watched(),
            configure(**self.__anabranch_options__.settings),
            shown(function, name) as progress,
        ):
            lowered = lowered_of(lambda: self._trace(key, leaves, call), progress)
            fingerprint = _fingerprint(lowered)
            with self._programs.locks.of(fingerprint):
                executable = self._programs.get(fingerprint)
                if executable is None:
                    self._programs.misses += 1
                    self._programs.compiles += 1
                    self.__anabranch_options__.show(lowered.plan.program)
                    relays = [c if isinstance(c, PureCallback) else _relay(i) for i, c in enumerate(lowered.callbacks)]
                    executable = executable_of(lowered.plan, lowered.text, lowered.flags, relays)
                    self._programs.put(fingerprint, executable)
                else:
                    self._programs.hits += 1
        if not has_effects(lowered.callbacks):
            return lowered.bound(executable)
        return Compiled(lowered.plan, lowered.calling, _Relaying(lowered, executable))


def _fingerprint(lowered: Lowered) -> bytes:
    """Return the bytes that tell programs apart: text, host functions, where they run, and how they are compiled."""
    functions = [c for c in lowered.callbacks if isinstance(c, HostFunction)]
    parts = (lowered.text, functions, lowered.plan.on_device, lowered.flags)
    return hashlib.sha256(repr(parts).encode()).digest()


# What the executable that runs now is to call: its own callbacks only pass on to these, since each trace makes its own.
_actions: contextvars.ContextVar[tuple[HostCallback, ...]] = contextvars.ContextVar("actions")


def _relay(index: int) -> HostCallback:
    def act(*arrays: object) -> tuple[Any, ...]:
        return _actions.get()[index](*arrays)

    return act


class _Relaying(DonatingExecution):
    """An execution of a program with effects, those of one trace."""

    __slots__ = ("_callbacks",)

    def __init__(self, lowered: Lowered, executable: Executable) -> None:
        super().__init__(lowered.plan, executable, lowered.calling, lowered.donation)
        self._callbacks = lowered.callbacks

    def run(self, leaves: Leaves) -> Any:
        """Run on leaves of the right signature."""
        with having(_actions, self._callbacks):
            return super().run(leaves)
