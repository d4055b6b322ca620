"""The exceptions that end the tracing, and those that are the user's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anabranch.runtime.control.branches import own_errors

WALK = "def walk(value):\n    return walk(value)\n"


def of_the_project(value: object) -> object:
    made: dict[str, Callable[[object], object]] = {}
    exec(compile(WALK, own_errors.__file__, "exec"), made)
    return made["walk"](value)


def of_the_user(value: object) -> object:
    return of_the_user(value)


@pytest.mark.parametrize(("walk", "is_own"), [(of_the_project, True), (of_the_user, False)])
def test_a_walk_over_a_value_that_does_not_end_is_no_error_of_the_user(
    walk: Callable[[object], object], is_own: bool
) -> None:
    with pytest.raises(RecursionError) as raised:
        walk([])
    assert own_errors.is_own(raised.value) is is_own
