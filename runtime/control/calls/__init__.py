"""What is called for a function of rewritten code, and how calls nest: recursion, wrappers, the world outside."""

from __future__ import annotations
