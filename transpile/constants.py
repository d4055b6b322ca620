"""Values of expressions in which all is known: computed by Python itself, on values that cannot change."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import libcst as cst

from anabranch.base.frozen import frozen

UNKNOWN: Final = object()
_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_MOST_BITS, _MOST_ITEMS, _MOST_TEXT = 256, 16, 60

_BINARY: Mapping[type[cst.BaseBinaryOp], Callable[[Any, Any], Any]] = {
    cst.Add: operator.add, cst.Subtract: operator.sub, cst.Multiply: operator.mul, cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv, cst.Modulo: operator.mod, cst.Power: operator.pow,
    cst.LeftShift: operator.lshift, cst.RightShift: operator.rshift, cst.BitAnd: operator.and_,
    cst.BitOr: operator.or_, cst.BitXor: operator.xor,
}  # fmt: skip
_UNARY: Mapping[type[cst.BaseUnaryOp], Callable[[Any], Any]] = {
    cst.Minus: operator.neg, cst.Plus: operator.pos, cst.BitInvert: operator.invert, cst.Not: operator.not_,
}  # fmt: skip
_COMPARE: Mapping[type[cst.BaseCompOp], Callable[[Any, Any], Any]] = {
    cst.LessThan: operator.lt, cst.LessThanEqual: operator.le, cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge, cst.Equal: operator.eq, cst.NotEqual: operator.ne,
    cst.In: lambda a, b: a in b, cst.NotIn: lambda a, b: a not in b,
    cst.Is: operator.is_, cst.IsNot: operator.is_not,
}  # fmt: skip
_FUNCTIONS = frozenset(
    {"len", "isinstance", "bool", "int", "float", "str", "abs", "min", "max", "divmod", "round", "sum", "tuple"}
)
_CLASSES = ("bool", "int", "float", "complex", "str", "bytes", "tuple", "list", "dict", "set")


@frozen
class NameValues:
    """The values that names stand for.

    Parameters
    ----------
    known : mapping
        The values of local names.
    own : frozenset of str
        All local names, and those of enclosing functions.
    outside : mapping
        The module's globals.
    """

    known: Mapping[str, Any]
    own: frozenset[str]
    outside: Mapping[str, Any]

    def value(self, name: str) -> Any:
        """A local name's value, or a global name's where that is an enumeration."""
        if name in self.known:
            return self.known[name]
        found = UNKNOWN if name in self.own else self.outside.get(name, UNKNOWN)
        return found if isinstance(found, type) and issubclass(found, enum.Enum) else UNKNOWN

    def builtin(self, node: cst.CSTNode, among: Iterable[str]) -> str | None:
        """The name of a built-in function, where the node is one of these."""
        if not isinstance(node, cst.Name) or node.value not in among:
            return None
        hidden = node.value in self.own or node.value in self.known or node.value in self.outside
        return None if hidden or not hasattr(builtins, node.value) else node.value

    def without(self, hidden: Iterable[str]) -> NameValues:
        """The same inside of a scope that has these names to itself."""
        gone = frozenset(hidden)
        kept = {n: v for n, v in self.known.items() if n not in gone}
        return NameValues(kept, self.own | gone, self.outside)


def is_plain(value: object) -> bool:
    """Return whether a value is a number, a text, None, or a tuple of these: it cannot change or compare oddly."""
    if type(value) is tuple:
        return len(value) <= _MOST_ITEMS and all(map(is_plain, value))
    return type(value) in _PLAIN


def literal(value: object) -> cst.BaseExpression | None:
    """The expression that says a value; None where none does, or a long one."""
    if not is_plain(value) or not _is_written_as_shown(value):
        return None
    text = repr(value)
    if len(text) > _MOST_TEXT:
        return None
    return cst.parse_expression(text)


def _is_written_as_shown(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_written_as_shown, value))
    if type(value) is complex:
        return False
    return type(value) is not float or math.isfinite(value)


def value_of(node: cst.CSTNode, names: NameValues) -> Any:
    """The value of an expression, or `UNKNOWN`. Nothing is computed that raises, or that is of the user's making."""
    compute = _KINDS.get(type(node))
    return UNKNOWN if compute is None else compute(node, names)


