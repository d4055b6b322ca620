"""The page of settings says what there is."""

from __future__ import annotations

import dataclasses

import pytest

from anabranch.runtime import config
from tests.docs.settings_page import PAGE, page


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.docs.settings_page"


@pytest.mark.parametrize("field", [f for f in dataclasses.fields(config.Settings) if f.name != "cache_dir"])
def test_each_is_a_variable(field, monkeypatch):
    value = {bool: not field.default, int: 7}[type(field.default)]
    monkeypatch.setenv(f"ANABRANCH_{field.name.upper()}", str(value))
    assert getattr(config._from_environment(), field.name) == value
