"""The commands of `python -m anabranch`."""

from __future__ import annotations
