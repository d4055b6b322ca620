"""The stages of a compiled function: `Traced`, `Lowered`, `Compiled`, named as in `jax.stages`."""

from __future__ import annotations

from anabranch.runtime.api.stages.compiled import Compiled as Compiled
from anabranch.runtime.api.stages.lowered import Lowered as Lowered
from anabranch.runtime.api.stages.stage import Stage as Stage
from anabranch.runtime.api.stages.traced import Traced as Traced
