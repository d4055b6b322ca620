"""Staging branches: each is traced once, and what they return is joined."""

from __future__ import annotations
