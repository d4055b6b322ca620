"""What rewritten code calls: one file per construct, named as in `transpile.passes`."""
