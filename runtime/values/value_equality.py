"""Values that are equal because they are computed in the same way of what is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var, are_same
from anabranch.runtime.ops.structured import Branches
from anabranch.runtime.tracing.builder import Builder, current

_DEPTH = 12


def provably_equal(a: Atom, b: Atom, known: Iterable[tuple[Atom, Atom]] = ()) -> bool:
    """Return whether two values are surely equal: the same, or computed in the same way of what is the same.

    `known` are pairs that are taken to be equal.
    """
    builder = current()
    return _equal(a, builder, b, builder, _DEPTH, set(known))


def _equal(a: Atom, of_a: Builder, b: Atom, of_b: Builder, depth: int, equal: set[tuple[Atom, Atom]]) -> bool:
    """`provably_equal` in two builders; `equal` are the pairs that are known to be."""
    a, of_a = _home(a, of_a)
    b, of_b = _home(b, of_b)
    if a is b or (a, b) in equal or are_same(a, b):
        return True
    if depth == 0 or isinstance(a, Literal) or isinstance(b, Literal):
        return False
    one, other = of_a.maker(a), of_b.maker(b)
    if one is None or other is None:
        return False

    def operands_equal(x: Atom, y: Atom) -> bool:
        return _equal(x, of_a, y, of_b, depth - 1, equal)

    if one is other and isinstance(one.op, Branches):
        if not _equal_in_branches(one, a, b, operands_equal):
            return False
    elif not _computed_alike(one, a, other, b, operands_equal):
        return False
    equal.add((a, b))
    return True


def _computed_alike(one: Equation, a: Atom, other: Equation, b: Atom, are_equal: Callable[[Atom, Atom], bool]) -> bool:
    """Return whether the results of two equations are equal since their operands are."""
    return (
        a.type == b.type
        and one.op is other.op
        and one.op.pure
        and one.params == other.params
        and one.outputs.index(a) == other.outputs.index(b)
        and all(map(are_equal, one.inputs, other.inputs))
    )


def _equal_in_branches(equation: Equation, a: Atom, b: Atom, are_equal: Callable[[Atom, Atom], bool]) -> bool:
    """Return whether two results of a condition are equal in each of its branches."""
    op = equation.op
    assert isinstance(op, Branches)
    i, j = equation.outputs.index(a), equation.outputs.index(b)
    return all(
        _equal_inside(program, equation.inputs[1:], (program.outputs[i], program.outputs[j]), are_equal)
        for program in op.results(equation.params)
    )


def _equal_inside(
    program: Program, operands: Sequence[Atom], pair: tuple[Atom, Atom], are_equal: Callable[[Atom, Atom], bool]
) -> bool:
    """Return whether two values of a Program with these operands are equal."""
    given: dict[Atom, Atom] = dict(zip(program.inputs, operands, strict=True))
    makers: dict[Atom, Equation] = {output: inner for inner in program.equations for output in inner.outputs}

    def alike(x: Atom, y: Atom, depth: int = _DEPTH) -> bool:
        if x is y or are_same(x, y):
            return True
        if x in given and y in given:
            return are_equal(given[x], given[y])
        if depth == 0 or x not in makers or y not in makers:
            return False
        return _computed_alike(makers[x], x, makers[y], y, lambda p, q: alike(p, q, depth - 1))

    return alike(*pair)


def _home(atom: Atom, builder: Builder) -> tuple[Atom, Builder]:
    """The atom in the builder that made it, which `builder` may have captured it from."""
    while isinstance(atom, Var) and (parent := builder.parent) is not None:
        if atom in builder.origins:
            atom = builder.origins[atom]
        elif atom in builder.known:
            break
        builder = parent
    return atom, builder
