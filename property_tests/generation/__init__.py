"""Random programs: well-typed functions that end, over scalars, arrays and containers, written by Hypothesis."""
