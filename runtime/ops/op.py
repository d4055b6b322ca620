"""An op: one object that holds every rule of one primitive."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

from anabranch.runtime.ir.program import ArrayType
from anabranch.runtime.ops.stablehlo_writer import Emitter


class Op(abc.ABC):
    """A primitive: type rule, NumPy evaluation and StableHLO lowering.

    A subclass that lacks a rule cannot be instantiated, so a missing rule fails when the family's module is imported.
    `name` is how the op prints in a Program; inputs are data, params are static metadata.
    """

    __slots__ = ("name",)
    # Whether nothing but the outputs tells that the op has run.
    pure: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    @abc.abstractmethod
    def type(self, *inputs: Any, **params: Any) -> tuple[ArrayType, ...]:
        """The types of the outputs. Raises `TypeError` when the inputs are not what the op takes."""

    @abc.abstractmethod
    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        """The outputs as NumPy computes them."""

    @abc.abstractmethod
    def lower(
        self,
        emitter: Emitter,
        inputs: Sequence[str],
        in_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        **params: object,
    ) -> Sequence[str]:
        """Emit StableHLO; returns the SSA names of the outputs."""


def expect(condition: bool, op: str, message: str) -> None:
    """Type rules' one way to refuse."""
    if not condition:
        raise TypeError(f"{op}: {message}")
