"""`jitclass`."""

from __future__ import annotations

from anabranch.runtime.compat.jitclasses import jitclass as jitclass