def items_of(node: cst.BaseExpression, names: NameValues, most: int) -> list[Any] | None:
    """The items that a loop over an expression goes through, where they are known and few."""
    if isinstance(node, cst.Call):
        function = names.builtin(node.func, ("range", "enumerate", "zip", "reversed"))
        if function is None or any(a.star or a.keyword is not None for a in node.args):
            return None
        if function == "range":
            bounds = _range([value_of(a.value, names) for a in node.args])
            return list(bounds) if bounds is not None and len(bounds) <= most else None
        parts = [items_of(a.value, names, most) for a in node.args]
        known = [p for p in parts if p is not None]
        fits = len(known) == len(parts) and (function == "zip" or len(parts) == 1)
        return list(getattr(builtins, function)(*known)) if fits else None
    value = value_of(node, names)
    return list(value) if type(value) in (tuple, str) and len(value) <= most else None


def _range(bounds: list[Any]) -> range | None:
    try:
        return range(*bounds) if all(type(b) in (int, bool) for b in bounds) else None
    except (TypeError, ValueError):
        return None


# ---- kinds of expressions --------------------------------------------------------------------------------------------


def _checked(compute: Callable[[], object]) -> Any:
    """A plain value that is computed without an exception."""
    try:
        value = compute()
    except Exception:
        return UNKNOWN
    return value if is_plain(value) else UNKNOWN


def _name(node: cst.Name, names: NameValues) -> Any:
    constants = {"True": True, "False": False, "None": None}
    return constants[node.value] if node.value in constants else names.value(node.value)


def _text(node: cst.SimpleString, names: NameValues) -> Any:
    return _checked(lambda: ast.literal_eval(node.value))


def _number(node: cst.Integer | cst.Float | cst.Imaginary, names: NameValues) -> Any:
    return _checked(lambda: ast.literal_eval(node.value))


def _tuple(node: cst.Tuple, names: NameValues) -> Any:
    if any(isinstance(e, cst.StarredElement) for e in node.elements):
        return UNKNOWN
    values = tuple(value_of(e.value, names) for e in node.elements)
    return UNKNOWN if any(v is UNKNOWN for v in values) else values


def _unary(node: cst.UnaryOperation, names: NameValues) -> Any:
    value = value_of(node.expression, names)
    if not is_plain(value) or (isinstance(node.operator, cst.BitInvert) and type(value) is bool):
        return UNKNOWN
    return _checked(lambda: _UNARY[type(node.operator)](value))


def _binary(node: cst.BinaryOperation, names: NameValues) -> Any:
    left, right = value_of(node.left, names), value_of(node.right, names)
    apply = _BINARY.get(type(node.operator))
    if apply is None or not is_plain(left) or not is_plain(right) or not _is_small(node.operator, left, right):
        return UNKNOWN
    return _checked(lambda: apply(left, right))


def _is_small(operation: cst.BaseBinaryOp, left: object, right: object) -> bool:
    """Return whether the result is no giant."""
    if isinstance(operation, cst.Multiply) and not isinstance(left, (str, bytes, tuple)):
        left, right = right, left
    if isinstance(operation, cst.Multiply) and isinstance(left, (str, bytes, tuple)):
        return isinstance(right, int) and len(left) * max(right, 0) <= _MOST_TEXT
    if isinstance(operation, cst.Power) and isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * max(right, 0) <= _MOST_BITS
    if isinstance(operation, cst.LeftShift) and isinstance(right, int):
        return right <= _MOST_BITS
    return not isinstance(left, int) or left.bit_length() <= _MOST_BITS


def _comparison(node: cst.Comparison, names: NameValues) -> Any:
    left = value_of(node.left, names)
    for link in node.comparisons:
        right = value_of(link.comparator, names)
        answer = _compare(link.operator, left, right)
        if answer is not True:
            return answer
        left = right
    return True


