"""Iterables that a staged `for` can go over."""

from __future__ import annotations
