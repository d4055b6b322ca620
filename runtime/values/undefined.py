"""The value of a name that is not set."""

from __future__ import annotations


class Undefined:
    """The value of an unset local name in rewritten code. Only its identity as "unset" matters."""

    __slots__ = ("name", "read")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.read = False  # set when rewritten code asks for the value

    def error(self) -> UnboundLocalError:
        """The exception that Python raises when the name is read."""
        return UnboundLocalError(f"cannot access local variable '{self.name}' where it is not associated with a value")

    def error_in_closure(self) -> NameError:
        """The exception that Python raises when a function inside the one that has the name reads it."""
        return NameError(
            f"cannot access free variable '{self.name}' where it is not associated with a value in enclosing scope"
        )

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UnsetAttribute(Undefined):
    """The value of an attribute that an object of the user's may be without."""

    __slots__ = ("owner",)

    def __init__(self, owner: str, name: str) -> None:
        super().__init__(name)
        self.owner = owner
