"""Random programs of nested control flow over ints."""

from __future__ import annotations

import random

NAMES = ("a", "b", "c", "d")


class Generator:
    """Writes one function `f(a, b)`; `tick()` bounds how long it runs."""

    def __init__(self, seed: int, native: bool = False) -> None:
        self.random = random.Random(seed)
        self.native = native
        self.lines: list[str] = []
        self.calls: list[str] = []

    def program(self) -> str:
        self.lines = ["def f(a, b):"]
        if self.random.random() < 0.3:
            self.lines.append("    c = 1")
        if self.random.random() < 0.4:
            self.lines += ["    def g(k):", "        return k + a"]
            self.calls.append("g(2)")
        if self.random.random() < 0.2:
            self.lines += ["    def h():", "        nonlocal b", "        b += 1", "        return b"]
            self.calls.append("h()")
        self.block(1, False, self.random.randint(2, 4), 3)
        if self.random.random() < 0.8:
            self.line(1, f"return {', '.join(self.random.sample(NAMES, self.random.randint(1, 3)))}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def value(self) -> str:
        pick = self.random.random()
        if pick < 0.3:
            return str(self.random.randint(0, 5))
        if pick < 0.5:
            return self.random.choice(NAMES)
        if self.calls and pick < 0.55:
            return self.random.choice(self.calls)
        if pick < 0.6:
            return f"({self.random.choice(NAMES)} if {self.test()} else {self.random.randint(0, 3)})"
        # No products of variables: numbers would grow without end.
        if pick < 0.7:
            return f"{self.random.choice(NAMES)} * {self.random.randint(-1, 2)}"
        return f"{self.random.choice(NAMES)} {self.random.choice('+-')} {self.random.choice([*NAMES, '1', '2'])}"

    def test(self) -> str:
        x, y = self.random.choice(NAMES[:2]), self.random.choice([*NAMES, "2", "3"])
        if self.native and self.random.random() < 0.25:
            return self.assigning(x, y)
        forms = (
            f"{x} > {y}", f"{x} % 2 == 0", f"{x} < 3 and {y} > 1", f"0 < {x} < {y}", f"not {x}",
            f"{x} == {y} or {y} < 1",
        )  # fmt: skip
        return self.random.choice(forms)

    def assigning(self, x: str, y: str) -> str:
        """A test that assigns a name, or may."""
        name = self.random.choice(NAMES)
        forms = (
            f"({name} := {x} - 1) > {y}", f"{x} > 1 and ({name} := {y} + 1) > 2", f"{x} > 1 or ({name} := 3) > {y}",
            f"0 < ({name} := {x} + 1) < {y}", f"(({name} := {x}) if {y} > 1 else ({name} := 2)) < 3",
            f"any(({name} := v) > 2 for v in ({x}, 1, {y}))",
            f"sum([({name} := v + {x}) for v in range(abs({x}) % 4)]) > 3",
        )  # fmt: skip
        return self.random.choice(forms)

    def block(self, depth: int, loop: bool, count: int, room: int) -> None:
        for _ in range(count):
            if self.statement(depth, loop, room):
                return

    def statement(self, depth: int, loop: bool, room: int) -> bool:
        """One statement; whether it leaves the block."""
        pick = self.random.random()
        if room and pick < 0.3:
            self.if_(depth, loop, room - 1)
        elif room and pick < 0.5:
            self.loop(depth, room - 1)
        elif room and self.native and pick < 0.58:
            self.try_(depth, loop, room - 1)
        elif room and self.native and pick < 0.63:
            self.line(depth, f"with manager({self.random.choice('ab')}):")
            self.block(depth + 1, loop, self.random.randint(1, 3), room - 1)
        elif room and self.native and pick < 0.67:
            self.match(depth, loop, room - 1)
        elif room and loop and pick < 0.685:
            self.local_function(depth)
        elif pick < 0.69:
            self.line(depth, f"return {self.value()}")
            return True
        elif loop and pick < 0.8:
            self.line(depth, self.random.choice(("break", "continue")))
            return True
        elif pick < 0.82:
            self.line(depth, f"del {self.random.choice(NAMES)}")
        elif self.native and pick < 0.85:
            self.line(depth, f"raise {self.random.choice(('ValueError', 'KeyError'))}({self.value()})")
            return True
        else:
            sign = self.random.choice(("=", "=", "=", "+="))
            self.line(depth, f"{self.random.choice(NAMES)} {sign} {self.value()}")
        return False

    def if_(self, depth: int, loop: bool, room: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, loop, self.random.randint(1, 3), room)
        if self.random.random() < 0.2:
            self.line(depth, f"elif {self.test()}:")
            self.block(depth + 1, loop, self.random.randint(1, 2), room)
        if self.random.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, loop, self.random.randint(1, 3), room)

    def loop(self, depth: int, room: int) -> None:
        if self.random.random() < 0.6:
            target = self.random.choice((*NAMES, "i", "j"))
            self.line(depth, f"for {target} in range({self.random.choice(('3', '4', 'min(abs(a), 5)'))}):")
        else:
            self.line(depth, f"while {self.random.choice((self.test(), self.test(), 'True'))}:")
        self.line(depth + 1, "tick()")
        self.block(depth + 1, True, self.random.randint(1, 4), room)
        if self.random.random() < 0.25:
            self.line(depth, "else:")
            self.block(depth + 1, False, self.random.randint(1, 2), room)

    def local_function(self, depth: int) -> None:
        """A function that shares a name of the loop around it, called here, or kept under a name for later."""
        name = self.random.choice(NAMES)
        self.line(depth, f"def k{depth}(n):")
        self.line(depth + 1, f"return n - {name}")
        self.line(depth, f"{self.random.choice(NAMES)} = k{depth}({self.random.choice(NAMES)})")
        if self.random.random() < 0.3:
            self.line(depth, f"{self.random.choice(NAMES)} = [k{depth}][0](1)")

    def try_(self, depth: int, loop: bool, room: int) -> None:
        self.line(depth, "try:")
        self.block(depth + 1, loop, self.random.randint(1, 3), room)
        has_handler = self.random.random() < 0.8
        if has_handler:
            self.line(depth, self.random.choice(("except ValueError:", "except (ValueError, UnboundLocalError) as d:")))
            self.block(depth + 1, loop, self.random.randint(1, 2), room)
            if self.random.random() < 0.3:
                self.line(depth, "else:")
                self.block(depth + 1, loop, self.random.randint(1, 2), room)
        if not has_handler or self.random.random() < 0.3:
            self.line(depth, "finally:")
            self.line(depth + 1, f"{self.random.choice(NAMES)} = {self.random.randint(0, 3)}")
            if room:
                self.line(depth + 1, f"if {self.test()}:")
                self.line(depth + 2, f"{self.random.choice(NAMES)} = {self.value()}")
                if self.random.random() < 0.2:
                    self.line(depth + 2, "break" if loop and self.random.random() < 0.5 else "return a")

    def match(self, depth: int, loop: bool, room: int) -> None:
        simple = ("0 | 1", "2", "3 | 4", "-1", "k if k > 2", "int() as d")
        pairs = (
            "(0, c) | (c, 1)",
            "(d, k) if k > 2",
            "[1, *d]",
            "(c, 3 | 4 as d) if c > d",
            "(2, _)",
            "(a, b) if a < b",
        )
        subject, patterns = self.random.choice((("a", simple), ("b", simple), ("(a, b)", pairs)))
        self.line(depth, f"match {subject}:")
        for pattern in self.random.sample(patterns, 2):
            self.line(depth + 1, f"case {pattern}:")
            self.block(depth + 2, loop, self.random.randint(1, 2), room)
        if self.random.random() < 0.6:
            self.line(depth + 1, "case _:")
            self.block(depth + 2, loop, self.random.randint(1, 2), room)
