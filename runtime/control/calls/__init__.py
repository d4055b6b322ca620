"""Calls that are not to be traced as they stand: unpacked, wrapped, uncompiled, with effects outside."""

from __future__ import annotations
