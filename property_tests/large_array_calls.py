"""The arguments of programs on large arrays: shapes that fit each other, in all layouts; some are parts of others."""

from __future__ import annotations

import random

_DTYPES = (
    *["float64"] * 5, *["float32"] * 2, *["int64"] * 2, *["complex128"] * 2,
    "complex64", "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip
_LENGTHS = (0, 1, 2, 3, 5, 8, 17, 20, 33, 40, 64)
_LINES = (17, 18, 31, 64, 100, 255, 256, 257, 300, 1000, 3000)
_FORMS = (
    "{x}", "{x}", "{x}", "{x}[::-1]", "{x}[..., ::-1]", "np.asfortranarray({x})", "np.repeat({x}, 2, 0)[::2]",
    "np.repeat({x}, 3, -1)[..., 1::3]", "np.concatenate([{x}, {x}])[:len({x})]", "np.array({x}.T).T",
    "np.broadcast_to({x}[:1], {x}.shape)",
)  # fmt: skip


def calls_of(choice: random.Random, count: int) -> tuple[str, ...]:
    """So many tuples of arguments of the same types: three arrays, positions, two ints and a float."""
    shapes = _shapes(choice)
    kinds = [choice.choice(_DTYPES)] * 3 if choice.random() < 0.6 else choice.choices(_DTYPES, k=3)
    return tuple(_call(choice, shapes, kinds) for _ in range(count))


def _shapes(choice: random.Random) -> list[tuple[int, ...]]:
    """The shapes of three arrays, which fit each other in one way or another."""
    m, k, n = choice.choices(_LENGTHS, k=3)
    if choice.random() < 0.3:
        line = choice.choice(_LINES)
        return [(line,)] * 3 if choice.random() < 0.7 else [(line,), (1,), (line,)]
    groups = (
        [(m, k), (k, n), (m, n)],
        [(m, k), (m, k), (m, k)],
        [(m, k), (k,), (m,)],
        [(m, m), (m, m), (m,)],
        [(m, k), (m, k), (k, m)],
        [(m, k), (1, k), (m, 1)],
        [(3, m, k), (3, k, n), (k, n)],
        [(2, m, k), (m, k), (2, 1, k)],
        [(m, k, 3), (m, k, 3), (k, 3)],
        [(m * k,), (m, k), (k, m)],
    )
    return choice.choice(groups)


def _call(choice: random.Random, shapes: list[tuple[int, ...]], kinds: list[str]) -> str:
    """A call; in some, arrays are one array or parts of one."""
    special = choice.random() < 0.25
    arrays = []
    for shape, dtype in zip(shapes, kinds, strict=True):
        made = f"values({choice.randrange(1000)}, {shape}, {dtype!r}{', special=True' if special else ''})"
        form = choice.choice(_FORMS) if 0 not in shape else "{x}"
        arrays.append(form.format(x=made))
    pick = choice.random()
    if pick < 0.06:
        arrays[0] = f"(a_ := {arrays[0]})"
        arrays[choice.choice((1, 2))] = choice.choice(("a_", "a_", "a_[:]", "a_.T", "a_[1:]", "a_[::-1]"))
    positions = (
        f"places({choice.randrange(1000)}, {max(min(shapes[0][0], shapes[0][-1]), 1)}, {choice.choice((3, 19, 40))})"
    )
    numbers = [choice.choice((0, 1)), choice.choice((1, 2, 3, 9)), choice.choice((0.5, 2.0))]
    return f"({', '.join([*arrays, positions, *map(str, numbers)])})"
