"""Python objects that traced code changes: what they held before a branch or a loop, and how that is put back."""

from __future__ import annotations
