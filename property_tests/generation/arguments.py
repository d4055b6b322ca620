"""The arguments of a program as source text: in which memory arrays lie, and which of them share it."""

from __future__ import annotations

from collections.abc import Callable

from property_tests.generation.choices import Choices, one
from property_tests.generation.kinds import Array, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.values import value_text

PRODUCTIONS = Productions()

LAYOUTS, SHARING = "layouts of arguments", "arguments that share memory"
PRODUCTIONS.option(LAYOUTS, SHARING)

# How an array lies in memory; what is in it stays the same.
FORMS = (
    "{0}",
    "np.asfortranarray({0})",
    "np.repeat({0}, 2, axis=-1)[..., ::2]",
    "np.flip({0}).copy()[::-1]",
    "np.array([{0}, {0}])[1]",
)


def arguments_text(choices: Choices, parameters: dict[str, Kind], having: Callable[[str], bool]) -> str:
    """A tuple of values of these kinds, in a module where NumPy is `np`; `having` says which features there may be."""
    texts: list[str] = []
    shared: dict[str, Array] = {}
    for name, kind in parameters.items():
        text = _of_another(choices, kind, shared) if isinstance(kind, Array) and having(SHARING) else None
        if text is None:
            text = value_text(choices, kind)
            if isinstance(kind, Array) and kind.shape and 0 not in kind.shape and having(LAYOUTS):
                text = one(choices, FORMS).format(text)
            if isinstance(kind, Array) and having(SHARING):
                shared[f"{name}_"] = kind
                text = f"({name}_ := {text})"
        texts.append(text)
    return f"({''.join(f'{text}, ' for text in texts)})"


def _of_another(choices: Choices, kind: Array, shared: dict[str, Array]) -> str | None:
    """A part of an array among the arguments before, or None."""
    if choices.below(2) == 0:
        return None
    found = [
        part.format(name)
        for name, other in shared.items()
        for part, shape in _parts(other)
        if shape == kind.shape and other.dtype == kind.dtype
    ]
    return one(choices, found) if found else None


def _parts(kind: Array) -> list[tuple[str, tuple[int, ...]]]:
    """Views of an array `{0}`, with their shapes."""
    views: list[tuple[str, tuple[int, ...]]] = [("{0}", kind.shape)]
    if not kind.shape:
        return views
    first, *rest = kind.shape
    views += [(f"{{0}}[:{n}]", (n, *rest)) for n in range(first)]
    views += [(f"{{0}}[{first - n}:]", (n, *rest)) for n in range(1, first)]
    views += [("{0}[0, ...]", (*rest,)), ("{0}[-1, ...]", (*rest,)), ("{0}[::-1]", kind.shape)] if first else []
    if len(kind.shape) == 2:
        size = first * rest[0]
        views += [(f"{{0}}.reshape(-1)[:{n}]", (n,)) for n in range(1, size)] + [("{0}.T", (rest[0], first))]
    return views
