"""Tables of programs: each a plain function with the argument sets that take it down its different paths."""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from tests.equivalence import ULPS, Outcome, alike, check_stages, same
from tests.slow_tests import sampled


@dataclass(frozen=True, slots=True)
class Program:
    """One function under test, and what to run it on."""

    function: Callable[..., Any]
    argsets: tuple[tuple[Any, ...], ...]
    static: tuple[str, ...]
    ulps: float
    int64_overflow: bool
    refused: type[AnabranchError] | None = None
    copies: bool = False

    def check(self) -> None:
        """Compare every argument set, or see that each is refused."""
        if self.refused is None:
            self._compare()
            return
        wrapped = jit(self.function, static_argnames=self.static)
        for args in self.argsets:
            for _ in range(2):
                got = Outcome(wrapped, args, {})
                assert isinstance(got.error, self.refused), f"{args!r}: {got.error!r}, value {got.value!r}"
                assert got.text == ""

    def check_in_xla(self) -> None:
        """Compare every argument set, with the loops compiled by XLA."""
        wrapped = jit(self.function, static_argnames=self.static, native_loops=False)
        for args in self.argsets:
            self._compare_outcomes(Outcome(self.function, args, {}), Outcome(wrapped, args, {}), args)

    def check_static(self) -> None:
        """Compare with every argument static that can be: plain Python decides, and the results stay."""
        wrapped = jit(self.function, static_argnames=self._static_names())
        for args in self.argsets:
            want, got = Outcome(self.function, args, {}), Outcome(wrapped, args, {})
            # What is refused for run-time values may be refused here too, or must be right.
            if self.refused is None or not isinstance(got.error, self.refused):
                self._compare_outcomes(want, got, args)

    def _static_names(self) -> tuple[str, ...]:
        """Parameters whose arguments are hashable in every set; a call by name must be able to pass them."""
        parameters = inspect.signature(self.function).parameters.values()
        if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
            pytest.skip("positional arguments after static ones can't be passed by name")
        names = [p.name for p in parameters]
        found = tuple(
            name for k, name in enumerate(names) if all(_hashable(args[k]) for args in self.argsets if k < len(args))
        )
        if set(found) <= set(self.static):
            pytest.skip("no argument can be static: none is hashable")
        return found

    def _compare(self) -> None:
        """Run every argument set eagerly and through one jitted function.

        Three times, so that cached executables are run again: by their signatures, then the fast path.
        """
        wrapped = jit(self.function, static_argnames=self.static)
        staged = False
        for args in self.argsets * 3:
            want, got = Outcome(self.function, args, {}), Outcome(wrapped, args, {})
            if self._compare_outcomes(want, got, args) and not staged and sampled(self.function.__name__, 4):
                check_stages(wrapped, args, {}, want, self._tolerance())
                staged = True

    def _compare_outcomes(self, want: Outcome, got: Outcome, args: tuple[Any, ...]) -> bool:
        """Return whether both gave a result, and the same."""
        if want.error is not None:
            self._check_error(want.error, got, args)
            assert want.text == got.text
            return False
        if self.int64_overflow and isinstance(got.error, OverflowError) and _beyond_int64(want.value):
            return False
        if got.error is not None:
            raise got.error
        alike(want, got, self._tolerance(), f"{args!r}: ")
        return True

    def _tolerance(self) -> Tolerance:
        return Tolerance(self.ulps, copies=self.copies)

    def _check_error(self, want: BaseException, got: Outcome, args: tuple[Any, ...]) -> None:
        """The class, and for what the program raises itself, the arguments of the exception."""
        assert got.error is not None, f"{args!r}: eager raises {want!r}, jitted gives {got.value!r}"
        assert isinstance(got.error, type(want)), f"{args!r}: eager raises {want!r}, jitted {got.error!r}"
        last = traceback.extract_tb(want.__traceback__)[-1]
        line = (last.line or "") if not last.filename.startswith(os.path.dirname(np.__file__)) else ""
        # What pytest has made of an assertion has another message.
        own = ("raise ",) if "@pytest_ar" in self.function.__globals__ else ("raise ", "assert ")
        if line.startswith(own):
            assert type(got.error) is type(want)
            same(want.args, got.error.args, f"the exception's arguments for {args!r}")
            same(vars(want), vars(got.error), f"the exception's attributes for {args!r}")
            same(repr(want.__cause__), repr(got.error.__cause__), f"the cause for {args!r}")
            here = traceback.extract_tb(got.error.__traceback__)[-1]
            assert here.line == line


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _beyond_int64(value: Any) -> bool:
    """Return whether a result holds a Python int that compiled code cannot, which raises `OverflowError` instead."""
    if isinstance(value, tuple):
        return any(map(_beyond_int64, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


class Table:
    """The programs of one test file, filled by its decorator."""

    def __init__(self, kind: type[Program] = Program) -> None:
        self.kind = kind
        self.programs: list[Any] = []
        self.static_programs: list[Any] = []

    def __call__(
        self,
        *argsets: tuple[Any, ...],
        static: tuple[str, ...] = (),
        ulps: float = ULPS,
        int64_overflow: bool = False,
        slow: bool = False,
        wrong: str = "",
        refused: type[AnabranchError] | None = None,
        copies: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add a program; `int64_overflow`: results beyond int64 may raise.

        `wrong`: what is not yet as eager Python has it. `refused`: the error that every argument set raises instead.
        `copies`: what is returned may be a copy where it is a view in NumPy, as is documented.
        """
        marks: list[Any] = [pytest.mark.xfail(strict=True, reason=wrong)] if wrong else []
        marks += [pytest.mark.slow] if slow else []

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            program = self.kind(function, argsets, static, ulps, int64_overflow, refused, copies)
            self.programs.append(pytest.param(program, id=function.__name__, marks=marks))
            self.static_programs.append(pytest.param(program, id=function.__name__))
            return function

        return add

    def named(self, names: Collection[str]) -> list[Any]:
        """Return the programs whose functions have these names."""
        return [param for param in self.programs if param.values[0].function.__name__ in names]
