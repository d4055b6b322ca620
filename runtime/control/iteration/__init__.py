"""Iterables that give their items one by one: generators, and iterators of the user's own classes."""

from __future__ import annotations
