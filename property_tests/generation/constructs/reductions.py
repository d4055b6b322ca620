"""Reductions of arrays: to NumPy scalars, Python's numbers, conditions, sizes."""

from __future__ import annotations

from property_tests.generation.kinds import INT, Array, Bool, Element, Float, Int, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.templates import Operand, array_operand, some
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

REDUCED = (
    "{a}.sum()", "np.sum({a})", "{a}.max()", "{a}.min()", "{a}.mean()", "np.max({a})", "np.count_nonzero({a})",
    "{a}.argmax()", "np.argmin({a})", "{a}.any()", "{a}.all()", "({a} > {l}).sum()", "np.sum({a} * {b} % 8)",
    "({a} @ {b})", "np.dot({a}, {b})", "np.ptp({a})", "np.median({a})", "{a}.sum(dtype=np.float64)", "np.prod({a} % 3)",
    "np.max({a}, initial=0)", "{a}.sum(where={a} > 0)", "np.nansum({a})", "np.trace({a})", "np.abs({a}).max()",
)  # fmt: skip
SIZES = ("len({a})", "{a}.size", "{a}.shape[0]", "{a}.shape[-1]", "{a}.ndim", "np.size({a})", "len({a}.shape)")
TESTS = (
    "({a} > {l}).any()", "({a} <= {b}).all()", "{a}.sum() > {x}", "{a}.any()", "np.all({a} == {b})", "{a}.max() > {k}",
    "np.array_equal({a}, {b})", "np.any({a} < 0)", "{a}[0] > {l}", "{a}[-1] == {a}[0]", "not {a}.all()", "{e} > {l}",
    "np.isfinite({a}).all()", "{a}.mean() > {l} and {a}.min() < {x}", "{e}", "{a}.size > {k}",
    "{a}.dtype == np.float64", "{a}.shape == {b}.shape",
)  # fmt: skip
ELEMENTS = (
    "({e} + {f})", "({e} - {f})", "({e} * {f} % 8)", "({e} + {x})", "({k} - {e})", "({e} * {l})", "(-{e})", "abs({e})",
    "({e} / 2)", "({e} // 2)", "({e} % 3)", "({e} > {f})", "({e} == {k})", "max({e}, -{e})", "np.sqrt(np.abs({e}))",
    "np.maximum({e}, {l})", "np.{dtype}({k})", "np.float64({x})", "np.where({t}, {e}, {f})[()]", "np.clip({e}, 0, 3)",
    "({e} & {f})", "(~{e})", "({e} > 0).astype({d})", "np.add({e}, {f})", "round({e} % 9)", "({e} ** 2 % 7)",
    "{e}.item()",
)  # fmt: skip


@PRODUCTIONS.expression(Element, "reductions", 3)
def reduced(w: Writer, kind: Element, depth: int) -> str | None:
    return _element(some(w, *REDUCED, depth=depth - 1), kind) if depth else None


@PRODUCTIONS.expression(Element, "array scalars", 3)
def scalar(w: Writer, kind: Element, depth: int) -> str | None:
    return None if depth == 0 else _element(some(w, *ELEMENTS), kind)


@PRODUCTIONS.expression(Element, "array scalars", 5)
def named(w: Writer, kind: Element, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Element, "array scalars", 1)
def ternary(w: Writer, kind: Element, depth: int) -> str | None:
    if depth == 0:
        return None
    return (
        f"({w.expression(kind, depth - 1)} if {w.expression(Bool(), depth - 1)} else {w.expression(kind, depth - 1)})"
    )


def _element(made: Operand | None, kind: Element) -> str | None:
    """Return the expression as a NumPy scalar of the kind: cast only to a dtype that holds every value."""
    if made is None or made.kind == kind:
        return None if made is None else made.text
    if isinstance(made.kind, (Array, Float)) or (isinstance(made.kind, Element) and made.kind.dtype[:1] in "cf"):
        return (
            f"np.{kind.dtype}({made.text})" if kind.dtype == "complex128" and isinstance(made.kind, Element) else None
        )
    return f"np.{kind.dtype}({made.text} % 9)" if made.kind != Element("bool_") else f"np.{kind.dtype}({made.text})"


@PRODUCTIONS.statement("reductions", 2)
def reduction(w: Writer) -> list[str] | None:
    return _assigned(w, some(w, *REDUCED, depth=1))


@PRODUCTIONS.statement("array scalars", 2)
def scalar_arithmetic(w: Writer) -> list[str] | None:
    return _assigned(w, some(w, *ELEMENTS))


@PRODUCTIONS.statement("array scalars", 1)
def scalar_augmented(w: Writer) -> list[str] | None:
    name = w.changeable(Element)
    if name is None:
        return None
    held = w.names[name]
    made = some(
        w, "{0} + {x}", "{0} - {f}", "{0} + {k}", "{0} * {l}", "{0} % 5", "{0} // 2", given=[Operand(name, held)]
    )
    if made is None or made.kind != held:
        return None
    operator, _, value = made.text.removeprefix(name).strip().partition(" ")
    return [f"{name} {operator}= {value}"]


def _assigned(w: Writer, made: Operand | None) -> list[str] | None:
    if made is None or (isinstance(made.kind, Array) and not made.kind.shape):
        return None
    return [f"{w.target(made.kind)} = {made.text}"]


