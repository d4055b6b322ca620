"""Options, settings and command lines of any kind: an error that says what is wrong, and never a dead process."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from property_tests.fuzzing.values import arrays, atoms, numbers
from property_tests.fuzzing.worker import working


@pytest.fixture(scope="module")
def worker():
    with working() as made:
        yield made


FLAGS = (
    "None",
    "{}",
    "{'xla_cpu_enable_fast_math': True}",
    "{'xla_cpu_enable_fast_math': 'text'}",
    "{'xla_nothing': 1}",
    "{'xla_backend_optimization_level': 10**30}",
    "{'xla_backend_optimization_level': -5}",
    "{1: 2}",
    "{'': ''}",
    "{'\\0': None}",
    "{'\\ud800': 1}",
    "{'xla_cpu_enable_fast_math': np.bool_(True)}",
    "[('a', 1)]",
    "{'a'}",
    "'ab'",
    "{'xla_cpu_enable_fast_math': nan}",
    "{'xla_cpu_enable_fast_math': []}",
    "{'xla_dump_hlo_as_text': 2}",
)
PLACES = (
    "0",
    "1",
    "-1",
    "5",
    "-7",
    "10**30",
    "[0, 1]",
    "(0, 0)",
    "{1}",
    "[True]",
    "np.array([0])",
    "np.int64(1)",
    "range(2)",
    "[]",
    "0.0",
    "[[0]]",
    "iter([0])",
    "'0'",
)
NAMES = (
    "'x'",
    "'y'",
    "'z'",
    "['x', 'y']",
    "''",
    "[]",
    "{'x'}",
    "[0]",
    "b'x'",
    "Text('x')",
    "np.str_('x')",
    "'\\ud800'",
    "[['x']]",
    "iter(['x'])",
    "{'x': 1}",
    "'xy'",
)
SWITCHES = ("True", "False", "0", "1", "np.bool_(True)", "'1'", "None")
COUNTS = ("0", "1", "3", "-1", "2.5", "True", "nan", "10**30", "'3'", "np.int64(3)", "None", "Int(3)", "inf")
FOLDERS = (
    "None",
    "'folder'",
    "Path('folder')",
    "''",
    "'\\0'",
    "'a' * 5000",
    "'\\ud800'",
    "3",
    "b'folder'",
    "'/dev/null'",
    "'/proc/nothing'",
    "'/dev/null/folder'",
)
SETTINGS = {
    **dict.fromkeys(("checks", "auto_static", "full_tracebacks", "disable_jit", "log_compiles"), SWITCHES),
    **dict.fromkeys(("explain_cache_misses", "progress_bar"), SWITCHES),
    **dict.fromkeys(("unroll_budget", "recursion_limit", "capacity", "capacity_limit", "cache_size"), COUNTS),
    **dict.fromkeys(("compile_warning", "progress"), COUNTS),
    **dict.fromkeys(("dump_dir", "cache_dir"), FOLDERS),
    **dict.fromkeys(("nothing", "inline", ""), ("None",)),
}
OPTIONS = {
    **dict.fromkeys(("static_argnums", "donate_argnums"), PLACES),
    **dict.fromkeys(("static_argnames", "donate_argnames"), NAMES),
    **dict.fromkeys(("static", "show_graph", "auto_device"), SWITCHES),
    "compiler_options": FLAGS,
}
PROGRAMS = ("chosen", "plus", "halved", "written", "grown", "everything", "by_name", "by_place", "kept")


@st.composite
def chosen(draw, table, least=1):
    """Some of the options, with values that are meant for them, for others, or for nothing."""
    found = {}
    for name in draw(st.lists(st.sampled_from(sorted(table)), min_size=least, max_size=3, unique=True)):
        value = st.sampled_from(table[name])
        found[name] = draw(value if draw(st.integers(0, 3)) else atoms)
    return found


given_args = st.lists(numbers | arrays | st.sampled_from(["1", "2.5", "[1.0]"]), min_size=1, max_size=2)


@st.composite
def options(draw):
    table = OPTIONS if draw(st.booleans()) else {**OPTIONS, **SETTINGS}
    return {
        "program": draw(st.sampled_from(PROGRAMS)),
        "maker": draw(st.sampled_from(["jit", "decorator"])),
        "options": draw(chosen(table)),
        "args": draw(given_args),
    }


@st.composite
def settings_around(draw):
    return {
        "program": draw(st.sampled_from(PROGRAMS)),
        "options": draw(chosen(SETTINGS)),
        "args": draw(given_args),
    }


SOURCES = (
    "def f(x):\n    return x\n",
    "def f(x: float, n: int):\n    return x if n > 1 else x + n\n",
    "",
    "def f(:\n",
    "raise ValueError('no')\n",
    "import sys\nsys.exit(3)\n",
    "f = 3\n",
    "class C:\n    def f(self, x):\n        return x\n",
    "async def f(x):\n    return x\n",
    "def f(x):\n    yield x\n",
    "\0",
    "\ud800",
    "# coding: nothing\n",
    "from anabranch import jit\n\n@jit\ndef f(x):\n    return x\n",
    "f = lambda x: x\n",
    "from functools import partial\nf = partial(max, 1)\n",
    "def f(x: 'nothing'):\n    return x\n",
    "def f(x: set):\n    return x\n",
    "def f(*args, **kwargs):\n    return args\n",
    "def f():\n    return 1\n",
    "def f(x):\n    raise ValueError(x)\n",
    "def f(x):\n    return exec('x')\n",
    "def __getattr__(name):\n    raise ValueError(name)\n",
    "import nothing\n",
    "f = len\n",
    "def f(x=[]):\n    return x\n",
)
WORDS = (
    "show",
    "check",
    "cache",
    "info",
    "explain",
    "clear",
    "FILE:f",
    "FILE:C.f",
    "FILE:",
    ":f",
    "FILE",
    "FILE:g",
    "FILE:f.g.h",
    "nothing.py:f",
    "FILE:__name__",
    "a" * 5000 + ":f",
    "FILE/x:f",
    "/:f",
    "/dev/null:f",
    "--program",
    "--example",
    "--examples",
    "0",
    "1",
    "3",
    "-1",
    "x",
    "1.5",
    "np.arange(3.0)",
    "1/0",
    "(",
    "lambda: 0",
    "__import__('sys').exit(5)",
    "object()",
    "None",
    "[1, [2]]",
    "'\\ud800'",
    "--version",
    "-h",
    "",
    "\0:f",
    "é",
    "FILE:\ud800",
    "--examples=2",
    "10**30",
)


@st.composite
def commands(draw):
    word = st.sampled_from(WORDS)
    start = draw(
        st.sampled_from(
            [
                [],
                ["show", "FILE:f"],
                ["show", "FILE:f", "--program"],
                ["check", "FILE:f", "--examples", "2"],
                ["check", "FILE:f", "--examples", "2", "--example"],
                ["cache"],
            ]
        )
    )
    rest = draw(st.lists(word | st.text(max_size=4).filter(lambda t: "demo".startswith(t) is False), max_size=3))
    return {"source": draw(st.sampled_from(SOURCES)), "arguments": [*start, *rest]}


@given(options())
def test_options_of_any_kind(worker, case):
    assert worker.ask("options.option", **case) is None


@given(settings_around())
def test_settings_of_any_kind(worker, case):
    assert worker.ask("options.set_around", **case) is None


@given(commands())
def test_command_lines(worker, case):
    assert worker.ask("options.command", **case) is None
