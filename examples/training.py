"""A line fitted by gradient descent: a dict of parameters goes in, another comes out."""

from __future__ import annotations

import numpy as np

from anabranch import jit


def fit(parameters, x, y, rate, tolerance):
    """Descend until the loss no longer falls by more than the tolerance."""
    slope, offset = parameters["slope"], parameters["offset"]
    before = np.inf
    steps = 0
    while True:
        error = x @ slope + offset - y
        loss = np.mean(error**2)
        if before - loss < tolerance:
            return {"slope": slope, "offset": offset}, loss, steps
        before = loss
        slope = slope - rate * 2 * x.T @ error / len(y)
        offset = offset - rate * 2 * np.mean(error)
        steps += 1


def main():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 3))
    y = x @ np.array([1.0, -2.0, 0.5]) + 0.25
    start = {"slope": np.zeros(3), "offset": 0.0}
    for name, function in (("plain", fit), ("compiled", jit(fit))):
        parameters, loss, steps = function(start, x, y, 0.05, 1e-15)
        print(f"{name}: {steps} steps, loss {loss:.2e}, slope {parameters['slope'].round(6)}")


if __name__ == "__main__":
    main()
