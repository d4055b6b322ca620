"""What several tests of the caches count."""

from __future__ import annotations

import pytest

from anabranch.runtime import executables


@pytest.fixture
def compiled(monkeypatch):
    """How often XLA has compiled."""
    count = []
    plain = executables.compile_text
    monkeypatch.setattr(executables, "compile_text", lambda *a: count.append(1) or plain(*a))
    return count
