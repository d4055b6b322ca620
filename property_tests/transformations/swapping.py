"""Statements that have nothing to do with one another, in the other order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.scopes import bound_in, shared_in, surely_bound
from property_tests.transformations.variants import (
    Function,
    Variant,
    blocks_in_scope,
    function_of,
    parameters_of,
    parsed,
    some,
    unparsed,
)

# Python's functions that give a number and do nothing else; with numbers the first ones never fail.
SAFE = {"bool", "abs", "min", "max"}
NUMERIC = {"int", "float", "round", *SAFE}


def swap_independent(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """Two adjacent assignments change places.

    Applies to assignments to names of numbers and to elements of array parameters, computed by arithmetic alone, where
    neither reads or writes what the other writes, any two arrays counting as one memory; at most one can fail, and if
    one can, nothing sees what the other did: it sets a local name, and there is no `try`.
    """
    tree = parsed(program)
    function = function_of(tree)
    known = _Known.of(function, program)
    sites = []
    for block in blocks_in_scope(function):
        effects = [known.effect(s) for s in block]
        at = 0
        while at + 1 < len(block):
            one, other = effects[at], effects[at + 1]
            if one is not None and other is not None and one.apart(other, known.guarded):
                sites.append((block, at))
                at += 1
            at += 1
    if not sites:
        return None
    for block, at in some(choices, sites):
        block[at], block[at + 1] = block[at + 1], block[at]
    return Variant(unparsed(tree))


@dataclass(frozen=True)
class _Effect:
    """The names that a statement reads and writes, and whether it may fail; arrays are one memory."""

    reads: frozenset[str]
    writes: frozenset[str]
    reads_memory: bool
    writes_memory: bool
    fails: bool

    def apart(self, other: _Effect, guarded: bool) -> bool:
        """Return whether the two may be done in either order."""
        if self.writes & (other.reads | other.writes) or other.writes & self.reads:
            return False
        if self.writes_memory and (other.reads_memory or other.writes_memory):
            return False
        if other.writes_memory and self.reads_memory:
            return False
        if self.fails and other.fails:
            return False
        seen = guarded or self.writes_memory or other.writes_memory
        return not ((self.fails or other.fails) and seen)


@dataclass(frozen=True)
class _Known:
    """The facts about a function's names."""

    numbers: frozenset[str]
    arrays: frozenset[str]
    shared: frozenset[str]
    bound: dict[int, frozenset[str]]
    guarded: bool

    @staticmethod
    def of(function: Function, program: GeneratedProgram) -> _Known:
        """Look through a function, and the arguments that it is called with."""
        names = [p.arg for p in parameters_of(function)]
        values = list(zip(*program.arguments(), strict=True))
        given = dict(zip(names, values, strict=True)) if len(names) == len(values) else {}
        own = list(bound_in(function))
        shared = frozenset(shared_in(function))
        scalar = {n for n, held in given.items() if all(isinstance(v, (bool, int, float)) for v in held)}
        arrays = {n for n, held in given.items() if all(type(v) is np.ndarray for v in held) and own.count(n) == 1}
        numbers = _numbers(function, scalar) - shared
        guarded = any(isinstance(n, (ast.Try, ast.With)) for n in ast.walk(function))
        return _Known(frozenset(numbers), frozenset(arrays - shared), shared, surely_bound(function), guarded)

    def effect(self, statement: ast.stmt) -> _Effect | None:
        """Return the effects of a statement, if it is of the simple kind."""
        match statement:
            case ast.Assign([ast.Name() | ast.Subscript() as target], value):
                extra = None
            case ast.AugAssign(ast.Name() | ast.Subscript() as target, _, value):
                extra = target
            case _:
                return None
        # The value is computed with the statement's operator, which is arithmetic like the others.
        parts = [value, *_index(target)]
        if any(not self._plain(part) for part in parts):
            return None
        element = isinstance(target, ast.Subscript)
        name = target.value if isinstance(target, ast.Subscript) else target
        assert isinstance(target, (ast.Name, ast.Subscript))
        if not isinstance(name, ast.Name) or name.id not in (self.arrays if element else self.numbers):
            return None
        read = [*parts, *([ast.Name(name.id, ast.Load())] if extra is not None and not element else [])]
        memory = any(isinstance(n, ast.Subscript) for part in parts for n in ast.walk(part))
        bound = self.bound[id(statement)]
        safe = not element and all(self._safe(part, bound) for part in read) and _adds(statement)
        return _Effect(
            reads=frozenset(n.id for part in read for n in ast.walk(part) if isinstance(n, ast.Name)),
            writes=frozenset() if element else frozenset({name.id}),
            reads_memory=memory or (element and extra is not None),
            writes_memory=element,
            fails=not safe,
        )

    def _plain(self, node: ast.expr) -> bool:
        """Return whether an expression is arithmetic on numbers and elements alone, without effects."""
        match node:
            case ast.Constant(bool() | int() | float()):
                return True
            case ast.Name(name):
                return name in self.numbers
            case ast.Subscript(ast.Name(name), index):
                return name in self.arrays and all(self._plain(part) for part in _parts(index))
            case ast.Call(ast.Name(name), args, []):
                return name in NUMERIC and all(self._plain(arg) for arg in args)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                return all(self._plain(part) for part in _operands(node))
        return False

    def _safe(self, node: ast.expr, bound: frozenset[str]) -> bool:
        """Return whether a plain expression never fails."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(name):
                return name in bound
            case ast.Call(ast.Name(name), args):
                return name in SAFE and all(self._safe(arg, bound) for arg in args)
            case ast.BinOp(_, op, _) if not isinstance(op, (ast.Add, ast.Sub, ast.Mult)):
                return False
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                return all(self._safe(part, bound) for part in _operands(node))
        return False


def _adds(statement: ast.stmt) -> bool:
    return not isinstance(statement, ast.AugAssign) or isinstance(statement.op, (ast.Add, ast.Sub, ast.Mult))


def _index(target: ast.expr) -> list[ast.expr]:
    return _parts(target.slice) if isinstance(target, ast.Subscript) else []


def _parts(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _operands(node: ast.expr) -> list[ast.expr]:
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]


# ---- which names are numbers -----------------------------------------------------------------------------------------


def _numbers(function: Function, given: set[str]) -> set[str]:
    """The names that hold a Python number whenever they hold anything."""
    bindings = list(_bindings(function))
    counted: dict[str, int] = {}
    for name, _ in bindings:
        counted[name] = counted.get(name, 0) + 1
    every = list(bound_in(function))
    parameters = [p.arg for p in parameters_of(function)]
    # All of a name's bindings must be among those that are understood.
    found = {n for n in set(every) if every.count(n) == counted.get(n, 0) + (n in given and parameters.count(n))}
    while True:
        left = {n for n in found if all(_number(v, found) for name, v in bindings if name == n)}
        if left == found:
            return found
        found = left


def _bindings(function: Function) -> Iterator[tuple[str, ast.expr | None]]:
    """Names with what they are set to; None stands for a number."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from _pairs(target, value)
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value) | ast.AugAssign(ast.Name(name), _, value):
                yield name, value
            case ast.NamedExpr(ast.Name(name), value):
                yield name, value
            case ast.For(ast.Name(name), ast.Call(ast.Name("range" | "reversed"), [*_])):
                inner = node.iter.args[0] if node.iter.func.id == "reversed" else node.iter
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "range":
                    yield name, None


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    match target, value:
        case ast.Name(name), _:
            yield name, value
        case (ast.Tuple(targets), ast.Tuple(values)) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _pairs(one, other)


def _number(node: ast.expr | None, numbers: set[str]) -> bool:
    """Return whether an expression gives a Python number, if the names do."""
    match node:
        case None | ast.Constant(bool() | int() | float()) | ast.Compare():
            return (
                node is None or not isinstance(node, ast.Compare) or all(_number(n, numbers) for n in _operands(node))
            )
        case ast.Name(name):
            return name in numbers
        case ast.Call(ast.Name("int" | "float" | "bool"), _, []):
            return True
        case ast.Call(ast.Name("abs" | "min" | "max" | "round"), args, []):
            return all(_number(arg, numbers) for arg in args)
        case ast.IfExp(_, body, other):
            return _number(body, numbers) and _number(other, numbers)
        case ast.UnaryOp(ast.Not(), _):
            return True
        case ast.NamedExpr(_, value):
            return _number(value, numbers)
        case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare():
            return all(_number(part, numbers) for part in _operands(node))
    return False
