"""Systems of linear equations, factorings, eigenvalues: the loops in C that NumPy calls LAPACK by, with its results."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from anabranch.runtime.host.library_ufuncs import LibraryUfunc
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, flat
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.library_loops import LibraryLoop
from anabranch.runtime.native.llvm_types import NotNativeError, is_lazy, is_memory, packed
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.eigen import eig, eigh, svd
from anabranch.runtime.ops.factorization import cholesky, inverse, qr, slogdet, solve, upper_rows
from anabranch.runtime.ops.lapack import like
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_MODULE = "numpy.linalg._umath_linalg"
# The exception of C's <fenv.h>, the same number on x86-64 and AArch64, by which the loops tell of a failure.
_FE_INVALID = 1

# The names of NumPy's generalised ufuncs, by what the params of the op say.
_NAMES: Mapping[Op, Callable[[Mapping[str, Any]], str]] = {
    solve: lambda params: "solve",
    inverse: lambda params: "inv",
    slogdet: lambda params: "slogdet",
    cholesky: lambda params: f"cholesky_{'up' if params['upper'] else 'lo'}",
    eigh: lambda params: f"{'eigh' if params['vectors'] else 'eigvalsh'}_{'lo' if params['lower'] else 'up'}",
    eig: lambda params: "eig" if params["vectors"] else "eigvals",
    svd: lambda params: f"svd_{'f' if params['full'] else 's'}" if params["vectors"] else "svd",
}


def is_linear_algebra(equation: Equation) -> bool:
    """Return whether NumPy has a loop for an equation on stacks of matrices."""
    return equation.op in _NAMES or equation.op is qr


def solved(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> list[str]:
    """The results of such an equation, in memory of their own.

    Raises `NotNativeError` where this NumPy has no such loop, or there is nothing to compute with.
    """
    in_types, out_types = [a.type for a in equation.inputs], [v.type for v in equation.outputs]
    if any(type.size == 0 for type in (*in_types, *out_types)):
        raise NotNativeError(f"{equation.op.name} of matrices without elements")
    for type in (*in_types, *out_types):
        emitter.memory.expect_whole(type.size)
    operands = [_in_memory(emitter, name, type) for name, type in zip(names, in_types, strict=True)]
    if equation.op is qr:
        results = _orthogonal(emitter, operands[0], in_types[0], out_types, equation.params["mode"])
    else:
        results = _found(emitter, equation, operands)
    return [
        packed(emitter.memory.whole(name, type)) if is_memory(name) and type.size <= MOST_ELEMENTS else name
        for name, type in zip(results, out_types, strict=True)
    ]


def _found(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> list[str]:
    """The results of an equation that one loop computes."""
    in_types, out_types = [a.type for a in equation.inputs], [v.type for v in equation.outputs]
    code, memory = emitter.code, emitter.memory
    fails = equation.op is not slogdet
    operands = [memory.place_of(name) for name in names]
    made = [memory.place_of(memory.allocate(type)) for type in out_types]
    computed = list(zip(made, out_types, strict=True))[: -1 if fails else None]
    m, n = in_types[0].shape[-2:]
    # Right-hand sides have columns; a loop of square matrices reads the first size alone.
    sizes = [m, in_types[1].shape[-1]] if len(in_types) > 1 else [m, n, min(m, n)]
    call = _Call(
        emitter, _NAMES[equation.op](equation.params), [*zip(operands, in_types, strict=True), *computed], sizes
    )
    stack = in_types[0].shape[:-2]

    def write_each() -> None:
        with call.for_each(stack) as number:
            _clear_failures(code, fails)
            call.write(number)
            if fails:
                memory.put(made[-1], out_types[-1].dtype, emitter.positions.value(number), _has_failed(code))

    if not fails or math.prod(stack) == 1:
        write_each()
    else:
        # To ask after each matrix takes as long as a tenth of the work on a small one.
        _clear_failures(code, fails)
        call.write_all(stack)
        some, none, done = (code.label(prefix) for prefix in ("some", "none", "solved"))
        code.branch(code.add("icmp ne", "i32", _has_failed(code), "0"), some, none, unlikely=True)
        code.begin(some)
        write_each()
        code.jump(done)
        code.begin(none)
        code.clear(memory.pointer(made[-1]), out_types[-1].nbytes)
        code.jump(done)
        code.begin(done)
    return [memory.written(place) for place in made]


def _clear_failures(code: Instructions, fails: bool) -> None:
    """Clear the flag by which the loops tell of a failure, which they add to."""
    if fails:
        code.declarations["feclearexcept"] = "declare i32 @feclearexcept(i32)"
        code.act(f"call i32 @feclearexcept(i32 {_FE_INVALID})")


def _has_failed(code: Instructions) -> str:
    """The name of an int that is not 0 where a loop has told of a failure."""
    code.declarations["fetestexcept"] = "declare i32 @fetestexcept(i32)"
    return code.emit(f"call i32 @fetestexcept(i32 {_FE_INVALID})")


def _orthogonal(emitter: ValueEmitter, name: str, a: ArrayType, out_types: Sequence[ArrayType], mode: str) -> list[str]:
    """The results of a `qr`: by one loop the reflections, in place of the matrix, and by another one their product."""
    memory, (m, n) = emitter.memory, a.shape[-2:]
    factors = like(a, min(m, n))
    h = memory.place_of(memory.copied(name, a, "its factors take its place"))
    tau = memory.place_of(memory.allocate(factors))
    rows = [(h, a), (tau, factors)]
    _Call(emitter, "qr_r_raw", rows, [m, n, min(m, n)]).write_each(a.shape[:-2])
    reflections = memory.written(h)
    if mode == "raw":
        return [reflections, memory.written(tau)]
    q = memory.place_of(memory.allocate(out_types[0]))
    product = "qr_complete" if mode == "complete" and m > n else "qr_reduced"
    _Call(emitter, product, [*rows, (q, out_types[0])], [m, n, min(m, n)]).write_each(a.shape[:-2])
    return [memory.written(q), upper_rows(emitter, reflections, a, out_types[1])]


class _Call:
    """A call of one of NumPy's loops on each matrix of a stack.

    Parameters
    ----------
    name
        The generalised ufunc's.
    rows
        The places in memory of operands and results, with their types.
    sizes
        Of the axes that the loop takes.
    """

    def __init__(
        self, emitter: ValueEmitter, name: str, rows: Sequence[tuple[int, ArrayType]], sizes: Sequence[int]
    ) -> None:
        self._emitter, self._rows, self._sizes = emitter, rows, sizes
        self._loop = LibraryLoop(emitter.code, LibraryUfunc(_MODULE, name), [type.dtype for _, type in rows])
        self._stack: tuple[int, ...] = ()

    @contextlib.contextmanager
    def for_each(self, stack: tuple[int, ...]) -> Iterator[Affine]:
        """Write loops over a stack; what is written meanwhile is their body, of the matrices of a number."""
        self._stack = stack
        with contextlib.ExitStack() as loops:
            index = [loops.enter_context(ElementLoops(self._emitter.arrays).each(size)) for size in stack]
            yield flat(index, stack)

    def write_each(self, stack: tuple[int, ...]) -> None:
        """Write the call for each matrix."""
        with self.for_each(stack) as number:
            self.write(number)

    def write_all(self, stack: tuple[int, ...]) -> None:
        """Write one call for all matrices."""
        self._stack = stack
        apart = [math.prod(type.shape[len(stack) :]) * type.dtype.itemsize for _, type in self._rows]
        self._write(Affine(0), math.prod(stack), apart)

    def write(self, number: Affine) -> None:
        """Write the call for the matrices of a number."""
        self._write(number, 1, [0] * len(self._rows))

    def _write(self, number: Affine, count: int, apart: Sequence[int]) -> None:
        """Write the call for so many matrices from one of a number on, which are so many bytes apart."""
        memory, positions = self._emitter.memory, self._emitter.positions
        addresses, along = [], []
        for place, type in self._rows:
            shape = type.shape[len(self._stack) :]
            first = positions.value(number.times(math.prod(shape)))
            addresses.append(memory.address(place, type.dtype, first))
            along += [math.prod(shape[axis + 1 :]) * type.dtype.itemsize for axis in range(len(shape))]
        self._loop.on_rows(addresses, [count, *self._sizes], [*apart, *along])


def _in_memory(emitter: ValueEmitter, name: str, type: ArrayType) -> str:
    """The name of an operand in memory, whole and in C order."""
    if is_lazy(name):
        (name,) = emitter.stores.settled([name], [type], emitter.memory.all_places())
    return name if is_memory(name) else emitter.memory.spilled(name, type)
