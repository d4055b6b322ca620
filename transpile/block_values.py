"""The values that a block of rewritten code hands to the code around it when control leaves it.

Every generated function gives back one tuple. A `Layout` says what is in it; a frame says how a block delivers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.blocks import Exit, Propagate
from anabranch.transpile.nodes import Statement, assign, call, line, listed, name, parenthesised


@frozen
class Layout:
    """The parts of a result: an exit code, the value of a `return`, the names that go out."""

    ab: str
    coded: bool = False
    valued: bool = False
    outs: tuple[str, ...] = ()

    def constant(self, text: str) -> cst.Attribute:
        return cst.Attribute(name(self.ab), name(text))

    def items(self, code: cst.BaseExpression, value: cst.BaseExpression | None) -> list[cst.BaseExpression]:
        """The result of leaving with `code`."""
        head: list[cst.BaseExpression] = [code] if self.coded else []
        if self.valued:
            head.append(self.constant("no_value") if value is None else _one(value))
        return [*head, *(name(out) for out in self.outs)]

    def left(self, exit_: Exit, value: cst.BaseExpression | None) -> list[cst.BaseExpression]:
        """The result of `break`, `continue`, `return value` or of coming to the end."""
        value = name("None") if exit_ is Exit.RETURN and value is None else value
        return self.items(self.constant(exit_.value), value)

    def passed_on(self, unit: Propagate) -> list[cst.BaseExpression]:
        """The result of an exit noted in variables."""
        return self.items(name(unit.code), None if unit.value is None else name(unit.value))

    def targets(self, code: str | None, value: str | None) -> tuple[str, ...]:
        """The names that take the result apart."""
        return tuple(n for n in (code, value) if n is not None) + self.outs


class Frame(Protocol):
    """How the block at hand delivers its result."""

    @property
    def outs(self) -> tuple[str, ...]:
        """Names that every result of the block has in it."""

    def fall_through(self) -> list[Statement]:
        """The end of the block is reached."""

    def leave(self, exit_: Exit, value: cst.BaseExpression | None) -> list[Statement]:
        """`break`, `continue` or `return value`."""

    def propagate(self, unit: Propagate) -> list[Statement]:
        """An exit noted in variables goes on outwards."""


@frozen
class InPlace:
    """A block without exits that stays where it is: the function's own top, the block of a `with`."""

    outs: tuple[str, ...] = ()

    def fall_through(self) -> list[Statement]:
        return []

    def leave(self, exit_: Exit, value: cst.BaseExpression | None) -> list[Statement]:
        raise AssertionError("a block with exits has a frame for them")

    def propagate(self, unit: Propagate) -> list[Statement]:
        raise AssertionError("a block with exits has a frame for them")


@frozen
class UserFrame:
    """The user's function: its result is what the user returns. `explicit` inside generated functions."""

    layout: Layout
    explicit: bool = False
    outs: tuple[str, ...] = ()

    def fall_through(self) -> list[Statement]:
        return [_return(name("None"))] if self.explicit else []

    def leave(self, exit_: Exit, value: cst.BaseExpression | None) -> list[Statement]:
        return [_return(value if value is not None or not self.explicit else name("None"))]

    def propagate(self, unit: Propagate) -> list[Statement]:
        assert unit.value is not None
        return [_return(call(self.layout.constant("returned"), name(unit.value)))]


@frozen
class ResultFrame:
    """A generated function: it returns its layout."""

    layout: Layout

    @property
    def outs(self) -> tuple[str, ...]:
        return self.layout.outs

    def fall_through(self) -> list[Statement]:
        return self.leave(Exit.NEXT, None)

    def leave(self, exit_: Exit, value: cst.BaseExpression | None) -> list[Statement]:
        return self._give(self.layout.left(exit_, value))

    def propagate(self, unit: Propagate) -> list[Statement]:
        if unit.exits == {Exit.RETURN}:
            assert unit.value is not None
            return self.leave(Exit.RETURN, call(self.layout.constant("returned"), name(unit.value)))
        return self._give(self.layout.passed_on(unit))

    def _give(self, items: Sequence[cst.BaseExpression]) -> list[Statement]:
        return [_return(listed(items))] if items else []


@frozen
class NotingFrame:
    """A block that stays in place but has exits: it notes the exit in variables for the code after it."""

    layout: Layout
    code: str
    value: str | None

    @property
    def outs(self) -> tuple[str, ...]:
        return ()

    def fall_through(self) -> list[Statement]:
        return []

    def leave(self, exit_: Exit, value: cst.BaseExpression | None) -> list[Statement]:
        return [self._note(self.layout.left(exit_, value))]

    def propagate(self, unit: Propagate) -> list[Statement]:
        return [self._note(self.layout.passed_on(unit))]

    def start(self) -> Statement:
        """No exit yet."""
        return self._note(self.layout.left(Exit.NEXT, None))

    def _note(self, items: Sequence[cst.BaseExpression]) -> Statement:
        return assign(self.layout.targets(self.code, self.value), listed(items))


def inside(frame: Frame) -> Frame:
    """The frame of a function that stands in for the end of a block with `frame`."""
    return UserFrame(frame.layout, explicit=True) if isinstance(frame, UserFrame) else frame


def _return(value: cst.BaseExpression | None) -> cst.SimpleStatementLine:
    return line(cst.Return(value))


def _one(value: cst.BaseExpression) -> cst.BaseExpression:
    """A value that can stand as one item of a tuple."""
    bare = isinstance(value, cst.Tuple) and not value.lpar
    return parenthesised(value) if bare else value
