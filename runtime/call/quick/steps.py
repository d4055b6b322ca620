"""The steps by which machine code answers calls, and the tables of them.

A table says for one signature what a call has to be like, what is called for it, and what becomes of the result.
"""

from __future__ import annotations

import enum

# Objects of one call: those that have a number, and those that it lets go of at its end.
MOST = 64
# The words before the steps: where calls are counted, the epoch, and how many arguments there are by position and name.
COUNT, FIRST_EPOCH, POSITIONAL, NAMED, HEAD = range(5)
# Where a bytes object has its first byte, and an object of a fixed size what it adds to any object.
BYTES, VALUE = bytes.__basicsize__ - 1, object.__basicsize__


class Step(enum.IntEnum):
    """The steps, each followed by its operands; `to` and the like are numbers of objects."""

    RETURN = 0  # what
    ARGUMENT = enum.auto()  # to, place
    NAMED = enum.auto()  # to, the name
    CONSTANT = enum.auto()  # to, the object
    IS_TYPE = enum.auto()  # what, the class
    IS = enum.auto()  # what, the object
    IS_NOT = enum.auto()  # what, the object
    SAME = enum.auto()  # one, other
    DIFFER = enum.auto()  # one, other
    EQUALS = enum.auto()  # what, the object
    CONTEXT = enum.auto()  # the context variable, its value
    NAME = enum.auto()  # the dict, the name, the object or 0
    KEPT = enum.auto()  # the dict, how many names it has
    FUNCTION = enum.auto()  # the function, its code, its defaults or 0, those of its keywords or 0
    BARE = enum.auto()  # the function, where it has its dict
    CELL = enum.auto()  # the cell, its contents
    VERSION = enum.auto()  # the class, where it has its version, the version
    UNLESS = enum.auto()  # what, the object that it is to be equal to, how many words are left out where it is not
    WHERE = enum.auto()  # what, how many words are left out where it counts as false
    SKIP = enum.auto()  # how many words
    TEST = enum.auto()  # what, whether it is to count as true
    WORD = enum.auto()  # what, where it has a word, this word
    NARROW = enum.auto()  # what, where it has a word of four bytes, the bits that count, these
    SIZES = enum.auto()  # what, where it has the address of words, how many, these
    COPY = enum.auto()  # to, from
    ATTRIBUTE = enum.auto()  # to, from, the name
    KERNEL = (
        enum.auto()
    )  # to, the address, how many objects, what is returned for a miss, 1 for overflow | 2 for failure
    DOUBLE = enum.auto()  # to, from, the class, its allocator
    SINGLE = enum.auto()
    INT64 = enum.auto()
    INT32 = enum.auto()
    INT16 = enum.auto()
    INT8 = enum.auto()
    TRUTH = enum.auto()  # to, from, the object for true, the one for false
    ITEM = enum.auto()  # to, the tuple, place
    TUPLE = enum.auto()  # to, how many, which
    LIST = enum.auto()
    ARRAY = enum.auto()  # to, the class, dtype, how many axes, their sizes
    STATE = enum.auto()  # to, the object whose attributes it is
    KEYS = enum.auto()  # the dict, how many, the keys
    ENTRY = enum.auto()  # to, the dict, the key
    STORE = enum.auto()  # the dict, the key, what
    CALL = enum.auto()  # to, which is called, how many, which
    LENGTH = enum.auto()  # the tuple or list, how long it is
    ELEMENT = enum.auto()  # to, the list, place
    FLOAT = enum.auto()  # to, a float64
    INT = enum.auto()  # to, an int64
    # to, how many, the tags or -1, how many kinds; of each the array, its Item, the class, its allocator
    ITEMS = enum.auto()


class Item(enum.IntEnum):
    """The object that stands in a list for an element of an array: Python's number, or NumPy's of so many bits."""

    INT = 0
    FLOAT = enum.auto()
    BITS8 = enum.auto()
    BITS16 = enum.auto()
    BITS32 = enum.auto()
    BITS64 = enum.auto()
