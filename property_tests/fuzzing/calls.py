"""Calls with any arguments: what is compiled does what the plain function does, or says in its own words why not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import anabranch as ab
from anabranch.export import deserialize, export
from anabranch.runtime.testing.compare_outcomes import Tolerance, first_difference
from anabranch.runtime.testing.outcomes import Outcome
from property_tests.fuzzing import things
from property_tests.fuzzing.programs import PROGRAMS

# What the machine lacks may be lacking at another place.
_LACKING = (MemoryError, RecursionError)
_NEAR = Tolerance()


def evaluated(text: str) -> Any:
    """The value of an expression, a new one each time."""
    return eval(text, vars(things))


class Call:
    """Arguments that are made anew for each run."""

    def __init__(self, args: list[str], kwargs: dict[str, str]) -> None:
        self._args, self._kwargs = args, kwargs

    def made(self) -> tuple[list[Any], dict[str, Any]]:
        return [evaluated(a) for a in self._args], {k: evaluated(v) for k, v in self._kwargs.items()}

    def outcome(self, function: Callable[..., Any], mutations: bool = True) -> Outcome:
        """Return the result of a run, and the arguments as it leaves them."""

        def run() -> Any:
            args, kwargs = self.made()
            result = function(*args, **kwargs)
            return (result, args, kwargs) if mutations else result

        return Outcome(run, (), {})


def told(error: BaseException) -> str:
    try:
        return f"{type(error).__module__}.{type(error).__qualname__}: {str(error)[:600]}"
    except Exception as failed:
        return f"{type(error).__qualname__}, which cannot be shown: {failed!r}"


def _fits(error: BaseException, plain: BaseException) -> bool:
    """Return whether an exception is of the plain function's class, or of the first that is not NumPy's own affair."""
    if isinstance(plain, ab.DeletedArrayError):
        return True  # what is wrong with its shape or dtype is seen before
    kind = next(c for c in type(plain).__mro__ if not c.__module__.startswith("numpy._core"))
    return isinstance(error, kind)


def fault(want: Outcome, got: Outcome) -> str | None:
    """Return the fault of an outcome; None where it is the plain function's, or a refusal of the project's own."""
    if got.error is not None:
        message = told(got.error)  # must be there
        if isinstance(got.error, ab.AnabranchError):
            return None if str(got.error) else f"a refusal without a word: {message}"
        if isinstance(got.error, _LACKING):
            return None
        if want.error is None:
            return f"plain gives an answer, compiled raises {message}"
        if not _fits(got.error, want.error):
            return f"plain raises {told(want.error)}, compiled {message}"
        return None
    if isinstance(want.error, _LACKING):
        return None
    if want.error is not None:
        return f"plain raises {told(want.error)}, compiled gives a {type(got.value)}"
    try:
        difference = first_difference(want, got, (), _NEAR)
    except (things.HostileError, *_LACKING):
        return None  # they cannot be compared
    return None if difference is None else str(difference)


def call(way: str, program: str, options: dict[str, str], calls: list[tuple[list[str], dict[str, str]]]) -> str | None:
    """Call a function, compiled in some way, several times; gives what is wrong, or None."""
    plain = PROGRAMS[program]
    warnings.simplefilter("ignore")
    made = [Call(args, kwargs) for args, kwargs in calls]
    try:
        run = _WAYS[way](plain, {k: evaluated(v) for k, v in options.items()}, made[0])
    except (ab.AnabranchError, *_LACKING):
        return None
    except Exception as error:
        want = made[0].outcome(plain)
        return None if want.error is not None and _fits(error, want.error) else f"{way} raises {told(error)}"
    for each in made:
        for _ in range(2):  # the second of two such calls may take a shorter way
            mutations = "donate_argnames" not in options
            found = fault(each.outcome(plain, mutations), each.outcome(run, mutations))
            if found is not None:
                return found
    return None


def _jit(plain: Any, options: dict[str, Any], _: Call) -> Any:
    return ab.jit(plain, **options)


def _djit(plain: Any, options: dict[str, Any], _: Call) -> Any:
    return ab.jit(plain, static=False, **options)


def _compiled(plain: Any, options: dict[str, Any], first: Call) -> Any:
    args, kwargs = first.made()
    return ab.jit(plain, **options).lower(*args, **kwargs).compile()


def _loaded(plain: Any, options: dict[str, Any], first: Call) -> Any:
    return ab.Compiled.deserialize(_compiled(plain, options, first).serialize())


def _exported(plain: Any, options: dict[str, Any], first: Call) -> Any:
    args, kwargs = first.made()
    return deserialize(export(ab.jit(plain, **options))(*args, **kwargs).serialize()).call


def _looked_at(plain: Any, options: dict[str, Any], first: Call) -> Any:
    """All that can be asked of a function and its stages, and then its calls."""
    wrapped = ab.jit(plain, **options)
    for ask in (wrapped.eval_shape, wrapped.explain, wrapped.source):
        args, kwargs = first.made()
        _text(ask(*args, **kwargs))
    args, kwargs = first.made()
    traced = wrapped.trace(*args, **kwargs)
    lowered = traced.lower()
    for stage in (traced, lowered, lowered.compile()):
        for what in ("in_tree", "out_tree", "args_info", "out_info", "in_avals", "donate_argnums"):
            _text(getattr(stage, what))
        _text(stage)
        stage.as_text()
    return wrapped


def _text(value: Any) -> None:
    """Show it, which must be possible but where the user's own objects forbid it."""
    try:
        repr(value)
        str(value)
    except things.HostileError:
        pass


_WAYS = {
    "jit": _jit, "djit": _djit, "compiled": _compiled, "loaded": _loaded, "exported": _exported,
    "looked at": _looked_at,
}  # fmt: skip
WAYS = tuple(_WAYS)
