"""Functions of the user's as ufuncs: `vectorize`, `guvectorize`, and the types in their signatures."""
