"""Random arguments of NumPy's functions: arrays of any shape, dtype and layout, and keywords by their names."""

from __future__ import annotations

import dataclasses
import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, Any]
DTYPES = {
    "b": ("?",), "i": ("i1", "i4", "i8"), "u": ("u1", "u8"), "f": ("f2", "f4", "f8", "f8"), "c": ("c8", "c16"),
}  # fmt: skip
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 7.0, 100.0)
SPECIAL = (np.nan, np.inf, -np.inf)
VIEWS: dict[str, Callable[[Any], Any]] = {
    "reversed": lambda a: a[..., ::-1],
    "transposed": lambda a: a.T,
    "every second": lambda a: a[::2],
}


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Given:
    """An argument that is known only at run time, seen through a view."""

    value: Any
    view: str | None = None

    def __repr__(self) -> str:
        return f"{self.view or ''} {self.value!r}"


class Arguments:
    """Draws arguments; what it draws shrinks as Hypothesis's numbers do."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.values = np.random.default_rng(source.getrandbits(32))

    def one(self, *choices: Any) -> Any:
        """One of these."""
        return self.source.choice(choices)

    def chance(self, share: float) -> bool:
        """True now and then."""
        return self.source.random() < share

    def shape(self, low: int = 0, high: int = 3) -> tuple[int, ...]:
        """A shape; an axis has no elements now and then."""
        return tuple(self.one(0, 1, 2, 3, 3, 4) for _ in range(self.source.randint(low, high)))

    def dtype(self, kinds: str = "biufc") -> np.dtype[Any]:
        """A dtype of one of the kinds."""
        return np.dtype(self.one(*DTYPES[self.one(*kinds)]))

    def content(self, shape: tuple[int, ...], kinds: str = "biufc", special: bool = True) -> NDArray:
        """An array in C order."""
        dtype = self.dtype(kinds)
        if dtype.kind == "b":
            return np.asarray(self.values.integers(0, 2, shape)).astype(dtype)
        if dtype.kind in "iu":
            edges = [np.iinfo(dtype).min, np.iinfo(dtype).max] if special and self.chance(0.2) else []
            numbers = np.array([*range(0 if dtype.kind == "u" else -4, 8), *edges], dtype)
            return np.asarray(self.values.choice(numbers, shape))
        if dtype.kind == "c":
            return np.asarray(self.values.choice(NUMBERS, shape) + 1j * self.values.choice(NUMBERS, shape)).astype(
                dtype
            )
        pool = NUMBERS + (SPECIAL if special and self.chance(0.3) else ())
        return np.asarray(self.values.choice(pool, shape)).astype(dtype)

    def array(
        self, kinds: str = "biufc", low: int = 0, high: int = 3, shape: Any = None, special: bool = True
    ) -> Given:
        """An array at run time, often seen through a view."""
        wanted = self.shape(low, high) if shape is None else tuple(shape)
        view = self.one(None, None, *VIEWS) if wanted else None
        held = wanted
        if view == "transposed":
            held = wanted[::-1]
        elif view == "every second":
            held = (max(2 * wanted[0] - self.one(0, 1), 0), *wanted[1:])
        return Given(self.content(held, kinds, special), view)

    def number(self, kinds: str = "if") -> Given:
        """A Python number at run time."""
        return Given(self.one(-2, 0, 1, 3) if self.one(*kinds) == "i" else self.one(-1.5, 0.0, 0.5, 2.0))

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts with this one, nearly always."""
        if self.chance(0.05):
            return (*shape, 2)
        kept = shape[self.source.randint(0, len(shape)) :] if shape else ()
        return tuple(1 if self.chance(0.3) else n for n in kept)

    def operands(self, count: int, kinds: str = "biufc", special: bool = True) -> list[Given]:
        """Operands of an elementwise function: arrays that broadcast, and a Python number now and then."""
        first = self.array(kinds, special=special)
        others = [
            self.number()
            if self.chance(0.2)
            else self.array(kinds, shape=self.broadcast(shape_of(first)), special=special)
            for _ in range(count - 1)
        ]
        mixed = [first, *others]
        self.source.shuffle(mixed)
        return mixed

    def axis(self, ndim: int) -> int:
        """An axis; it is out of range now and then."""
        bound = ndim + self.chance(0.05)
        return self.source.randint(-bound, max(bound - 1, -bound)) if bound else 0

    def axes(self, ndim: int) -> Any:
        """Arguments of reductions: an axis, several, or None."""
        if self.chance(0.3):
            return None
        if ndim and self.chance(0.3):
            return tuple(self.source.sample(range(ndim), self.source.randint(0, ndim)))
        return self.axis(ndim)

    def mask(self, shape: tuple[int, ...]) -> Given:
        """Truth values that broadcast to the shape."""
        kept = shape[self.source.randint(0, len(shape)) :] if shape else ()
        return Given(self.values.integers(0, 2, kept).astype(bool))

    def positions(self, size: int, shape: tuple[int, ...], kinds: str = "i8") -> Given:
        """Positions in an axis; one is out of range now and then."""
        bound = size + self.chance(0.1)
        return Given(self.values.integers(-bound, max(bound, 1 - bound), shape).astype(kinds))

    def matrix(self, rows: int, columns: int, kinds: str = "fc", stack: bool = True) -> Given:
        """A matrix, or several, far from singular."""
        shape = (*self.shape(0, 1), rows, columns) if stack else (rows, columns)
        values = self.values.normal(size=shape)
        values = values + 1j * self.values.normal(size=shape) if self.one(*kinds) == "c" else values
        values = values + 4 * np.eye(rows, columns)
        return Given(
            values.astype(np.complex64 if values.dtype.kind == "c" else np.float32) if self.chance(0.3) else values
        )

    def keywords(self, function: Any, first: Given, without: str = "", **own: Callable[[], Any]) -> dict[str, Any]:
        """Some of the keywords that the function has, by their names."""
        known = {**_named(self, shape_of(first)), **own}
        try:
            names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.POSITIONAL_ONLY]
        except ValueError:
            names = []
        left = set(without.split())
        return {n: known[n]() for n in names if n in known and n not in left and self.chance(0.35)}


