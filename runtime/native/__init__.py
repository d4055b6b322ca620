"""Loops over single elements as machine code: a nest of a Program to LLVM IR, called by the XLA program.

XLA keeps no carry of a loop in a register and copies what it cannot prove to be written in place; LLVM does neither.
"""
