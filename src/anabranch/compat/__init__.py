"""Modules to import in place of other compilers': `anabranch.compat.numba`."""
