"""Random numbers drawn on the host: a method of NumPy's or Python's own generator, from one state to the next.

The state is an array that the op takes and returns, so nothing but data orders the draws of one generator: the op has
no effect, and what nobody reads need not be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.generator_state import GeneratorKind
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.host_call import ticket_for
from anabranch.runtime.ops.op import BOOL, CallOp, expect, scalar

WORD = np.dtype(np.uint64)
_TICKET = scalar(np.dtype(np.int64))
_NO_TICKET = np.asarray(0, np.int64)


@frozen
class Operand:
    """An argument that is an input of the equation: a number of Python's, or of NumPy's, or an array."""

    index: int
    is_python: bool = False

    def of(self, arrays: Sequence[np.ndarray]) -> Any:
        """The argument; an array is a copy, which the method may write to."""
        array = arrays[self.index]
        if self.is_python:
            return array.item()
        return array[()] if array.ndim == 0 else np.array(array)


@frozen
class Positions:
    """An argument that is the positions of so many items, as a range or a list of its own."""

    count: int
    is_list: bool = False

    def of(self, arrays: Sequence[np.ndarray]) -> Any:
        """The argument."""
        return list(range(self.count)) if self.is_list else range(self.count)


@frozen
class DrawCall:
    """A call of a method of a generator, whose arguments are known, or inputs."""

    method: str
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()
    is_in_place: bool = False  # the result is the first argument as the method leaves it

    def on(self, generator: Any, arrays: Sequence[np.ndarray]) -> Any:
        """Make the call, of these inputs."""
        args = [a.of(arrays) if isinstance(a, _MADE) else a for a in self.args]
        kwargs = {name: a.of(arrays) if isinstance(a, _MADE) else a for name, a in self.kwargs}
        made = getattr(generator, self.method)(*args, **kwargs)
        return args[0] if self.is_in_place else made


_MADE = (Operand, Positions)


class _Draw(CallOp):
    """`random_draw[kind, call, out, is_checked] words, is_off, *operands`: the words after a call, a ticket, a result.

    The method surely takes the arguments of a call that `is_checked`. Where `is_off` holds nothing is drawn. The ticket
    is 0 unless the method has raised `exception_of(ticket)`.
    """

    __slots__ = ()

    def type(
        self, *inputs: ArrayType, kind: GeneratorKind, call: DrawCall, out: ArrayType | None, is_checked: bool
    ) -> tuple[ArrayType, ...]:
        words, is_off, *_ = inputs
        expect(words == ArrayType((kind.words,), WORD), self.name, f"{words} is no state of {kind.name}")
        expect(is_off == scalar(BOOL), self.name, "whether to draw must be a bool scalar")
        return (words, _TICKET, *(() if out is None else (out,)))

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        words, is_off, *operands = arrays
        kind, call, out = params["kind"], params["call"], params["out"]
        nothing = () if out is None else (np.zeros(out.shape, out.dtype),)
        if is_off:
            return (words, _NO_TICKET, *nothing)
        generator = kind.scratch()
        kind.write(generator, words)
        try:
            made = call.on(generator, operands)
            found = () if out is None else (np.asarray(made, out.dtype),)
        except Exception as error:
            return (kind.read(generator), np.asarray(ticket_for(error), np.int64), *nothing)
        return (kind.read(generator), _NO_TICKET, *found)


class _Seed(CallOp):
    """`random_seed[kind, is_checked] seed`: the words of a new generator, and a ticket as of a draw.

    The generator surely takes a seed that `is_checked`, unless something has failed before.
    """

    __slots__ = ()
    is_host_call = True

    def type(
        self, seed: ArrayType, *, kind: GeneratorKind, argument: Operand, is_checked: bool
    ) -> tuple[ArrayType, ...]:
        return (ArrayType((kind.words,), WORD), _TICKET)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        kind = params["kind"]
        try:
            return (kind.read(kind.seeded(params["argument"].of(arrays))), _NO_TICKET)
        except Exception as error:
            return (np.zeros(kind.words, WORD), np.asarray(ticket_for(error), np.int64))


random_draw, random_seed = _Draw("random_draw"), _Seed("random_seed")
OPS: tuple[Op, ...] = (random_draw, random_seed)
