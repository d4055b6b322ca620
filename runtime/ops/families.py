"""Imports every family, which fills `Op.table`."""

from __future__ import annotations
