"""`python -m anabranch check FILE.py:FUNCTION`: the function compiled against the plain one, on arguments made up."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from typing import Any

from anabranch.cli.show import TargetError, find, one_line, values


@dataclasses.dataclass(frozen=True)
class Checked:
    """The outcome: a report of the smallest arguments on which the functions differ, and how many were left out."""

    report: str | None
    left_out: int


def check(target: str, example: list[str] | None, examples: int, deadline: float) -> Checked:
    """Look for arguments on which the compiled function differs from the plain one.

    Arguments on which the plain function takes more than `deadline` seconds are left out.

    Raises
    ------
    TargetError
        Where there is no such function, nothing says what it takes, or Hypothesis is not installed.
    """
    try:
        import hypothesis  # noqa: PLC0415 - an optional extra

        from anabranch.runtime.testing import equivalent, inference, outcomes  # noqa: PLC0415 - needs it
    except ModuleNotFoundError:
        raise TargetError("check needs Hypothesis: pip install anabranch[testing]") from None
    function, module = find(target)
    plain: Any = function.__wrapped__
    given = None if example is None else _named(inspect.signature(plain), _examples(example, module))
    try:
        arguments = inference.strategies(plain, given)
    except inference.InferenceError as error:
        raise TargetError(f"{error} with --example") from None
    settings = hypothesis.settings(equivalent.PATIENT, max_examples=examples, print_blob=False)
    waiting = outcomes.Patience(deadline)
    try:
        test: Any = equivalent.equivalent
        test(settings=settings, patience=waiting, **arguments)(function)()
    except AssertionError as error:
        return Checked(str(error), waiting.left_out)
    return Checked(None, waiting.left_out)


def _named(signature: inspect.Signature, examples: list[Any]) -> dict[str, Any]:
    """The examples by the names of the parameters: a call without those that are needed would only raise."""
    try:
        return signature.bind(*examples).arguments
    except TypeError as error:
        raise TargetError(f"the function can't be called with these examples: {error}") from None


def _examples(texts: list[str], module: types.ModuleType) -> list[Any]:
    """The values of the examples, of which each run gets copies."""
    made = values(texts, module)
    for text, value in zip(texts, made, strict=True):
        try:
            copy.deepcopy(value)
        except Exception as error:  # what a class says of its copies
            raise TargetError(f"the argument {text} can't be copied: {one_line(error)}") from error
    return made
