"""The Program: its text, and its evaluation by NumPy."""

from __future__ import annotations

import re
import textwrap

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType, short_dtype
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import OutputGroups, Program, Var
from tests.equations import V3, F, I, equation, literal, one, unary


def sample() -> Program:
    """`r = -x if x > 2.0 else sqrt(x)`, and then three times `r + i`."""
    x = Var(F)
    p, test = one("greater", x, literal(2.0))
    r = Var(F)
    choice = equation("cond", (p, x), (r,), on_true=unary("negative"), on_false=unary("sqrt"))
    i, carry = Var(I), Var(F)
    fi, convert = one("convert", i, dtype=np.dtype(np.float64))
    total, add = one("add", carry, fi)
    body = Program((i, carry), (convert, add), (total,))
    out = Var(F)
    loop = equation("for", (literal(np.int64(3)), r), (out,), body=body, consts=0, carries=1, length=3)
    return Program((x,), (test, choice, loop), (out, literal(7)))


GOLDEN = """\
    { lambda a:f64[] ; let
        b:bool[] = greater a 2.0:f64[]
        g:f64[] = cond[
             on_true=
                { lambda c:f64[] ; let
                    d:f64[] = negative c
                  in (d,) }
             on_false=
                { lambda e:f64[] ; let
                    f:f64[] = sqrt e
                  in (f,) }
        ] b a
        l:f64[] = for[
             body=
                { lambda h:i64[] i:f64[] ; let
                    j:f64[] = convert[dtype=float64] h
                    k:f64[] = add i j
                  in (k,) }
            consts=0
            carries=1
            length=3
        ] 3:i64[] g
      in (l, 7:i64[]) }"""


def test_text_of_a_program_with_a_branch_and_a_loop():
    assert str(sample()) == textwrap.dedent(GOLDEN)


def test_names_go_on_after_z():
    x = Var(F)
    lines, last = [], x
    for _ in range(27):
        last, line = one("negative", last)
        lines.append(line)
    text = str(Program((x,), tuple(lines), (last,)))
    assert "z:f64[] = negative y" in text
    assert "ba:f64[] = negative z" in text
    assert "bb:f64[] = negative ba" in text


def test_arrays_among_the_literals():
    text = str(Program((), (), (literal([1, 2]), literal(np.zeros(9)), literal(True))))
    assert text == "{ lambda ; let\n  in ([1,2]:i64[2], <array>:f64[9], True:bool[]) }"


def test_groups_of_outputs():
    def text(**groups):
        names = ("results", "writes", "conditions", "effects", "effect_count", "failures")
        places, atoms = OutputGroups.joined(**{name: groups.get(name, []) for name in names})
        return str(Program((x,), (), tuple(atoms), groups=places))

    x = Var(F)
    code = [literal(np.int32(0))]
    assert text(results=[x], writes=[x, x], failures=code).endswith("in (a; writes a, a; failures 0:i32[]) }")
    assert text(writes=[x]).endswith("in (; writes a) }")

    @jit
    def f(a, i):
        a += 1.0
        return a[i]

    assert re.search(r"in \(\w+; writes \w+; failures \w+, \w+\) }$", str(f.trace(np.ones(3), 1).program))


@pytest.mark.parametrize(
    ("dtype", "text"), [("f8", "f64"), ("f4", "f32"), ("i1", "i8"), ("u2", "u16"), ("c16", "c128"), ("?", "bool")]
)
def test_short_dtypes(dtype, text):
    assert short_dtype(np.dtype(dtype)) == text


def test_size():
    assert ArrayType((2, 3), np.dtype(float)).size == 6
    assert ArrayType((), np.dtype(float)).size == 1
    assert ArrayType((2, 0), np.dtype(float)).size == 0


@pytest.mark.parametrize(("x", "want"), [(4.0, -1.0), (1.0, 4.0)])
def test_evaluation(x, want):
    total, seven = evaluate(sample(), x)
    assert (total, seven) == (want, 7)


def test_evaluation_refuses_other_arguments():
    program = unary("negative", V3)
    (result,) = evaluate(program, np.arange(3.0))
    assert result.tolist() == [0, -1, -2]
    with pytest.raises(TypeError, match="takes 1 inputs, 2 given"):
        evaluate(program, np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError, match="f64\\[3\\]"):
        evaluate(program, np.zeros(4))
    with pytest.raises(TypeError, match="float32"):
        evaluate(program, np.zeros(3, np.float32))
