"""`with`: managers of contextlib's and of the program's own."""

from __future__ import annotations

from property_tests.generation.constructs.raising import BASES, OWN, failing
from property_tests.generation.kinds import FLOAT, INT
from property_tests.generation.productions import statement
from property_tests.generation.writer import Writer, indented, leaves

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
FORGIVING = (
    "class Forgiving:",
    "    def __init__(self):",
    "        self.count = 0",
    "    def __enter__(self):",
    "        return self",
    "    def __exit__(self, kind, error, trace):",
    "        self.count += 1",
    "        return kind is not None and issubclass(kind, ArithmeticError)",
)
SCALED = ("@contextlib.contextmanager", "def scaled(value, by=2):", "    yield value * by")


@statement("with", 3)
def with_(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name, value = w.fresh(INT), w.expression(INT, 1)
    which = w.one("nullcontext", "own", "generator", "two")
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
    with w.at(depth=w.place.depth - 1, **_reached(w, which)):
        w.names[name] = INT
        lines = w.statements(3)
    return [f"with {made}:", *indented(lines)]


def _reached(w: Writer, which: str) -> dict[str, frozenset[str]]:
    # A manager that runs while tracing sees nothing that the block raises at run time, and refuses a block in which a
    # handler around it would see what it does.
    return {"caught": frozenset()} if which == "generator" else {}


@statement("suppress", 2)
def suppressed(w: Writer) -> list[str] | None:
    """A block that an exception ends, and no more."""
    if w.place.depth == 0:
        return None
    w.need("import contextlib")
    name = str(w.one(*(n for n in BASES if n not in OWN)))
    several = f"{name}, {w.one('KeyError', 'UnboundLocalError')}" if w.chance(30) else name
    return [f"with contextlib.suppress({several}):", *_failing_block(w, name)]


@statement("managers that end exceptions", 2)
def forgiven(w: Writer) -> list[str] | None:
    """The program's own manager, which ends one class of exceptions and counts its blocks."""
    if w.place.depth == 0:
        return None
    w.need(*FORGIVING)
    name = w.fresh("manager")
    lines = [f"{name} = Forgiving()", f"with {name}:", *_failing_block(w, "ArithmeticError")]
    return [*lines, w.assign(INT, f"{name}.count")]


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
