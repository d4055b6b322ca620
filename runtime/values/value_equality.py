"""Values that are equal because they are computed in the same way of what is the same."""

from __future__ import annotations

from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.builder import Builder, current

_DEPTH = 12


def provably_equal(a: Atom, b: Atom, depth: int = _DEPTH) -> bool:
    """Return whether two values are surely equal: the same, or computed in the same way of what is the same."""
    builder = current()
    return _equal(a, builder, b, builder, depth, set())


def _equal(a: Atom, of_a: Builder, b: Atom, of_b: Builder, depth: int, equal: set[tuple[Atom, Atom]]) -> bool:
    """`provably_equal` in two builders; `equal` are the pairs that are known to be."""
    a, of_a = _home(a, of_a)
    b, of_b = _home(b, of_b)
    if a is b or (a, b) in equal:
        return True
    if isinstance(a, Literal) or isinstance(b, Literal):
        both = isinstance(a, Literal) and isinstance(b, Literal) and a.type == b.type and a.type.size == 1
        return both and bool((a.value == b.value).all())  # type: ignore[union-attr]
    if depth == 0 or a.type != b.type:
        return False
    one, other = of_a.maker(a), of_b.maker(b)
    if one is None or other is None or one.op is not other.op or one.params != other.params:
        return False
    if not one.op.pure:
        return False
    if one.outputs.index(a) != other.outputs.index(b):
        return False
    pairs = zip(one.inputs, other.inputs, strict=True)
    if not all(_equal(x, of_a, y, of_b, depth - 1, equal) for x, y in pairs):
        return False
    equal.add((a, b))
    return True


def _home(atom: Atom, builder: Builder) -> tuple[Atom, Builder]:
    """The atom in the builder that made it, which `builder` may have captured it from."""
    while isinstance(atom, Var) and (parent := builder.parent) is not None:
        if atom in builder.origins:
            atom = builder.origins[atom]
        elif atom in builder.known:
            break
        builder = parent
    return atom, builder
