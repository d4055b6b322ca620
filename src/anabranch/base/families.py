"""The modules of a package that bring something: a new one is found by being there."""

from __future__ import annotations

import importlib
import pkgutil
import types


def families(package: str, attribute: str) -> tuple[types.ModuleType, ...]:
    """The modules right below a package that have an attribute, in the order of their names.

    The package, and a module of it that asks, may be under way of being imported themselves.
    """
    path = importlib.import_module(package).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(path) if not module.ispkg)
    found = [importlib.import_module(f"{package}.{name}") for name in names]
    return tuple(module for module in found if hasattr(module, attribute))
