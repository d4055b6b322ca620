"""`try`: its blocks become functions that share the names they change, so that handlers see what was done before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.bindings import bound_names
from anabranch.transpile.block_values import Frame, InPlace, NotingFrame, ResultFrame, UserFrame, inside
from anabranch.transpile.blocks import (
    Exit,
    Propagate,
    ReadyIf,
    Unit,
    Units,
    exits_of,
    falls_through,
    orelse_of,
    units_of,
)
from anabranch.transpile.data_flow import Region
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering, exits_argument
from anabranch.transpile.names import names_bound_here
from anabranch.transpile.nodes import Statement, assign, children, keyword, line, name, tuple_of
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.raise_ import raised_in
from anabranch.transpile.reader import Reader


@frozen
class _Parts:
    """A try statement taken apart, and where control goes after its blocks."""

    node: cst.Try | cst.TryStar
    body: Units
    orelse: Units
    final: Units
    rest: Units
    after: frozenset[int]
    manager: cst.BaseExpression | None = None  # of the with statement that this stands for

    @property
    def handlers(self) -> list[Units]:
        return [units_of(h.body) for h in self.node.handlers]

    @property
    def exits(self) -> frozenset[Exit]:
        return exits_of([u for block in (self.body, *self.handlers, self.orelse, self.final) for u in block])


@frozen
class _Around:
    """The common part of the functions of one try statement: how they deliver, their place, the names they share."""

    frame: Frame
    here: Here
    shared: frozenset[str]


class Try(StatementPass[cst.Try]):
    """The blocks of a try become functions; what fails at run time leads to the handler of its class."""

    handles = (cst.Try,)
    examples = (
        Example(
            "def f(a, i):\n    try:\n        y = a[i]\n    except IndexError:\n        y = 0.0\n    return y\n",
            """def f(a, i):
    y = ab.Undefined("y")
    def try_body():
        nonlocal y
        y = a[i]
    def except_index_error():
        nonlocal y
        y = 0.0
    ab.try_(try_body, (lambda: IndexError, except_index_error))
    return y
""",
        ),
        Example(
            "def f(n, s):\n    for i in n:\n        try:\n            if i:\n                continue\n"
            "            s = s + i\n        finally:\n            s = s + 1\n    return s\n",
            """def f(n, s):
    def for_body(i, s):
        def try_body():
            nonlocal s
            def if_true():
                return ab.CONTINUE
            def if_false():
                nonlocal s
                s = s + i
                return ab.NEXT
            return ab.if_(i, if_true, if_false)
        def finally_body():
            nonlocal s
            s = s + 1
        ab.try_(try_body, final=finally_body, exits=("continue",))
        return s
    s = ab.for_(n, for_body, (s,), ("s",))
    return s
""",
        ),
        Example(
            "def f(a, i):\n    try:\n        return a[i]\n    except (IndexError, KeyError) as e:\n        return e\n",
            """def f(a, i):
    def try_body():
        return a[i]
    def except_index_error(e):
        return e
    return ab.try_(try_body, (lambda: (IndexError, KeyError), except_index_error))
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.Try, here: Here, rest: Units) -> LoweredUnit:
        return lower_try(work, node, here, rest)


def lower_suppress(work: Lowering, node: cst.With, here: Here, rest: Units) -> LoweredUnit:
    """`with suppress(…): body` as `try: body` and an empty handler of what the manager suppresses."""
    graph = work.flow.graph
    item, nothing = node.items[0].item, cst.Pass()
    handler = cst.ExceptHandler(cst.IndentedBlock([line(nothing)]), item)
    made = cst.Try(node.body, [handler])
    start, end = graph.spans[node]
    graph.spans |= {made: (start, end), handler: (end - 1, end), nothing: (end - 1, end)}
    work.session.origin |= {made: node, handler: node, nothing: node}
    after = work.regions.entries(rest, here.after)
    return _lower(work, _Parts(made, units_of(node.body), (), (), rest, after, item), here)


def lower_try(work: Lowering, node: cst.Try | cst.TryStar, here: Here, rest: Units) -> LoweredUnit:
    """A try statement of either kind."""
    for handler in node.handlers:
        caught = handler.name.name if handler.name is not None else None
        if isinstance(caught, cst.Name) and caught.value not in names_bound_here(children(handler.body)):
            work.session.caught.update(raised_in(handler.body, caught.value))
    return _lower(work, _take_apart(work, node, here, rest), here)


