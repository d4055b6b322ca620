"""The built-in `id` in the source: what has gone may have the address of what is made next."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

# Where `id` may stand, and why that is right.
ALLOWED = {
    "src/anabranch/base/by_identity.py": "keeps the objects",
    "runtime/host/twister_memory.py": "reads the memory of an object that the caller holds",
    "src/anabranch/base/instance_cache.py": "an entry goes when its object does",
    "runtime/values/heap/snapshot.py": "keeps the objects, but for the instance whose executables go with it",
    "runtime/testing/outcomes.py": "the memo of `copy.deepcopy`; the objects are held",
    "runtime/host/object_layout.py": "addresses as such",
    "runtime/host/library_ufuncs.py": "addresses as such",
    "runtime/call/quick/entry.py": "addresses as such",
    "runtime/call/quick/step_values.py": "addresses as such",
    "runtime/call/quick/translation.py": "addresses as such",
}


def sources():
    folders = ("runtime", "transpile", "src/anabranch/base", "src/anabranch/cli", "src/anabranch/compat")
    yield from sorted((ROOT / "src/anabranch").glob("*.py"))
    yield from (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))


def uses(text):
    """The lines in which the built-in `id` is called or handed on."""
    if not re.search(r"(?<![.\w])id\b", text):  # most have none, which is seen sooner
        return []
    found = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name))
    return [n.lineno for n in found if n.id == "id" and isinstance(n.ctx, ast.Load)]


def test_no_other_file_goes_by_addresses():
    found = {str(path.relative_to(ROOT)): uses(path.read_text()) for path in sources()}
    assert len(found) > 800
    others = {name: lines for name, lines in found.items() if lines and name not in ALLOWED}
    assert not others, "IdentityDict, IdentitySet and ByIdentity of anabranch.base.by_identity keep their objects"
    assert [name for name in ALLOWED if not found[name]] == []


@pytest.mark.parametrize(
    "planted",
    [
        "seen.add(id(part))", "known[id(value)] = 1", "id(value) in seen", "{id(x): x for x in xs}",
        "set(map(id, xs))", "sorted(xs, key=id)", "hash((id(x), 1))",
    ],
)  # fmt: skip
def test_what_is_found(planted):
    assert uses(f"import os\n{planted}\n") == [2]


def test_what_is_none():
    assert uses("def f(value):\n    return value.id, dict(id=1), 'id(x)'  # id(x)\n") == []
