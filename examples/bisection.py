"""A root by halving an interval: early returns, a helper, an error raised at run time."""

from __future__ import annotations

import math

from anabranch import jit


def kepler(anomaly):
    """Kepler's equation for an eccentricity of 0.3."""
    return anomaly - 0.3 * math.sin(anomaly) - 1.0


@jit
def bisect(low, high, tolerance):
    if kepler(low) * kepler(high) > 0.0:
        raise ValueError("no change of sign between the ends")
    for _ in range(200):
        middle = 0.5 * (low + high)
        value = kepler(middle)
        if value == 0.0 or high - low < tolerance:
            return middle
        if value * kepler(low) < 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def main():
    root = bisect(0.0, 3.0, 1e-14)
    print(f"root {root!r}, where the function is {kepler(root):.1e}")
    try:
        bisect(2.0, 3.0, 1e-14)
    except ValueError as error:
        print(f"ValueError: {error}")
    print()
    print(bisect.source())


if __name__ == "__main__":
    main()
