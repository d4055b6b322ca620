"""Arrays of one axis whose size is known only at run time: slices, masks, unique elements, and uses of them."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, INT, Array, Element, Int, Kind, Sized
from property_tests.generation.productions import Productions
from property_tests.generation.templates import Operand, line, some
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

SOURCES = {
    "slices of run-time size": (
        "{a}[:{k}]", "{a}[{k}:]", "{a}[{k}:{k2}]", "{a}[-{k}:]", "{a}[::{k} + 1]", "{a}[{k}::-1]", "{a}[0, :{k}]",
        "{a}[:{k}, 0]", "{a}[1:][:{k}]", "{a}[::-1][{k}:]", "{a}[::2][:{k}]", "{a}.ravel()[{k}:]",
        "{a}[len({a}) - {k}:]",
    ),
    "selected elements": (
        "{a}[{a} > {l}]", "{a}[({a} > 0) & ({a} < 3)]", "{a}[{b} > {x}]", "{a}[~({a} > {l})]",
        "np.compress({a} > 0, {a})",
        "{a}[np.flatnonzero({a} > {l})]", "np.extract({a} > {l}, {a})", "{a}[{a} != {a}[0]]", "{a}[{a} == {a}]",
    ),
    "positions": (
        "np.flatnonzero({a} > {l})", "np.nonzero({a})[0]", "np.where({a} > {l})[0]", "np.nonzero({a} > {b})[-1]",
        "np.argwhere({a} > 0)[:, 0]",
    ),
    "sets of elements": (
        "np.unique({a})", "np.union1d({a}, {b})", "np.intersect1d({a}, {b})", "np.setdiff1d({a}, {b})",
        "np.unique({a}, return_counts=True)[1]", "np.unique({a}, return_inverse=True)[1].ravel()",
    ),
    "new arrays of run-time size": (
        "np.zeros({k})", "np.ones({k}, {d})", "np.arange({k})", "np.full({k}, {x})", "np.arange({k}, {k2})",
        "np.repeat({a}, {k})", "np.tile({a}, {k})", "np.linspace(0, 1, {k})", "np.zeros({a}.argmax())",
        "np.concatenate([{a}, {b}[:{k}]])", "np.append({a}[:{k}], {x})", "np.arange(1, {k}, 2)",
    ),
}  # fmt: skip
CHANGED = (
    "({z} + {l})", "({z} * {k} % 9)", "(-{z})", "np.abs({z})", "{z}[1:]", "{z}[:-1]", "{z}[::-1]", "{z}[{z} > {l}]",
    "{z}[:{k}]", "{z}[{k}:]", "np.sort({z})", "np.cumsum({z})", "np.concatenate([{z}, {y}])", "np.append({z}, {x})",
    "{z}.copy()", "np.unique({z})", "np.flip({z})", "({z} > {l}).astype({d})", "np.where({z} > 0, {z}, {l})",
    "np.diff({z})",
    "np.roll({z}, 1)", "np.maximum({z}, {l})", "({z} <= {x})", "np.zeros(len({z}))", "np.arange({z}.size)", "{z}[::2]",
    "np.zeros_like({z})", "({z}[:min(len({z}), len({y}))] + {y}[:min(len({z}), len({y}))])", "np.flatnonzero({z})",
    "({z}[1:] - {z}[:-1])", "np.argsort({z}, kind='stable')", "np.concatenate([{z}, {a}])", "{z}[{k}:{k2}]",
    "{z}.ravel()",
    "({z} - {e})", "np.repeat({z}, 2)", "({z}[:, None] * {z}).sum(axis=0)", "np.square({z} % 4)",
)  # fmt: skip
WRITES = (
    "{0}[:] = {l}", "{0}[{0} > {l}] = {l2}", "{0} += {l}", "{0} *= -1", "{0}[{k}:] = {l}", "{0}.sort()",
    "{0}.fill({l})",
    "{0}[1:] = {0}[:-1]", "{0}[::-1] += 1", "{0}[:{k}] -= {l}", "{0}[...] = {k}", "{0}[{0} < 0] += 1",
    "{0}[:] = {0}[::-1]",
    "{0} += {0}", "{0} %= 5", "{0}[::2] = {k}", "{0}[1:] += {0}[:-1]", "np.add({0}, {l}, out={0})", "{0} -= {0}[:1]",
)  # fmt: skip
REDUCED = (
    "{z}.sum()", "{z}.max(initial=0)", "np.count_nonzero({z})", "({z} > {l}).sum()", "{z}.any()", "{z}.all()",
    "({z} @ {z})",
    "np.max({z}, initial={k})", "{z}.mean()", "({z} > {x}).any()", "np.sum({z} * 2)", "np.prod({z} % 3)",
    "np.dot({z}, {z})",
)  # fmt: skip


def _register(feature: str, templates: tuple[str, ...], weight: int) -> None:
    @PRODUCTIONS.statement(feature, weight)
    def assigned(w: Writer) -> list[str] | None:
        return _named(w, some(w, *templates))


for _feature, _templates in SOURCES.items():
    _register(_feature, _templates, 2)


def _named(w: Writer, made: Operand | None) -> list[str] | None:
    kind = None if made is None else _sized(made.kind)
    return None if made is None or kind is None else [f"{w.target(kind)} = {made.text}"]


def _sized(kind: Kind) -> Sized | None:
    return Sized(kind.dtype) if isinstance(kind, Array) and len(kind.shape) == 1 else None


@PRODUCTIONS.expression(Sized, "arrays of run-time size", 4, core=True)
def named(w: Writer, kind: Sized, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Sized, "arrays of run-time size", 1, core=True)
def ones(w: Writer, kind: Sized, depth: int) -> str:
    return f"np.ones({w.atom(INT)} % 3, np.{kind.dtype})"


@PRODUCTIONS.statement("arrays of run-time size", 4)
def changed(w: Writer) -> list[str] | None:
    return _named(w, some(w, *(CHANGED if w.pick(Sized) else SOURCES["slices of run-time size"])))


def _some_array(w: Writer) -> tuple[list[str], str] | None:
    """A name of an array of run-time size, with the line that makes it where there was none."""
    name = w.changeable(Sized)
    if name is not None:
        return [], name
    made = some(w, *SOURCES["slices of run-time size"])
    kind = None if made is None else _sized(made.kind)
    if made is None or kind is None:
        return None
    name = w.target(kind)
    return [f"{name} = {made.text}"], name


@PRODUCTIONS.statement("writes to run-time sizes", 3)
def write(w: Writer) -> list[str] | None:
    for _ in range(4):
        name = w.changeable(Sized)
        if name is None:
            return None
        text = line(w, w.one(*WRITES), [Operand(name, w.names[name])])
        if text is not None:
            return [text]
    return None


@PRODUCTIONS.statement("writes to run-time sizes", 1)
def write_element(w: Writer) -> list[str] | None:
    name = w.changeable(Sized)
    if name is None or w.place.depth == 0:
        return None
    at, value = w.one("0", "-1", f"{w.atom(INT)} % len({name})", f"len({name}) - 1"), w.number(0, 3)
    return [f"if {w.one(f'len({name}) > 0', f'{name}.size')}:", f"    {name}[{at}] {w.one('', '+', '*')}= {value}"]


@PRODUCTIONS.statement("aliases of run-time size", 1)
def chosen(w: Writer) -> list[str] | None:
    name = w.pick(Sized)
    if name is None:
        return None
    kind = w.names[name]
    value = w.one(name, f"{name} if {w.expression(BOOL, 1)} else {w.expression(kind, 1)}")
    return [f"{w.target(kind)} = {value}"]


@PRODUCTIONS.statement("arrays that change size in loops", 2)
def resized(w: Writer) -> list[str] | None:
    found = _some_array(w) if w.place.depth else None
    if found is None:
        return None
    lines, name = found
    held = w.names[name]
    assert isinstance(held, Sized)
    end, counter = w.number(1, 4), w.fresh("i")
    head, value = w.one(
        (f"while len({name}) > {end}:", f"{name}[1:]"),
        (f"while len({name}) < {end}:", f"np.append({name}, {name}.sum() % 9).astype(np.{held.dtype})"),
        (f"while {name}.size > {w.atom(INT)} % 4:", f"{name}[:-1]"),
        (f"for {counter} in range({end}):", f"np.concatenate([{name}, {name}[:1]])"),
        (f"for {counter} in range({end}):", f"{name}[:{counter} + 1]"),
        (f"for {counter} in range({w.atom(INT)} % 3):", f"{name}[{name} > {counter}]"),
        (f"for {counter} in range({w.atom(INT)} % 3):", f"np.append({name}, np.{held.dtype}({counter}))"),
        (f"while {name}.size > 1 and {name}[0] > {w.number(0, 2)}:", f"{name}[1:]"),
    )
    if held.dtype.startswith("complex"):
        return lines or None
    with w.fixed(name):
        # A `continue` there would leave the size what it is.
        before = w.block(2) if w.chance(30) and head.startswith("for") else []
    return [*lines, head, *before, f"    {name} = {value}"]


@PRODUCTIONS.statement("for over run-time sizes", 2)
def for_over(w: Writer) -> list[str] | None:
    found = _some_array(w) if w.place.depth else None
    if found is None:
        return None
    lines, name = found
    held = w.names[name]
    assert isinstance(held, Sized)
    item, count = w.fresh(Element(held.dtype)), w.fresh("i")
    head, names = w.one(
        (f"for {item} in {name}:", {item: Element(held.dtype)}),
        (f"for {count}, {item} in enumerate({name}):", {item: Element(held.dtype), count: INT}),
        (f"for {count} in range(len({name})):", {count: INT}),
        (f"for {item} in {name}[1:]:", {item: Element(held.dtype)}),
        (f"for {count}, {item} in zip(range(3), {name}):", {item: Element(held.dtype), count: INT}),
    )
    with w.at():
        w.names |= names
        # It could grow beyond all bounds, were it made longer by what it has.
        with w.fixed(name):
            body = w.block(loop=True)
    return [*lines, head, *body]


@PRODUCTIONS.expression(Element, "reductions of run-time size", 2)
def reduced(w: Writer, kind: Element, depth: int) -> str | None:
    made = some(w, *REDUCED) if depth and w.pick(Sized) else None
    return made.text if made is not None and made.kind == kind else None


@PRODUCTIONS.statement("reductions of run-time size", 3)
def reduction(w: Writer) -> list[str] | None:
    made = some(w, *REDUCED) if w.pick(Sized) else None
    return None if made is None or not isinstance(made.kind, Element) else [f"{w.target(made.kind)} = {made.text}"]


@PRODUCTIONS.statement("reductions of run-time size", 1)
def guarded(w: Writer) -> list[str] | None:
    """Operations that an empty array does not have."""
    name = w.pick(Sized)
    if name is None:
        return None
    held = w.names[name]
    assert isinstance(held, Sized)
    kind = Element(held.dtype)
    value = w.one(f"{name}.max()", f"{name}[0]", f"{name}[-1]", f"{name}.min()", f"np.sort({name})[0]")
    return [f"{w.target(kind)} = {value} if {w.one(f'len({name}) > 0', f'{name}.size')} else np.{held.dtype}(1)"]


@PRODUCTIONS.expression(Int, "lengths of run-time size", 2)
def length(w: Writer, kind: Int, depth: int) -> str | None:
    name = w.pick(Sized)
    return None if name is None else str(w.one(f"len({name})", f"{name}.size", f"{name}.shape[0]"))
