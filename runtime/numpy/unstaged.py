"""NumPy's functions that are not staged: refused, with the reason; of values known while tracing; or NumPy's own."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.tracing.builder import current, tracing

rules = Rules()

_REFUSED = {
    "it reads or writes files; do that outside of compiled code": (
        "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed memmap"
    ),
    "a run-time string has no characters while tracing; parse it outside of compiled code": "fromstring",
    "there are no object dtypes in compiled code; write the function with NumPy's own": "frompyfunc",
    "it shares its memory with the array; use np.matrix, which copies": "asmatrix",
    "use np.broadcast_shapes(a.shape, b.shape)": "broadcast",
    "make records by np.zeros(n, dtype=[('a', int)])": "recarray",
    "compiled code gives no access to memory; call it outside": "from_dlpack nested_iters",
    "the result depends on values, which are known only at run time; use the dtype": "mintypecode typename",
}
_STATIC = {
    "its sizes must be known while tracing": "broadcast_shapes",
    "it is about dtypes, which are known while tracing": "datetime_data isdtype issubdtype promote_types",
    "it is about settings, not arrays": (
        "get_include get_printoptions getbufsize geterr geterrcall info printoptions set_printoptions setbufsize "
        "seterr seterrcall show_config show_runtime"
    ),
}


@rules.implements(np.isnat)
def isnat(x: Value, *args: Value, **kw: Value) -> Value:
    """As `numpy.isnat` of numbers, which are no dates."""
    raise TypeError("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")


for _table, _register in ((_REFUSED, rules.refuses), (_STATIC, rules.needs_static)):
    for _reason, _names in _table.items():
        _register(_reason, *(vars(np)[_name] for _name in _names.split() if _name in vars(np)))
rules.on_host(np.bmat, np.busday_count, np.busday_offset, np.datetime_as_string, np.is_busday, np.matrix, np.poly1d)


_NAMES = "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed"
_FILES = "it reads or writes files; do that outside of compiled code"
_TEXT = (np.loadtxt, np.genfromtxt)  # take lines of text, too


def is_in_memory(value: object) -> bool:
    """Return whether a value is a stream that the traced function has made."""
    return isinstance(value, (io.StringIO, io.BytesIO)) and not current().trace.outside.is_outside(value)


def refuse(name: str) -> NoReturn:
    """Refuse a call that would act while tracing only."""
    instead = f": {_FILES}" if name.startswith("numpy.") else "; call it outside, and pass its result as an argument"
    raise UnsupportedOperationError(
        f"{name}() would run only while the function is traced, and not when it is called{instead}"
    )


def _checked(original: Callable[..., object], known: Callable[..., object]) -> Callable[..., Any]:
    """The function where it works in memory alone; else refused while tracing."""

    @functools.wraps(original, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        given = (*args, *kwargs.values())
        lines = original in _TEXT and isinstance(next(iter(given), None), (list, tuple))
        if tracing() and not lines and not any(map(is_in_memory, given)):
            refuse(f"numpy.{original.__name__}")
        return known(*args, **kwargs)

    return call


def _guard(functions: dict[object, Callable[..., Any]]) -> None:
    """Put the check before what these functions have in a table of staged functions."""
    for name in _NAMES.split():
        original = getattr(np, name)
        functions[original] = _checked(original, functions[original])


_guard(rules.functions)
