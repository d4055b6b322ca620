"""Generators of random numbers while a function is traced: how they are made, and what their methods draw."""
