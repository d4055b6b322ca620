"""Helpers of the module, inner functions with closures, and calls of both with all kinds of arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from property_tests.generation.constructs.raising import allowed, fail_if
from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Bool, Float, Function, Int, Kind, Parameter
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented, leaves

PRODUCTIONS = Productions()

PRODUCTIONS.option(
    "nonlocal",
    "default arguments",
    "keyword arguments",
    "rest arguments",
    "options",
    "positional-only parameters",
    "keyword-only parameters",
    "starred arguments",
    "array parameters",
    "several results",
    "return in both branches",
    "decorators",
)

SHAPES = (Array("float64", (4,)), Array("int64", (5,)), Array("float64", (2, 3)))
KEYS = ("p", "q", "r")

# ---- definitions -----------------------------------------------------------------------------------------------------


def parameters(w: Writer, *kinds: Kind) -> tuple[Parameter, ...]:
    """Parameters of one function: those of the kinds first, then others of all forms."""
    made = [Parameter(w.fresh("v"), kind) for kind in kinds]
    made += [Parameter(w.fresh("v"), _kind(w)) for _ in range(w.number(0, 2))]
    if made and w.having("positional-only parameters") and w.chance(40):
        made[0] = Parameter(made[0].name, made[0].kind, "positional")
    if w.having("default arguments") and w.chance(50):
        made.append(Parameter(w.fresh("v"), w.one(INT, FLOAT, BOOL), "default"))
    if w.having("rest arguments") and w.chance(35):
        made.append(Parameter(w.fresh("rest"), INT, "rest"))
    if w.having("keyword-only parameters") and w.chance(40):
        made.append(Parameter(w.fresh("v"), w.one(INT, FLOAT), w.one("keyword", "keyword default")))
    if w.having("options") and w.chance(35):
        made.append(Parameter(w.fresh("options"), INT, "options"))
    return tuple(made)


def _kind(w: Writer) -> Kind:
    arrays = [w.names[name] for name in w.named(Array)] or list(SHAPES)
    kind: Kind = w.one(INT, FLOAT, BOOL, w.one(*arrays)) if w.having("array parameters") else w.one(INT, FLOAT, BOOL)
    return kind


def signature(w: Writer, made: tuple[Parameter, ...], default: Callable[[Kind], str] | None = None) -> str:
    """The parameters as they stand in a `def`, with defaults: any expressions, or what `default` gives."""
    parts: list[str] = []
    for i, parameter in enumerate(made):
        star = parameter.form.startswith("keyword") and not any(p.form in ("rest", "keyword") for p in made[:i])
        if star and not any(p.form.startswith("keyword") for p in made[:i]):
            parts.append("*")
        parts.append(_declared(parameter, default or (lambda kind: w.expression(kind, 0))))
        following = made[i + 1].form if i + 1 < len(made) else ""
        if parameter.form == "positional" and following != "positional":
            parts.append("/")
    return ", ".join(parts)


def _declared(parameter: Parameter, default: Callable[[Kind], str]) -> str:
    if "default" in parameter.form:
        return f"{parameter.name}={default(parameter.kind)}"
    return {"rest": "*", "options": "**"}.get(parameter.form, "") + parameter.name


def local_names(made: tuple[Parameter, ...]) -> dict[str, Kind]:
    """The names that the parameters bring into the body, but for those that hold several values."""
    return {p.name: p.kind for p in made if p.form not in ("rest", "options")}


def _opening(w: Writer, made: tuple[Parameter, ...]) -> list[str]:
    """Lines that make something of the arguments of which there may be any number."""
    lines: list[str] = []
    for parameter in made:
        name = parameter.name
        if parameter.form == "rest":
            lines.append(f"{name}s = {w.one(f'sum({name})', f'len({name})', f'max((0, *{name}))')}")
        elif parameter.form == "options":
            value = w.one(
                f"{name}.get('p', {w.atom(INT)})", f"sum({name}.values())", f"len({name})", f"int('q' in {name})"
            )
            lines.append(f"{name}s = {value}")
        else:
            continue
        w.names[f"{name}s"] = INT
    return lines


def body(w: Writer, made: tuple[Parameter, ...], results: tuple[Kind, ...], fails: str = "") -> list[str]:
    """The lines of a body, for a writer that is inside of the function. It ends by giving the results."""
    lines = [*_opening(w, made), *(fail_if(w, fails) if fails else [])]
    if w.chance(75):
        lines += w.statements(3)
    if leaves(lines):
        return lines
    if results and w.having("return in both branches") and w.chance(20):
        return [
            *lines,
            f"if {w.expression(BOOL, 1)}:",
            f"    {_return(w, results)}",
            "else:",
            f"    {_return(w, results)}",
        ]
    return [*lines, _return(w, results)] if results or not lines else lines


def _return(w: Writer, results: tuple[Kind, ...]) -> str:
    return f"return {', '.join(w.expression(kind, 1) for kind in results)}".rstrip()


def define(
    w: Writer, results: tuple[Kind, ...], *, inner: bool, kinds: tuple[Kind, ...] = (), fails: str = ""
) -> tuple[str, Function, list[str]]:
    """A new function's name, its kind and its lines."""
    made = parameters(w, *kinds)
    seen = dict(w.names) if inner else dict(w.globals)
    outer = [name for name in w.free if w.chance(60)] if inner and w.having("nonlocal") else []
    outer = outer if inner else list(w.globals)
    outer = [name for name in outer if name not in local_names(made)]
    name = w.fresh("inner" if inner else "helper")
    if inner:
        head = f"def {name}({signature(w, made)}):"
    else:  # defaults of a function of the module are made there, where nothing may raise
        with w.inside({}, seen):
            head = f"def {name}({signature(w, made, w.atom)}):"
    with w.inside(local_names(made), seen, outer, depth=w.number(1, 2), results=results):
        lines = body(w, made, results, fails)
    return name, Function(made, results, fails), [head, *indented([*declarations(w, outer, lines), *lines])]