def _lower(work: Lowering, parts: _Parts, here: Here) -> LoweredUnit:
    node, rest = parts.node, parts.rest
    shared = _shared_names(work, parts, here)
    before = _initial_values(work, parts, here, shared)
    exits = parts.exits
    if not exits:
        functions, call = _functions(work, parts, _Around(InPlace(), here, shared))
        return LoweredUnit([*before, *functions, line(cst.Expr(call))], rest)
    if _in_tail(parts, here, rest):
        functions, call = _functions(work, parts, _Around(inside(here.frame), here, shared))
        return LoweredUnit([*before, *functions, line(cst.Return(call))], None)
    layout = replace(work.layout, coded=True, valued=Exit.RETURN in exits)
    functions, call = _functions(work, parts, _Around(ResultFrame(layout), here, shared))
    call = call.with_changes(args=[*call.args, exits_argument(exits)])
    if not rest and isinstance(here.frame, ResultFrame) and not here.frame.layout.coded:
        # A loop body with nothing left to do: going on and `continue` give the same.
        return LoweredUnit([*before, *functions, line(cst.Expr(call))], rest)
    code, value = here.place.fresh_outwards("exit_", "value_")
    noted = value if layout.valued else None
    leave = Propagate(code, noted, exits, node)
    statements = [*before, *functions, assign(layout.targets(code, noted), call)]
    following: Unit = leave
    if falls_through((node,)):
        following = ReadyIf(work.comparison(code, Exit.NEXT), rest, (leave,), node)
    return LoweredUnit(statements, (following,))


def _take_apart(work: Lowering, node: cst.Try | cst.TryStar, here: Here, rest: Units) -> _Parts:
    after = work.regions.entries(rest, here.after)
    if node.finalbody is not None:
        after = frozenset({work.flow.entry(node.finalbody)})
    final = units_of(node.finalbody.body) if node.finalbody is not None else ()
    return _Parts(node, units_of(node.body), work.reached(orelse_of(node.orelse)), final, rest, after)


def _shared_names(work: Lowering, parts: _Parts, here: Here) -> frozenset[str]:
    """Names that the blocks change, but for those that only one block knows."""
    flow = work.flow
    region = work.regions.region([((parts.node,), frozenset())])
    assigned = flow.assigned(region)
    wanted = flow.live_at_exit(region) | flow.live_in_handlers(region) | flow.captured(region)
    wanted |= flow.graph.mask((*here.place.shared, *here.frame.outs, *flow.scope.parameters))
    for point in _entries(work, parts):
        wanted |= flow.live_in[point]
    outside = frozenset(range(len(flow.graph.after))) - region.nodes
    wanted |= flow.assigned(Region(outside, frozenset())) & ~_handler_names(work)
    return frozenset(work.names(assigned & wanted)) | work.declared_in(region.nodes)


def _initial_values(work: Lowering, parts: _Parts, here: Here, shared: frozenset[str]) -> list[Statement]:
    """The shared names have to be names of the function around, also where nobody wants what they held before."""
    region = work.regions.region([((parts.node,), frozenset())])
    place = here.place
    wanted = place.to_initialise(work.flow, region, [n for n in work.flow.graph.names if n in shared])
    known = work.flow.graph.mask((*place.parameters, *place.shared, *place.initialised))
    if place.region is None:
        known |= work.flow.graph.mask(work.flow.scope.parameters)
    dead = work.flow.graph.mask(shared) & ~known & ~work.flow.live_at_entry(region)
    return work.undefined(work.names(work.flow.graph.mask(wanted) | dead))


def _entries(work: Lowering, parts: _Parts) -> Iterator[int]:
    """Where control enters the blocks."""
    yield from work.regions.entries(parts.body, frozenset())
    yield from work.regions.entries(parts.orelse, frozenset())
    yield from work.regions.entries(parts.final, frozenset())
    for handler in parts.node.handlers:
        yield work.flow.nodes(handler)[0]


def _handler_names(work: Lowering) -> int:
    """Names that are bound by handlers (`as e`) alone."""
    graph = work.flow.graph
    starts = {
        span[0] for node, span in graph.spans.items() if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler))
    }
    bound = otherwise = 0
    for point, writes in enumerate(graph.writes):
        if point in starts:
            bound |= writes
        else:
            otherwise |= writes | graph.sometimes[point]
    return bound & ~otherwise


def _in_tail(parts: _Parts, here: Here, rest: Units) -> bool:
    """Return whether the blocks can deliver for the block around, so that what the statement gives is returned."""
    if rest and falls_through((parts.node,)):
        return False
    if exits_of(parts.final) or (parts.orelse and exits_of(parts.body)) or isinstance(here.frame, NotingFrame):
        return False
    # Names change in a finally, and at the end of a named handler, after what is returned has been put together.
    unbound = {n for h in parts.node.handlers if h.name is not None for n in bound_names(h.name.name)}
    return isinstance(here.frame, UserFrame) or not (parts.final or unbound & set(here.frame.outs))


