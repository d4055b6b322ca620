"""`UFunc`: a function of numbers that is called with arrays, as `numpy.ufunc` and Numba's `DUFunc`."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.api.jit import jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.device.array import Array
from anabranch.runtime.frontend.function_info import refuse_early
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.ufuncs import elementwise, loops as loops_, reductions
from anabranch.runtime.ufuncs.loops import Loop
from anabranch.runtime.ufuncs.number_types import Written, parsed
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_AS_GIVEN = (np.ndarray, np.generic, Array, bool, int, float, complex, type(None), Tracer, UnionValue)
_STATIC = ("axis", "dtype", "keepdims", "casting", "core_axes")
_ORDINARY = frozenset((np.ndarray, bool, int, float))


class _LoopsSlot(Slot):
    """A ufunc for the functions that call it: its loops, to which others may be added."""

    __slots__ = ()

    @property
    def changed(self) -> bool:
        return self.target.loops is not self.before[1]

    def contents(self) -> tuple[Any, ...]:
        return self.target.function, self.target.loops

    def restore(self, contents: Any) -> None:
        """Nothing: no compiled function changes a ufunc."""

    def parts(self) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = self.before[:1]
        return parts

    def condition(self, constant: Callable[[object], str]) -> str:
        return f"{constant(self.target)}.loops is {constant(self.before[1])}"


class UserFunction:
    """A function of the user's that is called with arrays: its name, its options, and what is compiled of it."""

    __anabranch_static__ = True  # as an argument of a compiled function
    __name__: str
    __qualname__: str
    nin: int
    nout = 1
    loops: tuple[Any, ...] = ()

    def __anabranch_slot__(self) -> Slot:
        return _LoopsSlot(self)

    def __init__(self, function: Callable[..., Any], options: JitOptions) -> None:
        functools.update_wrapper(self, function, updated=())  # type: ignore[arg-type]
        self.function, self.__anabranch_options__ = function, options
        self._compiled: dict[tuple[Any, ...], Wrapped[..., Any]] = {}

    @property
    def nargs(self) -> int:
        """The number of inputs and outputs."""
        return self.nin + self.nout

    @property
    def types(self) -> list[str]:
        """The loops by the characters of their dtypes, as `numpy.ufunc.types`."""
        sides = [(loop.inputs, loop.outputs) for loop in self.loops]
        return ["->".join("".join(d.char for d in side if d is not None) for side in both) for both in sides]

    @property
    def ntypes(self) -> int:
        """The number of loops that signatures say."""
        return len(self.loops)

    @property
    def __anabranch_function__(self) -> Callable[..., Any]:
        return self.__call__  # type: ignore[no-any-return, operator]

    def __reduce__(self) -> Any:
        found: Any = sys.modules.get(self.__module__)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        return self.__qualname__ if found is self else (_rebuilt, (type(self), self.__getstate__()))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_compiled"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _compiled={})

    def operands(self, args: tuple[Any, ...], out: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The inputs, and the arrays that results are written to; None for those that the call makes.

        Raises `TypeError` or `ValueError` as NumPy does for a number of them that the ufunc does not take, and for
        outputs that are no arrays.
        """
        if not self.nin <= len(args) <= self.nargs:
            wanted = f"from {self.nin} to {self.nargs} positional arguments"
            raise TypeError(
                f"{self.__name__}() takes {wanted} but {len(args)} {'was' if len(args) == 1 else 'were'} given"
            )
        outs = args[self.nin :]
        if out is not None:
            if outs:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            outs = out if isinstance(out, tuple) else (out,)
            if len(outs) != self.nout:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        outs = (*outs, *(None,) * (self.nout - len(outs)))
        if not all(o is None or isinstance(o, np.ndarray) or hasattr(o, "assign") for o in outs):
            raise TypeError("return arrays must be of ArrayType")
        return args[: self.nin], outs

    def _run(
        self, steps: Callable[..., Any], args: tuple[Any, ...], written: tuple[Any, ...] = (), **options: Any
    ) -> Any:
        """The steps of a call: as a part of the function that is traced, or compiled for the types of the operands.

        Of these are the operands that are written to, besides the option `out`.
        """
        where = options.get("where")
        if "where" in options:
            options["where"] = None if where is True else where
        if tracing():
            return steps(self, *args, **options)
        chosen = tuple((name, options.pop(name)) for name in _STATIC if name in options)
        key = (steps, chosen, *options)
        try:
            compiled = self._compiled.get(key)
        except TypeError:
            raise TypeError(f"{self.__name__}() takes numbers and dtypes for {', '.join(dict(chosen))}") from None
        if compiled is None:
            compiled = self._compiled[key] = self._compile(steps, tuple(options), chosen)
        taken = tuple(map(_operand, args))
        others = {name: v if name == "out" else _operand(v) for name, v in options.items()}
        out = others.get("out")
        outputs = [x for x in (*written, *(out if isinstance(out, tuple) else (out,))) if x is not None]
        return compiled(_apart(taken, outputs), *(_apart(v, outputs) for v in others.values()))

    def _compile(
        self, steps: Callable[..., Any], names: tuple[str, ...], chosen: tuple[tuple[str, Any], ...]
    ) -> Wrapped[..., Any]:
        """The steps for what is chosen, as a function of the operands and of the options of these names."""
        refuse_early(self.function)

        def call(args: tuple[Any, ...], *values: Any) -> Any:
            return steps(self, *args, **dict(zip(names, values, strict=True)), **dict(chosen))

        call.__name__, call.__qualname__ = self.__name__, self.__qualname__
        return jit(call, **self.__anabranch_options__.settings)


def _rebuilt(kind: type[Any], state: dict[str, Any]) -> Any:
    made = object.__new__(kind)
    made.__setstate__(state)
    return made


def _operand(value: Any) -> Any:
    """An argument as compiled functions take it: what NumPy would make an array of is one."""
    if isinstance(value, _AS_GIVEN) or type(value) is tuple:
        return tuple(map(_operand, value)) if type(value) is tuple else value
    if isinstance(value, (list, range)) or hasattr(value, "__array__"):
        return np.asarray(value)
    return value


def _apart(value: Any, written: Sequence[Any]) -> Any:
    """An operand as NumPy's loops read it: as it was before, if it shares memory with one that is written to."""
    if not written:
        return value
    if type(value) is tuple:
        return tuple(_apart(v, written) for v in value)
    if not isinstance(value, np.ndarray) or any(value is x for x in written):
        return value
    return value.copy() if any(np.may_share_memory(value, x) for x in written) else value


class UFunc(UserFunction):
    """A ufunc of a function of numbers, as Numba's `vectorize` makes; `anabranch.vectorize` returns it.

    Attributes
    ----------
    nin, nout, nargs : int
        How many operands it takes, returns, and both.
    identity : number or None
        What an empty reduction returns.
    """

    signature = None  # of a generalised ufunc
    loops: tuple[Loop, ...] = ()

    def __init__(self, function: Callable[..., Any], identity: Any, options: JitOptions) -> None:
        super().__init__(function, options)
        self.nin = _count(function)
        self.is_reorderable = identity is not None
        self.identity = None if identity == "reorderable" else identity

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def add(self, signature: Written) -> None:
        """Add a loop for a signature; calls take the first whose dtypes fit."""
        loop = loops_.of_signature(parsed(signature))
        if len(loop.inputs) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} numbers, and the signature has {len(loop.inputs)}")
        self.loops = (*self.loops, loop)
        self._compiled.clear()

    def __call__(
        self,
        /,
        *args: Any,
        out: Any = None,
        where: Any = True,
        dtype: Any = None,
        casting: str = "same_kind",
    ) -> Any:
        """Return the function of each element of the broadcast operands; of numbers a NumPy scalar."""
        if out is None and where is True and dtype is None and casting == "same_kind" and not tracing():
            compiled = self._compiled.get(_PLAIN)
            if compiled is not None and len(args) == self.nin and _ORDINARY.issuperset(map(type, args)):
                return compiled((args,), None, None)
        other = self._overriding("__call__", args, out=out, where=where, dtype=dtype)
        if other is not None:
            return other[0]
        return self._run(_called, (args,), args[self.nin :], out=out, where=where, dtype=dtype, casting=casting)

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Any:
        """As `numpy.ufunc.reduce`, from the first element of an axis to the last."""
        started = () if initial is np._NoValue else None if initial is None else (initial,)
        options = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": started, "where": where}
        return self._run(reductions.reduced, (array,), **options)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """As `numpy.ufunc.accumulate`."""
        return self._run(reductions.accumulated, (array,), axis=axis, dtype=dtype, out=out)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """As `numpy.ufunc.reduceat`."""
        return self._run(reductions.reduced_at, (array, indices), axis=axis, dtype=dtype, out=out)

    def outer(
        self, a: Any, b: Any, /, out: Any = None, where: Any = True, dtype: Any = None, casting: str = "same_kind"
    ) -> Any:
        """As `numpy.ufunc.outer`."""
        return self._run(reductions.outer, (a, b), out=out, where=where, dtype=dtype, casting=casting)

    def at(self, a: Any, indices: Any, b: Any = np._NoValue, /) -> None:
        """As `numpy.ufunc.at`: in place, one element after the other."""
        self._run(reductions.at, (a, indices, () if b is np._NoValue else (b,)), (a,))

    def _overriding(self, method: str, args: Sequence[Any], **options: Any) -> tuple[Any] | None:
        """The result of an operand that takes ufuncs over itself, in a tuple; None where there is no such operand."""
        for x in args:
            if isinstance(x, _AS_GIVEN) or getattr(type(x), "__array_ufunc__", None) is None:
                continue
            given = {name: v for name, v in options.items() if v is not None and not (name == "where" and v is True)}
            made = type(x).__array_ufunc__(x, self, method, *args, **given)
            if made is not NotImplemented:
                return (made,)
        return None


def _called(ufunc: UFunc, args: tuple[Any, ...], out: Any, where: Any, dtype: Any, casting: str) -> Any:
    return elementwise.called(ufunc, args, out, where, dtype, casting)


def _count(function: Callable[..., Any]) -> int:
    """How many numbers a function takes."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
        raise TypeError(f"a ufunc's function has positional parameters only: {function!r:.80}")
    return len(parameters)


# The key of calls without options.
_PLAIN = (_called, (("dtype", None), ("casting", "same_kind")), "out", "where")
