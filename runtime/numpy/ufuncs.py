"""NumPy's ufuncs on traced values: the call with its keywords, and the methods reduce, accumulate, outer and at."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Atom
from anabranch.runtime.numpy import folds
from anabranch.runtime.numpy.core import (
    NoValue,
    adopted,
    atom_of,
    fresh,
    iota,
    one_axis,
    operand,
    plain,
    refused,
    resolved,
    shape_of,
    store,
    supported,
    text,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.ops.elementwise import LEFT_OUT
from anabranch.runtime.values import arithmetic, atoms, dispatch, wrap
from anabranch.runtime.values.array import Array

_SCATTERED = frozenset(
    ("add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor")
)  # what the scatter op combines with


class StagedUfunc:
    """The staged counterpart of one ufunc: the ufunc itself on concrete values, ops on traced ones."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc
        functools.update_wrapper(self, ufunc, assigned=("__name__", "__qualname__", "__doc__"), updated=())
        self.__wrapped__ = ufunc

    def __repr__(self) -> str:
        return repr(self.ufunc)

    def __getattr__(self, name: str) -> Any:
        # nin, nout, nargs, ntypes, types, identity, signature, resolve_dtypes: NumPy's own.
        if name == "ufunc":
            raise AttributeError(name)
        return getattr(self.ufunc, name)

    def __call__(
        self,
        *args: Any,
        out: Any = None,
        where: Any = True,
        dtype: Any = None,
        casting: Any = "same_kind",
        order: Any = "K",
        subok: Any = True,
        **others: Any,
    ) -> Any:
        """As the ufunc; a result of shape () is a NumPy scalar."""
        if not traced_inside((args, out, where)):
            made = self.ufunc(
                *args, out=out, where=where, dtype=dtype, casting=casting, order=order, subok=subok, **others
            )
            return adopted(made, (args, out))
        for name in others:
            raise UnsupportedOperationError(f"numpy.{self.ufunc.__name__} with {name}= is not supported")
        plain(self.ufunc.__name__, subok=(subok, True))
        args = tuple(map(resolved, args))
        nin, nout = self.ufunc.nin, self.ufunc.nout
        if not nin <= len(args) <= nin + nout:
            wanted = f"from {nin} to {nin + nout} positional arguments"
            raise TypeError(f"{self.ufunc.__name__}() takes {wanted} but {len(args)} were given")
        outs = self._outs(args[nin:], out)
        values = self._values(args[:nin], dtype, casting)
        results = [self._place(v, o, resolved(where), casting) for v, o in zip(values, outs, strict=True)]
        return results[0] if nout == 1 else tuple(results)

    def _outs(self, positional: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        nout = self.ufunc.nout
        if positional:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            return positional + (None,) * (nout - len(positional))
        if out is None:
            return (None,) * nout
        outs = out if isinstance(out, tuple) else (out,)
        if len(outs) != nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        return outs

    def _values(self, args: tuple[Any, ...], dtype: Any, casting: Any) -> tuple[Atom, ...]:
        chosen = None if dtype is None else supported(dtype)
        return arithmetic.apply_atoms(self.ufunc, [operand(x) for x in args], chosen, casting)

    def _place(self, value: Atom, out: Any, where: Any, casting: Any) -> Any:
        if where is not True:
            mask = atom_of(where)
            if mask.type.dtype != np.bool_:
                raise TypeError(
                    f"Cannot cast array data from {mask.type.dtype!r} to dtype('bool') according to the rule 'safe'"
                )
            shape = arithmetic.broadcast_shapes(value.type.shape, mask.type.shape)
            mask, value = atoms.broadcast_to(mask, shape), atoms.broadcast_to(value, shape)
            if out is None:
                return wrap.numpy_result(atoms.select(mask, value, zeros_atom(shape, value.type.dtype)))
            self._check_out(value, out, casting)
            value = atoms.convert(value, out.dtype)
            value = atoms.select(mask, value, atoms.broadcast_to(out.atom, shape))
        if out is None:
            return wrap.numpy_result(value)
        self._check_out(value, out, casting)
        if out.shape != value.type.shape:
            # An output larger than the operands: they are broadcast to it.
            value = _fit(value, out.shape)
        return store(out, value, "unsafe")

    def _check_out(self, value: Atom, out: Any, casting: Any) -> None:
        if not isinstance(out, Array):
            store(out, value, casting)
        if not np.can_cast(value.type.dtype, out.dtype, casting):
            raise output_casting_error(self.ufunc, value.type.dtype, out.dtype, casting)

    # ---- methods -----------------------------------------------------------------------------------------------------

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NoValue,
        where: Any = True,
    ) -> Any:
        """As `ufunc.reduce`."""
        if not traced_inside((array, out, initial, where)):
            ufunc: Any = self.ufunc
            return adopted(ufunc.reduce(array, axis, dtype, out, keepdims, initial, where), (array, out))
        options = folds.Options(axis, dtype, out, keepdims, resolved(initial), resolved(where))
        return folds.reduce(self.ufunc, resolved(array), options)

    def accumulate(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        """As `ufunc.accumulate`."""
        if not traced_inside((array, out)):
            return adopted(self.ufunc.accumulate(array, axis, dtype, out), (array, out))
        x = atom_of(resolved(array))
        if not x.type.shape:
            raise TypeError("cannot accumulate on a scalar")
        chosen = folds.loop_dtype(self.ufunc, x.type.dtype, folds.Options(dtype=dtype, out=out))
        value = folds.accumulate_atom(self.ufunc, x, one_axis(axis, len(x.type.shape)), chosen)
        return fresh(value) if out is None else store(out, value)

    def outer(self, a: Any, b: Any, **kwargs: Any) -> Any:
        """As `ufunc.outer`."""
        if not traced_inside((a, b, list(kwargs.values()))):
            return adopted(self.ufunc.outer(a, b, **kwargs), (a, b, *kwargs.values()))
        a, b = operand(resolved(a)), operand(resolved(b))
        rank = len(shape_of(b))
        if rank and shape_of(a):
            x = atom_of(a)
            a = fresh(atoms.reshape(x, x.type.shape + (1,) * rank))
        return self(a, b, **kwargs)

    def at(self, a: Any, indices: Any, b: Any = NoValue) -> None:
        """As `ufunc.at`: unbuffered, one index after the other."""
        if not traced_inside((a, indices, b)):
            self.ufunc.at(*((a, indices) if b is NoValue else (a, indices, b)))
            return
        if not isinstance(a, Array):
            raise TypeError("first operand must be array")
        scatter_at(self.ufunc, a, resolved(indices), resolved(b))

    def reduceat(self, *args: Any, **kwargs: Any) -> Any:
        """Not staged."""
        if not traced_inside((args, list(kwargs.values()))):
            return adopted(self.ufunc.reduceat(*args, **kwargs), (args, *kwargs.values()))
        raise refused(f"{self.ufunc.__name__}.reduceat", "reduce slices of the array instead")


def _fit(value: Atom, shape: tuple[int, ...]) -> Atom:
    try:
        return atoms.broadcast_to(value, shape)
    except ValueError:
        given, wanted = text(shape), text(value.type.shape)
        raise ValueError(
            f"non-broadcastable output operand with shape {given} doesn't match the broadcast shape {wanted}"
        ) from None


def scatter_at(ufunc: np.ufunc, a: Array, indices: Any, b: Any) -> None:
    """`ufunc.at(a, indices, b)`, by way of the flat positions that the indices select."""
    if b is NoValue or ufunc.__name__ not in _SCATTERED:
        raise refused(f"{ufunc.__name__}.at", f"only {', '.join(sorted(_SCATTERED))} have it")
    where = atom_of(fresh(atoms.reshape(iota((a.size,)), a.shape))[indices])
    other = operand(b)
    loop = ufunc.resolve_dtypes((a.dtype, _weak(other), None))
    if loop[2] != a.dtype:
        # NumPy computes each step in the loop's dtype and casts it back.
        raise refused(f"{ufunc.__name__}.at", f"an operand of {loop[1]} on an array of {a.dtype}")
    updates = _fit(wrap.as_atom(other, a.dtype), where.type.shape)
    count = where.type.size
    flat = [atoms.reshape(a.atom, (a.size,)), atoms.reshape(where, (count, 1)), atoms.reshape(updates, (count,))]
    a.set(atoms.reshape(atoms.op("scatter", *flat, combine=ufunc.__name__), a.shape))


def output_casting_error(ufunc: np.ufunc, source: Any, target: Any, casting: Any, place: int = 0) -> Exception:
    """The exception NumPy raises for an output that cannot take the result."""
    error: Exception = np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
        ufunc, casting, source, target, place
    )
    return error


def _weak(x: Any) -> Any:
    kind = type(x)
    if kind in (int, float, complex):
        return kind
    abstract = getattr(x, "abstract", None)
    if abstract is not None and abstract.kind.name == "PYTHON" and abstract.python is not bool:
        return abstract.python
    return atom_of(x).type.dtype


def register_all() -> None:
    """One StagedUfunc for each elementwise ufunc of NumPy."""
    for name in vars(np):
        ufunc = getattr(np, name)
        if isinstance(ufunc, np.ufunc) and ufunc.__name__ not in LEFT_OUT and ufunc not in dispatch.FUNCTIONS:
            dispatch.FUNCTIONS[ufunc] = StagedUfunc(ufunc)


register_all()
