"""The op of an equation: one object that holds every rule of one primitive, and every fact that passes ask for."""

from __future__ import annotations

import abc
import enum
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from anabranch.runtime.ir.array_type import ArrayType


class Work(enum.Enum):
    """The work that one element takes."""

    LITTLE = "a few instructions"
    MUCH = "a function of a mathematical library, or a loop"


class OpClass(abc.ABCMeta):
    """The class of classes of ops: they have no instances but those of their subclasses, which takes less to ask."""

    __instancecheck__ = type.__instancecheck__


class Op(metaclass=OpClass):
    """A primitive: type rule, NumPy evaluation, StableHLO lowering, and its traits.

    A subclass that lacks a rule cannot be instantiated, so a missing rule fails when the family's module is imported.
    The parameters of `type` are the inputs and params that the op takes.
    `name` is how the op prints in a Program; inputs are data, params are static metadata. An op is total: whatever the
    elements are, it has a result.
    """

    __slots__ = ("name",)
    pure: ClassVar[bool] = True  # nothing but the outputs tells that the op has run
    # Each element of the outputs is computed from the elements of the inputs at the same position.
    is_elementwise: ClassVar[bool] = False
    work: Work = Work.MUCH  # for one element; what takes little may be computed where its result is not needed
    # Even one element of the result takes the work on all of the inputs, which is little in one pass over these; None
    # where elements are computed one by one.
    whole_work: ClassVar[Work | None] = None
    # The input that is written into the first one, whose memory the result takes over.
    update: ClassVar[int | None] = None
    is_view: ClassVar[bool] = False  # the result is another form of the first input's memory
    is_transparent: ClassVar[bool] = False  # XLA learns more from the op than from the elements of its result
    is_reformed: ClassVar[bool] = False  # XLA computes the result with other axes, and gives it its own form afterwards
    moves_indices: ClassVar[bool] = False  # an element of the result stands at a computed index of the input
    is_materialized: ClassVar[bool] = False  # the result is complete in memory before anything that uses it begins
    whole_inputs: ClassVar[tuple[int, ...]] = ()  # in vector lanes, the inputs that each lane reads as a whole
    # The op is a call of a function of this process or of LAPACK, however small its inputs are.
    is_host_call: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def combine(self) -> str | None:
        """For a reduction, the name of the ufunc that combines two elements."""
        return None

    @property
    def overwritten(self) -> int | None:
        """The input whose memory the result takes over: the first one of an update."""
        return None if self.update is None else 0

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any] | None:
        """The params on inputs that all have another axis first, as the result has then; None where there are none."""
        return params if self.is_elementwise else None

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    @abc.abstractmethod
    def type(self, *inputs: Any, **params: Any) -> tuple[ArrayType, ...]:
        """The types of the outputs. Raises `TypeError` when the inputs are not what the op takes."""

    @abc.abstractmethod
    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        """The outputs as NumPy computes them."""

    def write(self, outs: Sequence[Any], *arrays: Any, **params: Any) -> None:
        """Write the outputs, as NumPy computes them, to arrays."""
        for out, value in zip(outs, self.evaluate(*arrays, **params), strict=True):
            out[...] = value

    @abc.abstractmethod
    def lower(self, ctx: Any) -> Sequence[str]:  # the context is of a layer above, that of the ops
        """Emit StableHLO; returns the SSA names of the outputs."""

    def bytes_touched(self, equation: Any) -> int:  # of a layer above, too
        """About how many bytes of memory a run of an equation reads and writes, for a choice of lowering."""
        return sum(a.type.nbytes for a in (*equation.inputs, *equation.outputs))
