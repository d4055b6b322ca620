"""Calls answered by machine code: tables of steps, made of the text of fast paths."""
