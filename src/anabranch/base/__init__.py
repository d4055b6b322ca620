"""What both halves of the project stand on: frozen classes, locks, files, signals. Imports nothing else of it."""

from __future__ import annotations
