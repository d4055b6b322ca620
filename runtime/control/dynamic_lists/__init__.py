"""Lists and deques whose length may be known only at run time."""

from __future__ import annotations
