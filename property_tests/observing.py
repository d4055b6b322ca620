"""Which constructs, passes and entry points a generated program meets while it is judged."""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from anabranch import jit
from anabranch.runtime import passes
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.control import vocabulary
from anabranch.runtime.ir.program import Program
from anabranch.transpile import rewriter
from anabranch.transpile.passes import PASSES
from anabranch.transpile.reader import Reader
from property_tests.generation.constructs import PRODUCTIONS
from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import Judgement, Verdict, judge
from property_tests.statistics import Statistics
from tests.behaviour.docs.grammar import NEWER, SHOWN

_FEATURES, _KINDS = "features", "kinds of nodes"
_REWRITING, _CONTROL, _OPTIMISER = "rewriting passes", "control constructs", "optimiser passes"


def judged(
    program: GeneratedProgram,
    statistics: Statistics,
    judge: Callable[[GeneratedProgram, Wrapped[..., Any]], Judgement] = judge,
    **options: Any,
) -> Judgement:
    """Return what the oracles say of a program that `jit` compiles with these options, and count it."""
    _hook()
    statistics.there = statistics.there or _there()
    with _met() as met:
        judgement = judge(program, jit(program.function, **options))
    met[_FEATURES].update(program.features)
    met[_KINDS].update(kinds_of(program.text))
    statistics.count(met)
    key = f"{judgement.verdict.value}: {judgement.key}"
    is_compared = judgement.verdict in (Verdict.EQUAL, Verdict.DIFFERENT)
    example = f"# f{judgement.call}\n{program.text}{judgement.error}"
    statistics.count_verdict(judgement.verdict.value, "" if is_compared else key, example)
    return judgement


def kinds_of(text: str) -> set[str]:
    """The kinds of nodes of Python's grammar in a program, by their names in `ast`."""
    return {type(node).__name__ for node in ast.walk(ast.parse(text))}


def supported_kinds() -> set[str]:
    """The kinds of nodes that are not refused, of those that this Python knows: the rows of docs/support.md."""
    return {*SHOWN, *(kind for kind, (since, _) in NEWER.items() if sys.version_info >= since)}


def _there() -> dict[str, list[str]]:
    """The things to observe, by category."""
    staged = [name for name, value in vars(vocabulary).items() if not isinstance(value, types.ModuleType)]
    return {
        _FEATURES: sorted({p.feature for p in PRODUCTIONS.every}),
        _KINDS: sorted(supported_kinds()),
        _REWRITING: sorted({type(p).__name__ for p in PASSES}),
        _CONTROL: [name for name in staged if not name.startswith("_") and name not in ("annotations", "namespace")],
        _OPTIMISER: [one.name for one in passes.PASSES],
    }


# ---- which passes did something --------------------------------------------------------------------------------------

Met = dict[str, set[str]]
_now: list[Met] = []


@contextlib.contextmanager
def _met() -> Iterator[Met]:
    _now.append(collections.defaultdict(set))
    try:
        yield _now[-1]
    finally:
        _now.pop()


def _meet(category: str, *names: str) -> None:
    if _now:
        _now[-1][category].update(names)


@functools.cache
def _hook() -> None:
    """Let the passes say what they change; once."""
    unchanged = _noting_children()
    for kind in {type(p) for p in PASSES}:
        for method in ("simplify", "lower", "rewrite"):
            if hasattr(kind, method):
                setattr(kind, method, _telling(kind, getattr(kind, method), unchanged))
    passes.PASSES = tuple(passes.Pass(_telling_of_program(one)) for one in passes.PASSES)
    rewrite_function = rewriter.rewrite_function

    @functools.wraps(rewrite_function)
    def rewritten(*args: Any, **kwargs: Any) -> Any:
        made = rewrite_function(*args, **kwargs)
        _meet(_CONTROL, *re.findall(r"\bab\.(\w+)", made.source))
        return made

    rewriter.rewrite_function = rewritten


def _noting_children() -> list[Any]:
    """Return the last node of an expression of which only the parts were rewritten: its own pass did nothing."""
    children, last = Reader.children, [None]

    @functools.wraps(children)
    def noted(self: Any, node: Any) -> Any:
        last[0] = children(self, node)
        return last[0]

    Reader.children = noted
    return last


def _telling(kind: type, method: Callable[..., Any], unchanged: list[Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def told(self: Any, work: Any, node: Any, *rest: Any) -> Any:
        made = method(self, work, node, *rest)
        changed = getattr(made, "statements", made)
        alone = changed[0] if isinstance(changed, list) and len(changed) == 1 else changed
        if alone is not None and alone is not node and alone is not unchanged[0]:
            _meet(_REWRITING, kind.__name__)
        return made

    return told


def _telling_of_program(one: passes.Pass) -> Callable[[Program], Program]:
    @functools.wraps(one.run)
    def told(program: Program) -> Program:
        made = one.run(program)
        if made is not program and _outline(made) != _outline(program):
            _meet(_OPTIMISER, one.name)
        return made

    return told


def _outline(program: Program) -> list[Any]:
    """Return a key that tells a Program from a pass's result, and is cheaper than its text."""
    return [
        len(program.inputs),
        *((e.op.name, len(e.inputs), sorted(e.params), list(map(_outline, e.programs()))) for e in program.equations),
    ]
