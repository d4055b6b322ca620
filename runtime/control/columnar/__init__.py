"""Containers whose items lie side by side in arrays: lists of numbers and of lists, fields of records, texts."""

from __future__ import annotations
