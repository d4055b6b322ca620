"""A construct of Python has one file that rewrites it, and one of the same name that rewritten code calls."""

from __future__ import annotations

from pathlib import Path

from anabranch.runtime import control
from anabranch.transpile import passes

# `is` is rewritten with the other comparisons.
NO_PASS_OF_ITS_OWN = {"__init__", "identity", "vocabulary"}


def names_in(package):
    (folder,) = map(Path, package.__path__)
    return {path.stem for path in folder.glob("*.py")}


def test_each_construct_has_the_name_of_its_pass():
    assert names_in(control) - NO_PASS_OF_ITS_OWN <= names_in(passes)
