"""The result of a transformation, and helpers that all of them need."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from property_tests.generation.choices import Choices, one
from property_tests.generation.programs import GeneratedProgram

T = TypeVar("T")
Function = ast.FunctionDef
BLOCKS = ("body", "orelse", "finalbody")


@dataclass(frozen=True)
class Variant:
    """A program that does what another one does.

    Attributes
    ----------
    text : str
        The module.
    extra : tuple
        What its `f` is given after the other one's arguments.
    names : mapping
        The names of the other one, by those that they have here; exceptions tell of them.
    """

    text: str
    extra: tuple[Any, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def beside(self, program: GeneratedProgram) -> Callable[..., Any]:
        """Its `f`, which takes what the program's takes; both know the same classes."""
        scope = GeneratedProgram(self.text, ()).scope
        scope.update({name: value for name, value in program.scope.items() if isinstance(value, type)})
        found: Callable[..., Any] = scope["f"]
        return found

    def told(self, message: str) -> str:
        """A message in the words that the other program has."""
        return re.sub(r"'(\w+)'", lambda m: f"'{self.names.get(m[1], m[1])}'", message)


Transformation = Callable[[GeneratedProgram, Choices], "Variant | None"]


def parsed(program: GeneratedProgram) -> ast.Module:
    """The program's tree, new each time."""
    return ast.parse(program.text)


def unparsed(tree: ast.Module) -> str:
    """A module's text."""
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def function_of(tree: ast.Module) -> Function:
    """The function `f`."""
    return next(s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == "f")


def some(choices: Choices, sites: Sequence[T]) -> Sequence[T]:
    """All of the places where a change may be made, or one."""
    return sites if choices.below(2) == 0 else [one(choices, sites)]


def fresh(tree: ast.AST, wanted: str) -> str:
    """A name with which none of a program begins."""
    text = ast.unparse(tree)
    while re.search(rf"\b{wanted}", text):
        wanted += "_"
    return wanted


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks right below a statement or a function."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block
    for part in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        yield part.body


def blocks_in_scope(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """All blocks of a function, those of functions and classes in it left out."""
    for block in blocks_of(node):
        yield block
        for statement in block:
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from blocks_in_scope(statement)


def functions_in(tree: ast.AST) -> Iterator[Function]:
    """All functions that a tree defines, methods and those in functions, too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def parameters_of(function: Function) -> list[ast.arg]:
    """All parameters of a function."""
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
