"""The base of both halves of the project: frozen classes, locks, files, signals. Imports nothing else of it."""

from __future__ import annotations
