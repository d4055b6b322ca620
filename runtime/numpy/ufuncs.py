"""NumPy's ufuncs on traced values: the call with its keywords, and its methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.library_ufuncs import named
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, outputs, ufunc_at, ufunc_reductions, union_arguments
from anabranch.runtime.numpy.core import (
    NoValue,
    adopted,
    atom_of,
    operand,
    plain,
    resolved,
    store,
    supported,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_at import scatter_at
from anabranch.runtime.ops.elementwise import LEFT_OUT
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.apply_ufunc import output_casting_error as output_casting_error
from anabranch.runtime.values.arrays import numpy_messages
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.atoms import shape_text
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.host_types import host_type, times
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.tracer import Tracer


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

    @union_arguments.of_each
    def __call__(
        self,
        *args: Value,
        out: Value = None,
        where: Value = True,
        dtype: Value = None,
        casting: Value = "same_kind",
        order: Value = "K",
        subok: Value = True,
        **others: Value,
    ) -> Value:
        """As the ufunc; a result of shape () is a NumPy scalar."""
        typed = host_type.override(args, {})
        if typed is not None:
            # Those that are asked for: a rule without keywords is no rule for them.
            defaults = {"out": None, "where": True, "dtype": None, "casting": "same_kind", "order": "K"}
            given = {"out": out, "where": where, "dtype": dtype, "casting": casting, "order": order}
            named = {name: value for name, value in given.items() if value is not defaults[name]}
            return typed.__array_ufunc__(self.ufunc, "__call__", *args, **named, **others)
        if any(map(times.is_constant, args)) and traced_inside(args):
            return times.binary(self.ufunc, *args)
        if not traced_inside((args, out, where)):
            if out is not None:  # else it may be among the positional ones
                others["out"] = out
            if where is not True:  # of which some releases warn where there is no `out`
                others["where"] = where
            made = self.ufunc(*args, dtype=dtype, casting=casting, order=order, subok=subok, **others)
            return adopted(made, (args, out))
        for name in others:
            if name not in ("signature", "extobj"):
                raise TypeError(f"{self.ufunc.__name__}() got an unexpected keyword argument '{name}'")
            raise UnsupportedOperationError(
                f"numpy.{self.ufunc.__name__} with {name}= is not supported in compiled code"
            )
        plain(self.ufunc.__name__, subok=(subok, True))
        try:
            return self._staged(args, out, where, dtype, casting)
        except numpy_messages.FAILURES as error:
            given = {"out": out, "dtype": dtype} if out is not None else {"dtype": dtype}
            numpy_messages.reraise(error, self.ufunc, *args, where=where, casting=casting, **given)
            raise

    def _staged(self, args: tuple[object, ...], out: object, where: object, dtype: object, casting: object) -> Value:
        args = tuple(map(resolved, args))
        if any(map(wrap.is_dynamic_array, (*args, *(out if isinstance(out, tuple) else (out,)), where))):
            return self._of_run_time_size(args, out, where, dtype, casting)
        nin, nout = self.ufunc.nin, self.ufunc.nout
        if not nin <= len(args) <= nin + nout:
            wanted = f"from {nin} to {nin + nout} positional arguments"
            raise TypeError(f"{self.ufunc.__name__}() takes {wanted} but {len(args)} were given")
        outs = self._outs(args[nin:], out)
        values = self._values(args[:nin], dtype, casting)
        made = [self._place(v, o, resolved(where), casting) for v, o in zip(values, outs, strict=True)]
        results = [memory_layout.keep_order(m, args[:nin]) if o is None else m for m, o in zip(made, outs, strict=True)]
        return results[0] if nout == 1 else tuple(results)

    def _of_run_time_size(
        self, args: tuple[object, ...], out: object, where: object, dtype: object, casting: Any
    ) -> Value:
        nin = self.ufunc.nin
        outs = self._outs(args[nin:], out)
        fill = 1 if self.ufunc is np.power else None

        def compute(*values: object) -> Value:
            return self._staged(values, None, True, dtype, casting)

        made = broadcasting.elementwise(compute, args[:nin], fill)
        results = made if isinstance(made, tuple) else (made,)
        for i, (m, o) in enumerate(zip(results, outs, strict=True)):
            if o is not None:
                outputs.expect_writable(o)
            if o is not None and not np.can_cast(m.dtype, o.dtype, casting):
                raise output_casting_error(self.ufunc, m.dtype, o.dtype, casting, nin + i)
        given = [o for o in outs if o is not None]
        if given:  # NumPy's words for sizes that do not go together tell of the outputs and the mask, too
            broadcasting.broadcast([*args[:nin], *given, *(() if where is True else (resolved(where),))])
        placed = [m if o is None else outputs.stored(o, m, resolved(where)) for m, o in zip(results, outs, strict=True)]
        return placed[0] if self.ufunc.nout == 1 else tuple(placed)

    def _outs(self, positional: tuple[object, ...], out: object) -> tuple[Value, ...]:
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

    def _values(self, args: tuple[object, ...], dtype: object, casting: object) -> tuple[Atom, ...]:
        chosen = None if dtype is None else supported(dtype)
        if any(map(_is_none, args)):
            # A name that a later step of a loop gives its first value: what NumPy raises, the branch does.
            self.ufunc(*[np.ones(1, x.abstract.dtype) if isinstance(x, Tracer) else x for x in args])
        return apply_ufunc.apply_atoms(self.ufunc, [operand(x) for x in args], chosen, casting)

    def _place(self, value: Atom, out: Value, where: Value, casting: Value) -> Value:
        if where is not True:
            mask = atom_of(where)
            if mask.type.dtype != np.bool_:
                raise TypeError(
                    f"Cannot cast array data from {mask.type.dtype!r} to dtype('bool') according to the rule 'safe'"
                )
            shape = apply_ufunc.broadcast_shapes(value.type.shape, mask.type.shape)
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

    def _check_out(self, value: Atom, out: Value, casting: Value) -> None:
        if not isinstance(out, TracedArray):
            store(out, value, casting)
        if not np.can_cast(value.type.dtype, out.dtype, casting):
            raise TypeError(f"the output is {out.dtype}, and {value.type.dtype} cannot be cast to it")

    # ---- methods -----------------------------------------------------------------------------------------------------

    @union_arguments.of_each
    def reduce(
        self,
        array: Value,
        axis: Value = 0,
        dtype: Value = None,
        out: Value = None,
        keepdims: Value = False,
        initial: Value = NoValue,
        where: Value = True,
    ) -> Value:
        """As `ufunc.reduce`."""
        if not traced_inside((array, out, initial, where)):
            ufunc: Any = self.ufunc
            return adopted(ufunc.reduce(array, axis, dtype, out, keepdims, initial, where), (array, out))
        ufunc_reductions.only_binary(self.ufunc, "reduce")
        options = ufunc_reductions.ReductionKeywords(axis, dtype, out, keepdims, resolved(initial), resolved(where))
        try:
            return ufunc_reductions.reduce(self.ufunc, resolved(array), options)
        except numpy_messages.FAILURES as error:
            given = {} if initial is NoValue else {"initial": initial}
            numpy_messages.reraise(error, self.ufunc.reduce, array, axis, dtype, out, keepdims, where=where, **given)
            raise

    @union_arguments.of_each
    def accumulate(self, array: Value, axis: Value = 0, dtype: Value = None, out: Value = None) -> Value:
        """As `ufunc.accumulate`."""
        if not traced_inside((array, out)):
            return adopted(self.ufunc.accumulate(array, axis, dtype, out), (array, out))
        ufunc_reductions.only_binary(self.ufunc, "accumulate")
        try:
            x = operands.array(resolved(array))
            if not x.ndim:
                raise TypeError("cannot accumulate on a scalar")
            return ufunc_reductions.accumulate(self.ufunc, x, axis, dtype, out)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, self.ufunc.accumulate, array, axis, dtype, out)
            raise

    @union_arguments.of_each
    def outer(self, a: Value, b: Value, **kwargs: Value) -> Value:
        """As `ufunc.outer`."""
        if not traced_inside((a, b, list(kwargs.values()))):
            return adopted(self.ufunc.outer(a, b, **kwargs), (a, b, *kwargs.values()))
        if self.ufunc.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        # Both are arrays here, Python numbers too, with dtypes of their own.
        x, y = (operands.array(resolved(v)) for v in (a, b))
        return self(x[(..., *(None,) * y.ndim)], y, **kwargs)

    @union_arguments.of_each
    def at(self, a: object, indices: object, b: object = NoValue) -> None:
        """As `ufunc.at`: unbuffered, one index after the other."""
        if not traced_inside((a, indices, b)):
            self.ufunc.at(*((a, indices) if b is NoValue else (a, indices, b)))
            return
        if not isinstance(a, TracedArray) and not wrap.is_dynamic_array(a):
            raise TypeError("first operand must be array")
        try:
            scatter_at(self.ufunc, a, resolved(indices), resolved(b))
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, self.ufunc.at, a, indices, *(() if b is NoValue else (b,)))
            raise

    @union_arguments.of_each
    def reduceat(self, array: Value, indices: Value, axis: Value = 0, dtype: Value = None, out: Value = None) -> Value:
        """As `ufunc.reduceat`."""
        if not traced_inside((array, indices, out)):
            return adopted(self.ufunc.reduceat(array, indices, axis, dtype, out), (array, out))
        ufunc_reductions.only_binary(self.ufunc, "reduceat")
        try:
            return ufunc_at.reduceat(self.ufunc, resolved(array), resolved(indices), axis, dtype, out)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, self.ufunc.reduceat, array, indices, axis, dtype, out)
            raise


def _is_none(x: object) -> bool:
    return x is None or (isinstance(x, np.ndarray) and x.dtype == object and all(part is None for part in x.flat))


def _fit(value: Atom, shape: tuple[int, ...]) -> Atom:
    try:
        return atoms.broadcast_to(value, shape)
    except ValueError:
        given, wanted = shape_text(shape), shape_text(value.type.shape)
        raise ValueError(
            f"non-broadcastable output operand with shape {given} doesn't match the broadcast shape {wanted}"
        ) from None


rules = Rules()
for _ufunc in vars(np).values():
    if isinstance(_ufunc, np.ufunc) and _ufunc.__name__ not in LEFT_OUT:
        rules.functions[_ufunc] = StagedUfunc(_ufunc)
registry.DYNAMIC_SHAPE_OPERATIONS[np.ufunc] = broadcasting.elementwise


class _StagedLibraryUfunc(StagedUfunc):
    """The staged counterpart of such a ufunc, which the library's own loops compute; `outer` is its only method."""

    def _refuse(self, method: str, *args: Value, **kwargs: Value) -> Value:
        if traced_inside((args, kwargs)):
            raise UnsupportedOperationError(
                f"{named(self.ufunc)}.{method} is not supported in compiled code; write the loop over its elements"
            )
        return getattr(self.ufunc, method)(*args, **kwargs)

    def reduce(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("reduce", *args, **kwargs)

    def accumulate(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("accumulate", *args, **kwargs)

    def reduceat(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("reduceat", *args, **kwargs)

    def at(self, *args: Value, **kwargs: Value) -> None:
        """Refuse what is traced."""
        self._refuse("at", *args, **kwargs)


@functools.cache
def _staged_ufunc(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """The staged counterpart of another library's ufunc; None where there is none."""
    return None if named(ufunc) is None else _StagedLibraryUfunc(ufunc)


registry.UFUNC_MAKERS.append(_staged_ufunc)
