"""`with`: managers of contextlib's and of the program's own."""

from __future__ import annotations

from property_tests.generation.constructs.raising import BASES, OWN, failing
from property_tests.generation.kinds import FLOAT, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented, leaves

PRODUCTIONS = Productions()

SCOPE = (
    "class Scope:",
    "    def __init__(self, value):",
    "        self.value = value",
    "    def __enter__(self):",
    "        print('enter', self.value)",
    "        return self.value",
    "    def __exit__(self, kind, error, trace):",
    "        print('leave', kind is None)",
    "        return False",
)
SCALED = ("@contextlib.contextmanager", "def scaled(value, by=2):", "    yield value * by")


@PRODUCTIONS.statement("with", 3)
def with_(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name, value = w.fresh(INT), w.expression(INT, 1)
    # A handler around the block would see what a manager of the program's own does; nor may such a one end exceptions.
    # A generator's manager is left while tracing, so that nothing of the block may raise.
    which = w.one("nullcontext", *([] if w.place.caught else ["own", "two"]), *_generated(w))
    if which in ("nullcontext", "generator", "two"):
        w.need("import contextlib")
    if which in ("own", "two"):
        w.need(*SCOPE)
    if which == "generator":
        w.need(*SCALED)
    made = {
        "nullcontext": f"contextlib.nullcontext({value}) as {name}",
        "own": f"Scope({value}) as {name}",
        "generator": f"scaled({value}{w.one('', ', by=3')}) as {name}",
        "two": f"Scope({w.atom(FLOAT)}), contextlib.nullcontext({value}) as {name}",
    }[which]
    with w.at(depth=w.place.depth - 1):
        w.names[name] = INT
        lines = w.statements(3)
    return [f"with {made}:", *indented(lines)]


def _generated(w: Writer) -> list[str]:
    return [] if w.place.caught or "failures" in w.features else ["generator"]


@PRODUCTIONS.statement("suppress", 2)
def suppressed(w: Writer) -> list[str] | None:
    """A block that an exception ends, and no more."""
    if w.place.depth == 0:
        return None
    w.need("import contextlib")
    name = str(w.one(*(n for n in BASES if n not in OWN)))
    several = f"{name}, {w.one('KeyError', 'UnboundLocalError')}" if w.chance(30) else name
    return [f"with contextlib.suppress({several}):", *_failing_block(w, name)]


def _failing_block(w: Writer, name: str) -> list[str]:
    with w.at(depth=w.place.depth - 1, caught=w.place.caught | {name}):
        lines = w.statements(2) if w.chance(60) else []
        if leaves(lines):
            return indented(lines)
        for _ in range(6):
            text, fails, kind = failing(w)
            if name in (fails, *BASES[fails]):
                lines.append(w.assign(kind, text))
                break
        lines += w.statements(2) if w.chance(50) or not lines else []
    return indented(lines)
