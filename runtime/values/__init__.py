"""Traced values: what the rewritten function computes with while it is traced."""
