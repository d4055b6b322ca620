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

from anabranch.base.by_identity import IdentitySet
from anabranch.transpile.errors import (
    AnabranchError as AnabranchError,
    EndedRun as EndedRun,
    NoSourceError as NoSourceError,
    SourceError as SourceError,
    UnsupportedConstructError as UnsupportedConstructError,
)


class ConcretizationError(AnabranchError, TypeError):
    """A value known only at run time is needed while tracing: a shape, a list index, a dict key, a plain `bool`.

    What to change: name the argument in `static_argnames`, or compute the value from shapes and static arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> jit(lambda x, sizes: x.reshape(sizes[0], -1))(np.arange(12.0), np.array([4]))
    Traceback (most recent call last):
        ...
    anabranch.ConcretizationError: ...
    """


class RunTimeSizeError(ConcretizationError):
    """An array whose size is known only at run time is given to something that has no meaning for such a size.

    The message names the expression that the size comes from.
    """


class UnsupportedValueError(AnabranchError, TypeError):
    """An argument or a result is no array, scalar or pytree of these.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda x: x)(object())
    Traceback (most recent call last):
        ...
    anabranch.UnsupportedValueError: ...
    """


class UnsupportedOperationError(AnabranchError, NotImplementedError):
    """A NumPy function, or a form of its arguments, that has no staged counterpart.

    Examples
    --------
    >>> import time
    >>> from anabranch import jit
    >>> jit(lambda x: x + time.time())(1.0)
    Traceback (most recent call last):
        ...
    anabranch.UnsupportedOperationError: ...
    """


class StructureMismatchError(AnabranchError, TypeError):
    """Two branches, or two steps of a loop, make values that no single type can hold.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> @jit
    ... def grown(x, most):
    ...     while x.sum() < most:
    ...         x = np.stack([x, x])
    ...     return x
    >>> grown(np.ones(2), 7.0)
    Traceback (most recent call last):
        ...
    anabranch.StructureMismatchError: ...
    """

    # The code of the loop whose first step gives a carry another type, which the steps after it may keep.
    first_step_of: object = None


class ShapeMismatchError(AnabranchError, ValueError):
    """Shapes that do not broadcast together, as NumPy's `ValueError`; it names the user's line.

    Under a run-time condition it is raised only where that condition holds, as when Python runs the line.
    """


class AliasError(AnabranchError, ValueError):
    """A write through a name that may or may not share memory with another array.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> @jit
    ... def marked(rows):
    ...     chosen = []
    ...     for row in rows:
    ...         if row[0] > 0:
    ...             chosen.append(row)
    ...     chosen[0][0] = 9.0
    ...     return rows
    >>> marked(np.ones((2, 3)))
    Traceback (most recent call last):
        ...
    anabranch.AliasError: ...
    """


class IntegerRangeError(AnabranchError, OverflowError):
    """A Python int went beyond the 64 bits that compiled code has for it.

    Eager Python would go on with a longer number, so no `except` clause of a compiled function catches it. With the
    setting `eager_fallback` the call is run again as plain Python, as far as nothing can be seen of the first run.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda n: n * n, eager_fallback=False)(2**40)
    Traceback (most recent call last):
        ...
    anabranch.IntegerRangeError: ...
    """

    ended = EndedRun(0, int)  # an argument or a constant of so many bits is found before anything has run


class EagerFallbackWarning(UserWarning):
    """A call has been run as plain Python: it cannot be compiled, or its values led to what compiled code does not do.

    A Python int went beyond 64 bits, a number became complex (`(-2.0) ** 0.5`), a list that was to become an array of
    ints was empty: the text says which. Each jitted function gives the warning once, and with the setting
    `eager_refusals` once for each signature that cannot be compiled. The result is that of the plain function; the call
    took the time of the compiled run and of the plain one.

    Examples
    --------
    >>> import warnings
    >>> from anabranch import EagerFallbackWarning, jit
    >>> warnings.simplefilter("ignore", EagerFallbackWarning)
    >>> jit(lambda n: n * n, eager_fallback=True)(2**40)
    1208925819614629174706176
    """


class CapacityError(AnabranchError, RuntimeError):
    """A buffer whose size is known only at run time is too small: the settings allow no more, or its capacity is fixed.

    What to change: raise `capacity_limit`; of what was compiled ahead of time, `capacity`, or call the jitted function,
    which is compiled anew with a greater capacity by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> line = jit(lambda counts: np.zeros(int(counts.sum())), capacity_limit=100)
    >>> line(np.array([200, 300]))
    Traceback (most recent call last):
        ...
    anabranch.CapacityError: ...
    """


