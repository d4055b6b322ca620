"""Metamorphic laws: other texts of one program, and other ways to compile and to call it, make no difference.

Where the plain function's own outcome is what a way gives, it is right whatever the usual way gives; where it is not,
the usual way tells whether the difference is that of this property. Programs that the usual way refuses are left out.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given, settings, strategies as st

from anabranch import (
    Compiled,
    StaticArgumentError,
    asarray,
    djit,
    jit,
    transpile,
    xpr,
)
from anabranch.export import deserialize, export
from anabranch.runtime.control import vocabulary
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.ir import verify
from anabranch.runtime.signature.static_args import StaticArguments
from anabranch.runtime.testing.compare_outcomes import Tolerance, first_difference
from anabranch.runtime.testing.outcomes import Outcome, copied
from property_tests.generation.choices import Drawn
from property_tests.generation.constructs import PRODUCTIONS
from property_tests.generation.programs import GeneratedProgram, programs
from property_tests.holding import Function, Recorded, hold, less_known, no_bytes, nothing, refusal, refused, unlike
from property_tests.transformations import TRANSFORMATIONS, Variant
from property_tests.transformations.inlining import inline_helpers
from property_tests.transformations.loops import for_to_while
from property_tests.transformations.outlining import outline_expressions
from property_tests.transformations.swapping import swap_independent
from property_tests.transformations.variants import Transformation
from property_tests.transformations.wrapping import wrap_under_flag

# ---- other texts -----------------------------------------------------------------------------------------------------


def check_text(program: GeneratedProgram, variant: Variant) -> Function:
    """Check that the other text does the same in Python, and give its function."""
    other = variant.beside(program)
    for args in program.arguments():
        want, got = Outcome(program.function, args, {}), Outcome(extended(other, variant), args, {})
        for outcome in (want, got):
            retold(outcome, variant)
        found = first_difference(want, got, (), Tolerance(ulps=0))
        assert found is None, f"a wrong transformation: {found}\n{program}\n{variant.text}"
    return other


def extended(function: Function, variant: Variant) -> Function:
    """The other function, called with the program's arguments."""
    return lambda *args: function(*args, *variant.extra)


def retold(outcome: Outcome, variant: Variant) -> None:
    """Let an exception speak of the program's own names."""
    error = outcome.error
    if isinstance(error, NameError) and variant.names:
        outcome.error = type(error)(variant.told(str(error)))


# What a program is made of that a transformation has something to do in.
NUMBERS = frozenset({"augmented assignment", "if", "for", "while", "int division", "ternary", "int of element"})


def suited(data: st.DataObject, transformation: Transformation) -> GeneratedProgram:
    """A program in which there is something to transform, more often than not."""
    if transformation is swap_independent:
        return data.draw(programs(NUMBERS), label="program")
    if transformation is not for_to_while:
        return data.draw(programs(), label="program")
    every = PRODUCTIONS.features()
    mask = Drawn(data.draw).below(1 << len(every))
    chosen = {"for", *(feature for bit, feature in enumerate(every) if mask >> bit & 1)}
    return data.draw(programs(frozenset(chosen)), label="program")


# A flag, or a counter, known only at run time takes the place of a static one.
LESS_KNOWN = (wrap_under_flag, for_to_while)


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda t: t.__name__)
@given(st.data())
def test_another_text(transformation, data):
    program = with_helpers(data) if transformation is inline_helpers else suited(data, transformation)
    variant = transformation(program, Drawn(data.draw))
    assume(variant is not None)
    other = jit(check_text(program, variant))

    def way(*args):
        try:
            return other(*args, *variant.extra)
        except NameError as error:
            raise type(error)(variant.told(str(error))) from error

    try:
        hold(program, way, allowed=less_known if transformation in LESS_KNOWN else nothing)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{variant.text}") from None


@given(programs())
def test_rewriting_the_rewritten(program):
    """The rewritten function is left as it is; its text is a program, in which only calls are left to be rewritten."""
    plain = program.function
    text = jit(plain).source()
    assert jit(GeneratedProgram(program.text, ()).function).source() == text
    assume(transpile.needs_rewriting(plain))
    bound = transpile.rewrite(plain, counterpart).bind(plain, vocabulary)
    assert not transpile.needs_rewriting(bound)
    hold(program, jit(bound), allowed=refusal)
    scope = GeneratedProgram(f"import numpy as np\n{text}", ()).scope
    scope.update({name: value for name, value in program.scope.items() if name not in scope})
    names = inspect.signature(scope["rewritten"]).parameters
    again = jit(scope["rewritten"](*(vocabulary if name == "ab" else scope[name] for name in names)))
    assert without_calls(again.source()) == without_calls(text)
    # Helpers read the globals of the program's own module.
    assume("global " not in program.text)
    hold(program, again, allowed=refusal)


