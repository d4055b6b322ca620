"""Operations on `Array`s outside of compiled functions, each compiled for its operands' types."""
