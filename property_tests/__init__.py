"""Property tests: laws that hold for whole families of programs and values."""
