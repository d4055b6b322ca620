"""What generated programs were made of and what they made run: counted, to see what is never tried.

Everything is counted in programs: that a construct was met in so many of them.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import re
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

from anabranch.runtime import optimise
from anabranch.runtime.control import vocabulary
from anabranch.transpile import rewriter
from anabranch.transpile.passes import PASSES
from anabranch.transpile.reader import Reader
from property_tests.generation.productions import EXPRESSIONS, STATEMENTS
from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import Judgement, Verdict
from tests.docs.grammar import NEWER, SHOWN

# Category -> names. Of a category in `expected()`, what is never met is told.
Counts = dict[str, collections.Counter[str]]


class Statistics:
    """Counts over many programs, and an example of each refusal.

    Attributes
    ----------
    programs : int
    counts : dict
        Category -> name -> in how many programs.
    examples : dict
        What was refused (or ill-typed) -> one such program, with its call.
    """

    def __init__(self) -> None:
        self.programs = 0
        self.counts: Counts = collections.defaultdict(collections.Counter)
        self.examples: dict[str, str] = {}

    @contextlib.contextmanager
    def observing(self, program: GeneratedProgram) -> Iterator[None]:
        """Count what the program is made of, and which passes do something meanwhile."""
        _hook()
        met = _Met()
        token, _Met.now = _Met.now, met
        try:
            yield
        finally:
            _Met.now = token
        self.programs += 1
        met["features"].update(program.features)
        met["kinds of nodes"].update(kinds_of(program.text))
        for category, names in met.items():
            self.counts[category].update(names)

    def add(self, judgement: Judgement, example: str) -> None:
        """Count what became of a program."""
        self.counts["verdicts"][judgement.verdict.value] += 1
        if judgement.verdict in (Verdict.REFUSED, Verdict.ILL_TYPED):
            key = f"{judgement.verdict.value}: {judgement.key}"
            self.counts["not compared"][key] += 1
            self.examples.setdefault(key, example)

    def share(self, verdict: Verdict) -> float:
        """Which part of the programs came to a verdict."""
        verdicts = self.counts["verdicts"]
        return verdicts[verdict.value] / max(verdicts.total(), 1)

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON and for other processes."""
        counts = {category: dict(names) for category, names in self.counts.items()}
        return {"programs": self.programs, "counts": counts, "examples": self.examples}

    def merge(self, other: dict[str, Any]) -> None:
        """Add what another process has counted."""
        self.programs += other["programs"]
        for category, names in other["counts"].items():
            self.counts[category].update(names)
        self.examples = {**other["examples"], **self.examples}

    def report(self) -> Iterator[str]:
        """The lines of a report."""
        yield f"{self.programs} programs"
        for category in sorted({*self.counts, *expected()}):
            found, there = self.counts[category], expected().get(category, ())
            yield f"{category}:"
            yield from (f"  {number:>8} {name}" for name, number in found.most_common())
            never = sorted(set(there) - set(found))
            if never:
                yield f"     never {', '.join(never)}"
        for key, example in self.examples.items():
            yield f"example of {key}"
            yield from (f"    {line}" for line in example.splitlines())


class _Met(collections.defaultdict[str, set[str]]):
    """What one program has met, by category."""

    now: _Met | None = None

    def __init__(self) -> None:
        super().__init__(set)


def _meet(category: str, *names: str) -> None:
    if _Met.now is not None:
        _Met.now[category].update(names)


def kinds_of(text: str) -> set[str]:
    """The kinds of nodes of Python's grammar in a program, by their names in `ast`."""
    return {type(node).__name__ for node in ast.walk(ast.parse(text))}


@functools.cache
def expected() -> dict[str, Collection[str]]:
    """What there is to meet, by category."""
    productions = [*STATEMENTS, *(p for ps in EXPRESSIONS.values() for p in ps)]
    staged = [name for name, value in vars(vocabulary).items() if not isinstance(value, types.ModuleType)]
    return {
        "features": {p.feature for p in productions},
        "kinds of nodes": {kind for kind in SHOWN if kind not in NEWER},
        "rewriting passes": {type(p).__name__ for p in PASSES},
        "control constructs": {name for name in staged if not name.startswith("_") and name != "annotations"},
        "optimiser passes": {run.__name__ for run in optimise.PASSES},
    }


# ---- which passes did something --------------------------------------------------------------------------------------


@functools.cache
def _hook() -> None:
    """Let the passes say what they change; once."""
    unchanged = _noting_children()
    for kind in {type(p) for p in PASSES}:
        for method in ("simplify", "lower", "rewrite"):
            if hasattr(kind, method):
                setattr(kind, method, _telling(kind, getattr(kind, method), unchanged))
    plain: Any = optimise.PASSES
    optimise.PASSES = tuple(map(_telling_of_program, plain))
    rewrite_function = rewriter.rewrite_function

    @functools.wraps(rewrite_function)
    def rewritten(*args: Any, **kwargs: Any) -> Any:
        made = rewrite_function(*args, **kwargs)
        _meet("control constructs", *re.findall(r"\bab\.(\w+)", made.source))
        return made

    rewriter.rewrite_function = rewritten


def _noting_children() -> list[Any]:
    """What an expression became of which only the parts were rewritten, the last one: its own pass did nothing."""
    children, last = Reader.children, [None]

    @functools.wraps(children)
    def noted(self: Any, node: Any, *rest: Any) -> Any:
        last[0] = children(self, node, *rest)
        return last[0]

    Reader.children = noted  # type: ignore[method-assign]
    return last


def _telling(kind: type, method: Callable[..., Any], unchanged: list[Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def told(self: Any, work: Any, node: Any, *rest: Any) -> Any:
        made = method(self, work, node, *rest)
        changed = getattr(made, "statements", made)
        alone = changed[0] if isinstance(changed, list) and len(changed) == 1 else changed
        if alone is not None and alone is not node and alone is not unchanged[0]:
            _meet("rewriting passes", kind.__name__)
        return made

    return told


def _telling_of_program(run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(run)
    def told(program: Any) -> Any:
        made = run(program)
        if made is not program and str(made) != str(program):
            _meet("optimiser passes", run.__name__)
        return made

    return told
