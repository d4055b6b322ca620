"""Whether compiled functions do what the plain ones do, for tests of your own.

`check_equivalent` and `assert_equivalent` take arguments. `equivalent` makes a test with arguments that Hypothesis
draws from strategies: `arrays`, `scalars` and `pytrees` of here, and Hypothesis's own, such as `integers`. What needs
Hypothesis is there with `pip install anabranch[testing]`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anabranch.runtime.equivalence.checking import (
    Report as Report,
    assert_equivalent as assert_equivalent,
    check_equivalent as check_equivalent,
)
from anabranch.runtime.equivalence.comparing import Difference as Difference
from anabranch.runtime.equivalence.tolerance import Tolerance as Tolerance

if TYPE_CHECKING:
    from hypothesis.strategies import booleans as booleans, floats as floats, integers as integers

    from anabranch.runtime.equivalence.deciding import equivalent as equivalent
    from anabranch.runtime.equivalence.strategies import (
        arrays as arrays,
        elements as elements,
        pytrees as pytrees,
        scalars as scalars,
    )

# Imported when they are asked for: they need Hypothesis, which is an optional extra.
_WITH_HYPOTHESIS = {
    "equivalent": "anabranch.runtime.equivalence.deciding",
    "arrays": "anabranch.runtime.equivalence.strategies",
    "elements": "anabranch.runtime.equivalence.strategies",
    "pytrees": "anabranch.runtime.equivalence.strategies",
    "scalars": "anabranch.runtime.equivalence.strategies",
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
