"""Calls of staged functions taken apart: run-time operands, and what is compiled in, as a hashable whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device import foreign
from anabranch.runtime.device.array import Array, holds, placed
from anabranch.runtime.ir.array_type import native
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.signature.static_keys import key_of
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.pytrees import layout as layouts


class Operand(NamedTuple):
    """An array, or a NumPy scalar, that is known when the call runs."""

    shape: tuple[int, ...]
    dtype: np.dtype
    scalar: bool = False

    @property
    def layout(self) -> layouts.Leaf:
        """Return the part of a signature that stands for it."""
        return layouts.Leaf(Abstract(self.shape, self.dtype, Kind.SCALAR if self.scalar else Kind.ARRAY))


@frozen
class CompiledIn:
    """A value that is compiled in: values that are equal but differ in type or sign have keys of their own."""

    key: Hashable
    value: Any = dataclasses.field(compare=False)


class ContainerOperand(NamedTuple):
    """A list, tuple, dict or slice, by how it is made of its parts."""

    make: Callable[[list[Any]], Any]
    keys: tuple[Hashable, ...]
    parts: tuple[Template, ...]


Template: TypeAlias = Operand | CompiledIn | ContainerOperand


def described(value: Value, operands: list[Value]) -> Template:
    """The template of an argument; what it leaves to run time is appended to `operands`."""
    if isinstance(value, Array):
        operands.append(value)
        return Operand(value.shape, value.dtype)
    if isinstance(value, np.ndarray) and holds(value.dtype):
        operands.append(value)
        return Operand(value.shape, native(value.dtype))
    if type(value) in (list, tuple):
        return ContainerOperand(type(value), (), tuple([described(v, operands) for v in value]))
    if type(value) is dict:
        return ContainerOperand(_dict, tuple(value), tuple([described(v, operands) for v in value.values()]))
    if isinstance(value, slice):
        return ContainerOperand(
            _slice, (), tuple([described(v, operands) for v in (value.start, value.stop, value.step)])
        )
    if isinstance(value, np.generic):
        return CompiledIn((type(value), repr(value)), value)
    if foreign.exports(type(value)):
        return described(placed(foreign.seen(value, "operand")), operands)
    return CompiledIn(key_of(value), value)


def _dict(items: list[tuple[Hashable, Value]]) -> dict[Value, Value]:
    return dict(items)


def _slice(bounds: list[Value]) -> slice:
    return slice(*bounds)


@frozen
class StagedFunctionCall:
    """A call of a staged function, a function of its operands alone."""

    function: Callable[..., Any]
    args: tuple[Template, ...]
    kwargs: tuple[tuple[str, Template], ...]

    def __call__(self, *operands: Value) -> Value:
        values = iter(operands)
        args = [_filled(t, values) for t in self.args]
        return self.function(*args, **{name: _filled(t, values) for name, t in self.kwargs})

    def arguments(self) -> Arguments:
        """The operands as arguments of a trace, none of which may be written to."""
        found = [o for t in (*self.args, *(t for _, t in self.kwargs)) for o in _operands(t)]
        return Arguments(tuple(o.layout for o in found), {}, device=dict.fromkeys(range(len(found)), "its operand"))


def _operands(template: Template) -> Iterator[Operand]:
    if isinstance(template, Operand):
        yield template
    elif isinstance(template, ContainerOperand):
        for part in template.parts:
            yield from _operands(part)


def _filled(template: Template, operands: Iterator[object]) -> Value:
    if isinstance(template, Operand):
        return next(operands)
    if isinstance(template, CompiledIn):
        return template.value
    parts = [_filled(p, operands) for p in template.parts]
    return template.make(list(zip(template.keys, parts, strict=True)) if template.make is _dict else parts)
