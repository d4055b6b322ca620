"""The one module that needs libcst at run time: it is imported when something really is rewritten."""

from __future__ import annotations

import builtins
import itertools
import types
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import libcst as cst

from anabranch.transpile.emit import Emitted, emit
from anabranch.transpile.errors import Finding, NoSourceError, UnsupportedConstructError
from anabranch.transpile.generator_functions import FreshNames, with_push_iteration
from anabranch.transpile.lowering import Lowering, Session
from anabranch.transpile.mangle import enclosing_class, is_private
from anabranch.transpile.names import Function, scope_of, values_among
from anabranch.transpile.nodes import assign, define, descendants, dotted, line, name
from anabranch.transpile.passes import SIMPLIFICATIONS, Dispatch
from anabranch.transpile.positions import Span, record
from anabranch.transpile.result import Counterpart, Rewritten
from anabranch.transpile.simplify import Simplifier
from anabranch.transpile.source import LOAD_AGAIN, FunctionSource
from anabranch.transpile.specialise import specialise


def rewrite_function(
    function: types.FunctionType,
    source: FunctionSource,
    counterpart: Counterpart,
    generator: bool = False,
    operators: frozenset[str] = frozenset(),
    known: Mapping[str, object] = MappingProxyType({}),
) -> Rewritten:
    """Parse, rewrite and compile `function`, which has this source; a `generator` gets a parameter for its values.

    `operators` are the kinds of operators that become calls, "subscript", "compare" and "list"; `known` the values of
    parameters that are folded in.
    """
    module, node = _parse(source)
    original = _positions(module, source)
    origin: dict[cst.CSTNode, cst.CSTNode] = {}
    if known:
        node = specialise(node, known, function.__globals__, origin)
    nodes = list(descendants(node))
    kinds = set(map(type, nodes))
    taken = {n.value for n in nodes if isinstance(n, cst.Name)}
    ab, consume, item = (next(n for n in _candidates(base) if n not in taken) for base in ("ab", "yield_", "item_"))
    pushed = FreshNames(consume, item)
    if cst.Yield in kinds:
        node = with_push_iteration(node, pushed, original, outermost=generator)
    if kinds & {cst.Match, cst.NamedExpr}:
        node = Simplifier(ab, taken, origin, SIMPLIFICATIONS).function(node)
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
            _findings(session, original, source),
        )
    factory = _factory(function, node, rewritten, ab, headers, module)
    session.origin[factory.body[0]] = node
    emitted: Emitted = emit(factory, original, session.origin, function.__code__, session.taken)
    filename = f"<anabranch {function.__qualname__} {source.filename}:{function.__code__.co_firstlineno}>"
    return Rewritten(emitted.text, filename, source.first_line, emitted.code, ab, tuple(headers.items()))


def _candidates(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}_{count}" for count in itertools.count(2))


def _parse(source: FunctionSource) -> tuple[cst.Module, Function]:
    """The tree of the source, and the function in it."""
    # An indented def is parsed inside a made-up block, so that its lines and columns are those of the file.
    text = "if 1:\n" + source.text if source.indented else source.text
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise NoSourceError(
            f"{source.filename}, line {source.first_line}: the source of the function does not parse; {LOAD_AGAIN}"
        ) from error
    kind = cst.Lambda if source.is_lambda else cst.FunctionDef
    for node in descendants(module):
        if isinstance(node, kind):
            assert isinstance(node, (cst.FunctionDef, cst.Lambda))
            return module, node
    raise NoSourceError(f"{source.filename}, line {source.first_line}: there is no function here; {LOAD_AGAIN}")


def _positions(module: cst.Module, source: FunctionSource) -> dict[cst.CSTNode, Span]:
    """Spans of the user's nodes, in the user's file."""
    first = source.first_line - source.indented
    text, spans = record(module, first)
    if text.isascii() and not source.first_column:
        return spans
    lines = text.split("\n")

    def column(line: int, characters: int) -> int:
        """Columns as code objects have them: in bytes of UTF-8."""
        before = lines[line - first][:characters] if line - first < len(lines) else ""
        return len(before.encode()) + (source.first_column if line == first else 0)

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


def _findings(session: Session, original: Mapping[cst.CSTNode, Span], source: FunctionSource) -> list[Finding]:
    """The reports in source order, with the user's lines."""
    listed = []
    for code, node in session.findings:
        while node not in original:
            node = session.origin[node]
        span = original[node]
        text = source.line(span.line)
        end = span.end_column if span.end_line == span.line else len(text)
        listed.append(Finding(code, source.filename, span.line, span.column, end, text))
    return sorted(set(listed), key=lambda f: (f.line, f.column, f.code))


def _factory(
    function: types.FunctionType,
    node: Function,
    rewritten: cst.FunctionDef | cst.Lambda,
    ab: str,
    headers: dict[str, str],
    module: cst.Module,
) -> cst.Module:
    """The module of one function that takes `ab` and the free variables and gives the user's function."""
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
        [define("rewritten", (ab, *free), body)],
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
