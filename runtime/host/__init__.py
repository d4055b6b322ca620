"""The host's side of a compiled program: buffer types, memory for arguments, callbacks, saved bytes.

Knows XLA's rules for memory and its names for types, but not its library.
"""

from __future__ import annotations
