"""Numbers drawn from a generator that is an argument, or that the function makes.

They decide branches and lengths, and what is computed with them is exact, in whatever order.
"""

from __future__ import annotations

from property_tests.generation.kinds import FLOAT, INT, Array, Bool, Float, Generator, Int
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.expression(Generator, "generator", core=True)
def generator(w: Writer, kind: Generator, depth: int) -> str:
    return w.pick(kind) or f"{kind.maker}({w.number(0, 3)})"


@PRODUCTIONS.statement("random numbers", 1)
def made(w: Writer) -> list[str]:
    kind = Generator(w.one("np.random.default_rng", "np.random.RandomState"))
    seed = w.one(str(w.number(0, 3)), f"abs({w.atom(INT)})")
    return [w.assign(kind, f"{kind.maker}({seed})")]


@PRODUCTIONS.statement("random numbers", 1)
def drawn_for_nothing(w: Writer) -> list[str] | None:
    name = w.pick(Generator)
    return None if name is None else [f"{name}.{w.one('random()', 'normal()', 'random(2)')}"]


@PRODUCTIONS.statement("random numbers", 1)
def shuffled(w: Writer) -> list[str] | None:
    name, array = w.pick(Generator), w.changeable(Array)
    if name is None or array is None or not _has_axes(w, array):
        return None
    return [f"{name}.shuffle({array})"]


def _has_axes(w: Writer, array: str) -> bool:
    kind = w.names[array]
    return isinstance(kind, Array) and bool(kind.shape)


@PRODUCTIONS.expression(Int, "random numbers", 3)
def drawn_int(w: Writer, kind: Int, depth: int) -> str | None:
    name = w.pick(Generator)
    if name is None:
        return None
    method = _ints(w, name)
    k = w.atom(INT)
    return str(
        w.one(
            f"int({name}.{method}({w.number(1, 7)}))",
            f"int({name}.{method}({w.number(-3, 0)}, {w.number(1, 9)}))",
            f"int({name}.{method}(abs({k}) + 1))",
            f"int({name}.{method}({k}, {k} + {w.number(0, 3)}))",
            f"int({name}.poisson({w.one('1.5', f'abs({w.atom(FLOAT)}) % 4')}) % 4)",
            f"round({name}.normal())",
            f"int({name}.choice({w.number(1, 5)}))",
            f"int({name}.permutation({w.number(2, 4)})[0])",
        )
    )


@PRODUCTIONS.expression(Float, "random numbers", 3)
def drawn_float(w: Writer, kind: Float, depth: int) -> str | None:
    name = w.pick(Generator)
    if name is None:
        return None
    w.need("import math")
    x = w.atom(FLOAT)
    return str(
        w.one(
            f"(math.floor({name}.random() * 8) / 4)",
            f"(math.floor({name}.uniform(-2.0, 3.0)) / 2)",
            f"float(round({name}.uniform({x}, {x} + 2.0)))",
            f"float(round({name}.standard_normal()))",
            f"float(math.floor({name}.exponential({w.one('1.0', f'abs({x})')})))",
            f"float({name}.{_ints(w, name)}(4, size=3).sum())",
        )
    )


@PRODUCTIONS.expression(Bool, "random numbers", 3)
def drawn_bool(w: Writer, kind: Bool, depth: int) -> str | None:
    name = w.pick(Generator)
    if name is None:
        return None
    return str(w.one(f"({name}.random() < {w.one('0.5', '0.1', '0.9')})", f"({name}.normal() > {w.atom(FLOAT)})"))


@PRODUCTIONS.expression(Array, "random numbers", 2)
def drawn_array(w: Writer, kind: Array, depth: int) -> str | None:
    name = w.pick(Generator)
    if name is None or kind.dtype not in ("int64", "float64"):
        return None
    values = f"{name}.{_ints(w, name)}(-2, 6, size={kind.shape})"
    array = w.pick(kind) if kind.shape else None
    made = f"np.floor({name}.random({kind.shape}) * 8)" if kind.dtype == "float64" and kind.shape else f"({values} * 1)"
    options = [made] if array is None else [made, f"{name}.permutation({array})"]
    text = str(w.one(*options))
    return text if kind.shape or kind.dtype == "int64" else None


def _ints(w: Writer, name: str) -> str:
    kind = w.names[name]
    assert isinstance(kind, Generator)
    return "integers" if kind.maker.endswith("rng") else "randint"
