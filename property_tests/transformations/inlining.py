"""Helpers written out where they are called."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.renaming import ASKING, renamed
from property_tests.transformations.scopes import bound_in, surely_bound
from property_tests.transformations.variants import (
    Function,
    Variant,
    blocks_in_scope,
    fresh,
    function_of,
    parsed,
    some,
    unparsed,
)

# Functions and what is evaluated later keep the variables of their call.
LATER = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef, ast.Yield, ast.YieldFrom, ast.Await)
LOOPS = (ast.For, ast.While)


def inline_helpers(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """`y = helper(a, b)` becomes the helper's statements with names of their own for its variables.

    Applies where a whole statement of `f` is such a call, or an assignment or a `return` of one, with as many
    positional arguments as the helper has parameters. A helper that returns early is written as a loop of one step that
    such a `return` leaves. Left alone are helpers with defaults, decorators, `global`, functions or generators of their
    own, those that return from inside of a loop, that call themselves, and whose variables may be unset where they are
    read.
    """
    tree = parsed(program)
    function = function_of(tree)
    if ASKING & {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}:
        return None
    own = set(bound_in(function))
    helpers = {h.name: h for h in _helpers(tree, function, own)}
    known = surely_bound(function)
    sites = [
        (block, s)
        for block in blocks_in_scope(function)
        for s in block
        if (call := _call(s)) and _fits(call, helpers) and _outside(helpers[_name(call)]) & own <= known[id(s)]
    ]
    if not sites:
        return None
    stem = fresh(tree, "inlined")
    for n, (block, statement) in enumerate(some(choices, sites)):
        call = _call(statement)
        assert call is not None
        at = block.index(statement)
        block[at : at + 1] = _written_out(statement, call, helpers[_name(call)], f"{stem}{n}_")
    return Variant(unparsed(tree))


def _call(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of."""
    if isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
        value = statement.value
        return value if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None
    return None


def _name(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return call.func.id


def _fits(call: ast.Call, helpers: dict[str, Function]) -> bool:
    helper = helpers.get(_name(call))
    plain = not call.keywords and not any(isinstance(a, ast.Starred) for a in call.args)
    return helper is not None and plain and len(call.args) == len(helper.args.args)


def _helpers(tree: ast.Module, function: Function, own: set[str]) -> Iterator[Function]:
    """The functions of the module and of `f` that can be written out in `f`."""
    names = list(bound_in(tree))
    for place in (tree, function):
        for helper in place.body:
            if not isinstance(helper, ast.FunctionDef) or helper is function or names.count(helper.name) > 1:
                continue
            # What a helper of the module reads from outside must not mean a variable of `f`.
            if _simple(helper) and not (place is tree and (_outside(helper) - {helper.name}) & own):
                yield helper


def _outside(helper: Function) -> set[str]:
    """The names that a helper uses and that are not its own; its own name, if it is one of `f`."""
    return {n.id for n in ast.walk(helper) if isinstance(n, ast.Name)} - _locals(helper) | {helper.name}


def _locals(helper: Function) -> set[str]:
    shared = {name for n in ast.walk(helper) if isinstance(n, ast.Nonlocal) for name in n.names}
    return {name for part in (helper.args, *helper.body) for name in bound_in(part)} - shared


def _simple(helper: Function) -> bool:
    a = helper.args
    if helper.decorator_list or a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg or a.defaults:
        return False
    inner = [n for statement in helper.body for n in ast.walk(statement)]
    if any(isinstance(n, (*LATER, ast.Global, ast.Import, ast.ImportFrom, ast.Delete)) for n in inner):
        return False
    if any(isinstance(n, ast.Name) and n.id == helper.name for n in inner) or _returns_from_loop(helper.body):
        return False
    return _reads_what_is_set(helper)


def _returns_from_loop(block: list[ast.stmt]) -> bool:
    loops = [n for s in block for n in ast.walk(s) if isinstance(n, LOOPS)]
    return any(isinstance(n, ast.Return) for loop in loops for n in ast.walk(loop))


def _reads_what_is_set(helper: Function) -> bool:
    """Return whether each variable is surely set where it is read: a loop's second step would set an unset one."""
    before, local = surely_bound(helper), _locals(helper)
    for block in blocks_in_scope(helper):
        for statement in block:
            inner = {id(n) for b in blocks_in_scope(statement) for s in b for n in ast.walk(s)}
            inner |= {id(n) for n in ast.walk(statement) if isinstance(n, ast.comprehension)}
            here = [n for n in ast.walk(statement) if id(n) not in inner]
            own = {t.id for n in here if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp))
                   for t in ast.walk(n) if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}  # fmt: skip
            read = {n.id for n in here if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)}
            read |= {
                s.target.id for s in [statement] if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
            }
            if not (read - own) & local <= before.get(id(statement), frozenset()):
                return False
    return True


def _written_out(statement: ast.stmt, call: ast.Call, helper: Function, stem: str) -> list[ast.stmt]:
    """Return the statements that a statement with a call becomes."""
    made = copy.deepcopy(helper)
    body, result = made.body, f"{stem}result"
    new = {name: stem + name for name in _locals(helper)}
    given: list[ast.stmt] = [_assign(new[p.arg], value) for p, value in zip(made.args.args, call.args, strict=True)]
    early = any(isinstance(n, ast.Return) for s in body[:-1] for n in ast.walk(s)) or (
        not isinstance(body[-1], ast.Return) and any(isinstance(n, ast.Return) for n in ast.walk(body[-1]))
    )
    for part in body:
        renamed(part, new)
        if isinstance(part, ast.Nonlocal):
            body = [s for s in body if s is not part]
    last = body[-1] if body else None
    if early:
        block = ast.If(ast.Constant(True), body, [])
        _Leaving(result).visit(block)
        loop = ast.While(ast.Constant(True), [*block.body, _assign(result, ast.Constant(None)), ast.Break()], [])
        return [*given, loop, _finished(statement, ast.Name(result, ast.Load()))]
    if isinstance(last, ast.Return):
        return [*given, *body[:-1], _finished(statement, last.value or ast.Constant(None))]
    return [*given, *body, _finished(statement, ast.Constant(None))]


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _finished(statement: ast.stmt, value: ast.expr) -> ast.stmt:
    """The statement with a value in place of the call."""
    assert isinstance(statement, (ast.Assign, ast.Expr, ast.Return))
    made = copy.copy(statement)
    made.value = value
    return made


class _Leaving(ast.NodeTransformer):
    """A `return` becomes the end of a loop of one step."""

    def __init__(self, result: str) -> None:
        self.result = result

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [_assign(self.result, node.value or ast.Constant(None)), ast.Break()]
