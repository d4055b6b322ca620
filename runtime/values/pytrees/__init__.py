"""Layouts of values: their join, packing into atoms, the graphs of nodes that run-time conditions choose from."""

from __future__ import annotations
