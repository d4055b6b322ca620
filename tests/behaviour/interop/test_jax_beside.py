"""`jax` in the same process: imported before or after, with its 64-bit types off and on, it changes nothing."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.interop.fresh_process import run_program

pytest.importorskip("jax")

USE_JAX = """
def use_jax():
    import jax
    import jax.numpy as jnp
    y = jax.jit(lambda x: x @ x)(jnp.eye(3) * 2.0)
    return [str(y.dtype), float(y.sum())]
"""
USE_ANABRANCH = """
def use_anabranch():
    import numpy as np
    import anabranch
    from anabranch import jit

    @jit
    def f(x, n):
        total = x * 0
        for i in range(n):
            total += np.sqrt(x) * i
        if total.sum() > 3:
            total[0] = n
        return total, n * 2, x.sum(), np.arange(4)

    found = []
    for x in (np.linspace(1, 2, 3), np.linspace(1, 2, 3, dtype=np.float32)):
        results = f(x, 3)
        found += [[type(r).__name__, str(np.asarray(r).dtype), np.asarray(r).tolist()] for r in results]
    a = anabranch.asarray(np.arange(5)) * 2**40
    found.append([str(a.dtype), a.tolist(), str((a / 3).dtype)])
    return found
"""
PROGRAM = (
    USE_JAX
    + USE_ANABRANCH
    + """
import json, sys
order, x64 = sys.argv[1:]
def jax_first():
    import jax
    if x64 == "on":
        jax.config.update("jax_enable_x64", True)
    return use_jax()
theirs = None
if order == "before":
    theirs = jax_first()
ours = use_anabranch()
if order == "after":
    theirs = jax_first()
if order == "imported":
    import jax
if order == "before":
    assert theirs == use_jax()
else:
    assert ours == use_anabranch()
print(json.dumps([ours, theirs]))
"""
)


@pytest.mark.slow
def test_in_either_order_with_64_bits_off_and_on(tmp_path):
    alone, none = json.loads(run_program(tmp_path, PROGRAM, "never", "off"))
    assert none is None
    assert [kind for kind, *_ in alone[:4]] == ["ndarray", "int", "float64", "ndarray"]
    assert [dtype for _, dtype, _ in alone[:3]] == ["float64", "int64", "float64"]
    assert json.loads(run_program(tmp_path, PROGRAM, "imported", "off"))[0] == alone
    dtypes = {x64: {} for x64 in ("off", "on")}
    for x64 in dtypes:
        for order in ("before", "after"):
            ours, theirs = json.loads(run_program(tmp_path, PROGRAM, order, x64))
            assert ours == alone
            dtypes[x64][order] = theirs
    assert dtypes["off"]["before"] == dtypes["off"]["after"] == ["float32", 12.0]
    assert dtypes["on"]["before"] == dtypes["on"]["after"] == ["float64", 12.0]
