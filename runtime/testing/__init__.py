"""Whether a compiled function does what the plain one does: both run, and all that they do is compared."""
