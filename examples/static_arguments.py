"""Static arguments: a shape and a choice that are fixed when a function is compiled."""

from __future__ import annotations

import numpy as np

from anabranch import jit


@jit(static_argnames=("size", "kind"))
def window(size, kind, width):
    """Weights of a window function."""
    positions = np.linspace(-1.0, 1.0, size)
    if kind == "gauss":
        return np.exp(-0.5 * (positions / width) ** 2)
    if kind == "box":
        return np.where(np.abs(positions) <= width, 1.0, 0.0)
    raise ValueError(f"there is no window {kind!r}")


def main():
    print(window(5, "gauss", 0.5))
    print(window(5, "box", 0.5))
    # Only the branch that was chosen is in the program: `kind` is an ordinary string while tracing.
    print(window.trace(5, "box", 0.5).program)


if __name__ == "__main__":
    main()
