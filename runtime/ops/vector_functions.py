"""Functions of floats that NumPy computes several elements at a time on this machine, and XLA one by one.

A call of such a one on a large array is NumPy's, and has its results to the bit.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import op
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# The names of the dtypes for which NumPy's function takes a quarter of the time of XLA's, or less.
_FASTER: Mapping[str, str] = {
    **dict.fromkeys(("arccos", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cosh"), "df"),
    **dict.fromkeys(("exp2", "log10", "log2", "power", "sinh", "tan"), "df"),
    **dict.fromkeys(("cos", "sin"), "f"),
}
# From so many elements on that is more than the call of the host takes.
_MANY = 1024


@frozen
class _Function:
    """A function that a program calls on the host."""

    ufunc: np.ufunc

    def write(self, outs: Sequence[np.ndarray], *arrays: np.ndarray) -> None:
        """Write the results."""
        self.ufunc(*arrays, out=outs[0])


def __getattr__(name: str) -> _Function:
    if name not in _FASTER:
        raise AttributeError(name)
    return _Function(getattr(np, name))


def called(name: str, ctx: LoweringContext) -> Sequence[str] | None:
    """Emit a call of NumPy's function; None where XLA computes it."""
    if not is_faster(name, ctx.in_types[0]) or not op.may_call_at_once(ctx, _MANY):
        return None
    return op.called_by_name(ctx, __name__, name)


def is_faster(name: str, type: ArrayType) -> bool:
    """Return whether NumPy's function takes less time than XLA's for an operand of a type, with its call."""
    char = type.dtype.char
    return type.size >= _MANY and char in _FASTER.get(name, "") and _is_vectorised(name, char)


@functools.cache
def _is_vectorised(name: str, char: str) -> bool:
    """Return whether NumPy's function takes several elements at once here, as far as NumPy tells."""
    introspect = getattr(np.lib, "introspect", None)
    if introspect is None:
        return False
    loops = introspect.opt_func_info(func_name=f"^{name}$").get(name, {})
    targets = [loop["current"] for types, loop in loops.items() if set(types) == {char}]
    return any("baseline" not in target for target in targets)
