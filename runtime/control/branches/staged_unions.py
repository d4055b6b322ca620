"""The functions that unions leave to the layers above their class; each trace is given them where it starts."""

from __future__ import annotations

from typing import Final

from anabranch.runtime.control.branches import select_value, stage_branches
from anabranch.runtime.tracing.upper_layers import UnionOperations
from anabranch.runtime.values import text_tables
from anabranch.runtime.values.lazy_text import StrMethod
from anabranch.runtime.values.pytrees import several_sizes

OPERATIONS: Final = UnionOperations(
    decide=stage_branches.decide,
    compute=select_value.of_each,
    merge=several_sizes.merged,
    look_up=text_tables.look_up,
    method=StrMethod,
)
