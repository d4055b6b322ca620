"""The one module that needs libcst at run time: it is imported when something really is rewritten."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import types
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.comprehension_names import with_own_names
from anabranch.transpile.emit import Emitted, emit
from anabranch.transpile.errors import Finding, NoSourceError, UnsupportedConstructError
from anabranch.transpile.generator_functions import FreshNames, with_push_iteration
from anabranch.transpile.generator_steps import Report, Step, StepNames, steps_of
from anabranch.transpile.keyword_spaces import Gaps, spaced, spaces_before
from anabranch.transpile.lowering import Lowering, Session
from anabranch.transpile.mangle import enclosing_class, is_private
from anabranch.transpile.names import Function, scope_of, values_among
from anabranch.transpile.nodes import assign, define, descendants, dotted, line, name
from anabranch.transpile.passes import SIMPLIFICATIONS, Dispatch
from anabranch.transpile.positions import Span, record
from anabranch.transpile.result import Counterpart, KnownNames, Rewritten, StepOf
from anabranch.transpile.simplify import Simplifier
from anabranch.transpile.source import LOAD_AGAIN, FunctionSource
from anabranch.transpile.specialise import specialise
from anabranch.transpile.spelling import respell
from anabranch.transpile.yielding_loops import LoopNames


def rewrite_function(
    function: types.FunctionType,
    source: FunctionSource,
    counterpart: Counterpart,
    generator: bool = False,
    operators: frozenset[str] = frozenset(),
    known: Mapping[str, object] = MappingProxyType({}),
    step: StepOf | None = None,
) -> Rewritten:
    """Parse, rewrite and compile `function`, which has this source; a `generator` gets a parameter for its values.

    `operators` are the kinds of operators that become calls, "subscript", "compare" and "list"; `known` the values of
    parameters that are folded in. Where `function` is a `step` of a generator function, the source is that function's.
    """
    module, node, spans = _parsed(source)
    original = dict(spans)  # nodes that are made on the way get places, too
    origin: dict[cst.CSTNode, cst.CSTNode] = {}
    if step is not None:
        node = _steps(node, step.known, origin, _nothing)[1][step.number].node
    if known:
        node = specialise(node, known, function.__globals__, origin)
    nodes = list(descendants(node))
    kinds = set(map(type, nodes))
    taken = {n.value for n in nodes if isinstance(n, cst.Name)}
    bases = ("ab", "yield_", "item_", "items_")
    ab, *pushed_ = (next(n for n in _candidates(base) if n not in taken) for base in bases)
    pushed = FreshNames(*pushed_)
    if cst.Yield in kinds:
        node = with_push_iteration(node, pushed, original, outermost=generator)
    if cst.NamedExpr in kinds:
        node = with_own_names(node, origin)
    if kinds & {cst.Match, cst.NamedExpr, cst.With}:
        node = Simplifier(ab, taken, origin, SIMPLIFICATIONS, operators).function(node)
    headers, modules, native = _headers(function, node, counterpart, ab)
    session = Session(ab, Dispatch(), headers, modules, native, frozenset(taken), pushed, operators, origin)
    work = Lowering(session, node)
    if isinstance(node, cst.FunctionDef):
        if node.asynchronous is not None:
            session.report("AB101", node.name)
        rewritten: cst.FunctionDef | cst.Lambda = work.function_def()
    else:
        rewritten = work.lambda_()
    if session.findings:
        raise UnsupportedConstructError(
            f"{function.__qualname__} ({source.filename}:{source.first_line})",
            _findings(session.findings, session.origin, original, source),
        )
    factory = _factory(function, node, rewritten, (ab,), headers, module)
    session.origin[factory.body[0]] = node
    emitted: Emitted = emit(factory, original, session.origin, function.__code__, session.taken)
    filename = f"<anabranch {function.__qualname__} {source.filename}:{function.__code__.co_firstlineno}>"
    return Rewritten(emitted.text, filename, source.first_line, emitted.code, ab, tuple(headers.items()))


@frozen
class MadeStep:
    """A step of a generator function, compiled as plain Python."""

    code: types.CodeType
    step: Step


@frozen
class MadeSteps:
    """All steps, the names that they have from outside, and what names stood for when they were made."""

    steps: tuple[MadeStep, ...]
    outside: tuple[str, ...]
    known: KnownNames


def steps_of_generator(function: types.FunctionType, source: FunctionSource) -> MadeSteps:
    """The steps of a generator function.

    Raises
    ------
    UnsupportedConstructError
        Where it yields where no step can begin or end.
    """
    module, node, original = _parsed(source)
    origin: dict[cst.CSTNode, cst.CSTNode] = {}
    findings: list[tuple[str, cst.CSTNode]] = []
    known = _known_names(function, node)
    if isinstance(node, cst.Lambda):
        steps: list[Step] = []
        names: StepNames | None = None
        findings.append(("AB115", next(n for n in descendants(node) if isinstance(n, cst.Yield))))
    else:
        names, steps = _steps(node, known, origin, lambda code, place: findings.append((code, place)))
    if findings or names is None:
        raise UnsupportedConstructError(
            f"{function.__qualname__} ({source.filename}:{source.first_line})",
            _findings(findings, origin, original, source),
        )
    made = []
    for step in steps:
        factory = _factory(function, step.node, step.node, names.outside, {}, module)
        origin[factory.body[0]] = step.node
        taken = frozenset(n.value for n in descendants(step.node) if isinstance(n, cst.Name))
        made.append(MadeStep(emit(factory, original, origin, function.__code__, taken).code, step))
    return MadeSteps(tuple(made), names.outside, known)


def _known_names(function: types.FunctionType, node: Function) -> KnownNames:
    """The present meanings of the names in a generator function."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    builtin, generators = set(), set()
    for text in scope_of(node).free:
        if text in cells:
            value = next(iter(_contents(cells[text])), None)
        else:
            value = function.__globals__.get(text)
            if text not in function.__globals__ and hasattr(builtins, text):
                builtin.add(text)
        if inspect.isgeneratorfunction(inspect.unwrap(value) if callable(value) else value):
            generators.add(text)
    return KnownNames(frozenset(builtin), frozenset(generators))


