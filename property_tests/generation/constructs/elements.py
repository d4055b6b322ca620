"""Elements of arrays, read and written by index."""

from __future__ import annotations

from property_tests.generation.kinds import FLOAT, INT, Array, Element, Float, Int
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

PRODUCTIONS.option("failures")


def index(w: Writer, shape: tuple[int, ...]) -> str:
    """A full index, inside of the array unless the program may fail."""
    return ", ".join(_part(w, size) for size in shape) or "()"


def filled_array(w: Writer, found: list[str]) -> str | None:
    """One of the names whose array has elements."""
    filled = [name for name in found if 0 not in getattr(w.names[name], "shape", (0,))]
    return w.one(*filled) if filled else None


def _part(w: Writer, size: int) -> str:
    if w.having("failures") and w.chance(15):
        return w.expression(INT, 1)
    k = w.atom(INT)
    return str(w.one(str(w.number(-size, size - 1)), f"{k} % {size}", f"-({k} % {size}) - 1", f"{k} % {size} - 1"))


@PRODUCTIONS.expression(Float, "float of element", 3, core=True)
def float_of_element(w: Writer, kind: Float, depth: int) -> str | None:
    name = filled_array(w, w.named(Array))
    if name is None:
        return None
    array = w.names[name]
    assert isinstance(array, Array)
    return None if array.dtype.startswith("complex") else f"float({name}[{index(w, array.shape)}])"


@PRODUCTIONS.expression(Int, "int of element", 3)
def int_of_element(w: Writer, kind: Int, depth: int) -> str | None:
    found = [n for n in w.named(Array) if getattr(w.names[n], "dtype", "")[:3] in ("int", "uin", "boo")]
    name = filled_array(w, found)
    if name is None:
        return None
    array = w.names[name]
    assert isinstance(array, Array)
    return f"int({name}[{index(w, array.shape)}])"


@PRODUCTIONS.statement("write element", 6, core=True)
def write_element(w: Writer) -> list[str] | None:
    name = w.changeable(Array)
    if name is None or filled_array(w, [name]) is None:
        return None
    array = w.names[name]
    assert isinstance(array, Array)
    value = w.expression(element_value(w, array), 1)
    # A number that the dtype has no room for is an error of NumPy's own.
    value = f"{value} % 100" if array.dtype.startswith(("uint", "int")) and not w.having("failures") else value
    where = f"{name}[{index(w, array.shape)}]"
    return [f"{where} = {value}"] if w.chance(50) else [f"{where} {w.one('+', '-', '*')}= {value}"]


def element_value(w: Writer, array: Array) -> Int | Float:
    """A kind whose values an element of the array can be set to."""
    return INT if array.dtype.startswith(("int", "uint")) else w.one(FLOAT, INT)


@PRODUCTIONS.expression(Element, "element", 2, core=True)
def element(w: Writer, kind: Element, depth: int) -> str:
    found = [n for n in w.named(Array) if getattr(w.names[n], "dtype", "") == kind.dtype]
    name = filled_array(w, found)
    if name is None:
        return f"np.{kind.dtype}({w.number(0, 3)})"
    array = w.names[name]
    assert isinstance(array, Array)
    return f"{name}[{index(w, array.shape)}]"
