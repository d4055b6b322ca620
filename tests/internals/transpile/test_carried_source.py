"""Functions whose code has lost the name of its file, as picklers that take functions by value leave it."""

from __future__ import annotations

import linecache
import traceback
import types

import numpy as np
import pytest

from anabranch import jit
from anabranch.transpile.carried_source import carried_sources, restore_sources
from anabranch.transpile.errors import NoSourceError
from anabranch.transpile.source import find_source


def helper(x):
    return x[5] if x[0] > 0 else x


def chosen(x):
    return helper(x) * 2 if x[0] > 1 else -x


def without_file(function: types.FunctionType, namespace: dict[str, object]) -> types.FunctionType:
    """The function as another process gets it."""

    def stripped(code: types.CodeType) -> types.CodeType:
        constants = tuple([stripped(c) if isinstance(c, types.CodeType) else c for c in code.co_consts])
        return code.replace(co_filename="<dynamic-code>", co_consts=constants)

    made = types.FunctionType(stripped(function.__code__), namespace, function.__name__)
    made.__module__ = "__main__"
    namespace[function.__name__] = made
    return made


def test_a_function_and_its_helper_are_found_again() -> None:
    namespace: dict[str, object] = {}
    loaded = without_file(chosen, namespace)
    without_file(helper, namespace)
    with pytest.raises(NoSourceError):
        find_source(loaded)
    restore_sources(loaded, carried_sources(chosen))
    assert find_source(loaded) == find_source(chosen)
    x = np.array([0.5, 2.0])
    np.testing.assert_array_equal(jit(loaded)(x), chosen(x))
    with pytest.raises(IndexError) as raised:
        jit(loaded)(x + 1)
    assert [f.filename for f in traceback.extract_tb(raised.value.__traceback__)][-2:] == [__file__, __file__]


def test_the_lines_are_those_of_the_function_where_the_file_has_others() -> None:
    carried = {
        key: (file, first, ("# changed", *lines[1:])) for key, (file, first, lines) in carried_sources(chosen).items()
    }
    loaded = without_file(chosen, {})
    restore_sources(loaded, carried)
    assert loaded.__code__.co_filename == f"<{__file__} of another process>"
    line = loaded.__code__.co_firstlineno
    assert linecache.getline(loaded.__code__.co_filename, line + 1) == linecache.getline(__file__, line + 1)


def test_code_that_has_its_file_keeps_it() -> None:
    code = chosen.__code__
    restore_sources(chosen, carried_sources(chosen))
    assert chosen.__code__ is code