@PRODUCTIONS.expression(Float, "reductions", 2)
def float_of_reduction(w: Writer, kind: Float, depth: int) -> str | None:
    made = some(w, *REDUCED, depth=depth - 1) if depth else None
    if made is None or isinstance(made.kind, Array) or _is_complex(made.kind):
        return None
    return f"float({made.text})" if w.chance(70) else f"({made.text}).item() * 1.0"


@PRODUCTIONS.expression(Float, "array scalars", 1)
def float_of_scalar(w: Writer, kind: Float, depth: int) -> str | None:
    name = w.pick(Element)
    return None if name is None or _is_complex(w.names[name]) else f"float({name})"


@PRODUCTIONS.expression(Int, "reductions", 2)
def int_of_reduction(w: Writer, kind: Int, depth: int) -> str | None:
    made = some(w, *REDUCED, depth=depth - 1) if depth else None
    return None if made is None or not _is_whole(made.kind) else f"int({made.text})"


@PRODUCTIONS.expression(Int, "array scalars", 1)
def int_of_scalar(w: Writer, kind: Int, depth: int) -> str | None:
    found = [name for name in w.named(Element) if _is_whole(w.names[name])]
    return f"int({w.one(*found)})" if found else None


@PRODUCTIONS.expression(Int, "sizes of arrays", 2)
def size(w: Writer, kind: Int, depth: int) -> str | None:
    made = some(w, *SIZES)
    return made.text if made is not None and made.kind == INT else None


@PRODUCTIONS.expression(Bool, "arrays in conditions", 2)
def condition(w: Writer, kind: Bool, depth: int) -> str | None:
    test = _test(w) if depth else None
    return None if test is None else f"bool({test})"


@PRODUCTIONS.statement("arrays in conditions", 2)
def if_(w: Writer) -> list[str] | None:
    """Tests of arrays, whose results stay NumPy's own bools."""
    test = _test(w)
    if w.place.depth == 0 or test is None:
        return None
    return [f"if {test}:", *w.block(), *(["else:", *w.block()] if w.chance(40) else [])]


@PRODUCTIONS.statement("arrays in conditions", 1)
def while_(w: Writer) -> list[str] | None:
    test = _test(w)
    if w.place.depth == 0 or test is None:
        return None
    name = w.fresh("c")
    w.names[name] = INT
    with w.fixed(name):
        body = [f"    {name} += 1", *w.block(loop=True)]
    return [f"{name} = 0", f"while {test} and {name} < {w.number(2, 4)}:", *body]


def _test(w: Writer) -> str | None:
    made = some(w, *TESTS)
    return None if made is None or isinstance(made.kind, Array) else made.text


@PRODUCTIONS.statement("for over arrays", 4)
def for_over(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    array = array_operand(w, 1)
    assert isinstance(array.kind, Array)
    if not array.kind.shape:
        return None
    item = _item(array.kind)
    name, count = w.fresh(item), w.fresh("i")
    head, names = w.one(
        (f"for {name} in {array.text}:", {name: item}),
        (f"for {count}, {name} in enumerate({array.text}):", {name: item, count: INT}),
        (f"for {count} in range(len({array.text})):", {count: INT}),
        (f"for {name} in reversed({array.text}):", {name: item}),
        (f"for {name} in {array.text}[{w.atom(INT)} % {array.kind.shape[0] + 1}:]:", {name: item}),
        None,
    ) or _zipped(w, array, name, item)
    with w.at():
        w.names |= names
        body = w.block(loop=True)
    return [head, *body, *(["else:", *w.block(2)] if w.having("loop else") and w.chance(20) else [])]


def _zipped(w: Writer, array: Operand, name: str, item: Kind) -> tuple[str, dict[str, Kind]]:
    other = array_operand(w)
    assert isinstance(other.kind, Array)
    if not other.kind.shape:
        return f"for {name} in {array.text}:", {name: item}
    second = w.fresh(_item(other.kind))
    return f"for {name}, {second} in zip({array.text}, {other.text}):", {name: item, second: _item(other.kind)}


def _item(kind: Array) -> Kind:
    return Array(kind.dtype, kind.shape[1:]) if len(kind.shape) > 1 else Element(kind.dtype)


@PRODUCTIONS.statement("comprehension into array", 1)
def comprehension(w: Writer) -> list[str] | None:
    array = array_operand(w)
    assert isinstance(array.kind, Array)
    if len(array.kind.shape) != 1 or not array.kind.shape[0]:
        return None
    kind = Array(array.kind.dtype, array.kind.shape)
    made = some(w, "np.array([q {0} for q in {1}])".replace("{0}", w.one("+ 1", "* 2", "- 1")).replace("{1}", "{0}"),
                given=[array])  # fmt: skip
    return None if made is None or made.kind != kind else [f"{w.target(kind)} = {made.text}"]


def _is_complex(kind: Kind) -> bool:
    return isinstance(kind, (Element, Array)) and kind.dtype.startswith("complex")


def _is_whole(kind: Kind) -> bool:
    return isinstance(kind, Element) and kind.dtype.startswith(("int", "uint", "bool"))