def without_calls(text: str) -> str:
    """The rewritten `f` with calls as they were before the rewriting."""
    function = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == "f")
    return ast.dump(WithoutCalls().visit(function))


# What gives its argument, or what shows that to the user.
_AS_IT_WAS = ("imported", "staged", "managed", "enclosed", "kept", "calling", "attributes")


class WithoutCalls(ast.NodeTransformer):
    """`ab.call(g, x)` becomes `g(x)`; what gives its argument, or shows its attributes, is as it was."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name("ab" | "ab_2"), "call"), [function, *args], keywords):
                return self.visit_Call(ast.Call(function, args, keywords))
            case ast.Call(ast.Attribute(ast.Name("ab" | "ab_2"), name), [value]) if name in _AS_IT_WAS:
                return value
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Name(name)], ast.Name(same)) if name == same:
                return None
        return node


# ---- other ways to compile -------------------------------------------------------------------------------------------


@given(st.data())
def test_static_arguments(data):
    program = data.draw(programs(), label="program")
    args = program.arguments()
    plain = jit(program.function)
    names = plain._names
    fitting = [n for n, values in zip(names, zip(*args, strict=True), strict=True) if can_be_static(program, n, values)]
    assume(fitting)
    chosen = data.draw(st.lists(st.sampled_from(fitting), min_size=1, unique=True), label="static")
    places = {names.index(n) for n in chosen}

    def alone(function: Function) -> Function:
        """Parts of a static array that are returned are copies."""
        return lambda *args: function(
            *(np.copy(a) if i in places and type(a) is np.ndarray else a for i, a in enumerate(args))
        )

    static = jit(program.function, static_argnames=chosen)
    hold(program, static, alone(plain), plain=alone(program.function))


def can_be_static(program: GeneratedProgram, name: str, values: Sequence[Any]) -> bool:
    """Return whether an argument can be static; an array that the program writes to cannot."""
    place = jit(program.function)._names.index(name)
    try:
        for value in values:
            StaticArguments(program.function, [name]).mark(name, value)
    except StaticArgumentError:
        return False
    if not isinstance(values[0], np.ndarray):
        return True
    for args in program.arguments():

        def frozen(*given: Any, place: int = place) -> Any:
            given[place].flags.writeable = False
            return program.function(*given)

        got = Outcome(frozen, args, {})
        # Some of NumPy's functions write to arrays that are not to be written.
        if unlike(Outcome(program.function, args, {}), got) or got.args[place].tobytes() != args[place].tobytes():
            return False
    return True


@given(programs())
def test_jit_of_jit(program):
    hold(program, jit(jit(program.function)))


def calling(inner: Function) -> Function:
    def outer(*args):
        return inner(*args)

    return outer


@given(programs())
def test_a_jitted_function_called_from_one(program):
    hold(program, jit(calling(jit(program.function))))


@given(st.data())
def test_jitted_helpers(data):
    """Each helper of the module jitted by itself."""
    program = with_helpers(data)
    apart = GeneratedProgram(program.text, program.argsets)
    scope = apart.scope
    helpers = [n for n, v in scope.items() if n != "f" and type(v) is type(calling) and v.__module__ == "generated"]
    assume(helpers)
    scope.update({name: jit(scope[name]) for name in helpers})
    scope.update({name: value for name, value in program.scope.items() if isinstance(value, type)})
    hold(program, jit(apart.function))


def with_helpers(data: st.DataObject) -> GeneratedProgram:
    """A program in which some of the expressions are helpers."""
    program = data.draw(programs(), label="program")
    variant = outline_expressions(program, Drawn(data.draw))
    return program if variant is None else GeneratedProgram(variant.text, program.argsets, program.features)


@given(programs())
def test_djit(program):
    hold(program, djit(program.function))


@given(programs())
def test_stages_one_by_one(program):
    wrapped = jit(program.function)
    hold(program, lambda *args: wrapped.trace(*copied(args)).lower().compile()(*args), wrapped)


@given(programs())
def test_programs_are_well_formed(program):
    wrapped = jit(program.function)
    for args in program.arguments():
        try:
            traced = wrapped.trace(*args)
        except Exception as error:  # as a call
            event(type(error).__name__)
            continue
        verify.check(traced.program)
        verify.check(traced.lower().program)
        assert xpr(program.function, *args) == str(traced.program)


@given(programs())
def test_saved_and_loaded(program):
    wrapped = jit(program.function)

    def way(*args):
        compiled = wrapped.lower(*copied(args)).compile()
        return Compiled.deserialize(compiled.serialize())(*args)

    hold(program, way, wrapped, allowed=no_bytes)


@given(programs())
def test_exported_and_loaded(program):
    wrapped = jit(program.function)

    def way(*args):
        exported = export(wrapped)(*copied(args))
        return deserialize(exported.serialize()).call(*args)

    hold(program, way, wrapped, allowed=no_bytes)


@given(programs())
def test_a_signature_is_compiled_once(program):
    """The capacities and static values that a call finds are kept for the next one, which compiles nothing."""
    assume("global " not in program.text)
    wrapped = jit(program.function)
    for args in program.arguments():
        outcomes = [Outcome(wrapped, args, {}) for _ in range(2)]
        if outcomes[-1].error is None:  # what is raised while tracing is not compiled
            misses = wrapped.cache_info().misses
            Outcome(wrapped, args, {})
            assert wrapped.cache_info().misses == misses, f"f{args} is compiled again\n{program}"


# ---- memory, disk, threads -------------------------------------------------------------------------------------------


def on_device(values: Sequence[Any]) -> list[Any]:
    """The arrays among arguments as Arrays that own their memory."""
    return [asarray(v) + v.dtype.type(0) if type(v) is np.ndarray and v.dtype != bool else v for v in values]


def on_host(value: Any) -> Any:
    """A result with ndarrays in place of Arrays."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(on_host, value))
    return np.asarray(value) if type(value).__name__ == "Array" else value


