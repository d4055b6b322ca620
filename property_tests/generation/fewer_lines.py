"""Make a failing program smaller by leaving out lines and blocks of its text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from property_tests.generation.programs import GeneratedProgram


def smallest(program: GeneratedProgram, shows: Callable[[GeneratedProgram], bool]) -> GeneratedProgram:
    """Return the program without the lines and blocks that the fault does not need.

    Parameters
    ----------
    program : GeneratedProgram
    shows : callable
        True for a program that still has the fault; what it raises counts as False.
    """
    for text in _smaller(program.text):
        fewer = dataclasses.replace(program, text=text)
        try:
            faulty = shows(fewer)
        except Exception:  # no Python any more
            continue
        if faulty:
            return smallest(fewer, shows)
    return program


def _smaller(text: str) -> Iterator[str]:
    """Yield the text without one statement of the function, or with the body of a block in place of the block."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("def f("))
    for i in range(start + 1, len(lines) - 1):
        depth = _depth(lines[i])
        end = next((j for j in range(i + 1, len(lines)) if lines[j] and _depth(lines[j]) <= depth), len(lines))
        if lines[i]:
            yield "\n".join([*lines[:i], *lines[end:]])
            yield "\n".join([*lines[:i], *[line[4:] for line in lines[i + 1 : end]], *lines[end:]])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
