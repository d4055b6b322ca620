"""Other compilers' decorators and containers as this one's: the code below `anabranch.compat`."""
