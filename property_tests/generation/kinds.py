"""The types of a program's values. A name keeps its kind, so that branches and steps of loops agree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A type, with all that stays the same while a program runs."""


@dataclass(frozen=True, slots=True)
class Int(Kind):
    """A Python int."""


@dataclass(frozen=True, slots=True)
class Float(Kind):
    """A Python float."""


@dataclass(frozen=True, slots=True)
class Complex(Kind):
    """A Python complex number."""


@dataclass(frozen=True, slots=True)
class Bool(Kind):
    """A Python bool."""


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A str whose characters are known while tracing."""


@dataclass(frozen=True, slots=True)
class Element(Kind):
    """A NumPy scalar, as elements of arrays are."""

    dtype: str


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """An ndarray of a fixed shape."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sized(Kind):
    """An ndarray of one axis whose size is known only at run time."""

    dtype: str


@dataclass(frozen=True, slots=True)
class Tuple(Kind):
    """A tuple of fixed length."""

    items: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class List(Kind):
    """A list of items of one kind, of the same length after each statement."""

    item: Kind
    length: int


@dataclass(frozen=True, slots=True)
class Growing(Kind):
    """A list of items of one kind, of any length."""

    item: Kind


@dataclass(frozen=True, slots=True)
class Dict(Kind):
    """A dict with fixed keys and values of one kind."""

    keys: tuple[str | int, ...]
    value: Kind


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a class that the program defines; `result` is None where it gives none that is used."""

    name: str
    parameters: tuple[Kind, ...]
    result: Kind | None
    is_property: bool = False


@dataclass(frozen=True, slots=True)
class Record(Kind):
    """An object of a class that the program defines; its fields keep their kinds."""

    name: str
    fields: tuple[tuple[str, Kind], ...]
    methods: tuple[Method, ...] = ()
    # Whether its fields may be assigned to.
    mutable: bool = True
    # Whether the class is one of the function's own, another one at each call.
    local: bool = False


@dataclass(frozen=True, slots=True)
class Maybe(Kind):
    """A value of a kind, or None."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function that the program defines.

    `form` is "positional" (only), "plain", "default", "rest" (`*name`), "keyword" (only), "keyword default" or
    "options" (`**name`).
    """

    name: str
    kind: Kind
    form: str = "plain"


@dataclass(frozen=True, slots=True)
class Function(Kind):
    """A function that the program defines. It gives a tuple if there are several `results`, None if there are none.

    `fails` is the class of what it may raise. `items` says that it is a generator, of items of that kind.
    """

    parameters: tuple[Parameter, ...]
    results: tuple[Kind, ...]
    fails: str = ""
    items: Kind | None = None


@dataclass(frozen=True, slots=True)
class Generator(Kind):
    """A generator of random numbers, which `maker` makes of a seed."""

    maker: str


INT, FLOAT, COMPLEX, BOOL, TEXT = Int(), Float(), Complex(), Bool(), Text()
