"""`type` statements, and functions with type parameters, where Python has them."""

from __future__ import annotations

import sys

from property_tests.generation.kinds import FLOAT, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

if sys.version_info >= (3, 12):

    @PRODUCTIONS.statement("type statements", 1)
    def type_statement(w: Writer) -> list[str]:
        name = w.fresh("Number")
        return [f"type {name} = {w.one('int', 'int | float')}"]

    @PRODUCTIONS.statement("type parameters", 1)
    def generic(w: Writer) -> list[str] | None:
        """A function that gives what it takes."""
        if w.place.depth == 0:
            return None
        kind = w.one(INT, FLOAT)
        function, value = w.fresh("generic"), w.expression(kind, 1)
        head = f"def {function}[T, *Ts, **P](v: T) -> T:"
        return [head, "    return v", f"{w.target(kind)} = {function}({value})"]
