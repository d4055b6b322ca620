"""Lists, arrays and objects that are items and change, whose number is known only at run time: arenas of them."""

from __future__ import annotations
