"""Functions for tests/internals/transpile/golden/text.txt."""

# ruff: noqa: UP031, UP032

import numpy as np


def described(x, digits):
    return f"{x:.{digits}f} of {'some' if digits else 'none'}, {x = }"


def checked(values, limit):
    for i, v in enumerate(values):
        if v > limit:
            raise ValueError(
                f"value {v!r} at {i} "
                f"is above {{{limit:>8.3f}}}"
            )  # fmt: skip
    return np.sum(values)


def old_ways(n, name):
    head = "%s: %05d" % (name, n)
    return head + " of {}".format(n % 7)