def _contents(cell: types.CellType) -> tuple[object, ...]:
    """The contents of a cell; none where it is empty."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _steps(
    node: Function, known: KnownNames, origin: dict[cst.CSTNode, cst.CSTNode], report: Report
) -> tuple[StepNames, list[Step]]:
    assert isinstance(node, cst.FunctionDef)
    taken = {n.value for n in descendants(node) if isinstance(n, cst.Name)}

    def fresh(base: str) -> str:
        return next(n for n in _candidates(base) if n not in taken)

    # Whoever makes the steps anew gets the same names.
    loops = LoopNames(*map(fresh, ("sequence_", "bounds_", "index_", "length_")))
    deliver, delegate, sent, ended = map(fresh, ("deliver_", "delegate_", "sent_", "ended_"))
    names = StepNames(deliver, delegate, sent, ended, loops)
    return names, steps_of(node, names, known, origin, report)


def _nothing(code: str, node: cst.CSTNode) -> None:
    """Leave out the diagnostics that were reported when the steps were made."""


def _candidates(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}_{count}" for count in itertools.count(2))


# A function is often rewritten several times: with more of its operators as calls, as a step of a generator function.
@functools.lru_cache(maxsize=16)
def _parsed(source: FunctionSource) -> tuple[cst.Module, Function, Mapping[cst.CSTNode, Span]]:
    """The tree of the source, the function in it, and where its nodes stand in the user's file; nobody changes them."""
    module, node, gaps = _parse(source)
    original = _positions(module, source, gaps)
    respell(node)
    return module, node, original


def _parse(source: FunctionSource) -> tuple[cst.Module, Function, Gaps]:
    """The tree of the source, the function in it, and the spaces that were put into the source for the parser."""
    # An indented def is parsed inside a made-up block, so that its lines and columns are those of the file.
    text = "if 1:\n" + source.text if source.indented else source.text
    gaps: Gaps = {}
    try:
        try:
            module = cst.parse_module(text)
        except cst.CSTValidationError:
            text, gaps = spaced(text)
            module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise NoSourceError(
            f"{source.filename}, line {source.first_line}: the source of the function does not parse; {LOAD_AGAIN}"
        ) from error
    kind = cst.Lambda if source.is_lambda else cst.FunctionDef
    for node in descendants(module):
        if isinstance(node, kind):
            assert isinstance(node, (cst.FunctionDef, cst.Lambda))
            return module, node, gaps
    raise NoSourceError(f"{source.filename}, line {source.first_line}: there is no function here; {LOAD_AGAIN}")


