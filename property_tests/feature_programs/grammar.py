"""Programs of a grammar: templates, in which `<name>` stands for one of the texts of that name.

A line that is `<block>` alone stands for a few statements.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from property_tests.generation.programs import GeneratedProgram

_PLACE = re.compile(r"<(\w+)>")
_BLOCK = re.compile(r"^( *)<block>$", re.MULTILINE)
# Deeper than that, the first text of a name is taken, which leads no deeper.
_DEEPEST = 3
# How many blocks may stand within each other.
_BLOCKS = 2


@dataclass(frozen=True)
class Grammar:
    """The programs of a feature.

    Attributes
    ----------
    module : str
        A template of the whole module, which defines `f`; in it `<block>` is where the statements of the program go.
    calls : str
        A template of the arguments of a call, as a tuple.
    words : mapping
        Name -> the texts that it may stand for. "statement" and "compound" are its statements, those with blocks in
        them apart.
    sets : int
        With how many sets of arguments a program is called.
    """

    module: str
    calls: str
    words: Mapping[str, tuple[str, ...]]
    sets: int = 2

    def program_of(self, seed: int) -> GeneratedProgram:
        """The program of a seed, the same in every run."""
        choice = random.Random(seed)
        text = self._with_blocks(choice, self.module, _BLOCKS + 1, most=5)
        calls = tuple(self._filled(choice, self.calls, 0) for _ in range(self.sets))
        return GeneratedProgram(text, calls)

    def _with_blocks(self, choice: random.Random, template: str, depth: int, most: int) -> str:
        """A template with its blocks, whose names are filled, too."""
        parts = _BLOCK.split(self._filled(choice, template, 0, f"t{depth}"))
        # What is split has the indentation of each block between the texts around it.
        made = [parts[0]]
        for indentation, after in zip(parts[1::2], parts[2::2], strict=True):
            lines = [self._statement(choice, depth - 1) for _ in range(choice.randint(1, most))]
            made += [textwrap.indent("\n".join(lines), indentation), after]
        return "".join(made)

    def _statement(self, choice: random.Random, depth: int) -> str:
        if depth > 0 and choice.random() < 0.4:
            return self._with_blocks(choice, choice.choice(self.words["compound"]), depth, most=2)
        return self._filled(choice, choice.choice(self.words["statement"]), 0)

    def _filled(self, choice: random.Random, template: str, depth: int, counter: str = "t") -> str:
        """A template with its names filled, but for blocks; `<t>` is a counter that is the block's own."""

        def word(place: re.Match[str]) -> str:
            name = place[1]
            if name == "block":
                return place[0]
            if name == "t":
                return counter
            texts = self.words[name]
            text = self._filled(choice, choice.choice(texts) if depth < _DEEPEST else texts[0], depth + 1)
            line = template[template.rfind("\n", 0, place.start()) + 1 : place.start()]
            return text.replace("\n", "\n" + " " * (len(line) - len(line.lstrip())))

        return _PLACE.sub(word, template)
