"""The record of a benchmark: a function of plain NumPy, and the arguments that it is called with."""

from __future__ import annotations

import importlib
import importlib.util
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Size: TypeAlias = Literal["tiny", "small", "large"]
Style: TypeAlias = Literal["elements", "arrays", "slices"]
"""Loops over single elements; whole arrays; slices, masks and lists whose sizes are known only at run time."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One benchmark. `make` makes the arguments of the numbers that stand for a size.

    `tiny` is for tests, `small` takes NumPy some microseconds and `large` some milliseconds, where that is possible.
    The numbers of a kernel of `slices` are one, and its `make` takes any from 1.
    """

    function: Callable[..., Any]
    style: Style
    make: Callable[..., tuple[Any, ...]]
    tiny: tuple[float, ...]
    small: tuple[float, ...]
    large: tuple[float, ...]
    same_in_jax: bool = False
    """The text of the function is JAX's as well, with `jax.numpy` in place of NumPy."""

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def group(self) -> str:
        """The name of the module that the function stands in."""
        return self.function.__module__.rpartition(".")[2]

    def arguments(self, size: Size) -> tuple[Any, ...]:
        """Fresh arguments, the same at each call."""
        return self.make(*getattr(self, size))

    def jax_form(self) -> Callable[..., Any] | None:
        """JAX's form of the function, under `jax.jit`; None where there is none. Imports JAX."""
        if self.same_in_jax:
            return self._with_jax_numpy()
        module = f"benchmarks.jax_forms.{self.group}"
        if importlib.util.find_spec(module) is None:
            return None
        form: Callable[..., Any] | None = getattr(importlib.import_module(module), self.name, None)
        return form

    def _with_jax_numpy(self) -> Callable[..., Any]:
        jax = importlib.import_module("jax")
        importlib.import_module("benchmarks.jax_forms")
        names = {**self.function.__globals__, "np": importlib.import_module("jax.numpy")}
        form: Callable[..., Any] = jax.jit(types.FunctionType(self.function.__code__, names, self.name))
        return form
