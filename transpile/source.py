"""Where the text of a function stands, and the text."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib.machinery
import inspect
import itertools
import linecache
import os
import re
import stat
import sys
import time
import types
import unicodedata

from anabranch.base.code_objects import codes
from anabranch.base.frozen import frozen
from anabranch.transpile.errors import NoSourceError


@frozen
class FunctionSource:
    """The text of one function, cut out of its file with whole lines.

    Parameters
    ----------
    text : str
        For a `def`: its lines as they stand. For a lambda: the expression in parentheses.
    filename : str
        The file as the code object names it (a notebook cell has a made-up name that `linecache` knows).
    first_line : int
        Number of the first line of `text` in the file.
    first_column : int
        What to add to columns on the first line of `text` (0 but for lambdas).
    is_lambda : bool
        Whether `text` is one lambda expression.
    """

    text: str
    filename: str
    first_line: int
    first_column: int = 0
    is_lambda: bool = False

    @property
    def indented(self) -> bool:
        """Return whether the function stands inside a block."""
        return self.text[:1].isspace()

    def line(self, number: int) -> str:
        """Line `number` of the user's file, without its line end."""
        found = linecache.getline(self.filename, number)
        if not found:
            lines = self.text.splitlines()
            found = lines[number - self.first_line] if 0 <= number - self.first_line < len(lines) else ""
        return found.rstrip("\r\n")


def find_source(function: types.FunctionType) -> FunctionSource:
    """The source of `function`.

    Raises
    ------
    NoSourceError
        When there is none: builtins, code made by `exec`, a file that has gone.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise NoSourceError(f"{function!r} is not a Python function, so it has no source to compile; wrap it in one")
    # As inspect does: a module may have been edited and loaded again since its lines were read.
    linecache.checkcache(code.co_filename)
    lines = _lines_of_program(code) or linecache.getlines(code.co_filename, function.__globals__)
    if not lines and code.co_filename.startswith("<"):
        lines = _lines_of_cell(code)
    # Much code that `exec` runs has that name, and one text may be known by it.
    unknown = code.co_filename == "<string>" and code not in _codes_of("".join(lines))
    if not lines or unknown or code.co_firstlineno > len(lines):
        raise NoSourceError(
            f"no source for {function.__qualname__}: {code.co_filename}, line {code.co_firstlineno}, can't be read; "
            + _advice(code)
        )
    if _may_have_changed(function) and code not in _codes_of("".join(lines)):
        raise NoSourceError(
            f"{code.co_filename}, line {code.co_firstlineno}: the file has changed since {function.__qualname__} was "
            "loaded from it; load it again"
        )
    return _lambda_source(code, lines) if code.co_name == "<lambda>" else _def_source(code, lines)


LOAD_AGAIN = "if the file has changed, load it again"


def is_of_program(code: types.CodeType) -> bool:
    """Return whether the code is of a program given to Python on its command line or as its input, or of a notebook."""
    return bool(_lines_of_program(code) or _lines_of_cell(code))


def _lines_of_program(code: types.CodeType) -> list[str]:
    """The lines of a program that Python was given on its command line (`-c`), or as its input (`python < file`)."""
    texts: list[str] = []
    if code.co_filename == "<string>":
        arguments = sys.orig_argv
        texts = [text for option, text in itertools.pairwise(arguments) if re.fullmatch("-[A-Za-z]*c", option)]
    elif code.co_filename == "<stdin>":
        with contextlib.suppress(OSError, ValueError):
            found = os.fstat(0)
            if stat.S_ISREG(found.st_mode):
                texts = [os.pread(0, found.st_size, 0).decode()]
    return next((text.splitlines(keepends=True) for text in texts if code in _codes_of(text)), [])


def _lines_of_cell(code: types.CodeType) -> list[str]:
    """The lines of a notebook's cell below its magic (`%%time`, `%%prun`), which compiles them under no name."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    cells = getattr(getattr(shell, "history_manager", None), "input_hist_raw", ())
    below = (cell.partition("\n")[2] for cell in reversed(cells) if cell.startswith("%%"))
    return next((text.splitlines(keepends=True) for text in below if code in _codes_of(text)), [])


def _advice(code: types.CodeType) -> str:
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        return "a magic such as %%timeit keeps no source: define the function in a cell without one"
    return "put the function into a file or a notebook cell (the prompt of Python 3.13 keeps sources, too)"


