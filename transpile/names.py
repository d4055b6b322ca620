"""Which names a piece of code reads, binds, deletes, and shares with inner functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.bindings import bound_names, imported_names, parameters
from anabranch.transpile.nodes import children

Function = cst.FunctionDef | cst.Lambda

# Callables that use up a generator before they return, so that it sees its names as they are at the call.
CONSUMERS = frozenset(
    ("sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset", "dict", "sorted", "fsum", "prod", "join")
)


@dataclass(slots=True)
class Inner:
    """An inner function of a function, and the names of the outer function that it shares."""

    node: cst.CSTNode
    name: str | None
    reads: set[str]
    writes: set[str]
    deletes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class NameUsage:
    """The use that one piece of code makes of names, in its own scope.

    `sometimes` are the names that it may write or not, `apart` those that a function of its own writes (an operand
    that may not run, a generator expression); `calls` are the names that occur as direct callees; `escapes` those that
    are read in any other way.
    """

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    sometimes: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    escapes: set[str] = field(default_factory=set)
    inner: list[Inner] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    @property
    def all_writes(self) -> set[str]:
        """Names that it writes, or may write."""
        return self.writes | self.sometimes


@frozen
class FunctionNames:
    """The names of a whole function: its own, and what it takes from outside."""

    parameters: tuple[str, ...]
    locals: frozenset[str]
    free: frozenset[str]
    free_writes: frozenset[str]
    free_deletes: frozenset[str]
    global_writes: frozenset[str]


# Asked for by each function around it, and for its own rewriting.
@lru_cache(maxsize=32)
def scope_of(function: Function) -> FunctionNames:
    """The names of `function`, its inner functions' needs included."""
    usage = usage_of([function.body])
    names = tuple(p.name.value for p in parameters(function.params))
    own = (usage.all_writes | usage.deletes | set(names)) - usage.globals - usage.nonlocals
    shared = set().union(*(i.reads | i.writes for i in usage.inner))
    written = set().union(*(i.writes for i in usage.inner))
    deleted = set().union(*(i.deletes for i in usage.inner))
    used = usage.reads | shared | usage.nonlocals
    return FunctionNames(
        parameters=names,
        locals=frozenset(own),
        free=frozenset(used - own),
        free_writes=frozenset((usage.nonlocals & (usage.all_writes | usage.deletes)) | (written - own)),
        free_deletes=frozenset((usage.nonlocals & usage.deletes) | (deleted - own)),
        global_writes=frozenset(usage.globals & (usage.all_writes | usage.deletes)),
    )


def usage_of(nodes: Iterable[cst.CSTNode]) -> NameUsage:
    """Return the use that `nodes`, run one after the other in one scope, make of names."""
    walker = _Walker(NameUsage())
    for node in nodes:
        walker.visit(node)
    return walker.usage


def assigns(node: cst.CSTNode) -> bool:
    """Return whether an expression has an assignment expression in its own scope."""
    if isinstance(node, cst.NamedExpr):
        return True
    return not isinstance(node, cst.Lambda) and any(map(assigns, children(node)))


def values_among(node: cst.CSTNode) -> set[str]:
    """Names that occur in code, functions inside included, where they are not what a call calls."""
    found: set[str] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, cst.Name):
            found.add(part.value)
        elif isinstance(part, (cst.Attribute, cst.Arg)):
            pending.append(part.value)
        elif isinstance(part, cst.Call):
            pending += part.args if isinstance(part.func, cst.Name) else children(part)
        elif not isinstance(part, (cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal)):
            pending += children(part)
    return found


def names_bound_here(statements: Iterable[cst.CSTNode]) -> set[str]:
    """Names that statements bind in their own function; functions inside are not looked into."""
    found: set[str] = set()
    for node in statements:
        if isinstance(node, cst.FunctionDef):
            found.add(node.name.value)
        elif isinstance(node, (cst.BaseSmallStatement, cst.WithItem)):
            found |= usage_of([node]).writes
        else:
            if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler)) and node.name is not None:
                found |= set(bound_names(node.name.name))
            found |= names_bound_here(children(node))
    return found


