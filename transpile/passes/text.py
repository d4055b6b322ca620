"""Text with values in it: f-strings and the % of a string."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.nodes import string
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader

# In the text of a plain string: a named character or another escape, which stay, and braces, which a template doubles.
_BRACES = re.compile(r"(\\N\{[^}]*\}|\\.)|[{}]", re.DOTALL)
_RAW_BRACES = re.compile(r"(?!)()|[{}]")


class Formatted(ExpressionPass[cst.FormattedString | cst.ConcatenatedString]):
    """An f-string becomes a call with the template that `str.format` takes, and the values."""

    handles = (cst.FormattedString, cst.ConcatenatedString)
    examples = (
        Example(
            'def f(x, n):\n    return f"{x!r} is {n:>{n + 1}} of {x > 3 or n}"\n',
            'def f(x, n):\n    return ab.fstring("{!r} is {:>{}} of {}", x, n, n + 1, ab.or_(x > 3, lambda: n))\n',
        ),
        Example(
            "def f(x):\n    return 'a {' f'{x = } {{}}'\n",
            "def f(x):\n    return ab.fstring('a {{' 'x = {!r} {{}}', x)\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.FormattedString | cst.ConcatenatedString) -> cst.CSTNode:
        leaves = [leaf for leaf in _leaves(node) if isinstance(leaf, cst.FormattedString)]
        if not any(isinstance(p, cst.FormattedStringExpression) for leaf in leaves for p in leaf.parts):
            return node
        values: list[cst.BaseExpression] = []
        template = _template(reader, node, values)
        return reader.staged("fstring", template, *values)


class Percent(ExpressionPass[cst.BinaryOperation]):
    """The % of a string, or with a tuple, becomes a call."""

    handles = (cst.BinaryOperation,)
    examples = (
        Example('def f(n):\n    return "n=%d" % n\n', 'def f(n):\n    return ab.percent("n=%d", n)\n'),
        Example("def f(s, n):\n    return s % (n, 3)\n", "def f(s, n):\n    return ab.percent(s, (n, 3))\n"),
    )

    def rewrite(self, reader: Reader, node: cst.BinaryOperation) -> cst.CSTNode:
        if not isinstance(node.operator, cst.Modulo):
            return reader.children(node)
        text = isinstance(node.left, cst.BaseString) and not (
            isinstance(node.left, cst.SimpleString) and "b" in node.left.prefix.lower()
        )
        if not text and not isinstance(node.right, (cst.Tuple, cst.Dict)):
            return reader.children(node)
        return reader.staged("percent", reader.argument(node.left), reader.argument(node.right))


def _leaves(node: cst.BaseString) -> Iterator[cst.BaseString]:
    if isinstance(node, cst.ConcatenatedString):
        yield from _leaves(node.left)
        yield from _leaves(node.right)
    else:
        yield node


def _template(reader: Reader, node: cst.BaseString, values: list[cst.BaseExpression]) -> cst.BaseString:
    """The string with a replacement field for each value; the values are appended."""
    if isinstance(node, cst.ConcatenatedString):
        left, right = (_template(reader, side, values) for side in (node.left, node.right))
        assert isinstance(left, cst.SimpleString)
        assert isinstance(right, (cst.SimpleString, cst.ConcatenatedString))
        return node.with_changes(left=left, right=right, lpar=[], rpar=[])
    if isinstance(node, cst.SimpleString):
        braces = _RAW_BRACES if "r" in node.prefix.lower() else _BRACES
        text = braces.sub(lambda found: found[1] or found[0] * 2, node.raw_value)
        return cst.SimpleString(f"{node.prefix}{node.quote}{text}{node.quote}")
    assert isinstance(node, cst.FormattedString)
    writer = _Writer(reader, node.quote, values)
    text = writer.parts(node.parts, nested=False)
    return cst.SimpleString(f"{node.prefix.lower().replace('f', '')}{node.quote}{text}{node.quote}")


def _text(part: cst.BaseFormattedStringContent) -> str:
    assert isinstance(part, cst.FormattedStringText)
    return part.value


@frozen
class _Writer:
    """Writes the template of one f-string."""

    reader: Reader
    quote: str
    values: list[cst.BaseExpression] = field(default_factory=list)

    def parts(self, parts: Sequence[cst.BaseFormattedStringContent], nested: bool) -> str:
        return "".join(
            self._field(part, nested) if isinstance(part, cst.FormattedStringExpression) else _text(part)
            for part in parts
        )

    def _field(self, node: cst.FormattedStringExpression, nested: bool) -> str:
        spec, conversion = node.format_spec or (), node.conversion or ""
        shown = "" if node.equal is None else self._shown(node)
        if node.equal is not None and not spec and not conversion:
            conversion = "r"
        if nested and spec:
            # `str.format` looks for fields in the fields of a field no more.
            self.values.append(self._nested(node))
            return shown + "{}"
        self.values.append(self.reader.argument(node.expression))
        text = self.parts(spec, nested=True)
        return shown + "{" + (f"!{conversion}" if conversion else "") + (f":{text}" if spec else "") + "}"

    def _nested(self, node: cst.FormattedStringExpression) -> cst.BaseExpression:
        inner = cst.FormattedString([node.with_changes(equal=None)])
        values: list[cst.BaseExpression] = []
        return self.reader.staged("fstring", _template(self.reader, inner, values), *values)

    def _shown(self, node: cst.FormattedStringExpression) -> str:
        """The text of the expression that `{x = }` shows."""
        assert node.equal is not None
        layout = (node.whitespace_before_expression, node.expression, node.whitespace_after_expression)
        text = "".join(cst.Module([]).code_for_node(part) for part in (*layout, node.equal))
        if self.quote[0] in text or "\\" in text or "\n" in text:
            self.values.append(string(text) if '"' not in text and "\\" not in text else cst.SimpleString(repr(text)))
            return "{}"
        return text.replace("{", "{{").replace("}", "}}")
