# ruff: noqa: UP031 - the old ways of making text are tried here, too
"""Text of run-time values: what eager Python and NumPy write, character by character."""

from __future__ import annotations

import dataclasses
import json
import pprint
import re
from collections import ChainMap, namedtuple
from types import MappingProxyType

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedOperationError, UnsupportedValueError, jit
from tests.program_table import Program, Table

case = Table()
Point = namedtuple("Point", "x y")


ChainMapOfNumbers = ChainMap({"a": 1})


class Named:
    """Has a text of its own."""

    def __init__(self, value, name="n"):
        self.value = value
        self.name = name

    def __str__(self):
        return f"{self.name}={self.value:.3f}"

    def __format__(self, spec):
        return f"<{self.value:{spec or '.1f'}}>"


@dataclasses.dataclass
class Pair:
    a: object
    b: object = 3


@case((2.5,), (-1e300,), (float("nan"),), (3,), (True,), (1 + 2j,))
def conversions(x):
    return f"{x} {x!r} {x!s:>30} {x!a}"


@case((np.float64(2.5),), (np.float32(0.1),), (np.int8(-3),), (np.bool_(True),), (np.complex64(1j),))
def numpy_scalars(x):
    return f"{x} {x!r}", str(x), repr(x), [x, (x,)].__repr__()


@case((np.arange(6.0).reshape(2, 3),), (np.arange(2000),), (np.array(3.5),), (np.zeros((0, 3)),), (np.array([True]),))
def arrays(a):
    return f"{a}|{a!r}|{a * 2}", str(a)


@case((3.14159, 7, 2), (-1.5, 3, 0))
def nested_specifications(x, width, precision):
    return f"{x:{width}.{precision}f}|{x:>{width + 3}}|{x:{'+'}}|{width:0{width}d}|{precision:#x}"


@case((3, 4.5), (-1, 2.0))
def self_documenting(n, x):
    return f"{n=} {x = :.2f} { n + 1 = !s} {n=!r:>5}"


@case((3, 4.5))
def braces_quotes_and_escapes(n, x):
    return f'{{{n}}} "{x}" \t {"a"!r} \N{EN DASH} ' "{plain} \N{EM DASH} \\ {{" f"{n}" r"\d{}" rf"\{n}"


@case((3, 4.5))
def several_lines(n, x):
    return f"""first {n}
    second {x!r}
    """


@case((3, True), (4, False))
def expressions_inside(n, flag):
    return f"{n if flag else -n} {[n, n * 2]} {(n, flag)} { {'k': n} } {max(n, 3)} {n > 3 or flag} {n, flag}"


@case((3,), (-3,))
def lambda_and_walrus(n):
    return f"{(lambda v: v + 1)(n)} {(m := n * 2)} {m}"


@case((3, 2.5))
def percent(n, x):
    fmt = "%s:%s"
    return "%d %5.2f %s %r %%" % (n, x, x, n), "%(a)s %(b)03d" % {"a": x, "b": n}, fmt % (n, x), "%s" % [n]


@case((3, 2.5))
def str_format(n, x):
    fmt = "{} {1}" if False else "{1:>4} {0} {k!r} {p.x}"
    return fmt.format(n, x, k=n, p=Point(x, n)), str.format("{}", x), "{a}".format_map({"a": 1})


@case((3, 2.5), (10, -1.0))
def joined_and_added(n, x):
    s = "a" + str(n) + f"b{x}" + "c"
    s += repr(x)
    t = ", ".join(str(v) for v in (n, x, n + 1)) + " " + " ".join(["x", s, f"{n}"])
    return s, t, "=" * n + "-" * 2, s * 2, ("(" + s + ")").upper().center(40, "*").strip("*").replace("B", "_")


@case((np.array([1.5, 2.5]),), (np.array([-1.5, 0.0]),))
def comprehension_over_an_array(a):
    return "[" + "; ".join([f"{v:.1f}" for v in a]) + "]"


@case((2.5,), (-2.5,))
def chosen_text(x):
    if x > 0:
        name, kind = "positive", f"p{x}"
    else:
        name, kind = "other", f"other {x} {x * 2}"
    return f"{name}: {kind}", "<" + name + ">", name.upper(), kind, name, name == "other", name != "other"


@case((2.5,), (-2.5,))
def text_made_of_a_chosen_one_compared(x):
    name = "positive" if x > 0 else "other"
    return f"{name}-0" == name


@case((2.5,), (-2.5,))
def text_or_none(x):
    message = None
    if x > 0:
        message = f"got {x}"
    return message


@case((3,), (0,))
def last_text_of_a_loop(n):
    s = "none"
    for i in range(n):
        s = f"step {i}"
    return s


@case((5, 2), (5, 9))
def text_at_a_return(n, k):
    for i in range(n):
        if i == k:
            return f"found {i}"
    return f"none of {n}"


@case((3.5,))
def static_loop_builds_a_text(x):
    s = ""
    for i in range(4):
        s += f"{i}:{x * i:.1f},"
    return s


@case((3, None), (-3, None), (3, 4))
def none_or_a_number(n, best):
    if n > 0:
        best = n
    return f"best {best}"


@case(
    (3.5, 2),
)
def containers(x, n):
    return f"{[x, {'a': (n, x)}]} {Point(x, n)} {Pair(x, [n])} {(n,)!r} {x!r} {[np.float64(1), x]}", str({"k": x})


