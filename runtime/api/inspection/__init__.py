"""The forms of each line of a function, beside one another: `f.inspect(*args)`."""

from __future__ import annotations
