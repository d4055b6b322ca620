"""Libraries whose functions keep to their arguments, so that they can be called on the host."""

from __future__ import annotations

# Packages whose functions have no effects.
_PACKAGES = ("scipy.", "pandas.", "xarray.", "numpy.ma.", "numpy.polynomial.", "numpy.testing.", "statistics.")
# Modules of theirs whose functions do, and functions that draw.
_EFFECTS = (
    "xarray.backends.", "xarray.tutorial.", "xarray.plot.",
    "scipy.io.", "scipy.datasets.", "scipy._lib.", "pandas.io.", "pandas.plotting.", "statistics.NormalDist.samples",
    "statistics.kde_random",
)  # fmt: skip


def is_of_library(function: object) -> bool:
    """Return whether a function is of a library whose functions keep to their arguments."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        return False
    name = f"{module}.{getattr(function, '__qualname__', '')}"
    return name.startswith(_PACKAGES) and not name.startswith(_EFFECTS)
