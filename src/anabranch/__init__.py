"""Ordinary NumPy functions with ordinary control flow, compiled with XLA."""

from __future__ import annotations

from anabranch._version import __version__ as __version__
