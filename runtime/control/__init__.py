"""The constructs of rewritten code, one file for each, named as in `transpile.passes`; rooms hold what they share."""
