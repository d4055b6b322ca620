"""Callbacks of XLA programs, programs run by many threads, and the process's first use of XLA."""

from __future__ import annotations

import importlib.util
import threading

import numpy as np
import pytest

from anabranch.runtime.host import callbacks
from anabranch.runtime.xla import compiler
from tests.internals.xla.hand_written import COUNT_TO_TEN, add, program, run_script

# This many float64 values are more than what is staged.
LARGE = 150_000
CALL = "stablehlo.custom_call @xla_ffi_python_cpu_callback"
SIDE_EFFECT = "api_version = 4 : i32, has_side_effect = true, backend_config = {index = 0 : ui64}"


def test_callback_in_a_loop_runs_in_order():
    seen = []
    body = COUNT_TO_TEN.replace("BODY", f"%t = {CALL}(%i) {{{SIDE_EFFECT}}} : (tensor<i64>) -> tuple<>")
    executable = compiler.compile_text(
        program({"a": "tensor<i64>"}, {"r": "tensor<i64>"}, body), callbacks=[lambda i: seen.append(int(i)) or ()]
    )
    for _ in range(3):
        seen.clear()
        assert executable([np.array(2)])[0] == 10
        assert seen == list(range(2, 10))


def test_callback_gives_a_value_and_may_run_programs():
    inner = compiler.compile_text(add("tensor<3xf64>"))
    body = f"%r = {CALL}(%a, %a) {{api_version = 4 : i32, backend_config = {{index = 1 : ui64}}}}"
    body += " : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>"
    executable = compiler.compile_text(
        program({"a": "tensor<3xf64>"}, {"r": "tensor<3xf64>"}, body),
        callbacks=[lambda *_: (None,), lambda a, b: (inner([a, b])[0] + 1,)],
    )
    np.testing.assert_array_equal(executable([np.arange(3.0)])[0], [1, 3, 5])


