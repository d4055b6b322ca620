"""A plugin of pytest: no shrinking. That a test fails is enough here; the examples are those of the profile."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """After Hypothesis has loaded the profile, and before the tests are imported."""
    phases = tuple(p for p in settings.default.phases if p not in (Phase.shrink, Phase.explain))
    settings.register_profile("unshrunk", settings.default, phases=phases)
    settings.load_profile("unshrunk")
