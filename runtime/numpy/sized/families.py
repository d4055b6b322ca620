"""Imported so that the rules are registered."""

from __future__ import annotations

from anabranch.runtime.numpy.sized import products as products, reductions as reductions, shapes as shapes
