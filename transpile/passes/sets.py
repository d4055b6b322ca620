"""Sets that stand behind `in`: they are asked for their members alone, which may be known only at run time."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import call, string
from anabranch.transpile.reader import Reader

_SIGNS: dict[type[cst.BaseBinaryOp], str] = {
    cst.BitOr: "|", cst.BitAnd: "&", cst.Subtract: "-", cst.BitXor: "^",
}  # fmt: skip


def is_computed(reader: Reader, node: cst.BaseExpression) -> bool:
    """Return whether it makes a set here whose members may be known only at run time."""
    if isinstance(node, cst.Set):
        return not all(isinstance(e.value, (cst.BaseNumber, cst.BaseString, cst.UnaryOperation)) for e in node.elements)
    if isinstance(node, cst.SetComp):
        return True
    if isinstance(node, cst.Call):
        return _is_call(reader, node)
    if not isinstance(node, cst.BinaryOperation) or type(node.operator) not in _SIGNS:
        return False
    return is_computed(reader, node.left) or is_computed(reader, node.right)


def members(reader: Reader, node: cst.BaseExpression) -> cst.BaseExpression:
    """Such a set as `ab.members(…)`; what `in` takes for anything else."""
    if not is_computed(reader, node):
        return reader.argument(node)
    if isinstance(node, cst.Set):
        return call(reader.constant("members"), *(_element(reader, e) for e in node.elements))
    if isinstance(node, cst.SetComp):
        return reader.staged("members_of", reader.argument(cst.ListComp(node.elt, node.for_in)))
    if isinstance(node, cst.Call):
        items = reader.argument(node.args[0].value)
        return reader.staged("members_of", items, node.func)
    assert isinstance(node, cst.BinaryOperation)
    left, right = members(reader, node.left), members(reader, node.right)
    return reader.staged("set_operation", string(_SIGNS[type(node.operator)]), left, right)


def _element(reader: Reader, element: cst.BaseElement) -> cst.Arg:
    return cst.Arg(reader.argument(element.value), star="*" if isinstance(element, cst.StarredElement) else "")


def _is_call(reader: Reader, node: cst.Call) -> bool:
    """Return whether it is set(items) or frozenset(items)."""
    function = node.func
    if not isinstance(function, cst.Name) or function.value not in ("set", "frozenset"):
        return False
    plain = len(node.args) == 1 and not node.args[0].star and node.args[0].keyword is None
    return plain and not reader.is_local(function.value)
