"""Exceptions at run time: conditions, messages, and the bodies of `try`."""

from __future__ import annotations
