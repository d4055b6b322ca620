"""Hypothesis profiles: `default` while working, `ci` bounded and repeatable, `deep` for a long search.

`pytest property_tests --hypothesis-profile=deep` picks one by name; otherwise the variable CI decides.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A first example compiles, which takes longer than any deadline meant for the others.
COMPILES = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=25, **COMPILES)
settings.register_profile("ci", max_examples=25, derandomize=True, database=None, print_blob=True, **COMPILES)
settings.register_profile("deep", max_examples=2000, print_blob=True, **COMPILES)
settings.load_profile("ci" if os.environ.get("CI") else "default")
