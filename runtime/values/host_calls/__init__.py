"""Calls of functions that are not compiled, with values known only at run time: they run on the host, in order."""
