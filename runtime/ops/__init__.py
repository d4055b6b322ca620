"""Primitive ops by family; importing the package fills `Op.table`."""