def _may_have_changed(function: types.FunctionType) -> bool:
    """Return whether the function's file was written after this module was imported, and Python alone compiled it."""
    loader = function.__globals__.get("__loader__")
    # Hooks like that of pytest compile something else than what the file says.
    if type(loader) is not importlib.machinery.SourceFileLoader:
        return False
    try:
        found = os.stat(function.__code__.co_filename)
    except OSError:
        return False
    return max(found.st_mtime, found.st_ctime) >= _IMPORTED - _CLOCK_STEP


# File systems may round times; some look a second back.
_CLOCK_STEP = 2.0
_IMPORTED = time.time()


@functools.lru_cache(maxsize=4)
def _codes_of(text: str) -> frozenset[types.CodeType]:
    """Every code object that a file compiles to; they are equal where all but the file's name is."""
    try:
        return frozenset(codes(compile(text, "", "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):
        return frozenset()


def _def_source(code: types.CodeType, lines: list[str]) -> FunctionSource:
    """The block that starts on the code's first line, with its decorators."""
    first = code.co_firstlineno
    try:
        block = _block(code, lines) or inspect.getblock(lines[first - 1 :])
    except (IndentationError, SyntaxError) as error:
        raise NoSourceError(
            f"{code.co_filename}, line {first}: the source no longer parses ({error}); {LOAD_AGAIN}"
        ) from error
    # A form feed at the start of a line counts for nothing, and sets the count of columns back.
    text = "".join(block).lstrip("\f")
    if f"def {code.co_name}" not in unicodedata.normalize("NFKC", " ".join(text.split())):
        raise NoSourceError(f"{code.co_filename}, line {first}: there is no 'def {code.co_name}' here; {LOAD_AGAIN}")
    return FunctionSource(text if text.endswith("\n") else text + "\n", code.co_filename, first)


def _block(code: types.CodeType, lines: list[str]) -> list[str] | None:
    """Return the result of `inspect.getblock`, told by indentation after the last line of code, or None.

    Cutting a file into tokens, as that does, takes longer than all else that a function found in the cache needs.
    """
    first = lines[code.co_firstlineno - 1]
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    end = after = _last_line(code)
    for line in lines[after:]:
        text = line.lstrip(" \t")
        indentation = line[: len(line) - len(text)]
        if text.strip() and not (indentation.startswith(margin) and len(indentation) > len(margin)):
            break
        after += 1
        if text.startswith("#"):
            return None
        if text.strip():
            end = after
    block = lines[code.co_firstlineno - 1 : end]
    if any("\f" in line for line in lines[code.co_firstlineno - 1 : after]):
        return None
    try:
        ast.parse("".join(["if True:\n", *block] if margin else block))
    except (SyntaxError, ValueError):
        return None
    return block


def _last_line(code: types.CodeType) -> int:
    """The last line that something in a function's code stands on."""
    lines = [end for part in codes(code) for _, end, _, _ in part.co_positions() if end is not None]
    return max([*lines, *(part.co_firstlineno for part in codes(code))])


def _lambda_source(code: types.CodeType, lines: list[str]) -> FunctionSource:
    """The lambda expression whose body has the positions that the code object has."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError as error:
        raise NoSourceError(f"{code.co_filename}: the source no longer parses ({error}); {LOAD_AGAIN}") from error
    on_line = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    found = on_line if len(on_line) == 1 else _around(code, on_line)
    if len(found) != 1:
        raise NoSourceError(
            f"{code.co_filename}, line {code.co_firstlineno}: can't tell which of the lambdas on this line is meant; "
            "write each on a line of its own"
        )
    node = found[0]
    segment = ast.get_source_segment("".join(lines), node)
    assert segment is not None
    # One column for the parenthesis that lets the expression run over several lines.
    column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode()) - 1
    return FunctionSource(f"({segment})\n", code.co_filename, node.lineno, column, is_lambda=True)


def _around(code: types.CodeType, candidates: list[ast.Lambda]) -> list[ast.Lambda]:
    """The innermost lambda with all positions of the code inside its body."""
    spans = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line
        and end_line
        and column is not None
        and end_column is not None
        and (line, column) < (end_line, end_column)
    ]
    if not spans:
        return []
    first, last = min(s[:2] for s in spans), max(s[2:] for s in spans)
    around = [n for n in candidates if _start(n.body) <= first and last <= _end(n.body)]
    return [max(around, key=lambda n: _start(n.body))] if around else []


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0
