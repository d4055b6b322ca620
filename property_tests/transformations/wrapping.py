"""Statements put under a condition that is true."""

from __future__ import annotations

import ast

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.variants import Variant, blocks_in_scope, fresh, function_of, parsed, some, unparsed

# Declarations say something of a whole function; what is defined under a condition is another thing than what is done.
DECLARING = (ast.Nonlocal, ast.Global, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def wrap_in_true(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """`statement` becomes `if True: statement`.

    Applies to every statement of `f` but declarations and definitions.
    """
    tree = parsed(program)
    return Variant(unparsed(tree)) if _wrapped(tree, ast.Constant(True), choices) else None


def wrap_under_flag(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """`statement` becomes `if flag: statement`, where `flag` is a new parameter that is given True.

    Applies to every statement of `f` but declarations and definitions. What a compiler knows of the program is less
    afterwards: a name may be unset behind it, a list longer. It may refuse what it took before.
    """
    tree = parsed(program)
    name = fresh(tree, "always")
    if not _wrapped(tree, ast.Name(name, ast.Load()), choices):
        return None
    function_of(tree).args.args.append(ast.arg(name))
    return Variant(unparsed(tree), (True,))


def _wrapped(tree: ast.Module, test: ast.expr, choices: Choices) -> bool:
    """Put statements under a condition; False where there are none that can be."""
    function = function_of(tree)
    # The innermost blocks first, so that wrapped statements stand in wrapped ones.
    sites = [(block, s) for block in reversed(list(blocks_in_scope(function))) for s in block if _fits(s)]
    if not sites:
        return False
    for block, statement in some(choices, sites):
        block[block.index(statement)] = ast.If(test, [statement], [])
    return True


def _fits(statement: ast.stmt) -> bool:
    return not isinstance(statement, DECLARING)