def _positions(module: cst.Module, source: FunctionSource, gaps: Gaps) -> dict[cst.CSTNode, Span]:
    """Spans of the user's nodes, in the user's file."""
    first = source.first_line - source.indented
    text, spans = record(module, first)
    if text.isascii() and not source.first_column and not gaps:
        return spans
    lines = text.split("\n")

    def column(line: int, characters: int) -> int:
        """Columns as code objects have them: in bytes of UTF-8."""
        before = lines[line - first][:characters] if line - first < len(lines) else ""
        at = len(before.encode()) - spaces_before(gaps, line - first + 1, characters)
        return at + (source.first_column if line == first else 0)

    return {
        n: Span(s.line, column(s.line, s.column), s.end_line, column(s.end_line, s.end_column))
        for n, s in spans.items()
    }


def _headers(
    function: types.FunctionType, node: Function, counterpart: Counterpart, ab: str
) -> tuple[dict[str, str], dict[str, types.ModuleType], frozenset[str]]:
    """Global names with a staged counterpart and its text, the modules among them, and what is called as it is."""
    scope = scope_of(node)
    free = scope.free - set(_unmangled(function))
    shown = values_among(node)
    found: dict[str, str] = {}
    modules: dict[str, types.ModuleType] = {}
    native: set[str] = set()
    for text in sorted(free - {ab}):
        value = function.__globals__.get(text, getattr(builtins, text, None))
        if value is None or text in scope.global_writes:
            continue
        staged = counterpart(value)
        if staged == "":
            native.add(text)
        elif staged is not None and not (text in shown and staged.startswith("ab.builtins.")):
            # What is shown, compared or passed on is Python's own; each call then goes through `ab.call`.
            if staged == "ab.outside":
                staged = f"ab.outside.{text}"
            found[text] = ab + staged.removeprefix("ab") if staged.split(".")[0] == "ab" else staged
            if isinstance(value, types.ModuleType):
                modules[text] = value
    return found, modules, frozenset(native)


def _findings(
    reported: Iterable[tuple[str, cst.CSTNode]],
    origin: Mapping[cst.CSTNode, cst.CSTNode],
    original: Mapping[cst.CSTNode, Span],
    source: FunctionSource,
) -> list[Finding]:
    """The reports in source order, with the user's lines."""
    listed = []
    for code, node in reported:
        while node not in original:
            node = origin[node]
        span = original[node]
        text = source.line(span.line)
        end = span.end_column if span.end_line == span.line else len(text)
        listed.append(Finding(code, source.filename, span.line, span.column, end, text))
    return sorted(set(listed), key=lambda f: (f.line, f.column, f.code))


def _factory(
    function: types.FunctionType,
    node: Function,
    rewritten: cst.FunctionDef | cst.Lambda,
    outside: tuple[str, ...],
    headers: dict[str, str],
    module: cst.Module,
) -> cst.Module:
    """The module of one function that takes names from outside and the free variables and gives the user's function."""
    free = _unmangled(function)
    body: list[cst.BaseStatement] = [assign([n], dotted(text)) for n, text in headers.items()]
    if isinstance(rewritten, cst.FunctionDef):
        own = rewritten.name.value
        # The function's own name, where it is a global, must stay one inside the factory too.
        if own in scope_of(node).free and own not in free:
            body.append(line(cst.Global([cst.NameItem(name(own))])))
        leading = [cst.EmptyLine(indent=False)] if body else []
        body.append(rewritten.with_changes(decorators=[], leading_lines=leading, type_parameters=None))
        body.append(line(cst.Return(name(own))))
    else:
        body.append(line(cst.Return(rewritten)))
    return cst.Module(
        [define("rewritten", (*outside, *(n for n in free if n not in outside)), body)],
        default_indent=module.default_indent,
        default_newline="\n",
    )


def _unmangled(function: types.FunctionType) -> tuple[str, ...]:
    """The names of the free variables as they stand in the source."""
    owner = enclosing_class(function.__code__.co_qualname)
    prefix = "_" + (owner or "").lstrip("_")

    def plain(text: str) -> str:
        rest = text.removeprefix(prefix)
        return rest if owner and rest != text and is_private(rest) else text

    return tuple(plain(n) for n in function.__code__.co_freevars)
