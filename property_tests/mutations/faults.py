"""All deliberate faults."""

from __future__ import annotations

from property_tests.mutations import in_lowering, in_rewriting, in_tracing

FAULTS = (*in_rewriting.FAULTS, *in_tracing.FAULTS, *in_lowering.FAULTS)