class StaticArgumentError(AnabranchError, TypeError):
    """A static argument that is not hashable, or names a parameter that is not there.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda x, size: x, static_argnames="length")
    Traceback (most recent call last):
        ...
    anabranch.StaticArgumentError: ...
    """


class ImmutableArrayError(AnabranchError, TypeError):
    """Something would write into an `anabranch.Array`, which never changes.

    What to change: write into a copy, `numpy.asarray(a).copy()` or, in a compiled function, `a = a.copy()`.

    Examples
    --------
    >>> import anabranch
    >>> a = anabranch.asarray([1.0, 2.0])
    >>> a[0] = 0.0
    Traceback (most recent call last):
        ...
    anabranch.ImmutableArrayError: ...
    """


class DeletedArrayError(AnabranchError, RuntimeError):
    """An `anabranch.Array` is used whose memory was freed by `delete`, or donated to a call.

    Examples
    --------
    >>> import anabranch
    >>> a = anabranch.asarray([1.0, 2.0])
    >>> a.delete()
    >>> a + 1
    Traceback (most recent call last):
        ...
    anabranch.DeletedArrayError: ...
    """


class DonationError(AnabranchError, ValueError):
    """Arguments are donated that cannot be: static ones, parameters that are not there, an Array passed twice.

    Examples
    --------
    >>> from anabranch import asarray, jit
    >>> added = jit(lambda a, b: a + b, donate_argnums=0)
    >>> a = asarray([1.0, 2.0])
    >>> added(a, a)
    Traceback (most recent call last):
        ...
    anabranch.DonationError: ...
    """


class ForkedProcessError(AnabranchError, RuntimeError):
    """A process that was forked after XLA had run cannot do what is asked for.

    What to change: start processes with the method `spawn` or `forkserver`, or fork before the first call.

    Examples
    --------
    >>> import anabranch
    >>> issubclass(anabranch.ForkedProcessError, RuntimeError)
    True
    """


class SerializationError(AnabranchError, RuntimeError):
    """A compiled function can't be turned into bytes, or bytes are damaged or were made for another process.

    Examples
    --------
    >>> from anabranch import Compiled
    >>> Compiled.deserialize(b"something else")
    Traceback (most recent call last):
        ...
    anabranch.SerializationError: ...
    """


class StaleExecutableError(AnabranchError, RuntimeError):
    """A `Compiled` is called after something that its function reads from outside has changed.

    What to change: call the jitted function, which compiles anew by itself, or pass what changes as an argument.

    Examples
    --------
    >>> from anabranch import jit
    >>> factor = 2.0
    >>> compiled = jit(lambda x: x * factor).lower(1.0).compile()
    >>> factor = 3.0
    >>> compiled(1.0)
    Traceback (most recent call last):
        ...
    anabranch.StaleExecutableError: ...
    """


class EscapedTracerError(AnabranchError, RuntimeError):
    """A traced value is used after the trace, branch or loop body that made it has ended.

    Examples
    --------
    >>> import numpy as np
    >>> from queue import SimpleQueue
    >>> from anabranch import jit
    >>> seen = SimpleQueue()
    >>> @jit
    ... def total(x):
    ...     if seen.qsize():
    ...         return seen.get() + x
    ...     seen.put(x * 2)
    ...     return x
    >>> total(1.0)
    1.0
    >>> total(np.ones(3))
    Traceback (most recent call last):
        ...
    anabranch.EscapedTracerError: ...
    """


def forget_attempts(error: BaseException) -> None:
    """Take from an exception those that ended earlier attempts to trace: Python has no such exceptions before it."""
    seen: IdentitySet[BaseException] = IdentitySet()
    pending: list[BaseException | None] = [error]
    while pending:
        at = pending.pop()
        if at is None or not seen.admit(at):
            continue
        before, passed = at.__context__, IdentitySet[BaseException]()
        while before is not None and before is not at.__cause__ and type(before).__module__.startswith("anabranch."):
            # One that was raised again while others were handled may be what led to itself.
            before = before.__context__ if passed.admit(before) else None
        at.__context__ = before
        pending += [before, *getattr(at, "exceptions", ())]
