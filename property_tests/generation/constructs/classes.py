"""Classes that a function defines inside of itself."""

from __future__ import annotations

from property_tests.generation.kinds import INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()


@PRODUCTIONS.statement("local classes", 2)
def local_class(w: Writer) -> list[str] | None:
    """A class whose methods have control flow and see the function's names, an object of it, and calls."""
    if w.place.depth == 0 or w.place.functions > 1:
        return None
    name, held = w.fresh("Box"), w.fresh("box")
    methods = _method(w, "step", "v")
    start = [f"rate = {w.number(1, 3)}", "def __init__(self, value):", "    self.value = value"]
    lines = [f"class {name}:", *indented([*start, *methods]), f"{held} = {name}({w.expression(INT, 1)})"]
    form = w.one(
        f"{held}.step({w.atom(INT)})", f"{held}.step({w.atom(INT)}) + {held}.rate", f"{held}.step({held}.step(1) % 5)"
    )
    lines.append(w.assign(INT, form))
    if w.chance(50):
        lines += [f"{held}.value += {w.atom(INT)}", w.assign(INT, f"{held}.value")]
    if w.chance(30):
        lines.append(w.assign(INT, f"getattr({held}, '{w.one('value', 'rate')}') + hasattr({held}, 'other')"))
    return lines


def _method(w: Writer, name: str, parameter: str) -> list[str]:
    """A method that changes the object."""
    with w.inside({parameter: INT}, dict(w.names), depth=1, results=(INT,)):
        change = w.one(f"self.value += {w.expression(INT, 1)}", f"self.value = self.value % 9 + {w.atom(INT)}")
        lines = w.statements(2) if w.chance(60) else []
        gives = w.one("self.value", f"self.value + {w.atom(INT)}", f"self.value * self.rate - {w.atom(INT)}")
    return [f"def {name}(self, {parameter}):", *indented([change, *lines, f"return {gives}"])]
