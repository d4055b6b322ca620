"""Class-private names: what the compiler does to `__name` inside a class, for code that is compiled outside of it."""

from __future__ import annotations

import ast


def mangle(tree: ast.AST, qualname: str) -> None:
    """Give every private name in `tree` the form that it has in the class that `qualname` stands in."""
    prefix = _prefix(qualname)
    if prefix is None:
        return
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str) and is_private(value):
                setattr(node, field, prefix + value)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [prefix + n if is_private(n) else n for n in node.names]
        if isinstance(node, ast.MatchClass):
            node.kwd_attrs = [prefix + n if is_private(n) else n for n in node.kwd_attrs]


def unmangled(name: str, qualname: str) -> str:
    """A name as the user wrote it in the class that `qualname` stands in: code objects keep that one."""
    prefix = _prefix(qualname)
    if prefix is None or not name.startswith(prefix) or not is_private(name[len(prefix) :]):
        return name
    return name[len(prefix) :]


def _prefix(qualname: str) -> str | None:
    """The prefix that the compiler puts before private names; None where it leaves them as they are."""
    owner = enclosing_class(qualname)
    return None if owner is None or not owner.strip("_") else "_" + owner.lstrip("_")


def is_private(name: str) -> bool:
    """Return whether a name is one that classes keep to themselves."""
    return name.startswith("__") and not name.endswith("__") and "." not in name


def enclosing_class(qualname: str) -> str | None:
    """The innermost class around a function, by its qualified name; None where there is none."""
    *around, _ = qualname.split(".")
    owner = None
    for part, following in zip(around, [*around, ""][1:], strict=True):
        if part != "<locals>" and following != "<locals>":
            owner = part
    return owner