def shape_of(given: Given) -> tuple[int, ...]:
    """The shape of an argument as the function sees it."""
    value = given.value
    return np.shape(VIEWS[given.view](value) if given.view else value)


def _named(make: Arguments, shape: tuple[int, ...]) -> dict[str, Callable[[], Any]]:
    """How to draw a keyword of this name, for a first argument of this shape."""
    ndim = len(shape)

    def flag() -> bool:
        return bool(make.one(True, False))

    return {
        "axis": lambda: make.axes(ndim),
        "keepdims": flag,
        "where": lambda: make.mask(shape),
        "initial": lambda: make.one(0, 1, 3),
        "dtype": lambda: make.one("f4", "f8", "i8", "c16"),
        "ddof": lambda: make.one(0, 1, 2, 0.5),
        "decimals": lambda: make.one(-1, 0, 1, 2),
        "k": lambda: make.one(-2, -1, 0, 1, 2),
        "offset": lambda: make.one(-2, -1, 0, 1),
        "axis1": lambda: make.axis(ndim),
        "axis2": lambda: make.axis(ndim),
        "kind": lambda: make.one("stable", "quicksort", None),
        "side": lambda: make.one("left", "right"),
        "copy": flag,
        "order": lambda: make.one("C", "F", "A", "K"),
        "ndmin": lambda: make.one(0, 1, 3),
        "equal_nan": flag,
        "invert": flag,
        "include_initial": flag,
        "returned": flag,
        "deg": flag,
        "increasing": flag,
        "N": lambda: make.one(None, 0, 2, 4),
        "sparse": flag,
        "indexing": lambda: make.one("xy", "ij"),
        "rowvar": flag,
        "bias": flag,
        "nan": lambda: make.one(0.0, 2),
        "posinf": lambda: make.one(None, 3.0),
        "neginf": lambda: make.one(None, -3.0),
        "prepend": lambda: make.one(0, 1.5),
        "append": lambda: make.one(0, 1.5),
        "to_end": lambda: make.one(None, 1),
        "to_begin": lambda: make.one(None, 2),
        "period": lambda: make.one(None, 2.5),
        "left": lambda: make.one(None, 1.5),
        "right": lambda: make.one(None, -1.5),
        "density": flag,
        "casting": lambda: "unsafe",
        "norm": lambda: make.one(None, "ortho", "forward"),
        "rtol": lambda: 0.1,
        "atol": lambda: 0.01,
        "stable": flag,
        "bitorder": lambda: make.one("big", "little"),
        "dx": lambda: 0.5,
        "discont": lambda: 4.0,
        "edge_order": lambda: 1,
        "UPLO": lambda: make.one("L", "U"),
        "full_matrices": flag,
        "upper": flag,
        "shape": lambda: make.one((2, 3), (), 4),
    }
