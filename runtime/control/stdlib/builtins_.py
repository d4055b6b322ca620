"""Python's built-in functions on traced values, by name; on concrete ones they are Python's own."""

from __future__ import annotations

from anabranch.base.value import Value
from anabranch.runtime.control import text
from anabranch.runtime.control.containers import object_keys
from anabranch.runtime.control.hash_tables import key_hash
from anabranch.runtime.control.staging.signature_errors import fitted, staged_form_of
from anabranch.runtime.control.stdlib import print_and_log
from anabranch.runtime.control.stdlib.builtin_iterators import (
    enumerate_ as enumerate_,
    iter_ as iter_,
    len_ as len_,
    next_ as next_,
    range_ as range_,
    reversed_ as reversed_,
    zip_ as zip_,
)
from anabranch.runtime.control.stdlib.builtin_reductions import (
    all_ as all_,
    any_ as any_,
    max_ as max_,
    min_ as min_,
    sorted_ as sorted_,
    sum_ as sum_,
)
from anabranch.runtime.control.stdlib.class_tests import isinstance_ as isinstance_, issubclass_ as issubclass_
from anabranch.runtime.control.stdlib.conversions import (
    bool_ as bool_,
    complex_ as complex_,
    float_ as float_,
    int_ as int_,
    pow_ as pow_,
)
from anabranch.runtime.control.stdlib.introspection import (
    callable_ as callable_,
    delattr_ as delattr_,
    dir_ as dir_,
    getattr_ as getattr_,
    hasattr_ as hasattr_,
    setattr_ as setattr_,
    vars_ as vars_,
)
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up


@staged_form_of(ord)
def ord_(character: Value, /) -> Value:
    """As `ord`."""
    found = looked_up(ord, character)
    if found is UNKNOWN and isinstance(character, UnionValue):
        return character.through(ord_)
    if found is UNKNOWN and isinstance(character, Text):
        return text_operations.ord_(character)
    return ord(character) if found is UNKNOWN else found


@staged_form_of(chr)
def chr_(code: Value, /) -> Value:
    """As `chr`."""
    found = looked_up(chr, code)
    if found is not UNKNOWN:
        return found
    if isinstance(code, UnionValue):
        return code.each(chr_)
    return text_operations.chr_(code) if isinstance(code, Tracer) else chr(code)


@staged_form_of(hash)
def hash_(value: Value, /) -> Value:
    """As `hash`; in the `__hash__` of a key a number that serves the search for it."""
    return key_hash.as_int(value) if object_keys.searches() else hash(value)


print_ = fitted(print_and_log.print_, print)
repr_, ascii_, format_ = fitted(text.repr_, repr), fitted(text.ascii_, ascii), fitted(text.format_, format)
bin_, oct_, hex_ = fitted(text.bin_, bin), fitted(text.oct_, oct), fitted(text.hex_, hex)
str_ = text.str_

# The names by which rewritten code has the staged forms: `ab.builtins.len_`.
COUNTERPARTS: dict[object, str] = {
    len: "len_", range: "range_", enumerate: "enumerate_", zip: "zip_", reversed: "reversed_",
    min: "min_", max: "max_", sorted: "sorted_", sum: "sum_", any: "any_", all: "all_",
    int: "int_", float: "float_", bool: "bool_", complex: "complex_", pow: "pow_",
    isinstance: "isinstance_", issubclass: "issubclass_",
    hasattr: "hasattr_", getattr: "getattr_", setattr: "setattr_", delattr: "delattr_", vars: "vars_",
    dir: "dir_", next: "next_", iter: "iter_", callable: "callable_",
    hash: "hash_", ord: "ord_", chr: "chr_", print: "print_", repr: "repr_", ascii: "ascii_", format: "format_",
    str: "str_", bin: "bin_", oct: "oct_", hex: "hex_",
}  # fmt: skip
