"""The order in which Python goes over a set of numbers, which depends on how its table has grown."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.op import CallOp, expect, scalar

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


class _SetOrder(CallOp):
    """`set_order members count`: the positions of the first `count` members as a set has them that got them in order.

    The rest of the result is zero. Rows of a matrix are tuples. Python itself is asked: its set of the same numbers has
    the same order.
    """

    __slots__ = ()
    is_host_call = True

    def type(self, members: ArrayType, count: ArrayType) -> tuple[ArrayType, ...]:
        is_list = members.dtype in (_INT64, _FLOAT64) and len(members.shape) in (1, 2)
        expect(is_list, self.name, "takes a vector or a matrix of int64 or float64")
        expect(count == scalar(_INT64), self.name, "takes the number of members")
        return (ArrayType(members.shape[:1], _INT64),)

    def evaluate(self, members: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, ...]:
        given = members[: int(count)].tolist()
        if members.ndim == 2:
            given = list(map(tuple, given))
        grown: set[Any] = set()
        for member in given:
            grown.add(member)
        places = {member: place for place, member in enumerate(given)}
        result = np.zeros(members.shape[:1], np.int64)
        result[: len(grown)] = [places[member] for member in grown]
        return (result,)


set_order = _SetOrder("set_order")
OPS: tuple[Op, ...] = (set_order,)
