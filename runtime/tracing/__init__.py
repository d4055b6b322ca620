"""Tracing: equations built while Python runs, the state of a trace, and the source lines that they come from."""

from __future__ import annotations