class _Walker:
    """One walk over code of a single scope, in the order in which it runs.

    `hidden` are the names of the comprehensions around the current node. What stands in a `maybe` part may not run;
    `apart` says that it is a function of its own.
    """

    def __init__(self, usage: NameUsage) -> None:
        self.usage = usage
        self.hidden: frozenset[str] = frozenset()
        self.maybe = False
        self.apart = False

    def visit(self, node: cst.CSTNode) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            for child in children(node):
                self.visit(child)

    def read(self, name: str, called: bool = False) -> None:
        if name in self.hidden:
            return
        if name not in self.usage.writes:
            self.usage.reads.add(name)
        (self.usage.calls if called else self.usage.escapes).add(name)

    def write(self, target: cst.CSTNode) -> None:
        self.usage.writes.update(bound_names(target))
        self._target_reads(target)

    def _target_reads(self, target: cst.CSTNode) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._target_reads(element.value)
        elif isinstance(target, cst.StarredElement):
            self._target_reads(target.value)
        elif not isinstance(target, cst.Name):
            self.visit(target)

    def name(self, node: cst.Name) -> None:
        self.read(node.value)

    def call(self, node: cst.Call) -> None:
        function = node.func
        if isinstance(function, cst.Name):
            self.read(function.value, called=True)
        else:
            self.visit(function)
        last = function.attr if isinstance(function, cst.Attribute) else function
        consumes = isinstance(last, cst.Name) and last.value in CONSUMERS
        for argument in node.args:
            if consumes and isinstance(argument.value, cst.GeneratorExp):
                self.comprehension(argument.value)
            else:
                self.visit(argument.value)

    def lambda_(self, node: cst.Lambda, name: str | None = None) -> None:
        for parameter in parameters(node.params):
            if parameter.default is not None:
                self.visit(parameter.default)
        self._inner(node, name, scope_of(node))

    def function(self, node: cst.FunctionDef) -> None:
        for decorator in node.decorators:
            self.visit(decorator.decorator)
        annotations = [p.annotation for p in parameters(node.params)] + [node.returns]
        for annotation in annotations:
            if annotation is not None:
                self.visit(annotation.annotation)
        for parameter in parameters(node.params):
            if parameter.default is not None:
                self.visit(parameter.default)
        self.usage.writes.add(node.name.value)
        # A decorated function is no longer called by its name alone.
        self._inner(node, None if node.decorators else node.name.value, scope_of(node))

    def _inner(self, node: cst.CSTNode, name: str | None, scope: FunctionNames) -> None:
        inner = Inner(node, name, set(scope.free) - self.hidden, set(scope.free_writes), set(scope.free_deletes))
        self.usage.inner.append(inner)

    def class_(self, node: cst.ClassDef) -> None:
        for part in (*node.decorators, *node.bases, *node.keywords):
            self.visit(part)
        self.usage.writes.add(node.name.value)
        inside = usage_of([node.body])
        shared = inside.reads.union(*(i.reads for i in inside.inner))
        written = set().union(*(i.writes for i in inside.inner))
        deleted = set().union(*(i.deletes for i in inside.inner))
        self.usage.inner.append(Inner(node, None, shared - self.hidden, written, deleted))

    def generator(self, node: cst.GeneratorExp) -> None:
        """A generator that is kept: its first iterable is read now, everything else whenever it is used."""
        self.visit(node.for_in.iter)
        inside = _Walker(NameUsage())
        inside.apart = True
        inside.comprehension(node)
        own = inside.usage
        self.usage.sometimes |= own.sometimes
        self.usage.apart |= own.apart
        self.usage.inner += own.inner
        self.usage.inner.append(Inner(node, None, inside.usage.reads - self.hidden, set()))

    def comprehension(self, node: cst.BaseComp) -> None:
        outside = self.hidden, self.maybe, self.apart
        self.apart |= isinstance(node, cst.GeneratorExp)
        loop: cst.CompFor | None = node.for_in
        while loop is not None:
            self.visit(loop.iter)
            self.maybe = True
            self.hidden |= set(bound_names(loop.target))
            for condition in loop.ifs:
                self.visit(condition.test)
            loop = loop.inner_for_in
        parts = (node.key, node.value) if isinstance(node, cst.DictComp) else (node.elt,)  # type: ignore[attr-defined]
        for part in parts:
            self.visit(part)
        self.hidden, self.maybe, self.apart = outside

    def operand(self, node: cst.CSTNode) -> None:
        """Visit what becomes a function of its own, and may not run."""
        outside = self.maybe, self.apart
        self.maybe = self.apart = True
        self.visit(node)
        self.maybe, self.apart = outside

    def boolean(self, node: cst.BooleanOperation) -> None:
        self.visit(node.left)
        self.operand(node.right)

    def ternary(self, node: cst.IfExp) -> None:
        self.visit(node.test)
        self.operand(node.body)
        self.operand(node.orelse)

    def chain(self, node: cst.Comparison) -> None:
        self.visit(node.left)
        for link in node.comparisons:
            (self.operand if len(node.comparisons) > 1 else self.visit)(link.comparator)

    def assert_(self, node: cst.Assert) -> None:
        self.visit(node.test)
        if node.msg is not None:
            self.operand(node.msg)

    def named(self, node: cst.NamedExpr) -> None:
        self.visit(node.value)
        names = set(bound_names(node.target))
        if self.maybe:
            self.usage.sometimes |= names - self.usage.writes
        else:
            self.usage.writes |= names
        if self.apart:
            self.usage.apart |= names

    def assign(self, node: cst.Assign) -> None:
        targets = [t.target for t in node.targets]
        if isinstance(node.value, cst.Lambda) and len(targets) == 1 and isinstance(targets[0], cst.Name):
            self.lambda_(node.value, targets[0].value)
        else:
            self.visit(node.value)
        for target in targets:
            self.write(target)

    def annotated(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.write(node.target)

    def augmented(self, node: cst.AugAssign) -> None:
        self.visit(node.target)
        self.visit(node.value)
        self.write(node.target)

    def delete(self, node: cst.Del) -> None:
        # Deleting a name that is not set is an error, so its state is read.
        self.usage.deletes.update(bound_names(node.target))
        self.usage.reads.update(bound_names(node.target))
        self._target_reads(node.target)

    def import_(self, node: cst.Import | cst.ImportFrom) -> None:
        self.usage.writes.update(imported_names(node))

    def global_(self, node: cst.Global) -> None:
        self.usage.globals.update(item.name.value for item in node.names)

    def nonlocal_(self, node: cst.Nonlocal) -> None:
        self.usage.nonlocals.update(item.name.value for item in node.names)

    def for_(self, node: cst.For) -> None:
        self.visit(node.iter)
        self.write(node.target)
        self.visit(node.body)
        if node.orelse is not None:
            self.visit(node.orelse)

    def with_item(self, node: cst.WithItem) -> None:
        self.visit(node.item)
        if node.asname is not None:
            self.write(node.asname.name)

    def handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name is not None:
            self.usage.writes.update(bound_names(node.name.name))
            self.usage.deletes.update(bound_names(node.name.name))
        self.visit(node.body)


_HANDLERS: dict[type[cst.CSTNode], Callable[[_Walker, Any], None]] = {
    cst.Name: _Walker.name,
    cst.Call: _Walker.call,
    cst.Lambda: _Walker.lambda_,
    cst.FunctionDef: _Walker.function,
    cst.ClassDef: _Walker.class_,
    cst.GeneratorExp: _Walker.generator,
    cst.ListComp: _Walker.comprehension,
    cst.SetComp: _Walker.comprehension,
    cst.DictComp: _Walker.comprehension,
    cst.NamedExpr: _Walker.named,
    cst.BooleanOperation: _Walker.boolean,
    cst.IfExp: _Walker.ternary,
    cst.Comparison: _Walker.chain,
    cst.Assert: _Walker.assert_,
    cst.Assign: _Walker.assign,
    cst.AnnAssign: _Walker.annotated,
    cst.AugAssign: _Walker.augmented,
    cst.Del: _Walker.delete,
    cst.Import: _Walker.import_,
    cst.ImportFrom: _Walker.import_,
    cst.Global: _Walker.global_,
    cst.Nonlocal: _Walker.nonlocal_,
    cst.For: _Walker.for_,
    cst.WithItem: _Walker.with_item,
    cst.ExceptHandler: _Walker.handler,
    cst.ExceptStarHandler: _Walker.handler,
}
