"""NumPy's functions that are not staged: refused, with the reason; of values known while tracing; or NumPy's own."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import files
from anabranch.runtime.numpy.rules import Rules

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
rules.on_host(np.bmat, np.busday_count, np.busday_offset, np.datetime_as_string, np.is_busday, np.matrix)
files.guard(rules.functions)
