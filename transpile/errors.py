"""Errors between a function and its rewritten source.

AnabranchError
└── SourceError
    ├── NoSourceError (OSError)                           there is no source text to rewrite
    └── UnsupportedConstructError (NotImplementedError)   the source uses something that can't be rewritten
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anabranch.base.frozen import frozen


class AnabranchError(Exception):
    """Root of every error that this package raises on its own account.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import AnabranchError, jit
    >>> try:
    ...     jit(lambda x: x.reshape(x[0], -1))(np.array([2, 3, 5, 7]))
    ... except AnabranchError as error:
    ...     print(type(error).__name__)
    ConcretizationError
    """

    # Of an error that a run of compiled code has ended in, what is left of that run.
    ended: EndedRun | None = None
    # Of an error that a call could not be compiled for, the function that was called; nothing has run.
    refused_by: object = None


@frozen
class EndedRun:
    """A run that has ended in an error that eager code would not have raised.

    Parameters
    ----------
    effects : int
        How many effects, such as prints in a loop, were done.
    finish : callable
        Does what waits for the end of the run: later prints, the states of generators of random numbers.
    """

    effects: int
    finish: Callable[[], object]


class SourceError(AnabranchError):
    """A function whose source can't be turned into staged source.

    Examples
    --------
    >>> import anabranch
    >>> issubclass(anabranch.NoSourceError, anabranch.SourceError)
    True
    """


class NoSourceError(SourceError, OSError):
    """The function has no source text: a builtin, an extension function, or code made by ``exec`` from a string.

    Put the function into a file (or a notebook cell), so that Python can find its text again.

    Examples
    --------
    >>> from anabranch import jit
    >>> names = {}
    >>> exec("def double(x): return 2 * x if x else x", names)
    >>> jit(names["double"])(1.0)
    Traceback (most recent call last):
        ...
    anabranch.NoSourceError: there is no source
    """


@frozen
class Finding:
    """One thing in a function that can't be rewritten, and where it stands.

    Parameters
    ----------
    code : str
        Stable code, a key of `CODES`.
    line, column : int
        Position in the user's file; lines count from 1, columns from 0.
    end_column : int
        Where the marked text ends on that line.
    text : str
        The user's source line.
    """

    code: str
    filename: str
    line: int
    column: int
    end_column: int
    text: str

    def __str__(self) -> str:
        what, instead = CODES[self.code]
        stripped = self.text.lstrip()
        shift = len(self.text) - len(stripped)
        start = max(self.column - shift, 0)
        width = max(min(self.end_column, len(self.text)) - self.column, 1)
        return (
            f"{self.filename}:{self.line}:{self.column + 1}: {self.code} {what}\n"
            f"    {stripped}\n"
            f"    {' ' * start}{'^' * width}\n"
            f"    {instead}"
        )


class UnsupportedConstructError(SourceError, NotImplementedError):
    """The source uses constructs that can't be rewritten; every one of them is listed.

    Attributes
    ----------
    findings : tuple of Finding
        All of them, in source order.

    Examples
    --------
    >>> from anabranch import jit
    >>> @jit
    ... async def later(x):
    ...     return x
    >>> later(1.0)
    Traceback (most recent call last):
        ...
    anabranch.UnsupportedConstructError: ...
    """

    def __init__(self, name: str, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        count = len(self.findings)
        head = f"{name} can't be compiled: {count} construct{'s are' if count > 1 else ' is'} not supported"
        self.report = "\n".join([head, *(str(finding) for finding in self.findings)])
        super().__init__(self.report)


# Every stable code: what was found, and what to write instead. A code that is gone
# (103, 108 to 114) is never used for anything else.
CODES: dict[str, tuple[str, str]] = {
    "AB101": ("async code", "Write it without async and await; a compiled function runs as one computation."),
    "AB102": (
        "yield where no generator can be returned",
        "Put jit around the generator function itself; a function that djit compiles, and a callable object, return an "
        "array or a list.",
    ),
    "AB104": ("control flow in the body of a class", "Put it into a method, or before the class statement."),
    "AB106": (
        "code that looks up names while it runs (exec, eval, locals)",
        "Write the code out in the function, or keep the values in a dict.",
    ),
    "AB107": (
        "a conditional assignment expression (:=) in a lambda",
        "Write the lambda as a function of its own with def.",
    ),
    "AB115": (
        "a yield inside of an expression",
        "Let it stand alone: 'yield value', or 'x = yield value' and go on with x.",
    ),
    "AB117": (
        "a yield inside of try or with, in a jitted generator",
        "Assign the value in the statement, and yield it behind the statement.",
    ),
    "AB118": (
        "a yield behind which a name is needed that may have no value there, in a jitted generator",
        "Give every name that is read behind the yield a value before it.",
    ),
    "AB119": (
        "a yield behind which a function is needed that was made before it, in a jitted generator",
        "Define the function outside of the generator, or without defaults and decorators at the top of its body.",
    ),
}
