"""The rules of NumPy's functions for arrays whose size is known only at run time, each family in its own module."""
