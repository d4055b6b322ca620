"""`print` of values known only at run time, and texts of them."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, COMPLEX, FLOAT, INT, Array, Complex, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, unquoted

PRODUCTIONS = Productions()

PRODUCTIONS.option("f-strings")

INT_SPECS = ("", ":>5", ":05d", ":+d", ":x", ":,", "!r", ":<4", ":^7", "=", ":.1f", ":b", ":_")
FLOAT_SPECS = ("", ":.2f", ":>9.3f", ":+.1e", ":g", ":8.3g", "!r", "!s:>7", "=", ":.0f", ":.{2}f", ":%")


@PRODUCTIONS.statement("print", 4)
def printed(w: Writer) -> list[str]:
    items = [_item(w) for _ in range(w.number(1, 3))]
    ending = w.one("", "", ", sep='-'", ", end=';\\n'", ", sep='', end=' '", ", flush=True")
    return [f"print({', '.join(items)}{ending})"]


@PRODUCTIONS.statement("text in a name", 1)
def text_in_a_name(w: Writer) -> list[str]:
    """A text of run-time values that is kept in a name until it is printed."""
    name = w.fresh("text")
    value = w.one(
        f_string(w),
        f"str({w.atom(INT)})",
        f"'{{}} of {{}}'.format({w.atom(INT)}, {w.atom(FLOAT)})",
        f"'%d' % {w.atom(INT)}",
    )
    return [f"{name} = {value}", f"print({name}, {w.one('', f'repr({name})', f'{w.atom(INT)}')})"]


def _item(w: Writer) -> str:
    kind: Kind = w.one(INT, FLOAT, BOOL, INT)
    form = w.one("value", "name", "f-string", "text", "array", "str", "spread", "complex")
    if form == "array" and (name := w.pick(Array)) is not None:
        held = w.names[name]
        assert isinstance(held, Array)
        items = (f"{name}[0]",) if held.shape and held.shape[0] else ()
        return str(w.one(name, f"{name}.shape", f"{name}.tolist()", *items))
    if form == "f-string" and w.having("f-strings"):
        return f_string(w)
    if form == "text":
        return f"'{w.one('k', 'so far', '')}'"
    if form == "str":
        return f"{w.one('str', 'repr')}({w.atom(kind)})"
    if form == "spread" and w.having("starred arguments"):
        return f"*({w.atom(INT)}, {w.atom(kind)})"
    if form == "complex" and w.pick(Complex) is not None:
        return w.atom(COMPLEX)
    return w.atom(kind) if form == "name" else w.expression(kind, 1)


def f_string(w: Writer) -> str:
    """An f-string of one value or more."""
    parts = [f"{{{_formatted(w)}}}" for _ in range(w.number(1, 2))]
    return f"f'{w.one('', 'k=', '{{')}{w.one(' ', ', ', '').join(parts)}'"


def _formatted(w: Writer) -> str:
    kind = w.one(INT, FLOAT, BOOL)
    specs = {INT: INT_SPECS, FLOAT: FLOAT_SPECS, BOOL: ("", "!r", "!s:>6")}[kind]
    return f"{unquoted(w.atom(kind))}{w.one(*specs)}"
