"""Comprehensions whose elements are functions that read a target after its step.

In `[lambda: i for i in range(3)]` all three functions return 2: they share the variable, which holds the last item by
the time they are called. Each function of an item that takes the place of an element has a variable of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from anabranch.transpile.bindings import bound_names
from anabranch.transpile.nodes import descendants

# Methods and functions that keep their arguments. Others call a function that they get, or use a generator up.
_KEEPING = frozenset(
    {"add", "append", "appendleft", "extend", "filter", "insert", "iter", "map", "partial", "setdefault", "update"}
)


def outlives_step(node: cst.GeneratorExp | cst.ListComp) -> bool:
    """Return whether a function, or a generator, that a step makes may read a target after the step."""
    names: set[str] = set()
    parts: list[cst.BaseExpression] = [node.elt]
    loop: cst.CompFor | None = node.for_in
    while loop is not None:
        names |= set(bound_names(loop.target))
        parts += [c.test for c in loop.ifs]
        parts += [loop.inner_for_in.iter] if loop.inner_for_in is not None else []
        loop = loop.inner_for_in
    return any(_is_read(function, names) for part in parts for function in _escaping(part))


def _escaping(node: cst.CSTNode, escapes: bool = True) -> Iterator[cst.CSTNode]:
    """Yield the lambdas and generator expressions in an expression that are not used up where they stand."""
    if isinstance(node, (cst.Lambda, cst.GeneratorExp)) and escapes:
        yield node
    elif isinstance(node, cst.Call):
        if isinstance(node.func, cst.Lambda):  # called where it stands: what it returns may be kept, and not itself
            for child in node.func.children:
                yield from _escaping(child, escapes)
        else:
            yield from _escaping(node.func)
        escaping = _is_keeping(node.func)
        for argument in node.args:
            yield from _escaping(argument.value, escapes and escaping)
    else:
        for child in node.children:
            yield from _escaping(child, escapes)


def _is_keeping(function: cst.BaseExpression) -> bool:
    """Return whether what is called may keep its arguments: such a function, or, by its name, a class."""
    name = function.attr.value if isinstance(function, cst.Attribute) else getattr(function, "value", "")
    return name in _KEEPING or (isinstance(name, str) and name[:1].isupper())


def _is_read(function: cst.CSTNode, names: set[str]) -> bool:
    return any(isinstance(n, cst.Name) and n.value in names for n in descendants(function))
