"""Exceptions at run time: the checks that raise them, refusals, and the frames that they came through."""

from __future__ import annotations
