"""Expressions that give arrays: elementwise ones, new arrays, other shapes and orders."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, Array
from property_tests.generation.productions import Productions
from property_tests.generation.templates import Operand, some
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

# Products of ints are kept small, or loops would soon leave 64 bits.
ELEMENTWISE = {
    "array arithmetic": (
        "({a} + {b})", "({a} - {b})", "({a} * {l})", "({a} + {l})", "({l} - {a})", "({a} * {b} % 8)", "(-{a})",
        "({a} + {k})", "({a} - {x})", "({a} * {k} % 9)", "({k} - {a})", "(+{a})",
    ),
    "array division": ("({a} / 2)", "({a} // 2)", "({a} % 3)", "({a} / (np.abs({b}) + 1))", "({a} // ({b} % 3 + 1))"),
    "array powers": ("({a} ** 2 % 16)", "np.square({a} % 4)", "(({a} % 3) ** {k})"),
    "array functions": (
        "np.abs({a})", "abs({a})", "np.sqrt(np.abs({a}))", "np.maximum({a}, {b})", "np.minimum({a}, {l})",
        "np.sign({a})",
        "np.floor({a})", "np.round({a})", "np.clip({a}, -1, 3)", "np.where({a} > {l}, {a}, {b})", "{a}.clip(0, 2)",
        "np.where({a} > {b}, {l}, {a})", "np.where({t}, {a}, {b})", "np.negative({a})", "np.fmax({a}, {b})",
        "np.nan_to_num({a})", "np.conj({a})", "{a}.real.copy()", "np.isfinite({a})", "np.isnan({a})",
    ),
    "array comparisons": (
        "({a} > {l})", "({a} <= {b})", "({a} == {b})", "({a} != {l})", "(~({a} > 0))", "(({a} > 0) & ({b} < 3))",
        "(({a} < 0) | ({b} == 1))", "(({a} > 0) ^ ({b} > 0))", "np.logical_not({a})", "np.logical_and({a}, {b})",
        "({k} < {a})", "({a} >= {x})",
    ),
    "array bits": ("({a} & {b})", "({a} | 4)", "({a} ^ {b})", "(~{a})", "({a} >> 1)", "(({a} & 15) << 2)"),
    "array scalars mixed": ("({a} + {e})", "({e} - {a})", "np.maximum({a}, {e})", "({a} > {e})", "({e} * {a} % 8)"),
    "astype": (
        "({a} > {l}).astype({d})", "{a}.astype(np.float64)", "np.asarray({a} > 0, dtype={d})",
        "{a}.astype(np.complex128)",
        "np.clip(np.nan_to_num({a}), 0, 9).astype({d})", "np.array({a}, dtype=np.complex128)", "{a}.astype(np.float32)",
    ),
    "matrix product": (
        "({a} @ {b})", "np.dot({a}, {b})", "({a} @ {b}.T)", "{a}.dot({b})", "np.outer({a}[:3], {b}[:2])",
        "np.matmul({a}, {b})",
    ),
}  # fmt: skip
MADE = {
    "new arrays": (
        "np.zeros(3)", "np.ones((2, 3), dtype={d})", "np.full(4, {l})", "np.full((2, 2), {x})", "np.arange(5)",
        "np.arange(1, 7, 2)", "np.linspace(0, 2, 5)", "np.eye(3)", "np.zeros(4, {d})", "np.array([{k}, {k2}, 3])",
        "np.array([{x}, {x2}])", "np.array([[1.0, {x}], [{x2}, 2.0]])", "np.array({x})", "np.zeros(0)",
        "np.array([{e}, {e}])", "np.zeros(())", "np.identity(2, {d})",
    ),
    "arrays like others": (
        "np.zeros_like({a})", "np.ones_like({a})", "np.full_like({a}, 2)", "{a}.copy()", "np.array({a})",
        "np.copy({a})", "np.zeros({a}.shape)", "np.zeros(len({a}))", "np.zeros({a}.shape, {b}.dtype)",
        "np.arange({a}.size)",
    ),
    "joining": (
        "np.concatenate([{a}, {b}])", "np.concatenate([{a}, {b}], axis={axis})", "np.stack([{a}, {b}])",
        "np.append({a}, {x})",
        "np.stack([{a}, {a}], axis={axis})", "np.hstack([{a}, {b}])", "np.vstack([{a}, {b}])", "np.append({a}, {b})",
        "np.tile({a}, 2)", "np.repeat({a}, 2)", "np.array([{a}, {b}])", "np.insert({a}, 1, {l})", "np.delete({a}, 0)",
    ),
    "other shapes": (
        "{a}.reshape(-1)", "{a}.reshape(2, -1)", "{a}.ravel()", "{a}.T", "{a}.flatten()", "np.flip({a})", "{a}[::-1]",
        "{a}[..., None]", "{a}[None]", "np.transpose({a})", "np.squeeze({a})",
        "np.broadcast_to({a}, (2, *{a}.shape)).copy()",
        "{a}.reshape(-1, 1)", "np.swapaxes({a}, 0, -1)", "np.expand_dims({a}, 0)", "{a}[1:]", "{a}[:-1]", "{a}[::2]",
    ),
    "array orders": (
        "np.roll({a}, {shift})", "np.sort({a})", "np.sort({a}, axis={axis})", "np.cumsum({a})", "np.diff({a})",
        "np.argsort({a}, kind='stable')", "np.cumsum({a}, axis={axis})", "np.flip({a}, {axis})", "np.roll({a}, {k})",
        "np.diff({a}, axis={axis})", "np.cumprod({a} % 2)", "{a}.cumsum()", "np.sort({a})[::-1]", "np.triu({a})",
    ),
    "fancy reads": (
        "{a}[[0, -1]]", "{a}[[1, 0, 1]]", "{a}[np.array([0, 0])]", "{a}[:, [1, 0]]", "np.take({a}, [0, 1])",
        "{a}[[0, 1], [1, 0]]", "{a}[[{k} % 2, 0]]", "{a}[{b} % 2]", "np.take({a}, {k}, axis=0, mode='wrap')",
    ),
    "sums along an axis": (
        "{a}.sum(axis={axis})", "{a}.max(axis={axis})", "np.mean({a}, axis={axis})", "{a}.argmin(axis={axis})",
        "{a}.any(axis={axis})", "np.min({a}, axis={axis})", "{a}.sum(axis=0, keepdims=True)", "{a}.sum(axis=())",
        "np.all({a}, axis={axis})", "np.prod({a} % 2, axis={axis})",
    ),
}  # fmt: skip


def _register(feature: str, templates: tuple[str, ...], weight: int) -> None:
    @PRODUCTIONS.expression(Array, feature, weight)
    def of_kind(w: Writer, kind: Array, depth: int) -> str | None:
        made = some(w, *templates, depth=depth - 1) if depth else None
        return None if made is None else fitted(made, kind)

    @PRODUCTIONS.statement(feature, weight)
    def assigned(w: Writer) -> list[str] | None:
        made = some(w, *templates, depth=1)
        return None if made is None else [f"{w.target(made.kind)} = {made.text}"]


for _feature, _templates in {**ELEMENTWISE, **MADE}.items():
    _register(_feature, _templates, 1)


@PRODUCTIONS.expression(Array, "array names", 8, core=True)
def named(w: Writer, kind: Array, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Array, "array names", 1, core=True)
def zeros(w: Writer, kind: Array, depth: int) -> str:
    return f"np.{w.one('zeros', 'ones')}({kind.shape}, np.{kind.dtype})"


@PRODUCTIONS.expression(Array, "array ternary", 1)
def ternary(w: Writer, kind: Array, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"({w.expression(kind, depth - 1)} if {w.expression(BOOL, depth - 1)} else {w.expression(kind, depth - 1)})"


def fitted(made: Operand, kind: Array) -> str | None:
    """Return the expression as an array of the kind; None where that takes more than a cast and a sum."""
    if made.kind == kind:
        return made.text
    if not isinstance(made.kind, Array):
        return None
    text = made.text
    if made.kind.shape != kind.shape:
        if not _broadcasts(made.kind.shape, kind.shape):
            return None
        text = f"np.broadcast_to({text}, {kind.shape}).copy()"
    return (
        text
        if made.kind.dtype == kind.dtype
        else f"{_castable(text, made.kind.dtype, kind.dtype)}.astype(np.{kind.dtype})"
    )


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(shape) <= len(wanted) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(wanted), strict=False)
    )


def _castable(text: str, dtype: str, wanted: str) -> str:
    # What a cast of a float beyond the integers gives is left open (docs/differences.md).
    if dtype.startswith("complex") and not wanted.startswith(("complex", "bool")):
        text, dtype = f"{text}.real", "float64"
    if dtype.startswith("float") and wanted.startswith(("int", "uint")):
        return f"np.clip(np.nan_to_num({text}), 0, 100)"
    return text
