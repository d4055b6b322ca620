"""Calls of functions that are not known to be staged."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import call, name
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.passes.generator_expression import of_list
from anabranch.transpile.reader import Reader

# Functions that see the names of the function that calls them, which differ once it is rewritten.
_LOOKERS = frozenset({"exec", "eval", "locals"})
_OF_CALLER = ("vars", "dir")  # without arguments
_DEBUGGERS = "set_trace"  # of pdb, ipdb and others: it stops in the frame of its caller


class Call(ExpressionPass[cst.Call]):
    """f(x) becomes ab.call(f, x), or ab.tail_call(f, x) at the end of f, unless f is known to be staged.

    f(*x) becomes ab.calling(f)(*x); in a function whose lists grow ab.calling(f)(*ab.spread(x)), and zip(*x)
    ab.transposed(x).
    """

    handles = (cst.Call,)
    examples = (
        Example(
            "def f(o, i):\n    return o.bump(i, end=2)\n",
            "def f(o, i):\n    return ab.call(o.bump, i, end=2)\n",
        ),
        # What is to be unpacked may be no iterable or mapping: Python's message names what is called.
        Example(
            "def f(o, i, k):\n    return o.bump(i, *k)\n",
            "def f(o, i, k):\n    return ab.calling(o.bump)(i, *k)\n",
        ),
        Example(
            "def f(o, i):\n    return o if i == 0 else o.f(i - 1)\n",
            "def f(o, i):\n    return ab.ifexp(i == 0, lambda: o, lambda: ab.tail_call(o.f, i - 1))\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.Call) -> cst.CSTNode:
        function = node.func
        if isinstance(function, cst.Name) and not reader.is_local(function.value):
            if function.value in _LOOKERS or (function.value in _OF_CALLER and not node.args):
                reader.work.session.report("AB106", node)
            if function.value == "super" and not node.args:
                return self._super(reader, node)
        called = function.value if isinstance(function, cst.Attribute) else function
        if isinstance(called, cst.Name) and called.value == reader.work.session.pushed.consume:
            return reader.children(node)
        if (reduction := of_list(reader, node)) is not None:
            return reduction
        if self._is_debugger(reader, function):
            return reader.children(node)
        is_tail = node in reader.work.tail_calls
        if self._transposes(reader, node):
            rows = cst.Arg(reader.argument(node.args[0].value), comma=node.args[0].comma)
            return node.with_changes(
                func=reader.constant("transposed"), args=[rows, *(self._argument(reader, a) for a in node.args[1:])]
            )
        if any(argument.star for argument in node.args):
            unpacking = reader.staged("tail_calling" if is_tail else "calling", reader.rewrite(function))
            return node.with_changes(func=unpacking, args=[self._unpacked(reader, a) for a in node.args])
        if self._is_staged(reader, function):
            return reader.children(node)
        arguments = [self._argument(reader, argument) for argument in node.args]
        callee = reader.rewrite(function)
        staged = "tail_call" if is_tail else "call"
        if not arguments:
            return reader.staged(staged, callee)
        head = cst.Arg(callee, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return node.with_changes(func=reader.constant(staged), args=[head, *arguments])

    def _unpacked(self, reader: Reader, node: cst.Arg) -> cst.Arg:
        """An argument, which may be unpacked; how many items there are may be known only at run time."""
        if node.star != "*" or "list" not in reader.work.session.operators:
            return self._argument(reader, node)
        return node.with_changes(value=reader.staged("spread", reader.argument(node.value)))

    def _argument(self, reader: Reader, node: cst.Arg) -> cst.Arg:
        new = reader.rewrite_node(node)
        assert isinstance(new, cst.Arg)
        if isinstance(new.value, cst.GeneratorExp) and not new.value.lpar:
            value = new.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return new.with_changes(value=reader.work.derived(value, new.value))
        return new

    @staticmethod
    def _transposes(reader: Reader, node: cst.Call) -> bool:
        """Return whether a call is zip(*rows), strict or not, in a function whose lists grow at run time."""
        session = reader.work.session
        names = [a.star or (a.keyword and a.keyword.value) for a in node.args]
        if "list" not in session.operators or names not in (["*"], ["*", "strict"]):
            return False
        function = node.func
        if not isinstance(function, cst.Name) or reader.is_local(function.value):
            return False
        return session.headers.get(function.value) == f"{session.ab}.builtins.zip_"

    def _is_staged(self, reader: Reader, function: cst.BaseExpression) -> bool:
        """A name bound by the header, or attributes of a module bound by it."""
        session = reader.work.session
        if isinstance(function, cst.Name):
            known = function.value in session.headers or function.value in session.native
            return known and not reader.is_local(function.value)
        root, attributes = function, list[str]()
        while isinstance(root, cst.Attribute):
            attributes.append(root.attr.value)
            root = root.value
        if isinstance(root, cst.Name) and root.value == session.ab:
            return True
        if not isinstance(root, cst.Name) or root.value not in session.modules or reader.is_local(root.value):
            return False
        # A class keeps standing for itself (dtype=np.float64), so a call of it is not yet the staged one.
        value: object = session.modules[root.value]
        for attribute in reversed(attributes):
            value = getattr(value, attribute, None)
        return not (isinstance(value, type) or hasattr(value, "__objclass__"))  # nor one of a method of a class

    def _is_debugger(self, reader: Reader, function: cst.BaseExpression) -> bool:
        """Return whether a function is `set_trace`, or that of a module."""
        root, last = function, function
        if isinstance(function, cst.Attribute):
            root, last = function.value, function.attr
        named = isinstance(root, cst.Name) and not reader.is_local(root.value)
        return named and isinstance(last, cst.Name) and last.value == _DEBUGGERS

    def _super(self, reader: Reader, node: cst.Call) -> cst.Call:
        """`super()` looks at its caller's first argument: inside a generated function that has to be said."""
        parameters = reader.work.flow.scope.parameters
        in_user_function = reader.place.region is None and not reader.late
        if in_user_function or not parameters:
            return node
        return call(name("super"), name("__class__"), name(parameters[0]))
