"""The world around a function that is traced, as its trace asks for it."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.tracing.upper_layers import TextOperations, UnionOperations


@frozen
class ValueConstructors:
    """The functions that make traced values, of which some stand below the classes that they are of."""

    array: Callable[[Storage], Any]  # `array(storage)` is an ndarray whose memory is the storage
    scalar: Callable[[Atom], Any]  # `scalar(atom)` is a NumPy scalar
    # `python(atom, interval, affine)` is a number of Python's: a plain one where the atom is known.
    python: Callable[..., Any]
    part: Callable[..., Any]  # `part(view, extents, origin)` is the part of an array that valid regions select


class Outside(Protocol):
    """The world around the function that is traced, as the frontend sees it, and the layers above its values.

    Attributes
    ----------
    constructors : ValueConstructors
        The functions that make traced values.
    union_operations : UnionOperations
        The operations that unions leave to the layers above their class.
    text_operations : TextOperations
        The operations that texts leave to the layers above their class.
    vocabulary : module
        The names that rewritten code calls.
    """

    @property
    def constructors(self) -> ValueConstructors: ...

    @property
    def union_operations(self) -> UnionOperations: ...

    @property
    def text_operations(self) -> TextOperations: ...

    @property
    def vocabulary(self) -> types.ModuleType: ...

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the staged form of a function that is an argument of another, such as a sort key."""

    def enter(self, value: Any) -> None:
        """Guard what a function of the user's reads from outside; called with it before it runs."""

    def prepare_class(self, cls: type) -> None:
        """Prepare a class of the user's whose instances may take part."""

    def capture(self, array: object) -> Any:
        """Return the handle of an array from outside, which becomes an input."""

    def input_values(self) -> Sequence[Any]:
        """Return the values of the Program's inputs in the call that is traced for; None for what is not known."""

    def is_outside(self, value: object) -> bool:
        """Return whether an object was there before the trace, as far as was seen."""

    def rely_on(self, question: Callable[..., Any], asked: tuple[Any, ...], answer: object) -> None:
        """Guard what a function says of classes, which depends on more than how these are written."""

    def is_unchanged(self) -> bool:
        """Return whether all that was entered is and holds what it was and held then; arrays' elements aside."""

    def needs_plain(self) -> None:
        """Raise `Restart`, perhaps, where Python or a library needs a plain value of a run-time one."""

    def refusal(self) -> BaseException:
        """Return the error for a write into an array of which a list of run-time length has a copy."""
