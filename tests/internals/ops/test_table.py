"""The table of ops: every family is listed, and every op has its own name."""

from __future__ import annotations

import pathlib
from collections import Counter

from anabranch.runtime.ops import table


def test_every_family_is_listed_and_every_op_has_a_name_of_its_own():
    folder = pathlib.Path(table.__file__).parent
    with_ops = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if path.name != "table.py" and "\nOPS: tuple[Op, ...] = " in path.read_text()
    }
    assert sorted(f.__name__.removeprefix("anabranch.runtime.ops.") for f in table.FAMILIES) == sorted(with_ops)
    names = Counter(op.name for family in table.FAMILIES for op in family.OPS)
    assert set(names) == set(table.OPS)
    assert max(names.values()) == 1
