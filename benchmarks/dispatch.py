"""How long a call takes that computes next to nothing: `python -m benchmarks.dispatch [--rounds N]`.

Each function runs compiled by anabranch, by jax.jit (64-bit types on) and, where it can, by Numba, in turns and in one
process. What is compared for NumPy's arrays is the way from ndarrays to ndarrays (`np.asarray(jitted(x))` for jax); for
arrays on the device it is the call until the result is there.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"

from __future__ import annotations

import argparse
import statistics
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import anabranch

_CALLS = 100

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One way to call a function, by each compiler."""

    name: str
    subject: Call
    jax: Call
    numba: Call | None = None


def total(count: int) -> Any:
    """A function of so many arguments that adds them, and a little."""
    names = [f"x{i}" for i in range(count)]
    text = f"def total({', '.join(names)}):\n    return {' + '.join(names)} + 0.5\n"
    scope: dict[str, Any] = {}
    exec(compile(text, f"<sum of {count}>", "exec"), scope)
    made: types.FunctionType = scope["total"]
    return made


def update(parameters, gradients, rate):
    """A step of gradient descent on a nested dict."""
    layers = [
        {name: layer[name] - rate * slope[name] for name in layer}
        for layer, slope in zip(parameters["layers"], gradients["layers"], strict=True)
    ]
    return {"layers": layers, "scale": parameters["scale"] - rate * gradients["scale"]}


def scaled(x, factor, power):
    """A function with a static argument."""
    return x * factor**power


def tree(array: Callable[[Any], Any]) -> dict[str, Any]:
    """Three layers and a scale: seven leaves."""
    layers = [{"weights": array(np.ones((8, 8))), "bias": array(np.ones(8))} for _ in range(3)]
    return {"layers": layers, "scale": array(np.ones(()) + np.zeros(1))}


def cases() -> Iterator[Case]:
    """Every case, each function compiled."""
    import jax
    import numba

    jax.config.update("jax_enable_x64", True)
    asarray = jax.numpy.asarray

    def done(x: Any) -> Any:
        return jax.block_until_ready(x)

    def host(x: Any) -> Any:
        return jax.tree.map(np.asarray, x)

    for count in (1, 2, 5, 10, 20, 50):
        plain = total(count)
        ours, theirs = anabranch.jit(plain), jax.jit(plain)
        native = numba.njit(plain) if count <= 10 else None
        arrays = [np.arange(8.0) + i for i in range(count)]
        mine, others = [anabranch.asarray(a) for a in arrays], [asarray(a) for a in arrays]
        yield Case(
            f"NumPy, {count} arrays of 8",
            lambda f=ours, a=arrays: f(*a),
            lambda f=theirs, a=arrays: np.asarray(f(*a)),
            None if native is None else lambda f=native, a=arrays: f(*a),
        )
        yield Case(
            f"device, {count} arrays of 8",
            lambda f=ours, a=mine: f(*a).block_until_ready(),
            lambda f=theirs, a=others: f(*a).block_until_ready(),
        )
    plain = total(2)
    ours, theirs, native = anabranch.jit(plain), jax.jit(plain), numba.njit(plain)
    yield Case("Python numbers", lambda: ours(2.0, 3), lambda: theirs(2.0, 3).item(), lambda: native(2.0, 3))
    for size in (1_000, 100_000):
        large = np.arange(float(size))
        on_device, in_jax = anabranch.asarray(large), asarray(large)
        yield Case(
            f"NumPy, 2 arrays of {size}",
            lambda a=large: ours(a, 2.0),
            lambda a=large: np.asarray(theirs(a, 2.0)),
            lambda a=large: native(a, 2.0),
        )
        yield Case(
            f"device, array of {size}, number",
            lambda a=on_device: ours(a, 2.0).block_until_ready(),
            lambda a=in_jax: theirs(a, 2.0).block_until_ready(),
        )
    our_update, their_update = anabranch.jit(update), jax.jit(update)
    host_trees, device_trees, jax_trees = ((tree(f), tree(f)) for f in (np.asarray, anabranch.asarray, asarray))
    yield Case(
        "NumPy, nested tree of 14",
        lambda: our_update(*host_trees, 0.1),
        lambda: host(their_update(*host_trees, 0.1)),
    )
    yield Case(
        "device, nested tree of 14",
        lambda: our_update(*device_trees, 0.1),
        lambda: done(their_update(*jax_trees, 0.1)),
    )
    small = np.arange(8.0)
    our_scaled = anabranch.jit(scaled, static_argnames="power")
    their_scaled = jax.jit(scaled, static_argnames="power")
    yield Case(
        "NumPy, one static of three",
        lambda: our_scaled(small, 2.0, power=3),
        lambda: np.asarray(their_scaled(small, 2.0, power=3)),
    )


def microseconds(call: Call) -> float:
    """One call, of a hundred in a row."""
    start = time.perf_counter()
    for _ in range(_CALLS):
        call()
    return (time.perf_counter() - start) / _CALLS * 1e6


def measure(case: Case, rounds: int) -> dict[str, float]:
    """The best of some rounds for each compiler, in turns: another process's noise meets all of them."""
    calls = {"anabranch": case.subject, "jax": case.jax} | ({} if case.numba is None else {"numba": case.numba})
    for call in calls.values():
        for _ in range(3):
            call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(microseconds(call))
    return {name: min(found) for name, found in times.items()}


def main() -> None:
    """Print a table of times in microseconds and ratios to jax's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    print(f"{'µs a call':34}{'anabranch':>10}{'jax':>8}{'Numba':>8}{'to jax':>8}")
    ratios: dict[str, list[float]] = {}
    for case in cases():
        found = measure(case, options.rounds)
        ratio = found["anabranch"] / found["jax"]
        ratios.setdefault(case.name.partition(",")[0], []).append(ratio)
        numba = f"{found['numba']:8.1f}" if "numba" in found else f"{'':8}"
        print(f"{case.name:34}{found['anabranch']:10.1f}{found['jax']:8.1f}{numba}{ratio:8.2f}", flush=True)
    for kind, of_kind in ratios.items():
        print(f"{kind}: geometric mean of the ratios to jax {statistics.geometric_mean(of_kind):.2f}")


if __name__ == "__main__":
    main()
