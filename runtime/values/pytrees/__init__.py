"""Containers of traced values: how they are taken apart, and put together again."""

from __future__ import annotations
