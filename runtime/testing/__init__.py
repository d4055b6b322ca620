"""A test of compiled functions: the plain one and the compiled one run, and all that they do is compared."""
