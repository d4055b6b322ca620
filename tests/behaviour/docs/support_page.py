"""Makes `docs/support.md` of the programs in `grammar.py` and of what the passes say; run it as a module."""

from __future__ import annotations

import ast
from pathlib import Path

from anabranch.transpile.passes import PASSES
from tests.behaviour.docs.grammar import NEWER, NOTES, REFUSED, SHOWN, STATIC

PAGE = Path(__file__).parents[3] / "docs" / "support.md"
_FAMILIES = {
    "Statements": ast.stmt,
    "Expressions": ast.expr,
    "Patterns": ast.pattern,
    "Operators": (ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
}
# Where libcst has another name for what a pass handles.
_LIBCST = {
    "AnnAssign": "AnnAssign", "AugAssign": "AugAssign", "Delete": "Del", "BoolOp": "BooleanOperation",
    "UnaryOp": "UnaryOperation", "Compare": "Comparison", "JoinedStr": "FormattedString",
}  # fmt: skip
_HEAD = """# What is supported

Every kind of node of Python's grammar, by its name in the module `ast`, and what becomes of it when values are
known only at run time. With values known while tracing each of them does what plain Python does. For each kind
there is a program in `tests/behaviour/docs/grammar.py` that is compared with its eager run, or that is refused with
the code given here. The page is made of them: `python -m tests.behaviour.docs.support_page`.

"Run time" says that the construct takes values known only at run time, "tracing" that it runs while the function
is traced, or that what it is made of must be known then.
"""


def page() -> str:
    """The text of the page."""
    kinds = sorted({*SHOWN, *REFUSED, *NEWER})
    parts = [_HEAD]
    for title, bases in _FAMILIES.items():
        rows = [k for k in kinds if _family(k, bases)]
        parts.append(_table(title, rows))
        kinds = [k for k in kinds if k not in rows]
    parts.append(_table("Parts of others", kinds))
    return "\n".join(parts)


def _family(kind: str, bases: type | tuple[type, ...]) -> bool:
    if kind == "TypeAlias":
        return bases is ast.stmt
    node = getattr(ast, kind, None)
    return node is not None and issubclass(node, bases)


def _table(title: str, kinds: list[str]) -> str:
    rows = [f"| `{kind}` | {_status(kind)} | {_says(kind)} |" for kind in kinds]
    return "\n".join([f"## {title}", "", "| node | works at | |", "|---|---|---|", *rows, ""])


def _status(kind: str) -> str:
    if kind in REFUSED:
        code = REFUSED[kind][0]
        return f"refused: [{code}](errors/{code}.md)"
    return "tracing" if kind in STATIC else "run time"


def _says(kind: str) -> str:
    if kind in NOTES:
        return NOTES[kind]
    name = _LIBCST.get(kind, kind)
    said = [p.message for p in PASSES for handled in p.handles if handled.__name__ == name]
    return said[-1].partition("\n\n")[0].replace("|", "\\|") if said and kind not in REFUSED else ""


if __name__ == "__main__":
    PAGE.write_text(page())
