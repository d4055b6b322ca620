"""Lists and deques whose length is known only at run time."""

from __future__ import annotations
