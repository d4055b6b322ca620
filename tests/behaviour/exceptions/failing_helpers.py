"""Exceptions, an object and helpers that programs with `try` share."""

from __future__ import annotations


class OwnError(Exception):
    """An exception of the user's own."""


class NarrowError(OwnError):
    """A subclass of it."""


class Account:
    """An object that helpers change."""

    def __init__(self):
        self.total = 0.0
        self.log = []


def inverse(x):
    if x < 0:
        raise OwnError("negative")
    return 1 / x


class Swallower:
    """A manager that ends every exception."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True
