"""Control flow as functions, for those who write it so: `cond`, `switch`, `while_loop`, `fori_loop`, `scan`.

Source of the semantics: `jax.lax`. The functions that are passed are rewritten like any other. With concrete predicates
and outside of a jitted function they are ordinary Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.join import MISSING
from anabranch.runtime.control.call import resolve
from anabranch.runtime.control.for_ import for_
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.stdlib.builtin_iterators import range_, reversed_
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.numpy import namespace
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def cond(pred: object, true_fun: Callable[..., object], false_fun: Callable[..., object], *operands: object) -> Any:
    """Apply one of two functions to the operands, as `jax.lax.cond`.

    Parameters
    ----------
    pred : bool scalar
    true_fun, false_fun : callable
    *operands : pytrees

    Returns
    -------
    pytree
        What the chosen function gives.

    Examples
    --------
    >>> from anabranch import cond, jit
    >>> @jit
    ... def halved_or_tripled(n):
    ...     return cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n)
    >>> halved_or_tripled(7)
    22
    """
    return if_(pred, resolve(true_fun), resolve(false_fun), operands)


def switch(index: Any, branches_: Any, *operands: Any) -> Any:
    """Apply the function at `index`, clamped into the range, to the operands, as `jax.lax.switch`.

    Raises
    ------
    ValueError
        Where there are no branches.

    Examples
    --------
    >>> from anabranch import jit, switch
    >>> @jit
    ... def applied(index, x):
    ...     return switch(index, [lambda x: -x, lambda x: x + 1.0, lambda x: x * x], x)
    >>> applied(2, 3.0)
    9.0
    """
    functions = list(map(resolve, branches_))
    if not functions:
        raise ValueError("Empty branch sequence")
    if not isinstance(index, Tracer):
        return functions[min(max(int(index), 0), len(functions) - 1)](*operands)
    wide = atoms.convert(wrap.as_atom(index), np.int64)
    last = atoms.literal(len(functions) - 1, np.int64)
    clamped = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, wide, atoms.literal(0, np.int64)), last)
    thunks = [functools.partial(f, *operands) for f in functions]
    return stage_branches.stage(atoms.convert(clamped, np.int32), thunks, "switch")


def while_loop(cond_fun: Callable[[Any], object], body_fun: Callable[[Any], object], init_val: object) -> Any:
    """Apply `body_fun` while `cond_fun` holds, as `jax.lax.while_loop`.

    Examples
    --------
    >>> from anabranch import jit, while_loop
    >>> @jit
    ... def next_power(limit):
    ...     return while_loop(lambda power: power < limit, lambda power: power * 2, 1)
    >>> next_power(100)
    128
    """
    return while_(resolve(cond_fun), resolve(body_fun), (init_val,), ("val",))


def fori_loop(lower: object, upper: object, body_fun: Callable[[Any, Any], object], init_val: object) -> Any:
    """Apply `body_fun(i, val)` for i from `lower` to `upper - 1`, as `jax.lax.fori_loop`.

    Examples
    --------
    >>> from anabranch import fori_loop, jit
    >>> @jit
    ... def sum_of_squares(n):
    ...     return fori_loop(0, n, lambda i, total: total + i * i, 0)
    >>> sum_of_squares(4)
    14
    """
    return for_(range_(lower, upper), resolve(body_fun), (init_val,), ("val",))


def scan(
    f: Callable[[Any, Any], object], init: object, xs: object, length: int | None = None, reverse: bool = False
) -> Any:
    """Carry a value over the leading axis of `xs` and stack what each step gives, as `jax.lax.scan`.

    Parameters
    ----------
    f : callable
        Maps (carry, x) to (carry, y); y is a pytree of arrays and scalars or None.
    init : pytree
    xs : pytree of arrays, or None
        All with the same leading axis.
    length : int, optional
        Needed where `xs` is None.
    reverse : bool
        Go from the last element to the first; y of the element at i still stands at i.

    Returns
    -------
    carry, ys

    Raises
    ------
    ValueError
        Where the lengths differ or none is given.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit, scan
    >>> @jit
    ... def running_sum(xs):
    ...     return scan(lambda total, x: (total + x, total + x), 0.0, xs)[1]
    >>> running_sum(np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    """
    function = resolve(f)
    count = _length(xs, length)
    if not tracing():
        return _scan_eagerly(function, init, xs, count, reverse)
    stacks = _room(_first_outputs(function, init, _at(xs, 0), count), count) if count else None

    def body(i: object, carry: object) -> Any:
        carry, y = function(carry, _at(xs, i))
        _store(stacks, i, y)
        return carry

    steps = reversed_(range(count)) if reverse else range(count)
    carry = for_(steps, body, (init,), ("carry",))
    return carry, stacks


def _scan_eagerly(f: Callable[..., Any], init: Any, xs: Any, count: int, reverse: bool) -> Any:
    order = range(count - 1, -1, -1) if reverse else range(count)
    rows: list[Any] = []
    for i in order:
        init, y = f(init, _at(xs, i))
        rows.append(y)
    stacks = _room(rows, count) if rows else None
    for i, row in zip(order, rows, strict=True):
        _store(stacks, i, row)
    return init, stacks


def _length(xs: object, length: int | None) -> int:
    lengths = set(_lengths(xs)) | ({length} if length is not None else set())
    if len(lengths) != 1:
        raise ValueError(f"scan needs one length; its inputs and `length` give {sorted(lengths)}")
    return lengths.pop()


def _lengths(xs: object) -> list[int]:
    found: list[int] = []
    _map(lambda leaf: found.append(np.shape(leaf)[0]), xs)
    return found


def _map(function: Callable[[Any], object], tree: object) -> Any:
    if tree is None:
        return None
    description = layouts.describe(tree)
    if isinstance(description, layouts.Node):
        return description.structure.build([_map(function, c) for c in description.structure.children(tree)])
    return function(tree)


def _at(xs: object, i: object) -> Any:
    return _map(lambda leaf: leaf[i], xs)


def _store(stacks: Any, i: Any, y: Any) -> None:
    description = layouts.describe(stacks)
    if isinstance(description, layouts.Node):
        parts = description.structure.children
        for stack, part in zip(parts(stacks), parts(y), strict=True):
            _store(stack, i, part)
    elif stacks is not None:
        stacks[i] = y


def _room(outputs: Sequence[Any], count: int) -> Any:
    """Arrays for so many steps, of the types that two of them give."""
    first = outputs[0]
    if first is None:
        return None
    description = layouts.describe(first)
    if isinstance(description, layouts.Node):
        children = zip(*map(description.structure.children, outputs), strict=True)
        return description.structure.build([_room(parts, count) for parts in children])
    dtype = np.result_type(*map(_dtype, outputs))
    return namespace.zeros((count, *np.shape(first)), dtype=dtype)


def _dtype(leaf: object) -> np.dtype:
    if isinstance(leaf, UnionValue):
        return np.result_type(*map(_dtype, leaf.options))
    return leaf.abstract.dtype if isinstance(leaf, Tracer) else np.asarray(leaf).dtype


def _first_outputs(function: Callable[..., Any], carry: Any, x: Any, count: int) -> Sequence[Any]:
    """The outputs of two steps, traced for the types alone: the first may make a float of an int that is carried."""

    def steps() -> Any:
        after, first = function(carry, x)
        return first, function(after, x)[1] if count > 1 else first

    outer = current()
    heap = Heap((steps, *outer.trace.heap.roots), watch_arrays=True)
    found = stage_branches.trace_branch(Builder(outer.trace, outer), heap, steps).value
    return (None, None) if found is MISSING else found