def declarations(w: Writer, outer: list[str], lines: list[str]) -> list[str]:
    """The `nonlocal` and `global` statements that a body needs for the names of other scopes which it has."""
    used = set(re.findall(r"\w+", "\n".join(lines)))
    found = [name for name in outer if name in used]
    there, here = [n for n in found if n in w.globals], [n for n in found if n not in w.globals]
    return [f"{word} {', '.join(names)}" for word, names in (("global", there), ("nonlocal", here)) if names]


def helper(
    w: Writer, results: tuple[Kind, ...], kinds: tuple[Kind, ...] = (), fails: str = ""
) -> tuple[str, Function] | None:
    """A new function of the module; none where one is being written, or too many are there."""
    if w.place.functions > 1 or len(w.helpers) > 4 or w.room < 2:
        return None
    name, kind, lines = define(w, results, inner=False, kinds=kinds, fails=fails)
    w.prelude += [*decorators(w, results, fails), *lines]
    w.helpers[name] = kind
    w.room -= len(lines)
    return name, kind


def decorators(w: Writer, results: tuple[Kind, ...], fails: str) -> list[str]:
    """Decorators of the program's own for a function of these results."""
    if results not in ((INT,), (FLOAT,)) or not w.having("decorators") or w.chance(50):
        return []
    w.need("import functools")
    what = w.one("result + 1", "result * 2 if result < 9 else result", "-result")
    name = {"result + 1": "stepped", "-result": "negated"}.get(what, "doubled")
    wraps = ["    @functools.wraps(function)"]
    call = ["        result = function(*args, **kwargs)", f"        return {what}"]
    w.need(f"def {name}(function):", *wraps, "    def wrapper(*args, **kwargs):", *call, "    return wrapper")
    return [f"@{name}"]


# ---- calls -----------------------------------------------------------------------------------------------------------


def callables(w: Writer, results: tuple[Kind, ...]) -> dict[str, Function]:
    """The functions that may be called here, the newest first."""
    inner = {name: kind for name in w.named(Function) if isinstance(kind := w.names[name], Function)}
    # A helper sees only what is written before it, and calls of its own would make recursion without end.
    found = inner | (w.helpers if w.place.functions == 1 or w.names.keys() & inner.keys() else {})
    return {n: k for n, k in found.items() if k.results == results and k.items is None and allowed(w, k.fails)}


def call(w: Writer, name: str, kind: Function, depth: int = 1) -> str:
    """A call, with arguments in one of the ways that Python has."""
    return f"{name}({', '.join(_arguments(w, kind, depth))})"


def _arguments(w: Writer, kind: Function, depth: int) -> Iterator[str]:
    by_name = False
    spread = any(p.form == "rest" for p in kind.parameters)
    for parameter in kind.parameters:
        form, name = parameter.form, parameter.name
        value = argument(w, parameter.kind, depth)
        if form == "rest":
            if not by_name:
                yield from _rest(w)
        elif form == "options":
            yield from _options(w)
        elif form == "positional":
            yield value
        elif form in ("plain", "default") and not by_name and not (form == "default" and not spread and w.chance(40)):
            by_name = w.having("keyword arguments") and w.chance(25)
            yield f"{name}={value}" if by_name else value
        elif form in ("plain", "keyword") or w.chance(50):
            by_name = True
            yield f"{name}={value}"
        else:
            by_name = True


def _rest(w: Writer) -> Iterator[str]:
    if w.having("starred arguments") and w.chance(40):
        yield f"*({w.atom(INT)}, {w.atom(INT)})"
    else:
        yield from (w.atom(INT) for _ in range(w.number(0, 2)))


def _options(w: Writer) -> Iterator[str]:
    if w.having("starred arguments") and w.chance(40):
        yield f"**{{'p': {w.atom(INT)}, 'r': {w.atom(INT)}}}"
    else:
        yield from (f"{key}={w.atom(INT)}" for key in KEYS if w.chance(40))


