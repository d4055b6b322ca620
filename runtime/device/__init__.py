"""`Array`: data on the device, its operators, and arrays of other libraries."""

from __future__ import annotations
