"""The readers of byte code agree with `dis`."""

from __future__ import annotations

import dis
import importlib
import inspect

import pytest

from anabranch.base.code_objects import codes
from anabranch.runtime.guards.bytecode import assigned_globals, read_globals
from anabranch.transpile import bytecode_scan
from anabranch.transpile.hidden_attributes import HIDDEN

MANY = (
    "def f():\n"
    + "".join(f"    global g{i}\n" for i in range(600))
    + "    return g599, g300, g1\n    g598 = 1\n    del g2\n"
)


def by_dis(code, *names):
    return {i.argval for part in codes(code) for i in dis.get_instructions(part) if i.opname in names}


def needs_by_dis(code):
    found = [i for part in codes(code) for i in dis.get_instructions(part)]
    return any(sign in i.opname for i in found for sign in bytecode_scan._SIGNS)


@pytest.mark.parametrize("module", ["argparse", "inspect", "random", "typing", "decimal", "warnings", None])
def test_globals(module):
    text = MANY if module is None else inspect.getsource(importlib.import_module(module))
    for code in codes(compile(text, "<text>", "exec")):
        assert read_globals(code) == by_dis(code, "LOAD_GLOBAL")
        assert assigned_globals(code) == by_dis(code, "STORE_GLOBAL", "DELETE_GLOBAL")
        if needs_by_dis(code):
            assert bytecode_scan.code_needs_rewriting(code)
        elif not any("%" in c for part in codes(code) for c in part.co_consts if isinstance(c, str)):
            hidden = not HIDDEN.isdisjoint(by_dis(code, "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR"))
            looks_behind = any("__class__" in part.co_names for part in codes(code))
            assert bytecode_scan.code_needs_rewriting(code) == (hidden or looks_behind)
