"""The page of settings says what there is, and each setting is an argument, a block and a variable."""

from __future__ import annotations

import dataclasses
import re
import typing
from pathlib import Path

import pytest

import anabranch
from anabranch import jit
from anabranch.runtime import config
from tests.behaviour.docs.settings_page import PAGE, page

FIELDS = dataclasses.fields(config.Settings)


def another(field, folder):
    """A value that is not the default."""
    if field.name == "fastmath":
        return ("reassoc", "nsz")
    return {bool: not field.default, int: 7, float: 2.5, tuple: ("cse", "dce"), type(None): folder}[type(field.default)]


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.behaviour.docs.settings_page"


def test_type_checkers_know_all():
    assert list(typing.get_type_hints(config.Switches)) == [f.name for f in FIELDS]
    assert re.findall(r"`(\w+)`", jit.__doc__.split("variables say:")[1].split("`anabranch.Settings`")[0]) == [
        f.name for f in FIELDS
    ]


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f.name)
def test_each_is_an_argument_a_block_and_a_variable(field, tmp_path):
    name, value = field.name, another(field, tmp_path)
    before = getattr(config.settings(), name)  # which a variable may have set
    text = ", ".join(value) if isinstance(value, tuple) else str(int(value) if value is True else value)
    found = config.from_environment({f"ANABRANCH_{name.upper()}": text})
    assert getattr(found, name) == value
    with anabranch.configure(**{name: value}) as settings:
        assert getattr(settings, name) == getattr(config.settings(), name) == value
    assert getattr(config.settings(), name) == before
    for f in (jit(lambda x: x + 1, **{name: value}), jit(**{name: value})(lambda x: x + 1)):
        assert getattr(f.__anabranch_options__.in_force(), name) == value
        assert f(1) == 2


# Any text is a path, or names.
@pytest.mark.parametrize("field", [f for f in FIELDS if f.default not in (None, ())], ids=lambda f: f.name)
def test_a_variable_that_is_not_understood_is_named(field):
    variable = f"ANABRANCH_{field.name.upper()}"
    with pytest.warns(UserWarning, match=rf"the variable {variable} is 'perhaps' .*{field.name} is {field.default!r}"):
        assert config.from_environment({variable: "perhaps"}) == config.from_environment({})


def test_a_number_below_zero_is_refused():
    with pytest.warns(UserWarning, match="ANABRANCH_CACHE_SIZE is '-1'"):
        config.from_environment({"ANABRANCH_CACHE_SIZE": "-1"})
    with pytest.raises(ValueError, match="unroll_budget is -1"), anabranch.configure(unroll_budget=-1):
        pass


@pytest.mark.parametrize("given", [{"chekcs": False}, {"checks": 1}, {"unroll_budget": True}, {"progress": "soon"}])
def test_what_is_no_setting_is_refused(given):
    (name,) = given
    with pytest.raises(TypeError, match=name), anabranch.configure(**given):
        pass
    with pytest.raises(TypeError, match=name):
        jit(lambda x: x, **given)


def test_the_cache_folder():
    assert config.from_environment({"ANABRANCH_CACHE": "0"}).cache_dir is None
    assert config.from_environment({"ANABRANCH_CACHE_DIR": "/a"}).cache_dir == Path("/a")
    assert config.from_environment({"XDG_CACHE_HOME": "/b"}).cache_dir == Path("/b/anabranch")


def test_an_argument_wins():
    compiled, plain = jit(lambda x: x + 1, disable_jit=False), jit(lambda x: x + 1, disable_jit=True)
    assert plain(1) == 2
    with anabranch.configure(disable_jit=True):
        assert compiled(1) == 2
    assert [f.cache_info().misses for f in (compiled, plain)] == [1, 0]


def test_full_tracebacks_of_one_function():
    def f(x):
        raise ValueError(x)

    def depth(function):
        try:
            function(1)
        except ValueError as error:
            tb, n = error.__traceback__, 0
            while tb is not None:
                tb, n = tb.tb_next, n + 1
            return n

    assert depth(jit(f, full_tracebacks=True)) > depth(jit(f))