def argument(w: Writer, kind: Kind, depth: int) -> str:
    """A value to call a function with."""
    if not isinstance(kind, Array):
        return w.expression(kind, depth)
    name = w.pick(kind)
    made = f"np.ones({kind.shape}, dtype=np.{kind.dtype})"
    if name is None:
        return made
    return str(w.one(name, f"{name}[::-1]", f"{name}.copy()", made)) if w.chance(30) and kind.shape else name


@PRODUCTIONS.expression(Int, "helpers", 3)
@PRODUCTIONS.expression(Float, "helpers", 3)
@PRODUCTIONS.expression(Bool, "helpers", 2)
def call_of_helper(w: Writer, kind: Kind, depth: int) -> str | None:
    found = {n: k for n, k in callables(w, (kind,)).items() if n in w.helpers}
    if depth == 0 or (not found and w.place.functions > 1):
        return None
    if not found or w.chance(25):
        made = helper(w, (kind,))
        if made is not None:
            return call(w, *made)
    return call(w, *w.one(*found.items())) if found else None


@PRODUCTIONS.expression(Int, "inner functions", 4)
@PRODUCTIONS.expression(Float, "inner functions", 4)
@PRODUCTIONS.expression(Bool, "inner functions", 2)
def call_of_inner(w: Writer, kind: Kind, depth: int) -> str | None:
    found = {n: k for n, k in callables(w, (kind,)).items() if n not in w.helpers}
    return call(w, *w.one(*found.items())) if found and depth else None


@PRODUCTIONS.statement("helpers", 3)
def procedure(w: Writer) -> list[str] | None:
    """A call for what the function does to its arguments, or one of several results."""
    results = results_of_several(w)
    found = callables(w, results)
    made = helper(w, results, tuple(w.names[n] for n in w.named(Array)[:1])) if not found or w.chance(30) else None
    if made is None and not found:
        return None
    name, kind = made or w.one(*found.items())
    return [assigned(w, results, call(w, name, kind))]


def results_of_several(w: Writer) -> tuple[Kind, ...]:
    """None, or two."""
    several = (w.one(INT, FLOAT), w.one(INT, FLOAT, BOOL))
    return several if w.having("several results") and w.chance(50) else ()


def assigned(w: Writer, results: tuple[Kind, ...], value: str) -> str:
    """A statement that puts the results of a call into names."""
    if not results:
        return value
    return f"{', '.join(w.target(kind) for kind in results)} = {value}"


@PRODUCTIONS.statement("inner functions", 4)
def inner_function(w: Writer) -> list[str] | None:
    """An inner function, and mostly a call at once; later statements may call it as well."""
    if w.place.depth == 0 or w.place.functions > 2:
        return None
    results = w.one((w.one(INT, FLOAT, BOOL),), results_of_several(w))
    name, kind, lines = define(w, results, inner=True)
    w.names[name] = kind
    if w.chance(60):
        lines.append(assigned(w, results, call(w, name, kind)))
    return lines


@PRODUCTIONS.statement("functions as arguments", 2)
def passed_on(w: Writer) -> list[str] | None:
    """A function that calls one which it is given."""
    found = [n for n, k in callables(w, (INT,)).items() if _takes_one(k)]
    if w.place.functions > 1:
        return None
    given = w.one(*found) if found and w.chance(60) else w.one("abs", f"lambda v: v + {w.atom(INT)}", "int")
    name = w.one("twice", "unless", "each")
    text = {
        "twice": ("def twice(function, v):", "    return function(function(v) % 7)"),
        "unless": ("def unless(function, v):", "    if v > 2:", "        return v", "    return function(v)"),
        "each": (
            "def each(function, v):",
            "    s = 0",
            "    for i in range(v % 4):",
            "        s += function(i)",
            "    return s",
        ),
    }[name]
    w.need(*text)
    return [w.assign(INT, f"{name}({given}, {w.expression(INT, 1)})")]


def _takes_one(kind: Function) -> bool:
    required = [p for p in kind.parameters if p.form in ("positional", "plain", "keyword")]
    return len(required) == 1 and required[0].kind == INT and required[0].form != "keyword"


@PRODUCTIONS.expression(Int, "recursion", 1)
def recursion(w: Writer, kind: Int, depth: int) -> str | None:
    """A call of a function that calls itself as often as a number says that is known while tracing."""
    if depth == 0 or w.place.functions > 1:
        return None
    name = w.fresh("again")
    seen = dict(w.globals)
    with w.inside({"v": INT}, seen, depth=1, results=(INT,)):
        stop = w.expression(INT, 1)
        before = w.statements(2) if w.chance(60) else []
        step = w.expression(INT, 1)
        after = [] if leaves(before) else [f"return {name}({step}, levels - 1) + {w.atom(INT)} % 5"]
    w.prelude += [
        f"def {name}(v, levels):",
        "    if levels == 0:",
        f"        return {stop}",
        *indented([*before, *after]),
    ]
    return f"{name}({w.atom(INT)}, {w.number(0, 3)})"
