"""Comparison of compiled functions with the plain ones, for tests of your own.

`check_equivalent` and `assert_equivalent` take arguments. `equivalent` makes a test with arguments that Hypothesis
draws from strategies: `arrays`, `scalars` and `pytrees` of here, and Hypothesis's own, such as `integers`. What needs
Hypothesis is there with `pip install anabranch[testing]`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anabranch.runtime.testing.check import (
    Report as Report,
    assert_equivalent as assert_equivalent,
    check_equivalent as check_equivalent,
)
from anabranch.runtime.testing.compare_outcomes import Difference as Difference, Tolerance as Tolerance

if TYPE_CHECKING:
    from hypothesis.strategies import booleans as booleans, floats as floats, integers as integers

    from anabranch.runtime.testing.equivalent import equivalent as equivalent
    from anabranch.runtime.testing.strategies import (
        arrays as arrays,
        elements as elements,
        pytrees as pytrees,
        scalars as scalars,
    )

# Imported when they are asked for: they need Hypothesis, which is an optional extra.
_WITH_HYPOTHESIS = {
    "equivalent": "anabranch.runtime.testing.equivalent",
    "arrays": "anabranch.runtime.testing.strategies",
    "elements": "anabranch.runtime.testing.strategies",
    "pytrees": "anabranch.runtime.testing.strategies",
    "scalars": "anabranch.runtime.testing.strategies",
    "booleans": "hypothesis.strategies",
    "floats": "hypothesis.strategies",
    "integers": "hypothesis.strategies",
}


def __getattr__(name: str) -> Any:
    if name not in _WITH_HYPOTHESIS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_WITH_HYPOTHESIS[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise ImportError(
            f"anabranch.testing.{name} needs Hypothesis: pip install anabranch[testing]", name=__name__
        ) from None
    globals()[name] = value
    return value
