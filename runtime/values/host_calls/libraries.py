"""Libraries whose functions keep to their arguments, so that they can be called on the host."""

from __future__ import annotations

# Packages whose functions have no effects.
_PACKAGES = ("scipy.", "pandas.", "numpy.ma.", "numpy.polynomial.", "numpy.testing.")
# Modules of theirs whose functions do.
_EFFECTS = ("scipy.io.", "scipy.datasets.", "scipy._lib.", "pandas.io.", "pandas.plotting.")


def is_of_library(function: object) -> bool:
    """Return whether a function is of a library whose functions keep to their arguments."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        return False
    return f"{module}.".startswith(_PACKAGES) and not f"{module}.".startswith(_EFFECTS)
