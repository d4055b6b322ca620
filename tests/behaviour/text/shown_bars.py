"""The output of progress bars on stderr: the last state of each line, at each call of a plain and a compiled one."""

from __future__ import annotations

import contextlib
import io
import re

from anabranch import jit

# What a terminal is told beside the text, and the times.
_NOISE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\|[^|]*\||\[\d\d:[^]]*\]|\d+:\d\d:\d\d|-:--:--")


def shown(function, args):
    """The result or the exception, and the last state of each line that was shown."""
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        try:
            result = function(*args)
        except (IndexError, ValueError) as error:
            result = repr(error)
    lines = (line.split("\r")[-1] for line in written.getvalue().split("\n"))
    return repr(result), [text for line in lines if (text := " ".join(_NOISE.sub(" ", line).split()))]


def check(function, *argsets, **options):
    """Assert that the compiled function shows what the plain one does."""
    compiled = jit(function, **options)
    for args in argsets:
        want = shown(function, args)
        assert want[1]
        for _ in range(3):
            assert shown(compiled, args) == want
