"""Random programs of one feature each: a grammar for each module, of templates that are filled at random."""
