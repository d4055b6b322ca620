"""Exceptions in NumPy's own words: a call that fails while it is staged is made again with stand-ins."""

from __future__ import annotations

import contextlib
import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError, ShapeMismatchError, UnsupportedOperationError
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.static_requests import with_static_request
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

FAILURES = (TypeError, ValueError, IndexError)


def reraise(error: Exception, call: Callable[..., object], *args: object, **kwargs: object) -> None:
    """Raise what `call` raises in eager NumPy for operands of these shapes and dtypes.

    What is refused stays so, and a call that runs the user's own functions is not made again. Raises
    `UnsupportedOperationError` where NumPy raises nothing.
    """
    if isinstance(error, AnabranchError) and not isinstance(error, ShapeMismatchError):
        return
    if not isinstance(call, np.ufunc) and any(map(callable, (*args, *kwargs.values()))):
        return
    with _silence():
        try:
            _again(call, args, kwargs)
        except AnabranchError:
            return  # an operand has no stand-in
        except np.linalg.LinAlgError:
            return  # of the zeros
        except FAILURES as own:
            raise own.with_traceback(error.__traceback__) from error.__cause__
        except Exception:
            return
    refused = UnsupportedOperationError(
        f"{getattr(call, '__name__', 'a NumPy function')} with these arguments is supported by NumPy, but not in "
        f"compiled code: {error}"
    )
    for operand in (*args, *kwargs.values()):
        with_static_request(refused, operand, f"an argument of {getattr(call, '__name__', 'a NumPy function')}")
    raise refused from error


def refuse_unknown(call: Callable[..., Any], *args: Value, **kwargs: Value) -> None:
    """Raise NumPy's own TypeError for arguments that this release of NumPy does not know, though others do."""
    told = _told(call)
    if told is None or (len(args) <= told[0] and told[1].issuperset(kwargs)):
        return
    if any(callable(x) and not isinstance(x, type) for x in (*args, *kwargs.values())):
        return
    with _silence():
        try:
            _again(call, args, kwargs)
        except AnabranchError:
            return  # an operand has no stand-in
        except TypeError:
            raise
        except Exception:
            return  # of the zeros


@functools.cache
def _told(call: Callable[..., Any]) -> tuple[int, frozenset[str]] | None:
    """How many arguments a function takes by position, and which by name; None where its signature does not say."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except ValueError:
        return None
    if isinstance(call, np.ufunc) or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    named = frozenset(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    return sum(p.kind is not p.KEYWORD_ONLY for p in parameters), named


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _again(call: Callable[..., Any], args: Iterable[Value], kwargs: Mapping[str, Value]) -> None:
    call(*map(_placeholder, args), **{k: _placeholder(v) for k, v in kwargs.items()})


def _placeholder(value: Value) -> Value:
    """Zeros of the same type, read-only where the array is; what is known stays, as a copy where it may be written."""
    if isinstance(value, UnionValue):
        value = value.resolve()
    if isinstance(value, (list, tuple)):
        return type(value)(map(_placeholder, value))
    if isinstance(value, slice):
        return slice(*map(_placeholder, (value.start, value.stop, value.step)))
    if isinstance(value, np.ndarray):
        return value.copy()
    if not isinstance(value, Tracer):
        return value
    abstract = value.abstract
    atom = atoms.held_by(value)
    if isinstance(atom, Literal) and abstract.kind is not Kind.ARRAY:
        return atom.value[()] if abstract.kind is Kind.SCALAR else atom.value.item()
    if abstract.kind is Kind.PYTHON:
        return abstract.python(0)
    if abstract.kind is Kind.SCALAR:
        return abstract.dtype.type(0)
    zeros = np.array(atom.value) if isinstance(atom, Literal) else np.zeros(abstract.shape, abstract.dtype)
    zeros.flags.writeable = not getattr(value, "is_readonly", False)
    return zeros
