"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

A family is a module that has `rules`. The package installs them in `runtime.values.registry`, from which operators,
methods and the array protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.base.families import families
from anabranch.runtime.numpy.namespace import namespace, staged
from anabranch.runtime.numpy.random import methods as random_methods

__all__ = ["FAMILIES", "namespace", "staged"]

FAMILIES = families(__name__, "rules")

for _family in FAMILIES:
    _family.rules.install()
random_methods.install()
