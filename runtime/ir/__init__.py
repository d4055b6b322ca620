"""The Program, a typed functional intermediate representation, its interpreter and its verifier."""

from __future__ import annotations