def _compare(operation: cst.BaseCompOp, left: object, right: object) -> Any:
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if isinstance(operation, (cst.Is, cst.IsNot)) and not any(_is_one(v) for v in (left, right)):
        return UNKNOWN
    if not isinstance(operation, (cst.Is, cst.IsNot)) and not (_compares(left) and _compares(right)):
        return UNKNOWN
    return _checked(lambda: _COMPARE[type(operation)](left, right))


def _is_one(value: object) -> bool:
    """Return whether there is but one such object."""
    return value is None or isinstance(value, (bool, enum.Enum))


def _compares(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_compares, value))
    own: tuple[Any, ...] = (object.__eq__, int.__eq__, str.__eq__)
    return is_plain(value) or (isinstance(value, enum.Enum) and type(value).__eq__ in own)


def _boolean(node: cst.BooleanOperation, names: NameValues) -> Any:
    left = value_of(node.left, names)
    if not is_plain(left):
        return UNKNOWN
    decided = not left if isinstance(node.operator, cst.And) else bool(left)
    return left if decided else value_of(node.right, names)


def _ternary(node: cst.IfExp, names: NameValues) -> Any:
    test = value_of(node.test, names)
    if not is_plain(test):
        return UNKNOWN
    return value_of(node.body if test else node.orelse, names)


def _call(node: cst.Call, names: NameValues) -> Any:
    function = names.builtin(node.func, _FUNCTIONS)
    if function is None or any(a.star or a.keyword is not None for a in node.args):
        return UNKNOWN
    if function == "isinstance":
        return _isinstance(node, names)
    values = [value_of(a.value, names) for a in node.args]
    if not values or not all(map(is_plain, values)):
        return UNKNOWN
    return _checked(lambda: getattr(builtins, function)(*values))


def _isinstance(node: cst.Call, names: NameValues) -> Any:
    if len(node.args) != 2:
        return UNKNOWN
    value, kinds = value_of(node.args[0].value, names), node.args[1].value
    listed = [e.value for e in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
    classes = [names.builtin(kind, _CLASSES) for kind in listed]
    if not is_plain(value) or None in classes:
        return UNKNOWN
    return isinstance(value, tuple(getattr(builtins, c) for c in classes if c is not None))


_PLAINLY: tuple[Any, ...] = (object.__getattribute__, tuple.__getattribute__)


def _attribute(node: cst.Attribute, names: NameValues) -> Any:
    """A field of a frozen dataclass or a namedtuple, a member of an enumeration."""
    value, name = value_of(node.value, names), node.attr.value
    if isinstance(value, type):
        return value.__members__.get(name, UNKNOWN) if issubclass(value, enum.Enum) else UNKNOWN
    if value is UNKNOWN or type(value).__getattribute__ not in _PLAINLY:
        return UNKNOWN
    found = UNKNOWN
    if isinstance(value, tuple) and name in getattr(type(value), "_fields", ()):
        found = tuple.__getitem__(value, type(value)._fields.index(name))  # type: ignore[attr-defined]
    params = getattr(type(value), "__dataclass_params__", None)
    if params is not None and params.frozen and name in {f.name for f in dataclasses.fields(value)}:
        found = getattr(value, "__dict__", {}).get(name, UNKNOWN)
    return found if is_plain(found) or isinstance(found, enum.Enum) else UNKNOWN


def _subscript(node: cst.Subscript, names: NameValues) -> Any:
    value = value_of(node.value, names)
    if type(value) not in (tuple, str) or len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
        return UNKNOWN
    index = value_of(node.slice[0].slice.value, names)
    return _checked(lambda: value[index]) if type(index) in (int, bool) else UNKNOWN


_KINDS: Mapping[type[cst.CSTNode], Callable[[Any, NameValues], Any]] = {
    cst.Name: _name, cst.SimpleString: _text, cst.Integer: _number, cst.Float: _number, cst.Imaginary: _number,
    cst.Tuple: _tuple, cst.UnaryOperation: _unary, cst.BinaryOperation: _binary, cst.Comparison: _comparison,
    cst.BooleanOperation: _boolean, cst.IfExp: _ternary, cst.Call: _call, cst.Attribute: _attribute,
    cst.Subscript: _subscript,
}  # fmt: skip
