"""Names for views and aliases of arrays: what is written through one is seen by the others."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, INT, Array
from property_tests.generation.productions import Productions
from property_tests.generation.templates import Operand, some
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

VIEWS = (
    "{a}[1:]", "{a}[:-1]", "{a}[::2]", "{a}[::-1]", "{a}[1:3]", "{a}[:]", "{a}[...]", "{a}.T", "{a}[0]", "{a}[-1]",
    "{a}[:, 0]", "{a}[:, -1:]", "{a}[..., 1]", "{a}[None]", "{a}[:, None]", "{a}.reshape(-1)", "{a}.reshape(2, -1)",
    "{a}.ravel()", "{a}[1::2]", "{a}.T[0]", "{a}[1:][:2]", "{a}[-2:]", "{a}.real", "{a}.imag", "{a}.view()",
    "np.asarray({a})", "{a}[0, 1:]", "{a}[1, ...]", "np.diagonal({a}).copy()", "np.flip({a})", "{a}[-1:0:-1]",
    "{a}[..., None]", "{a}.reshape(-1, 1)", "{a}.swapaxes(0, 1)", "np.squeeze({a})", "np.transpose({a})", "{a}[()]",
    "np.atleast_2d({a})", "np.reshape({a}, (-1,))", "{a}[1:0]",
)  # fmt: skip


@PRODUCTIONS.statement("views", 5)
def view(w: Writer) -> list[str] | None:
    return _named(w, some(w, *VIEWS))


@PRODUCTIONS.statement("views at run time", 3)
def moving_view(w: Writer) -> list[str] | None:
    """Rows, columns and slices of a static size at an offset known only at run time."""
    name = w.pick(Array)
    if name is None:
        return None
    made = _moving(w, name)
    return None if made is None else _named(w, made)


def _moving(w: Writer, name: str) -> Operand | None:
    kind = w.names[name]
    assert isinstance(kind, Array)
    if not kind.shape or min(kind.shape) < 2:
        return None
    row = Operand(f"({w.atom(INT)} % {kind.shape[0]})", INT)
    column = Operand(f"({w.atom(INT)} % {kind.shape[-1]})", INT)
    templates = ["{0}[{1}]", "{0}[:, {2}]", "{0}[-{1} - 1]", "{0}.T[{2}]", "{0}[::-1][{1}]", "{0}[{1}, ...]"]
    if kind.shape[0] > 2:
        start = Operand(f"({w.atom(INT)} % {kind.shape[0] - 1})", INT)
        templates += ["{0}[{3}:{3} + 2]", "{0}[{3}:{3} + 1]", "{0}[1:][{3}]", "{0}[{3}:{3} + 2][::-1]"]
        return some(w, *templates, given=[Operand(name, kind), row, column, start])
    return some(w, *templates, given=[Operand(name, kind), row, column])


@PRODUCTIONS.statement("aliases", 3)
def alias(w: Writer) -> list[str] | None:
    name = w.pick(Array)
    return None if name is None else [f"{w.target(w.names[name])} = {name}"]


@PRODUCTIONS.statement("aliases by choice", 3)
def chosen(w: Writer) -> list[str] | None:
    """Which array a name stands for is decided at run time."""
    name = w.pick(Array)
    if name is None:
        return None
    kind = w.names[name]
    return [w.assign(kind, f"{name} if {w.expression(BOOL, 1)} else {w.expression(kind, 1)}")]


@PRODUCTIONS.statement("swap of arrays", 2)
def swap(w: Writer) -> list[str] | None:
    first = w.changeable(Array)
    if first is None:
        return None
    for _ in range(4):
        second = w.changeable(w.names[first])
        if second not in (None, first):
            return [f"{first}, {second} = {second}, {first}"]
    kind = w.names[first]
    other = w.fresh(kind)
    line = f"{other} = {w.expression(kind, 1)}"
    w.names[other] = kind
    return [line, f"{first}, {other} = {other}, {first}"]


def _named(w: Writer, made: Operand | None) -> list[str] | None:
    return None if made is None or not isinstance(made.kind, Array) else [f"{w.target(made.kind)} = {made.text}"]
