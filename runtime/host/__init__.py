"""The host's side of a compiled program: buffer types, memory for arguments, callbacks, saved bytes."""

from __future__ import annotations
