"""The Program, a typed functional intermediate representation, and its verifier."""

from __future__ import annotations
