"""Modules that are named in texts, or imported when a function runs, are there: nothing else asks before that."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TREES = ("src/anabranch", "runtime", "transpile", "property_tests", "benchmarks", "tests")
LATE = re.compile(r"^[ \t]+(?:from|import) anabranch|[\"']anabranch\.[\w.]+[\"']", re.MULTILINE)
NAMED = re.compile(r"anabranch(?:\.\w+){2,}")  # shorter ones are mostly names of loggers


def sources(tree: str) -> list[Path]:
    seen_through_links = (ROOT / "src/anabranch/runtime", ROOT / "src/anabranch/transpile")
    found = (ROOT / tree).rglob("*.py")
    return [path for path in found if not any(link in path.parents for link in seen_through_links)]


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath("src", *module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@functools.cache
def bound_in(path: Path) -> frozenset[str]:
    """The names that a module has by its text: what it imports, defines, assigns, and returns when it is asked."""
    tree = ast.parse(path.read_text())
    imports = (n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    imported = {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names}
    defined = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assigned = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    late = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)} if "__getattr__" in defined else set()
    return frozenset(imported | defined | assigned | late)


def is_there(name: str) -> bool:
    """Return whether there is such a module, or the name that comes first in the rest of the path in one."""
    module, later = name, ""
    while file_of(module) is None:
        module, _, later = module.rpartition(".")
        if not module:
            return False
    return not later or later in bound_in(file_of(module))


def missing(text: str) -> list[str]:
    """The names in late imports and texts of a source that are not there."""
    if not LATE.search(text):
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.col_offset and (node.module or "").startswith("anabranch"):
            found += [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import) and node.col_offset:
            found += [a.name for a in node.names if a.name.startswith("anabranch")]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            found.append(node.value)
    return [name for name in found if not is_there(name)]


@pytest.mark.parametrize("tree", TREES)
def test_late_imports_and_modules_in_texts_are_there(tree):
    found = {str(path.relative_to(ROOT)): missing(path.read_text()) for path in sources(tree)}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f():\n    from PACKAGE.runtime.ops import no_such\n", ["PACKAGE.runtime.ops.no_such"]),
        ("def f():\n    from PACKAGE.runtime.no_such import x\n", ["PACKAGE.runtime.no_such.x"]),
        ("def f():\n    import PACKAGE.no_such\n", ["PACKAGE.no_such"]),
        ("HOME = 'PACKAGE.runtime.ops.no_such'\n", ["PACKAGE.runtime.ops.no_such"]),
        ("HOME = 'PACKAGE.runtime.ops.op'\nNAME = 'PACKAGE.jit'\n", []),
        ("def f():\n    from PACKAGE.runtime.ops import op\n", []),
    ],
)
def test_what_is_missing_is_found(text, names):
    assert missing(text.replace("PACKAGE", "anabranch")) == [name.replace("PACKAGE", "anabranch") for name in names]
