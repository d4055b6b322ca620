"""The passes: what they change, what they leave, and that results are the same before and after."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes import PASSES, optimise
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.if_conversion import convert_small_branches
from anabranch.runtime.passes.select_simplify import simplify_selects
from anabranch.runtime.passes.undef_propagation import propagate_undef
from anabranch.runtime.signature.flatten_to_key import buffers
from tests.equations import V3, B, F, I, equation, every_equation, literal, one, ops, unary
from tests.equivalence import check as equal


def same_results(program: Program, *argsets):
    after = optimise(program)
    check(after)
    for each in PASSES:
        check(each.run(program))
    for args in argsets:
        for want, got in zip(evaluate(program, *args), evaluate(after, *args), strict=True):
            np.testing.assert_array_equal(got, want)
    return after


def test_dead_code_is_dropped():
    x = Var(F)
    y, live = one("sqrt", x)
    _, dead = one("negative", x)
    program = Program((x,), (dead, live), (y,))
    assert ops(eliminate_dead_code(program)) == ["sqrt"]
    same_results(program, (4.0,))


def test_what_only_dead_code_needs_is_dead():
    x = Var(F)
    y, first = one("sqrt", x)
    _, second = one("negative", y)
    assert ops(eliminate_dead_code(Program((x,), (first, second), (x,)))) == []


def test_dead_code_is_dropped_inside_of_loops():
    i, c = Var(I), Var(F)
    d, live = one("add", c, literal(1.0))
    _, dead = one("sqrt", c)
    body = Program((i, c), (dead, live), (d,))
    out = Var(F)
    loop = equation("for", (literal(np.int64(3)), literal(0.0)), (out,), body=body, consts=0, carries=1, length=3)
    program = Program((), (loop,), (out,))
    assert ops(eliminate_dead_code(program)) == ["for", "add"]
    assert evaluate(same_results(program, ()))[0] == 3


def counted(outputs):
    """Three steps of `a, b, c = a + 1, a + b, c * 2`, of which these carries are results."""
    index, *carries = Var(I), Var(F), Var(F), Var(F)
    a, b, c = carries
    rows = [one("add", a, literal(1.0)), one("add", a, b), one("multiply", c, literal(2.0))]
    body = Program((index, *carries), tuple(e for _, e in rows), tuple(v for v, _ in rows))
    after = (Var(F), Var(F), Var(F))
    params = {"body": body, "consts": 0, "carries": 3, "length": 3}
    loop = equation("for", (literal(np.int64(3)), literal(0.0), literal(0.0), literal(1.0)), after, **params)
    return Program((), (loop,), tuple(after[k] for k in outputs))


def test_whether_a_loop_has_stopped_is_live():
    i, s, c = Var(I), Var(B), Var(F)
    (d, live), (ends, stops) = one("add", c, literal(1.0)), one("greater", c, literal(0.0))
    body = Program((i, s, c), (live, stops), (ends, d))
    stopped, out = Var(B), Var(F)
    inputs = (literal(np.int64(3)), literal(False), literal(0.0))
    loop = equation("for_until", inputs, (stopped, out), body=body, consts=0, carries=2, length=3)
    program = Program((), (loop,), (out,))
    assert eliminate_dead_code(program) is program
    assert evaluate(program)[0] == 2


@pytest.mark.parametrize(("outputs", "live"), [((0,), 1), ((1,), 2), ((2,), 1), ((1, 2), 3), ((0, 2), 2)])
def test_carries_that_nothing_needs_are_dropped(outputs, live):
    after = eliminate_dead_code(counted(outputs))
    assert after.equations[0].params["carries"] == live
    same_results(counted(outputs), ())


def test_carries_of_a_while_that_only_its_test_needs_stay():
    a, b, c = Var(F), Var(F), Var(F)
    less, test = one("less", a, literal(5.0))
    carries = (Var(F), Var(F), Var(F))
    rows = [one("add", v, literal(1.0)) for v in carries]
    body = Program(carries, tuple(e for _, e in rows), tuple(v for v, _ in rows))
    after = (Var(F), Var(F), Var(F))
    params = {"test": Program((a, b, c), (test,), (less,)), "body": body, "consts": 0}
    loop = equation("while", (literal(0.0), literal(1.0), literal(2.0)), after, **params)
    program = Program((), (loop,), (after[2],))
    assert len(eliminate_dead_code(program).equations[0].outputs) == 2
    assert evaluate(same_results(program, ()))[0] == 7


def test_results_of_branches_that_nothing_needs_are_dropped():
    p, x = Var(B), Var(F)
    rows = [(one("exp", v), one("log", v), v) for v in (Var(F), Var(F))]
    sides = [Program((v,), (first[1], second[1]), (first[0], second[0])) for first, second, v in rows]
    after = (Var(F), Var(F))
    line = equation("cond", (p, x), after, on_true=sides[0], on_false=sides[1])
    program = Program((p, x), (line,), after[1:])
    assert ops(eliminate_dead_code(program)) == ["cond", "log", "log"]
    same_results(program, (True, 2.0), (False, 3.0))


def whiles_in_whiles(depth):
    """Loops in loops: each has a carry that nothing needs but itself, and a constant that nothing reads."""
    given, unread, unused = Var(F), Var(F), Var(F)
    inner = whiles_in_whiles(depth - 1) if depth else None
    after = (Var(F), Var(F))
    lines = [] if inner is None else [equation("while", (unread, given, unused), after, **inner)]
    first, line = one("add", given if inner is None else after[0], literal(1.0))
    second, other = one("add", unused, literal(1.0))
    body = Program((unread, given, unused), (*lines, line, other), (first, second))
    names = (Var(F), Var(F), Var(F))
    less, test = one("less", names[1], literal(depth + 2.0))
    return {"test": Program(names, (test,), (less,)), "body": body, "consts": 1}


@pytest.mark.parametrize("depth", [0, 1, 2, 60])
def test_what_nothing_needs_is_dropped_from_loops_in_loops(depth):
    x, after = Var(F), (Var(F), Var(F))
    program = Program((x,), (equation("while", (x, literal(0.0), x), after, **whiles_in_whiles(depth)),), after[:1])
    narrow = eliminate_dead_code(program)
    check(narrow)
    assert ops(narrow).count("add") == depth + 1
    assert all(e.params["consts"] == 0 and len(e.inputs) == 1 for e in every_equation(narrow) if e.op.name == "while")
    if depth < 3:
        same_results(program, (1.0,))


def test_operands_that_no_branch_reads_are_dropped():
    p, x, y = Var(B), Var(F), Var(F)
    rows = [(one("exp", v), v, Var(F)) for v in (Var(F), Var(F))]
    sides = [Program((v, w), (made[1],), (made[0],)) for made, v, w in rows]
    out = Var(F)
    line = equation("cond", (p, x, y), (out,), on_true=sides[0], on_false=sides[1])
    program = Program((p, x, y), (line,), (out,))
    assert len(eliminate_dead_code(program).equations[0].inputs) == 2
    same_results(program, (True, 2.0, 1.0), (False, 3.0, 1.0))


def test_unread_rows_and_columns_of_a_loop_are_dropped():
    index, carry, x, y = Var(I), Var(F), Var(F), Var(F)
    (a, first), (b, second) = one("add", carry, x), one("multiply", y, literal(2.0))
    body = Program((index, carry, x, y), (first, second), (a, a, b))
    after = (Var(F), Var(V3), Var(V3))
    xs, ys = Var(V3), Var(V3)
    params = {"body": body, "consts": 0, "carries": 1, "length": 3}
    loop = equation("for", (literal(np.int64(3)), literal(0.0), xs, ys), after, **params)
    program = Program((xs, ys), (loop,), (after[1],))
    narrow = eliminate_dead_code(program)
    check(narrow)
    assert (len(narrow.equations[0].inputs), len(narrow.equations[0].outputs)) == (3, 2)
    same_results(program, (np.arange(3.0), np.ones(3)))


@pytest.mark.needs_pass("constant_folding")
def test_work_on_constants_is_done_once_and_here():
    def table(x):
        return [x * np.exp(-2j * np.pi * np.arange(4) / k) for k in (8, 8, 16)]

    lowered = jit(table).lower(np.ones(4))
    assert [e.op.name for e in lowered.program.equations].count("exp") == 0
    assert lowered.as_text().count('dense<"0x') == 2
    for got, want in zip(lowered.compile()(np.ones(4)), table(np.ones(4)), strict=True):
        np.testing.assert_array_equal(got, want)


def test_what_is_computed_twice_is_computed_once():
    x = Var(F)
    rows = [one("sqrt", x), one("sqrt", x)]
    total, last = one("add", rows[0][0], rows[1][0])
    program = Program((x,), (rows[0][1], rows[1][1], last), (total,))
    assert ops(same_results(program, (4.0,))) == ["sqrt", "add"]


@pytest.mark.needs_pass("dce")
def test_unused_loop_is_dropped():
    def total(a, n):
        for i in range(n):
            a.sum() * i
        return n

    traced = jit(total).trace(np.ones(3), 3)
    assert "reduce_sum" in ops(traced.program)
    assert "reduce_sum" not in ops(traced.lower().program)


def choice(on_true, on_false, kind=F):
    p, x, r = Var(B), Var(kind), Var(kind)
    return Program((p, x), (equation("cond", (p, x), (r,), on_true=on_true, on_false=on_false),), (r,))


def test_a_small_branch_of_scalars_becomes_a_select():
    program = choice(unary("sqrt"), unary("negative"))
    assert sorted(ops(convert_small_branches(program))) == ["negative", "select", "sqrt"]
    same_results(program, (True, 4.0), (False, 4.0), (False, -4.0), (True, -4.0))


def test_a_small_branch_of_tiny_arrays_becomes_a_select():
    program = choice(unary("sqrt", V3), unary("negative", V3), V3)
    after = same_results(program, (True, np.arange(3.0)), (False, np.arange(3.0)))
    assert "cond" not in ops(after)


def test_nested_small_branches_become_selects():
    p, q, x = Var(B), Var(B), Var(F)
    inner_p, inner_x, r = Var(B), Var(F), Var(F)
    line = equation("cond", (inner_p, inner_x), (r,), on_true=unary("sqrt"), on_false=unary("negative"))
    inner = Program((inner_p, inner_x), (line,), (r,))
    b, c, out = Var(B), Var(F), Var(F)
    line = equation("cond", (p, q, x), (out,), on_true=inner, on_false=Program((b, c), (), (c,)))
    program = Program((p, q, x), (line,), (out,))
    after = same_results(program, *((a, b, 9.0) for a in (True, False) for b in (True, False)))
    assert "cond" not in ops(after)
    assert ops(after).count("select") == 2


def test_a_branch_with_a_costly_op_stays():
    program = choice(unary("exp"), unary("negative"))
    assert "cond" in ops(convert_small_branches(program))
    same_results(program, (True, 1.0), (False, 1.0))


def test_a_branch_of_a_large_array_stays():
    kind = type(V3)((1000,), V3.dtype)
    assert "cond" in ops(convert_small_branches(choice(unary("sqrt", kind), unary("negative", kind), kind)))


@pytest.mark.parametrize("write", [False, True])
def test_a_branch_that_reads_or_writes_an_array_stays(write):
    def reads(a, i):
        return a[i] if a[0] > 0 else 1.0

    def writes(a, i):
        if a[0] > 0:
            a[i] = 1.0

    a = np.arange(1.0, 100.0)
    lowered = jit(writes if write else reads).lower(a, 1)
    assert "cond" in ops(lowered.program)


def test_a_branch_that_hands_on_different_large_arrays_stays():
    kind = type(V3)((1000,), V3.dtype)
    p, x, y, r = Var(B), Var(kind), Var(kind), Var(kind)
    a, b, c, d = (Var(kind) for _ in range(4))
    sides = {"on_true": Program((a, b), (), (a,)), "on_false": Program((c, d), (), (d,))}
    program = Program((p, x, y), (equation("cond", (p, x, y), (r,), **sides),), (r,))
    assert ops(convert_small_branches(program)) == ["cond"]
    sides["on_false"] = Program((c, d), (), (c,))
    program = Program((p, x, y), (equation("cond", (p, x, y), (r,), **sides),), (r,))
    assert ops(convert_small_branches(program)) == []


def chain(length, seed):
    """A Program of selects of two values and three constants, each of what came before it, and of comparisons."""
    random = np.random.default_rng(seed)
    p, q, x, y = Var(B), Var(B), Var(I), Var(I)
    preds, values, equations = [p, q], [x, y, literal(0), literal(1), literal(2)], []

    def add(name, among, kind, *inputs):
        out = Var(kind)
        equations.append(equation(name, inputs, (out,)))
        among.append(out)

    for _ in range(length):
        pred, (a, b) = preds[random.integers(len(preds))], (values[-k] for k in random.integers(1, 6, 2))
        add("select", values, I, pred, a, b)
        if random.random() < 0.5:
            add("equal", preds, B, values[-1], literal(int(random.integers(3))))
        if random.random() < 0.2:
            add("logical_not", preds, B, preds[-1])
        if random.random() < 0.2:
            add(("logical_and", "logical_or")[random.integers(2)], preds, B, preds[-1], preds[-2])
    return Program((p, q, x, y), tuple(equations), (values[-1], values[-2], preds[-1]))


@pytest.mark.parametrize("seed", range(100))
def test_selects_of_selects_stay_what_they_are(seed):
    program = chain(3 + seed % 20, seed)
    argsets = [(np.bool_(p), np.bool_(q), np.int64(5), np.int64(7)) for p in (0, 1) for q in (0, 1)]
    same_results(program, *argsets, (np.bool_(True), np.bool_(True), np.int64(0), np.int64(1)))


@pytest.mark.needs_pass("select_simplify")
def test_a_chain_of_failures_is_no_tree():
    """XLA goes along each path of selects there is, so that these must not double with each place that may fail."""

    def f(n, k):
        for i in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
            if n > i:
                k = k // n
            else:
                k = k % n
        return k

    program = jit(f, auto_static=False).lower(3, 100).program
    paths = {}
    for made in program.equations:
        sides = made.inputs[1:] if made.op.name == "select" else ()
        paths.update(dict.fromkeys(made.outputs, 1 + sum(paths.get(side, 1) for side in sides)))
    assert max(paths.values()) < len(program.equations)


def test_a_choice_that_is_asked_for_is_what_chooses():
    p, q, x, y = Var(B), Var(B), Var(I), Var(I)
    code, first = one("select", p, literal(1), literal(0))
    is_unset, second = one("equal", code, literal(0))
    asked, third = one("select", is_unset, x, y)
    after = eliminate_dead_code(simplify_selects(Program((p, q, x, y), (first, second, third), (asked,))))
    assert ops(after) == ["select"]
    assert after.equations[0].inputs == (p, y, x)


def test_results_of_whole_functions_are_the_same():
    def work(a, n):
        t, best = 0.0, 0
        for i in range(n):
            x = a[i % 4]
            if x > t:
                t, best = x * 2 if best else x, i
            elif x < -1:
                break
            a[i % 4] = t
        return t, best

    for n in (0, 1, 3, 9):
        a = np.array([0.5, 3.0, -0.5, 2.0])
        wrapped = jit(work)
        traced = wrapped.trace(a, n)
        _, leaves, _ = wrapped._signature((a, n), {})
        same_results(traced.program, buffers(traced.plan.inputs(leaves.values)))


LARGE = ArrayType((20,), np.dtype(np.float64))


def unspecified(kind: ArrayType):
    return one("undef", shape=kind.shape, dtype=kind.dtype)


def test_unspecified_in_a_loops_branch_is_the_carry():
    i, c, b = Var(I), Var(LARGE), Var(LARGE)
    late, test = one("greater", i, literal(np.int64(3)))
    made, line = one("broadcast_in_dim", literal(2.0), shape=(20,), dims=())
    free, nothing = unspecified(LARGE)
    found = Var(LARGE)
    choice = equation(
        "cond", (late,), (found,), on_true=Program((), (line,), (made,)), on_false=Program((), (nothing,), (free,))
    )
    body = Program((i, c), (test, choice), (found,))
    loop = equation("for", (literal(np.int64(6)), b), (out := Var(LARGE),), body=body, consts=0, carries=1, length=6)
    program = Program((b,), (loop,), (out,))
    same_results(program, (np.ones(20),))
    after = propagate_undef(program)
    assert "undef" not in ops(after)
    assert "broadcast_in_dim" in ops(after)


def test_unspecified_in_a_branch_is_what_the_other_hands_on():
    p, x = Var(B), Var(LARGE)
    inner, given = Var(LARGE), Var(LARGE)
    free, nothing = unspecified(LARGE)
    choice = equation(
        "cond",
        (p, x),
        (out := Var(LARGE),),
        on_true=Program((inner,), (), (inner,)),
        on_false=Program((given,), (nothing,), (free,)),
    )
    after = optimise(Program((p, x), (choice,), (out,)))
    check(after)
    assert ops(after) == []
    assert after.outputs == after.inputs[1:]


def test_a_select_with_an_unspecified_side_is_the_other():
    p, x = Var(B), Var(F)
    inner, given = Var(F), Var(F)
    root, line = one("sqrt", inner)
    free, nothing = unspecified(F)
    sides = {"on_true": Program((inner,), (line,), (root,)), "on_false": Program((given,), (nothing,), (free,))}
    choice = equation("cond", (p, x), (out := Var(F),), **sides)
    after = optimise(Program((p, x), (choice,), (out,)))
    check(after)
    assert ops(after) == ["sqrt"]


@pytest.mark.needs_pass("undef_propagation")
def test_a_return_of_an_array_from_a_loop_makes_it_once():
    def find(a, n):
        for i in range(n):
            if a[i] < 0:
                return np.full(50, a[i])
            a[i] = np.sqrt(a[i])
        return a

    program = jit(find).lower(np.ones(50), 3).program
    assert ops(program).count("broadcast_in_dim") + ops(program).count("undef") <= 2
    equal(find, np.ones(50), 3)
    equal(find, -np.ones(50), 3)