@case(
    (3.5, 2),
)
def own_text(x, n):
    p = Named(x)
    return f"{p} {p!s} {p:>8.2f}", str(p), str(Named(n * 1.0, name="m")), str(Named(1.5))


@case((np.array([1.0, 2.0]), 3.0))
def texts_are_of_the_moment(a, x):
    inner = [x, 1]
    before = f"{a} {inner} {a[1:]}"
    a[0] = x
    inner.append(7)
    p = Named(x)
    own = str(p)
    p.value = 0.0
    return before, f"{a} {inner}", own


@case((3, 2.5))
def kept_in_containers(n, x):
    d = {"text": f"{n}"}
    items = [f"{x}"]
    items.append(str(n))
    d["all"] = items
    return d, isinstance(items[0], str), type(items[0]) is str


@case((3, 2.5))
def static_only(n, x):
    k = 5
    return (
        f"{k:>3}{'a'!r}{k=}",
        "%d" % k,
        str(k),
        repr("a"),
        format(k, "03d"),
        ascii("ä"),
        {f"{k}": n},
        "ab"[: len(f"{k}")],
    )


@case((3.5,), (-2.0,))
def builtin_functions(x):
    return format(x, ".2f"), format(x), repr(x), str(x), ascii(x), str(object=1), "", str(b"a", "ascii")


@case((3, 1.5))
def wrong_specification(n, x):
    return f"{x:d}"


@case((3, 1.5))
def too_few_values(n, x):
    return "%d %d" % (n,)  # noqa: F507


@case((np.arange(3.0),))
def specification_of_an_array(a):
    return f"{a:.2f}"


@case((3,), (-3,))
def wrong_specification_in_a_branch(n):
    if n < 0:
        return f"{n:q}"
    return "fine"


@case((3, 1.5))
def joining_numbers(n, x):
    return ", ".join([n, x])


@case((np.arange(3.0) / 3,))
def print_options(a):
    with np.printoptions(precision=3):
        text = f"{a}"
        print(a)
        print(text)
    print(a)
    return text, str(a)


@case((2,), (-2,))
def in_a_plain_string(n):
    return str(n) in "123"


@case((2,), (-2,))
def given_to_a_library(n):
    return re.sub("a", str(n), "cat"), float(str(n))


@case((2,), (-2,))
def chosen_text_as_a_key(n):
    key = "a" if n > 0 else "b"
    return {"a": 1, "b": 2}[key]


@case((2,), (-2,))
def as_a_key(n):
    return {f"{n}": 1}


@case((2,), (-2,))
def in_a_set(n):
    return {str(n)}


@case((2,), (-2,))
def compared(n):
    return f"{n}" == "2"


@case((2,), (-2,))
def its_length(n):
    return len(str(n))


@case((2,), (-2,))
def its_characters(n):
    return [c for c in str(n)]


@case((2,), (-2,))
def a_part_of_it(n):
    return f"{n}"[0]


@case((2,), (-2,))
def its_truth(n):
    return 1 if f"{n}" else 0


@case((2,), (-2,))
def contains(n):
    return "2" in str(n)


@case((2,), (-2,))
def back_to_a_number(n):
    return int(str(n)) + 1


@case((2,), (-2,))
def starts_with(n):
    return "2a".startswith(str(n)) or str(n).isdigit()


@case((5,), (0,))
def grows_in_a_run_time_loop(n):
    s = ""
    for i in range(n):
        s += f"{i},"
    return s


@case((2.5,), refused=UnsupportedValueError)
def hidden_in_an_object_of_the_library(x):
    return str(MappingProxyType({"a": x}))


@case((2.5,), refused=UnsupportedValueError)
def hidden_beside_a_number(x):
    return f"{x} {MappingProxyType({'a': x})!r:>50}"


@case((2.5,))
def default_dicts(x):
    from collections import Counter, OrderedDict, defaultdict

    d = defaultdict(list)
    d["a"].append(x)
    return str(d), f"{OrderedDict(a=x)} {Counter('aab')} {ChainMap({'a': x})} {ChainMapOfNumbers}"


@pytest.mark.parametrize("program", case.programs)
def test_text(program: Program) -> None:
    program.check()


def test_refusal_names_the_line_and_what_to_write() -> None:
    with pytest.raises(ConcretizationError, match="compare the values instead") as caught:
        jit(compared, auto_static=False)(2.5)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize("show", [pprint.pformat, json.dumps], ids=lambda f: f.__name__)
def test_the_standard_library_never_makes_a_wrong_text(show) -> None:
    def f(x):
        return show({"a": [x]})

    with pytest.raises((ConcretizationError, UnsupportedOperationError)):
        jit(f)(2.0)


def test_code_that_was_not_rewritten_never_sees_a_wrong_text() -> None:
    scope: dict[str, object] = {}
    exec("def library(x):\n    return '%s|%r|{}' % (x, [x])\ndef shown(x):\n    return repr([x])", scope)

    def f(x):
        return scope["library"](x)

    def g(x):
        return scope["shown"](x)

    for function in (f, g):
        with pytest.raises(ConcretizationError):
            jit(function)(2.0)


@pytest.mark.parametrize("reduction", [np.sum, np.prod, np.max, np.mean], ids=lambda f: f.__name__)
def test_a_text_is_no_array_of_an_object(reduction) -> None:
    with pytest.raises(ConcretizationError):
        jit(lambda x: reduction(f"{x}"))(2.0)
