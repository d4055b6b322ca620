"""Calls that cannot be compiled, with `eager_refusals`: they are run as plain Python."""

from __future__ import annotations

import json
import time
import warnings

import numpy as np
import pytest

from anabranch import EagerFallbackWarning, UnsupportedOperationError, asarray, jit


def told(x):
    return json.dumps(x.tolist()), x.sum()


def counted(x):
    x[0] += 1.0
    print("counted", time.time() > 0.0)
    return x * 2


def grown(x, most):
    while x.sum() < most:
        x = np.stack([x, x])
    return x


def _seconds(x):
    yield x
    yield x + (time.time() < 0.0)


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
@pytest.mark.parametrize(("function", "args"), [(told, ()), (counted, ()), (grown, (7.0,))])
def test_results_changes_and_output_are_those_of_python(function, args, capsys) -> None:
    compiled = jit(function, eager_refusals=True)
    for _ in range(3):
        mine, its = np.ones(2), np.ones(2)
        answer = compiled(mine, *args)
        printed = capsys.readouterr().out
        expected = function(its, *args)
        assert printed == capsys.readouterr().out
        np.testing.assert_equal(answer, expected)
        np.testing.assert_array_equal(mine, its, strict=True)


def test_without_the_setting_it_is_an_error() -> None:
    with pytest.raises(UnsupportedOperationError, match=r"json\.dumps is not compiled"):
        jit(told)(np.ones(2))


def test_each_signature_warns_once_and_is_tried_once() -> None:
    compiled = jit(told, eager_refusals=True)
    with pytest.warns(
        EagerFallbackWarning, match=r"call of told .* cannot be compiled: json\.dumps[^\n]*\n.*test_eager_ref"
    ) as caught:
        compiled(np.ones(2))
    assert [w.filename for w in caught] == [__file__]
    misses = compiled.cache_info().misses
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(np.ones(2))
    assert compiled.cache_info().misses == misses
    with pytest.warns(EagerFallbackWarning):
        compiled(np.ones(3))
    compiled.clear_cache()
    with pytest.warns(EagerFallbackWarning):
        compiled(np.ones(2))


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_explain_counts_such_calls() -> None:
    def timed(x, ask):
        return x + time.time() * 0.0 if ask else x

    compiled = jit(timed, static_argnames="ask", eager_refusals=True)
    compiled(1.0, True)
    compiled(1.0, True)
    assert "calls run as plain Python: 2 so far" in str(compiled.explain(1.0, False))


def test_jitted_functions_that_it_calls_are_compiled() -> None:
    inner = jit(lambda x: x * 2.0)

    @jit(eager_refusals=True)
    def outer(x):
        return inner(x), time.time() > 0.0

    with pytest.warns(EagerFallbackWarning):
        assert outer(3.0) == (6.0, True)
    assert inner.cache_info().currsize == 1


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_methods_generators_and_what_has_no_source() -> None:
    class Clock:
        def __init__(self) -> None:
            self.ticks = 0

        @jit(eager_refusals=True)
        def tick(self, x):
            self.ticks += 1
            return x + (time.time() < 0.0)

    clock = Clock()
    assert [clock.tick(2.0) for _ in range(3)] == [2.0] * 3
    assert clock.ticks == 3
    assert list(jit(_seconds, eager_refusals=True)(1.0)) == [1.0, 1.0]
    names: dict = {}
    exec("def double(x): return 2 * x if x else x", names)
    assert jit(names["double"], eager_refusals=True)(1.5) == 3.0
    exec("def halves(x):\n    yield x / 2 if x else x", names)
    assert list(jit(names["halves"], eager_refusals=True)(3.0)) == [1.5]


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_exceptions_are_those_of_python() -> None:
    compiled = jit(told, eager_refusals=True)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'tolist'"):
        compiled(3)
    with pytest.raises(ValueError, match="could not be broadcast"):
        jit(lambda x: x + np.ones(len(x) + 1) * time.time(), eager_refusals=True)(np.ones(2))


def test_arrays_and_donated_buffers_are_refused_as_ever() -> None:
    with pytest.raises(UnsupportedOperationError):
        jit(told, eager_refusals=True)(asarray(np.ones(2)))
    with pytest.raises(UnsupportedOperationError):
        jit(told, eager_refusals=True, donate_argnames="x")(np.ones(2))


def test_an_error_of_a_function_called_on_the_host_is_no_refusal() -> None:
    runs = []

    def asked(x):
        runs.append(x)
        return jit(told)(np.asarray(x))[1]

    from anabranch import host

    asked = host(result=float)(asked)
    with pytest.raises(UnsupportedOperationError, match=r"json\.dumps"):
        jit(lambda x: asked(x) + 1.0, eager_refusals=True)(np.ones(2))
    assert len(runs) == 1
