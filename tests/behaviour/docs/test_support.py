"""The page on what is supported is made of programs: each kind of node is shown by one, or refused."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import textwrap

import pytest

from anabranch import UnsupportedConstructError, jit
from anabranch.transpile import rewrite
from tests.behaviour.docs.grammar import NEWER, REFUSED, SHOWN, case
from tests.behaviour.docs.support_page import PAGE, page
from tests.internals.transpile.eager_rewriting import from_text, nothing_staged
from tests.program_table import Program

# Nodes that no program makes: whole files, type comments, and what older Pythons had.
NO_NODES = {"mod", "type_ignore", "slice", "AugLoad", "AugStore", "Param", "Index", "ExtSlice", "Suite", "Num", "Str",
            "Bytes", "NameConstant", "Ellipsis"}  # fmt: skip
NO_FAMILIES = {"Module", "Interactive", "Expression", "FunctionType", "TypeIgnore"}
LATER = {"TemplateStr", "Interpolation"}


def _kinds() -> set[str]:
    found, work = set(), [ast.AST]
    while work:
        below = [c for c in work.pop().__subclasses__() if c.__module__ in ("ast", "_ast")]
        work += below
        found |= {c.__name__ for c in below if not c.__subclasses__() or c is ast.Constant}
    return found - NO_NODES - NO_FAMILIES - LATER


def test_every_kind_is_listed():
    assert _kinds() <= {*SHOWN, *REFUSED, *NEWER}


@pytest.mark.parametrize("kind", SHOWN)
def test_a_kind_is_in_its_programs(kind):
    for function in SHOWN[kind]:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        assert any(type(node).__name__ == kind for node in ast.walk(tree)), function.__name__


@pytest.mark.parametrize("program", case.programs)
def test_program(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind):
    code, text = REFUSED[kind]
    assert any(type(node).__name__ == kind for node in ast.walk(ast.parse(text)))
    with pytest.raises(UnsupportedConstructError) as caught:
        rewrite(from_text(text, f"<refused {kind}>"), nothing_staged)
    assert code in {finding.code for finding in caught.value.findings}


@pytest.mark.parametrize("kind", [k for k, (since, _) in NEWER.items() if sys.version_info >= since])
def test_newer(kind):
    text = NEWER[kind][1]
    assert any(type(node).__name__ == kind for node in ast.walk(ast.parse(text)))
    function = jit(from_text(text, f"<newer {kind}>"))
    assert [function(n) for n in (3, -3)] == [6, 0]
    linecache.cache.pop(f"<newer {kind}>", None)


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.behaviour.docs.support_page"
