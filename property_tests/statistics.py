"""Counts of what generated programs were made of and what they made run, to see what is never tried.

Everything is counted in programs: that a construct was met in so many of them.
"""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class Statistics:
    """Counts over many programs, and an example of each refusal.

    Attributes
    ----------
    programs : int
    counts : dict
        Category -> name -> in how many programs.
    there : dict
        Category -> all names that there are, of which those never met are told.
    examples : dict
        What was refused (or ill-typed) -> one such program, with its call.
    """

    def __init__(self) -> None:
        self.programs = 0
        self.counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.there: dict[str, list[str]] = {}
        self.examples: dict[str, str] = {}

    def count(self, met: Mapping[str, Iterable[str]]) -> None:
        """Add a program with the names that it met, by category."""
        self.programs += 1
        for category, names in met.items():
            self.counts[category].update(set(names))

    def count_verdict(self, verdict: str, key: str = "", example: str = "") -> None:
        """Add what became of a program; `key` says why it was not compared, `example` is it."""
        self.counts["verdicts"][verdict] += 1
        if key:
            self.counts["not compared"][key] += 1
            self.examples.setdefault(key, example)

    def share(self, verdict: str) -> float:
        """Which part of the programs came to a verdict."""
        verdicts = self.counts["verdicts"]
        return verdicts[verdict] / max(verdicts.total(), 1)

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for other processes."""
        counts = {category: dict(names) for category, names in self.counts.items()}
        return {"programs": self.programs, "counts": counts, "there": self.there, "examples": self.examples}

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add what another process has counted."""
        self.programs += other["programs"]
        for category, names in other["counts"].items():
            self.counts[category].update(names)
        self.there |= other["there"]
        self.examples = {**other["examples"], **self.examples}

    def report(self) -> Iterator[str]:
        """The lines of a report."""
        yield f"{self.programs} programs: {_listed(self.counts['verdicts'])}"
        for category in sorted({*self.counts, *self.there} - {"verdicts", "not compared"}):
            yield from _wrapped(f"{category}: {_listed(self.counts[category])}")
            never = sorted(set(self.there.get(category, ())) - set(self.counts[category]))
            if never:
                yield from _wrapped(f"    NEVER: {', '.join(never)}")
        for key, number in self.counts["not compared"].most_common():
            yield f"{number} {key}"
            yield from (f"    {line}" for line in self.examples[key].splitlines())


def _listed(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.most_common())


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118, subsequent_indent="    ", break_long_words=False)
