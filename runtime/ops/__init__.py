"""Primitive ops by family; `table.OPS` is all of them by name."""
