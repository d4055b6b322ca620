"""Everything below the rewritten source: tracing, the IR, its ops, and compilation with XLA."""
