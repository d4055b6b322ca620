"""The primitive ops, by name. A family of ops is a module that has `OPS`."""

from __future__ import annotations

from anabranch.base.families import families
from anabranch.runtime.ir.op import Op

FAMILIES = (*families("anabranch.runtime.ops", "OPS"), *families("anabranch.runtime.ops.elementwise", "OPS"))


def _by_name() -> dict[str, Op]:
    found: dict[str, Op] = {}
    for family in FAMILIES:
        for op in family.OPS:
            if op.name in found:
                raise ValueError(f"two ops are named {op.name}")
            found[op.name] = op
    return found


# Every op under the name that it has in a Program; a ufunc's is its `__name__`.
OPS = _by_name()