@given(st.data())
def test_donation(data):
    program = data.draw(programs(), label="program")
    count = len(program.arguments()[0])
    donated = data.draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True), label="donated")
    kept, giving = jit(program.function), jit(program.function, donate_argnums=donated)
    for args in program.arguments():
        want = Outcome(lambda *args: on_host(kept(*on_device(args))), args, {})
        got = Outcome(lambda *args: on_host(giving(*on_device(args))), args, {})
        found = unlike(want, got)
        assert not found, f"{found}\nf{args}\n{program}"


@given(programs())
def test_disk_cache(program):
    """Once with nothing on disk, once with what that left, by a function that memory knows nothing of."""
    with tempfile.TemporaryDirectory() as folder:
        hold(program, jit(program.function, cache_dir=folder))
        again = GeneratedProgram(program.text, program.argsets)
        hold(again, jit(again.function, cache_dir=folder))


IN_PROCESS = """
import pickle, re, sys
from anabranch import jit
from property_tests.generation.programs import program_of
from anabranch.runtime.testing.outcomes import Outcome
from anabranch.runtime.testing.outcomes import copied
found = []
for seed in range({first}, {first} + {count}):
    program = program_of(seed)
    wrapped = jit(program.function)
    for args in program.arguments():
        got = Outcome(wrapped, args, {{}})
        found.append((repr(got.error), repr(got.value), repr(got.args), got.text))
print(re.sub(" at 0x[0-9A-Fa-f]+", "", repr(found)))
"""


@given(st.integers(0, 10**6))
@settings(max_examples=1)
def test_disk_cache_of_another_process(first):
    """A second process, which finds on disk what the first one made, gives the same."""
    with tempfile.TemporaryDirectory() as folder:
        roots = ":".join(sys.path)
        told = []
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", IN_PROCESS.format(first=first, count=6)],
                env={"ANABRANCH_CACHE_DIR": folder, "PYTHONPATH": roots, "PATH": ""},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            told.append((done.stdout, sorted(p.name for p in Path(folder).rglob("*") if p.is_file())))
        assert told[0][0] == told[1][0]
        assert told[0][1] == told[1][1], "the second process has made something anew"


@given(programs())
def test_threads(program):
    """Several threads call one function at the same time, with their own arguments."""
    argsets = program.arguments()
    wanted = [Outcome(program.function, args, {}) for args in argsets]
    # What is printed has no thread, and globals that are assigned are those of all threads.
    assume(not any(want.text for want in wanted) and "global " not in program.text)
    wrapped = jit(program.function)
    found: dict[int, Outcome] = {}
    start = threading.Barrier(4)

    def run(place: int) -> None:
        start.wait()
        found[place] = Recorded(wrapped, argsets[place % len(argsets)])

    threads = [threading.Thread(target=run, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    usual = jit(program.function)
    for place, got in sorted(found.items()):
        args = argsets[place % len(argsets)]
        different = unlike(wanted[place % len(argsets)], got)
        before = Outcome(usual, args, {}) if different else got
        different = "" if refused(before) and refused(got) else unlike(before, got)
        assert not different, f"{different}\nf{args}\n{program}"
