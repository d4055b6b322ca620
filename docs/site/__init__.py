"""The site: `python -m docs.site`, from the top of a checkout, builds it; it needs `pip install ".[docs]"`."""

from __future__ import annotations
