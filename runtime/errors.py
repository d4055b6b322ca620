"""Every exception of the project.

::

    AnabranchError
    ├── SourceError                      the function's source (transpile)
    │   ├── NoSourceError                (also OSError)
    │   └── UnsupportedConstructError    (also NotImplementedError)
    ├── ConcretizationError              (also TypeError)
    │   └── RunTimeSizeError
    ├── UnsupportedValueError            (also TypeError)
    ├── UnsupportedOperationError        (also NotImplementedError)
    ├── StructureMismatchError           (also TypeError)
    ├── ShapeMismatchError               (also ValueError)
    ├── AliasError                       (also ValueError)
    ├── IntegerRangeError                (also OverflowError)
    ├── CapacityError                    (also RuntimeError)
    ├── StaticArgumentError              (also TypeError)
    ├── ImmutableArrayError              (also TypeError)
    ├── DeletedArrayError                (also RuntimeError)
    ├── DonationError                    (also ValueError)
    ├── ForkedProcessError               (also RuntimeError)
    ├── SerializationError               (also RuntimeError)
    ├── StaleExecutableError             (also RuntimeError)
    └── EscapedTracerError               (also RuntimeError)
"""

from __future__ import annotations

from anabranch.transpile.errors import (
    AnabranchError as AnabranchError,
    NoSourceError as NoSourceError,
    SourceError as SourceError,
    UnsupportedConstructError as UnsupportedConstructError,
)


class ConcretizationError(AnabranchError, TypeError):
    """A value known only at run time is needed while tracing: a shape, a list index, a dict key, a plain `bool`.

    What to change: name the argument in `static_argnames`, or compute the value from shapes and static arguments.
    """


class RunTimeSizeError(ConcretizationError):
    """An array whose size is known only at run time is given to something that has no meaning for such a size.

    The message names the expression that the size comes from.
    """


class UnsupportedValueError(AnabranchError, TypeError):
    """An argument or a result is no array, scalar or pytree of these."""


class UnsupportedOperationError(AnabranchError, NotImplementedError):
    """A NumPy function, or a form of its arguments, that has no staged counterpart."""


class StructureMismatchError(AnabranchError, TypeError):
    """Two branches, or two steps of a loop, make values that no single type can hold."""

    # The code of the loop whose first step gives a carry another type, which the steps after it may keep.
    first_step_of: object = None


class ShapeMismatchError(AnabranchError, ValueError):
    """Shapes that do not broadcast together, as NumPy's `ValueError`; it names the user's line.

    Under a run-time condition it is raised only where that condition holds, as when Python runs the line.
    """


class AliasError(AnabranchError, ValueError):
    """A write through a name that may or may not share memory with another array."""


class IntegerRangeError(AnabranchError, OverflowError):
    """A Python int went beyond the 64 bits that compiled code has for it.

    Eager Python would go on with a longer number, so no `except` clause of a compiled function catches it.
    """


class CapacityError(AnabranchError, RuntimeError):
    """A buffer whose size is known only at run time is too small: the settings allow no more, or its capacity is fixed.

    What to change: raise `capacity_limit`; of what was compiled ahead of time, `capacity`, or call the jitted function,
    which is compiled anew with a greater capacity by itself.
    """


class StaticArgumentError(AnabranchError, TypeError):
    """A static argument that is not hashable, or names a parameter that is not there."""


class ImmutableArrayError(AnabranchError, TypeError):
    """Something would write into an `anabranch.Array`, which never changes.

    What to change: write into a copy, `numpy.asarray(a).copy()` or, in a compiled function, `a = a.copy()`.
    """


class DeletedArrayError(AnabranchError, RuntimeError):
    """An `anabranch.Array` is used whose memory was freed by `delete`, or donated to a call."""


class DonationError(AnabranchError, ValueError):
    """Arguments are donated that cannot be: static ones, parameters that are not there, an Array passed twice."""


class ForkedProcessError(AnabranchError, RuntimeError):
    """A process that was forked after XLA had run cannot do what is asked for.

    What to change: start processes with the method `spawn` or `forkserver`, or fork before the first call.
    """


class SerializationError(AnabranchError, RuntimeError):
    """A compiled function can't be turned into bytes, or bytes are damaged or were made for another process."""


class StaleExecutableError(AnabranchError, RuntimeError):
    """A `Compiled` is called after something that its function reads from outside has changed.

    What to change: call the jitted function, which compiles anew by itself, or pass what changes as an argument.
    """


class EscapedTracerError(AnabranchError, RuntimeError):
    """A traced value is used after the trace, branch or loop body that made it has ended."""


def forget_attempts(error: BaseException) -> None:
    """Take from an exception those that ended earlier attempts to trace: Python has no such exceptions before it."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        before = at.__context__
        while before is not None and before is not at.__cause__ and type(before).__module__.startswith("anabranch."):
            before = before.__context__
        at.__context__ = before
        at = before
