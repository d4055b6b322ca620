"""The user's tree as it is rewritten: spaces beside keywords, names as Python knows them.

Python does without spaces where a bracket follows, as in `return(x)if(x>2)else[x]`, and takes names by their compatible
characters: the lunate epsilon is an epsilon.
"""

from __future__ import annotations

from unicodedata import normalize

import libcst as cst

from anabranch.transpile.nodes import descendants

_BOTH = ("whitespace_before", "whitespace_after")
_BESIDE_KEYWORDS: dict[type[object], tuple[str, ...]] = {
    cst.And: _BOTH,
    cst.AsName: ("whitespace_before_as", "whitespace_after_as"),
    cst.Assert: ("whitespace_after_assert",),
    cst.CompFor: ("whitespace_before", "whitespace_after_for", "whitespace_before_in", "whitespace_after_in"),
    cst.CompIf: ("whitespace_before", "whitespace_before_test"),
    cst.Del: ("whitespace_after_del",),
    cst.ExceptHandler: ("whitespace_after_except",),
    cst.For: ("whitespace_after_for", "whitespace_before_in", "whitespace_after_in"),
    cst.From: ("whitespace_before_from", "whitespace_after_from"),
    cst.If: ("whitespace_before_test",),
    cst.IfExp: ("whitespace_before_if", "whitespace_after_if", "whitespace_before_else", "whitespace_after_else"),
    cst.In: _BOTH,
    cst.Is: _BOTH,
    cst.IsNot: _BOTH,
    cst.Match: ("whitespace_after_match",),
    cst.MatchAs: ("whitespace_before_as", "whitespace_after_as"),
    cst.MatchCase: ("whitespace_after_case", "whitespace_before_if", "whitespace_after_if"),
    cst.Not: ("whitespace_after",),
    cst.NotIn: _BOTH,
    cst.Or: _BOTH,
    cst.Raise: ("whitespace_after_raise",),
    cst.Return: ("whitespace_after_return",),
    cst.While: ("whitespace_after_while",),
    cst.With: ("whitespace_after_with",),
    cst.Yield: ("whitespace_after_yield",),
}
_SPACE = cst.SimpleWhitespace(" ")


def respell(root: cst.CSTNode) -> None:
    """Put a space wherever there is none beside a keyword, and the names that Python's byte code has.

    What is put in place of a bracket may need the space. The nodes stay the same ones: where they stand in the user's
    file is known by them.
    """
    for node in descendants(root):
        for name in (node, getattr(node, "attr", None), getattr(node, "keyword", None)):
            if isinstance(name, cst.Name) and not name.value.isascii():
                object.__setattr__(name, "value", normalize("NFKC", name.value))
        for part in (node, getattr(node, "operator", None)):
            for field in _BESIDE_KEYWORDS.get(type(part), ()):
                space = getattr(part, field)
                if isinstance(space, cst.SimpleWhitespace) and not space.value and not _ends(part):
                    object.__setattr__(part, field, _SPACE)


def _ends(node: object) -> bool:
    """Return whether nothing follows the keyword of a statement."""
    return isinstance(node, (cst.Return, cst.Yield)) and node.value is None
