"""Lists that are items of others and change, and objects, whose number is known only at run time: arenas of them."""

from __future__ import annotations