def _functions(work: Lowering, parts: _Parts, around: _Around) -> tuple[list[cst.FunctionDef], cst.Call]:
    """A function for each block, and the call that runs them."""
    node = parts.node
    body, *names = around.here.place.fresh(*_bases(parts))
    handlers = names[: len(node.handlers)]
    after = work.regions.entries(parts.orelse, parts.after)
    # A body that has an else after it delivers nothing, unless it has exits of its own.
    frame = InPlace() if parts.orelse and not exits_of(parts.body) else around.frame
    made = [_function(work, body, parts.body, node.body, replace(around, frame=frame), after, node)]
    arguments = [cst.Arg(name(body))]
    clauses: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    for handler, function in zip(clauses, handlers, strict=True):
        made.append(_handler(work, function, handler, around, parts.after))
        arguments.append(cst.Arg(tuple_of([_kind(work, parts, handler, around), name(function)])))
    if parts.orelse:
        assert node.orelse is not None
        function = names[len(handlers)]
        made.append(_function(work, function, parts.orelse, node.orelse.body, around, parts.after, node.orelse))
        arguments.append(keyword("orelse", name(function)))
    if node.finalbody is not None:
        late = around if exits_of(parts.final) else replace(around, frame=InPlace())
        end = work.regions.entries(parts.rest, around.here.after)
        made.append(_function(work, names[-1], parts.final, node.finalbody.body, late, end, node.finalbody))
        arguments.append(keyword("final", name(names[-1])))
    called = "try_star_" if isinstance(node, cst.TryStar) else "try_"
    return made, cst.Call(work.layout.constant(called), arguments)


def _bases(parts: _Parts) -> list[str]:
    if parts.manager is not None:
        return ["with_body", "suppressed"]
    others = ["else_body"] * bool(parts.orelse) + ["finally_body"] * bool(parts.final)
    return ["try_body", *_handler_bases(parts.node), *others]


def _handler_bases(node: cst.Try | cst.TryStar) -> list[str]:
    """Names for the functions of the handlers, by the classes that they catch."""
    found: list[str] = []
    for handler in node.handlers:
        kind = handler.type
        if isinstance(kind, cst.Tuple) and kind.elements:
            kind = kind.elements[0].value
        while isinstance(kind, cst.Attribute):
            kind = kind.attr
        text = kind.value if isinstance(kind, cst.Name) else "any"
        base = "except_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
        count = sum(other == base or other.startswith(base + "_again") for other in found)
        found.append(base + "_again" * count)
    return found


def _function(
    work: Lowering,
    function: str,
    units: Units,
    suite: cst.BaseSuite,
    around: _Around,
    after: frozenset[int],
    origin: cst.CSTNode,
) -> cst.FunctionDef:
    region = work.regions.region([(units, after)])
    place = around.here.place.inner(region, (), around.shared)
    leading = origin.leading_lines if isinstance(origin, (cst.Else, cst.Finally)) else ()
    return work.derived(work.generated(function, (), units, Here(around.frame, place, after), suite, leading), origin)


def _handler(
    work: Lowering,
    function: str,
    node: cst.ExceptHandler | cst.ExceptStarHandler,
    around: _Around,
    after: frozenset[int],
) -> cst.FunctionDef:
    nodes = work.flow.nodes(node)
    if node.name is not None and nodes[-1] in work.flow.graph.unbinding:
        after = frozenset({nodes[-1]})
    own = bound_names(node.name.name) if node.name is not None else []
    shared = [n for n in own if n in around.shared]
    place = around.here.place.inner(Region(frozenset(nodes), frozenset({nodes[0]})), own, around.shared)
    inside_ = Here(around.frame, place, after)
    first = []
    parameters = own
    if shared:
        parameters = list(place.fresh("error"))
        first = [assign(shared, name(parameters[0]))]
    made = work.generated(function, parameters, units_of(node.body), inside_, node.body, node.leading_lines, first)
    if shared:
        made = _unbinding(work, made, shared)
    return work.derived(made, node)


def _unbinding(work: Lowering, made: cst.FunctionDef, shared: list[str]) -> cst.FunctionDef:
    """Python unbinds the handler's name when the handler ends, in whatever way."""
    body = list(made.body.body)
    start = next(k for k, s in enumerate(body) if not _declares(s)) + 1
    block = cst.IndentedBlock([s for s in body[start:] if isinstance(s, cst.BaseStatement)] or [line(cst.Pass())])
    wrapped = cst.Try(block, finalbody=cst.Finally(cst.IndentedBlock(work.undefined(shared))))
    return made.with_changes(body=made.body.with_changes(body=[*body[:start], wrapped]))


def _declares(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], (cst.Nonlocal, cst.Global))


def _kind(
    work: Lowering, parts: _Parts, node: cst.ExceptHandler | cst.ExceptStarHandler, around: _Around
) -> cst.BaseExpression:
    """`lambda: classes`, which is asked when something has been raised; None for a handler of everything."""
    if node.type is None:
        return name("None")
    if parts.manager is not None:
        reader = Reader(work, work.flow.entry(parts.node), around.here.place)
        return reader.staged("suppressed", reader.argument(parts.manager))
    reader = Reader(work, work.flow.nodes(node)[0], around.here.place)
    return reader.thunk(node.type)
