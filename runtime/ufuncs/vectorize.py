"""`vectorize` and `guvectorize`: the user's functions of numbers, or of arrays, as ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.config import Switches, checked
from anabranch.runtime.ufuncs.gufunc import GUFunc
from anabranch.runtime.ufuncs.number_types import signatures
from anabranch.runtime.ufuncs.ufunc import UFunc


def vectorize(signatures_or_function: Any = (), /, *, identity: Any = None, **switches: Unpack[Switches]) -> Any:
    """Make a ufunc of a function of numbers: it is called with arrays, which are broadcast, and compiled.

    The function sees the elements as NumPy scalars of the arrays' dtypes, and a Python number as it is beside arrays.
    The result's dtype is what the function returns for those dtypes, in whichever branch.

    Parameters
    ----------
    signatures_or_function : callable, or str, or list of str, optional
        The function; or signatures of Numba's, such as `"float64(float64, int64)"`. A call takes the first signature
        that its operands can be cast to safely, as in NumPy, and returns its type.
    identity : {0, 1, None, "reorderable"} or number, optional
        What a reduction of nothing returns. With it, reductions may go over several axes.
    **switches
        Settings, as for `jit`.

    Returns
    -------
    UFunc
        With `reduce`, `accumulate`, `reduceat`, `outer` and `at`, and NumPy's keywords `out`, `where`, `dtype` and
        `casting`. As a decorator with arguments, `vectorize(["float64(float64)"])` returns the decorator.

    Raises
    ------
    TypeError
        For something that is no signature of numbers, and for a setting that there is not.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import vectorize
    >>> @vectorize
    ... def clipped_difference(a, b):
    ...     if a > b:
    ...         return a - b
    ...     return a * 0
    >>> clipped_difference(np.array([1.0, 5.0]), 2)
    array([0., 3.])
    """
    options = JitOptions(settings=checked(switches))

    def made(function: Callable[..., Any]) -> UFunc:
        ufunc = UFunc(_plain(function), identity, options)
        for signature in given:
            ufunc.add(signature)
        return ufunc

    is_function = callable(signatures_or_function) and not hasattr(signatures_or_function, "return_type")
    given = () if is_function else signatures(signatures_or_function)
    return made(signatures_or_function) if is_function else made


def guvectorize(*signatures_and_layout: Any, **switches: Unpack[Switches]) -> Any:
    """Make a generalised ufunc of a function that writes its results into its last arguments.

    Parameters
    ----------
    *signatures_and_layout
        Signatures of Numba's, such as `["void(float64[:], float64[:])"]`, and the layout, `"(n)->(n)"`; or the layout
        alone. Then each call passes the outputs, whose dtypes are theirs. An output without core dimensions, `()`, is
        an array of one element for the function: it writes `out[0] = …`.
    **switches
        Settings, as for `jit`.

    Returns
    -------
    callable
        The decorator, which returns a `GUFunc`.

    Raises
    ------
    TypeError
        For signatures that do not fit the layout, and for a setting that there is not.
    ValueError
        For something that is no layout.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import guvectorize
    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def middle(row, out):
    ...     out[0] = (row.min() + row.max()) / 2
    >>> middle(np.array([[1.0, 3.0], [5.0, 9.0]]))
    array([2., 7.])
    """
    options = JitOptions(settings=checked(switches))
    *given, layout = signatures_and_layout or ("",)
    if len(given) > 1 or not isinstance(layout, str):
        raise TypeError("guvectorize takes signatures and a layout: guvectorize(['(int64[:], int64[:])'], '(n)->(n)')")

    def made(function: Callable[..., Any]) -> GUFunc:
        gufunc = GUFunc(_plain(function), layout, options)
        for signature in signatures(given[0]) if given else ():
            gufunc.add(signature)
        return gufunc

    return made


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.plain() if isinstance(function, Wrapped) else function
