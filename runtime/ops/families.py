"""Imports every family, which fills `Op.table`."""
from __future__ import annotations

from anabranch.runtime.ops import (
    control as control,
)
from anabranch.runtime.ops import (
    cumulative as cumulative,
)
from anabranch.runtime.ops import (
    elementwise as elementwise,
)
from anabranch.runtime.ops import (
    indexing as indexing,
)
from anabranch.runtime.ops import (
    linear as linear,
)
from anabranch.runtime.ops import (
    reduction as reduction,
)
from anabranch.runtime.ops import (
    shape as shape,
)
from anabranch.runtime.ops import (
    sorting as sorting,
)