def test_callbacks_that_run_programs_from_many_threads():
    kind = "tensor<500x500xf64>"
    inner = compiler.compile_text(add(kind))
    nested = f"%x = {CALL}(%a) {{{SIDE_EFFECT}}} : ({kind}) -> {kind}"
    between = compiler.compile_text(
        program({"a": kind}, {"x": kind}, nested), callbacks=[lambda a: (inner([a, a])[0],)]
    )
    outer = compiler.compile_text(
        program({"a": kind}, {"x": kind}, nested), callbacks=[lambda a: (between([a])[0] + 1,)]
    )
    results = []
    work = [
        threading.Thread(target=lambda: results.append(outer([np.ones((500, 500))])), daemon=True) for _ in range(6)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join(30)
    assert [result[0][0, 0] for result in results] == [3.0] * 6


def test_callback_exception_is_the_cause():
    def refuse(i):
        raise ZeroDivisionError(f"at {int(i)}")

    body = COUNT_TO_TEN.replace("BODY", f"%t = {CALL}(%i) {{{SIDE_EFFECT}}} : (tensor<i64>) -> tuple<>")
    executable = compiler.compile_text(program({"a": "tensor<i64>"}, {"r": "tensor<i64>"}, body), callbacks=[refuse])
    for start in (4, 5):
        with pytest.raises(callbacks.ExecutionError, match=f"at {start}") as caught:
            executable([np.array(start)])
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert not callbacks._raised
    assert executable([np.array(11)])[0] == 11


class Moved:
    """A host function that moves elements on, and one element alone is too little for."""

    @staticmethod
    def write(outs, a, *, by):
        if a.size == 1:
            raise MemoryError("no room")
        if a[0] < 0:
            raise ZeroDivisionError("no number")
        outs[0][...] = np.roll(a, by)


def moved(size):
    kind = f"tensor<{size}xf64>"
    function = callbacks.HostFunction(__name__, "Moved", (("by", 2),), inputs=1)
    call = "stablehlo.custom_call @xla_buffer_python_cpu_callback"
    body = f"%r = {call}(%a) {{{SIDE_EFFECT}}} : ({kind}) -> {kind}"
    return compiler.compile_text(program({"a": kind}, {"r": kind}, body), callbacks=[function])


def test_a_host_function_works_on_the_memory_of_the_program():
    executable = moved(LARGE)
    a = np.arange(float(LARGE))
    for _ in range(3):
        np.testing.assert_array_equal(executable([a])[0], np.roll(a, 2))
    again = compiler.deserialize(executable.serialize(), callbacks=executable.callbacks)
    np.testing.assert_array_equal(again([a])[0], np.roll(a, 2))


def test_host_functions_raise():
    with pytest.raises(callbacks.OutOfMemoryError, match="no room"):
        moved(1)([np.ones(1)])
    with pytest.raises(callbacks.CallbackError, match="no number") as caught:
        moved(5)([-np.ones(5)])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert not callbacks._raised


def test_host_functions_of_many_threads():
    executable, wrong = moved(LARGE), []

    def work(number):
        a = np.arange(float(LARGE)) + number
        for _ in range(20):
            if not (executable([a])[0] == np.roll(a, 2)).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(("size", "turns"), [(16, 200), (5000, 100), (LARGE, 20)])
def test_threads(size, turns):
    executable = compiler.compile_text(add(f"tensor<{size}xf64>"))
    wrong, start = [], threading.Barrier(8)

    def work(number):
        start.wait()
        for turn in range(turns):
            a = np.full(size, float(number))
            b = np.full(size, float(turn))
            (result,) = executable([a, b])
            a[:] = b[:] = -1
            if not (result == number + turn).all():
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


FIRST_USE = """
    import os, threading
    import numpy as np
    from anabranch.runtime import _jaxlib
    from anabranch.runtime.xla import compiler
    assert not _jaxlib._made_backends
    assert "TF_CPP_MIN_LOG_LEVEL" not in os.environ
    text = '''module @m { func.func public @main(%a: tensor<2xf64>) -> tensor<2xf64> {
      %r = stablehlo.add %a, %a : tensor<2xf64>
      return %r : tensor<2xf64> } }'''
    seen, start = [], threading.Barrier(6)
    def work():
        start.wait()
        (result,) = compiler.compile_text(text)([np.array([0.1, 1e300])])
        seen.append((id(_jaxlib.backend_of()), result.tolist()))
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert len(seen) == 6 and len(set(map(str, seen))) == 1, seen
"""


def test_first_use_by_several_threads_makes_one_client_and_says_nothing():
    done = run_script(FIRST_USE)
    assert done.stdout == ""
    assert done.stderr == ""


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="jax is not installed")
@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("first", ["jax", "anabranch"])
def test_beside_jax(first, x64):
    run_script(f"""
    import numpy as np
    text = '''module @m {{ func.func public @main(%a: tensor<2xf64>, %b: tensor<5000xi64>)
        -> (tensor<2xf64>, tensor<5000xi64>) {{
      %r = stablehlo.add %a, %a : tensor<2xf64>
      return %r, %b : tensor<2xf64>, tensor<5000xi64> }} }}'''
    a, b = np.array([0.1, 1e300]), np.full(5000, 2**40 + 1)

    def ours():
        from anabranch.runtime import _jaxlib
        from anabranch.runtime.host.compile_options import CompileOptions
        from anabranch.runtime.xla import compiler
        _jaxlib.register_lapack()
        executable = compiler.compile_text(text)
        later = compiler.compile_text(text, CompileOptions(asynchronous=True))
        results = later.execute_buffers([_jaxlib.put(a), _jaxlib.put(b)])
        for x, y in (executable([a, b]), map(_jaxlib.to_numpy, results)):
            assert x.dtype == np.float64 and x.tolist() == (a + a).tolist()
            assert y.dtype == np.int64 and (y == b).all()

    def theirs():
        import jax
        jax.config.update("jax_enable_x64", {x64})
        wide = np.float64 if {x64} else np.float32
        y = jax.jit(lambda x: x * 2)(np.array([0.5, 1.5]))
        assert y.dtype == wide and y.tolist() == [1.0, 3.0]
        assert np.allclose(np.asarray(jax.numpy.linalg.cholesky(4 * np.eye(3))), 2 * np.eye(3))
        assert (y + 1).tolist() == [2.0, 4.0]

    for step in ({"(theirs, ours, theirs, ours)" if first == "jax" else "(ours, theirs, ours, theirs)"}):
        step()
    """)
