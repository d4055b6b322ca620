"""Values that are kept, so that they are not computed twice: whether the code that is traced now can use them."""

from __future__ import annotations

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.tracing.builder import Builder, builder_or_none, current


@frozen
class Computed:
    """Where a value was computed: the builder, how many equations it had then, and the last of them."""

    builder: Builder
    count: int
    last: Equation | None

    @staticmethod
    def now() -> Computed:
        """The place of what the equations up to here compute."""
        builder = current()
        return Computed(builder, len(builder.equations), builder.equations[-1] if builder.equations else None)

    @property
    def is_there(self) -> bool:
        """Return whether the current builder can use the value: nothing of it has been rolled back since."""
        builder, equations = builder_or_none(), self.builder.equations
        if builder is None or not any(around is self.builder for around in builder.outwards()):
            return False
        return len(equations) >= self.count and (self.last is None or equations[self.count - 1] is self.last)
