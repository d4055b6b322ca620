"""Parts of messages."""

from __future__ import annotations


def a(noun: str) -> str:
    """The noun with the indefinite article that its first letter asks for: "an int", "a float"."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


def counted(count: int, noun: str) -> str:
    """The count with the noun, which gets an s for any number but 1: "1 argument", "2 arguments"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
