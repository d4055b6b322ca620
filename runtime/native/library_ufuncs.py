"""Equations that a library's ufunc computes: SciPy's functions, and NumPy's where one element takes it much work.

NumPy's loops compute several elements at once where the machine can, and the results are its own to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc, has_wide_loops
from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.lazy_array import joined_axes, strided_view
from anabranch.runtime.native.library_loops import LibraryLoop
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.memory import MOST_WHOLE
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.elementwise.ufunc import NativeUfunc, Ufunc
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


def takes_whole(equation: Equation) -> bool:
    """Return whether NumPy's loop computes an equation: of arrays that are too large for registers."""
    op = equation.op
    if not isinstance(op, Ufunc) or op.work is not Work.MUCH or op.ufunc.nout != 1:
        return False
    types = [a.type for a in (*equation.inputs, *equation.outputs)]
    dtypes, is_large = {t.dtype for t in types}, types[0].size > MOST_ELEMENTS
    if isinstance(op, NativeUfunc):
        return is_large and op.name in _OF_INTS and dtypes <= _INTS
    return is_large and dtypes <= _DTYPES


def is_quick(equation: Equation) -> bool:
    """Return whether NumPy's loop takes no longer than XLA's code for an equation that `takes_whole`."""
    types = {atom.type.dtype for atom in (*equation.inputs, *equation.outputs)}
    if equation.op.name in _OF_INTS:
        return True
    if types <= _COMPLEX:
        return equation.op.name in _QUICK_IF_COMPLEX
    quick = _QUICK | _QUICK_IF_NARROW if types <= _NARROW else _QUICK
    return has_wide_loops() and types <= _REAL and equation.op.name in quick


# Functions of which NumPy computes eight doubles at once; for some XLA has another formula that takes half as long.
_EXPONENTIALS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "power", "sinh", "cosh")
_INVERSES = ("arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh")
_QUICK = frozenset((*_EXPONENTIALS, *_INVERSES))
_QUICK_IF_NARROW = frozenset(("sin", "cos", "tan", "tanh"))
# Of these XLA has no form that takes less time, either.
_QUICK_IF_COMPLEX = frozenset(("exp", "tanh"))
# Of ints: a loop until both are equal, which is another one for each element.
_OF_INTS, _INTS = frozenset(("gcd", "lcm")), frozenset(map(np.dtype, "bBhHiIlLqQ"))
_NARROW, _REAL = frozenset([np.dtype(np.float32)]), frozenset(map(np.dtype, "fd"))
_DTYPES, _COMPLEX = frozenset(map(np.dtype, "fdFD")), frozenset(map(np.dtype, "FD"))


# The operations that an element takes.
_WORK = 2**6


class LibraryUfuncs:
    """Writes calls of ufuncs' loops."""

    def __init__(self, emitter: ValueEmitter) -> None:
        self._emitter = emitter

    def of_elements(self, equation: Equation, names: Sequence[str]) -> list[str]:
        """The results of a `library_ufunc`, which is called for each element."""
        emitter, types = self._emitter, [a.type for a in equation.inputs]
        loop = _loop(emitter, equation, equation.params["ufunc"])
        if equation.outputs[0].type.size == 1:
            columns = [emitter.elements(name, type) for name, type in zip(names, types, strict=True)]
            (row,) = zip(*columns, strict=True)
            return loop.on_element(row)
        return [
            emitter.each(names, types, out.type, lambda row, place=place: loop.on_element(row)[place])  # type: ignore[misc]
            for place, out in enumerate(equation.outputs)
        ]

    def of_arrays(self, equation: Equation, names: Sequence[str]) -> str:
        """The result of NumPy's ufunc for an equation that `takes_whole`, in memory of its own."""
        emitter, memory, out = self._emitter, self._emitter.memory, equation.outputs[0].type
        if out.size > MOST_WHOLE and not is_quick(equation):
            raise NotNativeError(f"{equation.op.name} of {out.size} elements")
        memory.expect_whole(out.size)
        loop = _loop(emitter, equation, LibraryUfunc("numpy", equation.op.name))
        rows = [self._row(name, equation, place) for place, name in enumerate(names)]
        made = memory.place_of(memory.allocate(out))
        rows.append((made, Affine(0), 1))
        dtypes = [atom.type.dtype for atom in (*equation.inputs, *equation.outputs)]
        with ElementLoops(emitter.arrays).parts(out.size, _WORK) as (first, count):
            starts = [start + emitter.positions.of(first).times(step) for _, start, step in rows]
            numbers = map(emitter.positions.value, starts)
            addresses = [
                memory.address(row[0], *at) for row, at in zip(rows, zip(dtypes, numbers, strict=True), strict=True)
            ]
            loop.on_arrays(addresses, [step for _, _, step in rows], count)
        return memory.written(made)

    def _row(self, name: str, equation: Equation, place: int) -> tuple[int, Affine, int]:
        """The place of an operand in memory, the number of its first element, and how far it is to the next one."""
        emitter, memory, type = self._emitter, self._emitter.memory, equation.inputs[place].type
        view = strided_view(emitter.arrays.of(name, type))
        joined = None if view is None else joined_axes(list(zip(type.shape, view.strides, strict=True)))
        # A distance of 0 says that there is one number for all, for which some loops have another form.
        if view is None or joined is None or not joined[1]:
            (name,) = emitter.stores.settled([name], [type], memory.all_places())
            return memory.place_of(name), Affine(0), 1
        return memory.place_of(view.array), view.start, joined[1]


def _loop(emitter: ValueEmitter, equation: Equation, ufunc: LibraryUfunc) -> LibraryLoop:
    return LibraryLoop(emitter.code, ufunc, [a.type.dtype for a in (*equation.inputs, *equation.outputs)])
