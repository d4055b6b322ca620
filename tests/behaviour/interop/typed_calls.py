"""Calls as users write them. A type checker finds an error on each line that says so, and on no other."""

from __future__ import annotations

import functools
from typing import Any, Protocol, reveal_type

import numpy as np
import numpy.typing as npt

import anabranch
from anabranch import Wrapped, jit

Vector = npt.NDArray[np.float64]


@jit
def scaled(x: Vector, factor: float, *, times: int = 1) -> Vector:
    return x * factor**times


@jit(static_argnames="times")
def powers(x: float, times: int = 2) -> tuple[float, ...]:
    return tuple(x**k for k in range(times))


@jit(static_argnums=1, checks=False)
def at(x: Vector, i: int) -> float:
    return float(x[i])


@functools.partial(jit, static_argnames="n")
def by_partial(x: float, n: int) -> float:
    return x * n


half = jit(lambda x: x / 2)
already = jit(scaled)


class Model:
    def __init__(self, gain: float) -> None:
        self.gain = gain

    @jit
    def run(self, x: float, n: int = 1) -> float:
        return self.gain * x * n

    @jit(checks=False)
    def unchecked(self, x: float) -> float:
        return self.gain * x

    @staticmethod
    @jit
    def fixed(x: float) -> float:
        return x + 1

    @property
    @jit
    def twice(self) -> float:
        return 2 * self.gain


class Runs(Protocol):
    def run(self, x: float, n: int = 1) -> float: ...


class Sub(Model):
    def more(self, x: float) -> float:
        return self.run(x) + self.unchecked(x)


v = np.ones(3)
model = Model(2.0)

reveal_type(scaled(v, 2.0, times=3))  # is: ndarray
reveal_type(powers(2.0))  # is: tuple[float, ...]
reveal_type(at(v, 1))  # is: float
reveal_type(already(v, 2.0))  # is: ndarray
reveal_type(model.run(1.0))  # is: float
reveal_type(model.run(1.0, n=2))  # is: float
reveal_type(Model.run(model, 1.0))  # is: float
reveal_type(model.unchecked(1.0))  # is: float
reveal_type(Model.fixed(1.0))  # is: float
reveal_type(model.twice)  # is: float
reveal_type(Sub(1.0).more(2.0))  # is: float
reveal_type(model.run.lower(1.0).compile())  # is: Compiled
reveal_type(scaled.trace(v, 2.0))  # is: Traced
named: Wrapped[[Vector, float], Vector] | Any = scaled
runs: Runs = model  # error: pyright, which binds no descriptors there
name: str = scaled.__name__
text: str = scaled.source()
device: anabranch.Array = anabranch.asarray(v)
half(2.0)

scaled(v)  # error
scaled(v, "2")  # error
scaled(v, 2.0, 3)  # error
scaled(v, 2.0, time=3)  # error
scaled(v, 2.0).no_such_method()  # error
powers("x")  # error
powers(2.0, n=2)  # error
at(v, 1.5)  # error
at(v)  # error
already(v)  # error
model.run()  # error
model.run("x")  # error
model.run(1.0, 2, 3)  # error
Model.run(1.0)  # error
model.unchecked()  # error
Model.fixed("x")  # error
model.twice()  # error
wrong: str = model.run(1.0)  # error
jit(3)  # error
jit(scaled, static_argname="times")  # error
jit(checks="yes")  # error
