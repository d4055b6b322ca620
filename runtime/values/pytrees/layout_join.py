"""The least layout that holds what either of two layouts holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anabranch.base.value import Value
from anabranch.runtime.errors import StructureMismatchError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, containers, wrap
from anabranch.runtime.values.abstract import (
    Abstract,
    join as join_abstract,
    python_abstract,
)
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.lazy_text import TextStructure, is_spelled
from anabranch.runtime.values.memory import aliasing
from anabranch.runtime.values.pytrees import layout as layouts, node_graphs, node_structures, padded_union
from anabranch.runtime.values.pytrees.layout import (
    Constant,
    Layout,
    Leaf,
    Node,
    Union,
    initial_abstraction,
    interval,
    is_dynamic_array,
    is_text,
    numeric,
    of_reference,
    outline,
    sizes,
    traits,
)
from anabranch.runtime.values.union import UnionValue

_MOST_OPTIONS = 16
_MOST_TEXTS = 1024


def join(a: Layout, b: Layout, unboxing: bool = False) -> Layout:
    """The least layout that holds what either holds.

    An existing object and another one are a choice. With `unboxing`, an existing container `a` and a new one of its
    structure `b` are a container with values of its own.
    """
    if a == b and not _are_apart(a, b):
        return a if not isinstance(a, Leaf) else Leaf(a.abstract, a.interval | interval(b), a.traits)
    if isinstance(a, Union) or isinstance(b, Union):
        return _join_options(a, b, unboxing)
    node = _as_node([a, b])
    if node is not None:
        return node
    text = _spelled((a, b)) if _is_spelled(a) or _is_spelled(b) or _nests_deeper(a, b) else None
    if text is not None:
        return text
    if _is_run_time_tuple(a) or _is_run_time_tuple(b):
        held = _one_tuple((a, b))
        if held is not None:
            return held
    sized = _joined_sizes(a, b)
    if sized is not None:
        return sized
    x, y = numeric(a), numeric(b)
    if x is not None and y is not None:
        both = join_abstract(x, y)
        if both is not None:
            return Leaf(both, interval(a) | interval(b), traits(a) | traits(b))
    p, b = _of_one_structure(unboxed(a) if unboxing else a, b)
    if isinstance(p, Node) and isinstance(b, Node) and p.structure == b.structure:
        pairs = zip(p.children, b.children, strict=True)
        made = Node(p.structure.with_origins_of(b.structure), tuple([join(c, d, unboxing) for c, d in pairs]))
        return Union((a, b)) if p.structure.has_known_parts and _has_choices(made) else made
    for one, other in ((p, b), (b, p)):
        if isinstance(one, Node):
            one.structure.meet(other)
    joined = p.structure.join(p, b) if isinstance(p, Node) and isinstance(b, Node) else None
    return Union((a, b)) if joined is None else joined


def _of_one_structure(a: Layout, b: Layout) -> tuple[Layout, Layout]:
    """Two layouts, a known value beside a run-time one of its kind as one of that structure."""
    if isinstance(a, Constant) and isinstance(b, Node):
        return _parted(a, b.structure), b
    return a, _parted(b, a.structure) if isinstance(b, Constant) and isinstance(a, Node) else b


def _parted(known: Constant, structure: containers.Structure) -> Layout:
    if not structure.holds(known.value):
        return known
    return Node(structure, tuple(map(outline, structure.children(known.value))))


def _has_choices(layout: Layout) -> bool:
    """Return whether a part of a layout is one of several alternatives."""
    if isinstance(layout, Node):
        return any(map(_has_choices, layout.children))
    return isinstance(layout, Union)


def _as_node(options: Sequence[Layout]) -> Node | None:
    """The layout of a reference to what any of these is; None where they stay apart."""
    given = [node_or_member(o) for o in options]
    if any(g is _NOTHING for g in given):
        return None
    structure = node_structures.joined(given)
    return None if structure is None else of_reference(structure)


def _is_tuple(layout: Layout) -> bool:
    """Return whether a layout is that of a tuple of no class of the user's, with items that lie in no arena."""
    if not isinstance(layout, Node):
        return False
    structure = layout.structure
    if structure.is_run_time_tuple:
        return structure.extra is None
    return type(structure) is containers.Structure and structure.cls is tuple


def _is_run_time_tuple(layout: Layout) -> bool:
    return _is_tuple(layout) and isinstance(layout, Node) and layout.structure.is_run_time_tuple


def _one_tuple(options: Sequence[Layout]) -> Layout | None:
    """The layout of one of several tuples as one whose length is known only at run time; None where there is none."""
    return _one_of(_is_tuple, options, current().trace.outside.union_operations.one_tuple)


def _one_of(
    is_such: Callable[[Layout], bool], options: Sequence[Layout], joined: Callable[[Sequence[Layout]], Layout | None]
) -> Layout | None:
    """The one layout of values that are all of a sort; None where there is none."""
    return joined(options) if all(map(is_such, options)) else None


def _with_one(options: list[Layout], mine: Sequence[Layout], one: Layout | None) -> list[Layout]:
    """The options, with one in place of some; as they are where there is none."""
    return options if one is None else [one, *(o for o in options if not any(o is m for m in mine))]


def _with_one_tuple(options: list[Layout]) -> list[Layout]:
    """The options, with tuples of several lengths, which loops make, as one whose length is known only at run time."""
    mine = [o for o in options if _is_tuple(o)]
    lengths = {len(o.children) for o in mine if isinstance(o, Node)}
    if len(mine) < 2 or not (any(map(_is_run_time_tuple, mine)) or (len(lengths) >= _FEW_STEPS and may_grow())):
        return options
    return _with_one(options, mine, _one_tuple(mine))


def _is_spelled(layout: Layout) -> bool:
    return isinstance(layout, Node) and is_spelled(layout.structure)


def _is_textual(layout: Layout) -> bool:
    """Return whether a layout is that of a text, known or not."""
    if isinstance(layout, Constant):
        return type(layout.value) is str
    return isinstance(layout, Node) and isinstance(layout.structure, TextStructure)


def _spelled(options: Sequence[Layout]) -> Layout | None:
    """The layout of one of several texts as a text whose characters lie in memory; None where there is none."""
    return _one_of(_is_textual, options, current().trace.outside.text_operations.spelled_layout)


def _with_one_text(options: list[Layout]) -> list[Layout]:
    """The options, with texts that get longer step by step as one whose characters lie in memory."""
    mine = [o for o in options if _is_textual(o)]
    if len(mine) < 2 or not (any(map(_is_spelled, mine)) or (_get_longer(mine) and may_grow())):
        return options
    return _with_one(options, mine, _spelled(mine))


def _get_longer(texts: Sequence[Layout]) -> bool:
    """Return whether texts are likely to be what the steps of a loop make, each one of the one before."""
    known = {o.value for o in texts if isinstance(o, Constant)}
    lengths = len(set(map(len, known)))
    if lengths >= _STEPS or (lengths >= _FEW_STEPS and len(known) > _MANY_TEXTS):
        made = [t for t in known if any(o and o != t and (t.startswith(o) or t.endswith(o)) for o in known)]
        return 2 * len(made) >= len(known)
    return len({_depth(o) for o in texts}) >= _FEW_STEPS - 1


def _nests_deeper(a: Layout, b: Layout) -> bool:
    """Return whether two texts are made in one way, and one of them is likely to be made of what the other is."""
    if not (isinstance(a, Node) and isinstance(b, Node) and a.structure == b.structure and _is_textual(a)):
        return False
    return _depth(a) != _depth(b) and max(_depth(a), _depth(b)) >= _FEW_STEPS - 1 and may_grow()


def _depth(text: Layout) -> int:
    """The depth to which texts made of others (sums and the like) nest."""
    if isinstance(text, Union):
        return max(map(_depth, text.options))
    return 1 + max(map(_depth, text.children), default=0) if isinstance(text, Node) and _is_textual(text) else 0


# Of so many lengths are texts that loops make longer; of fewer where there are many texts.
_STEPS, _FEW_STEPS, _MANY_TEXTS = 6, 4, 8


_NOTHING = object()


def node_or_member(layout: Layout) -> Value:
    """The structure of a reference, or a value that may be a node of a graph; `_NOTHING` for anything else."""
    if isinstance(layout, Node) and isinstance(layout.structure, node_structures.ReferenceStructure):
        return layout.structure
    if isinstance(layout, Constant) and node_graphs.may_be_node(layout.value):
        return layout.value
    return _NOTHING


def _with_one_node(options: list[Layout]) -> list[Layout]:
    """The options, with those that are nodes of one structure as one reference."""
    mine = [o for o in options if node_or_member(o) is not _NOTHING]
    one = _as_node(mine) if len(mine) > 1 else None
    if one is None:
        return options
    rest = iter([one])
    return [o for x in options for o in ((x,) if not any(x is m for m in mine) else rest)]


def _are_apart(a: Layout, b: Layout) -> bool:
    """Return whether two equal layouts hold arrays that are two objects on the same memory, such as `x` and `x[:]`."""
    match a, b:
        case Constant(TracedArray() as one), Constant(TracedArray() as other):
            return one is not other
        case Node(), Node():
            return not is_dynamic_array(a) and any(map(_are_apart, a.children, b.children))
        case Union(), Union():
            return any(map(_are_apart, a.options, b.options))
    return False


def _joined_sizes(a: Layout, b: Layout) -> Layout | None:
    """Two arrays of which one is of run-time size, unless their capacities and extents go together as they are."""
    if not (is_dynamic_array(a) or is_dynamic_array(b)):
        return None
    x, y = sizes(a), sizes(b)
    if x is None or y is None:
        return None
    if is_dynamic_array(a) and is_dynamic_array(b) and a.structure == b.structure and x.abstract == y.abstract:  # type: ignore[union-attr]
        return None
    # The memory of one is not of the dtype of the other: they stay two arrays.
    return padded(x, y) or Union((a, b))


def padded(a: padded_union.Sizes, b: padded_union.Sizes) -> Node | None:
    """The layout that holds arrays of either size; None where there is none."""
    both = padded_union.joined(a, b)
    return None if both is None else of_padded(*both)


def of_padded(structure: padded_union.PaddedStructure, abstract: Abstract) -> Node:
    """The layout of such arrays: all parts are run-time values."""
    abstract = Abstract(structure.extra, abstract.dtype, abstract.kind)
    parts = [Leaf(python_abstract(int), Interval(0, n)) for n in structure.layout_sizes]
    return Node(structure, (Leaf(abstract), *parts))


def unboxed(layout: Layout) -> Layout:
    """Return a held container as a node, its parts held: it is not one object any more."""
    if isinstance(layout, Constant):
        structure = containers.structure_of(layout.value)
        if structure is not None:
            children = structure.children(layout.value)
            return Node(structure, tuple([initial_abstraction(outline(c)) for c in children]), layout.value)
    return layout


def _take_in(options: list[Layout], place: int, unboxing: bool) -> None:
    """Join the option at a place, which is of another structure now, with those that this holds, too."""
    for other in [o for k, o in enumerate(options) if k != place and not is_text(o)]:
        one = options[place]
        merged = join(one, other, unboxing)
        if not isinstance(merged, Union):
            options[place] = merged
            gone = next(k for k, o in enumerate(options) if o is other)
            del options[gone]
            place -= gone < place


def _join_options(a: Layout, b: Layout, unboxing: bool) -> Layout:
    options: list[Layout] = list(a.options) if isinstance(a, Union) else [a]
    texts = {o.value for o in options if is_text(o)}
    for new in b.options if isinstance(b, Union) else (b,):
        if is_text(new):
            if new.value not in texts:
                options.append(new)
                texts.add(new.value)
            continue
        for i, old in enumerate(options):
            if is_text(old):
                continue
            merged = join(old, new, unboxing)
            if not isinstance(merged, Union):
                options[i] = merged
                if isinstance(merged, Node) and not (isinstance(old, Node) and old.structure == merged.structure):
                    _take_in(options, i, unboxing)
                break
        else:
            options.append(new)
    options = _with_one_tuple(_with_one_text(_with_one_node(options)))
    texts = {o.value for o in options if is_text(o)}
    if len(texts) > _MOST_TEXTS:
        raise StructureMismatchError(
            f"a text is one of more than {_MOST_TEXTS}, depending on run-time values; append its parts to a list and "
            "join them at the end, or use codes: np.frombuffer(text.encode(), np.uint8)"
        )
    functions = sum(isinstance(o, Constant) and callable(o.value) for o in options)
    if len(options) - len(texts) - functions > _MOST_OPTIONS:
        _restart_with_lists(options)
        raise StructureMismatchError(
            f"a value has one of more than {_MOST_OPTIONS} structures, depending on run-time conditions; give it the "
            "same types, lengths and keys on each path"
        )
    return Union(tuple(options)) if len(options) > 1 else options[0]


def _restart_with_lists(options: Sequence[Layout]) -> None:
    """Where lists of many lengths are among the options, start again with such as have a length known at run time."""
    trace = current().trace
    cut = [o for o in options if isinstance(o, Node) and issubclass(o.structure.cls, list)]
    if len(cut) < 2:
        return
    if trace.lists.grow_here:
        trace.lists.demand_growth()
    trace.lists.wants_growth |= not trace.lists.grow_here


def merged(choice: UnionValue) -> Value:
    """One array of run-time size for arrays of several sizes; None where there is none."""
    layout = _common([layouts.sizes(layouts.describe(o)) for o in choice.options])
    if layout is None or not may_grow():
        return None
    rows = [layout.structure.children(o) for o in choice.options]
    parts = []
    for column, part in zip(zip(*rows, strict=True), layout.children, strict=True):
        assert isinstance(part, layouts.Leaf)
        atom = wrap.as_atom(column[-1], part.abstract.dtype)
        for i in reversed(range(len(rows) - 1)):
            atom = atoms.select(choice.chosen(i), wrap.as_atom(column[i], part.abstract.dtype), atom)
        parts.append(wrap.from_abstract(part.abstract, atom))
    for i, (option, row) in enumerate(zip(choice.options, rows, strict=True)):
        _add_edges(parts[0], choice.chosen(i), row[0], option)
    return layout.structure.build(parts)


def _common(found: Sequence[Value]) -> layouts.Node | None:
    """The layout that holds arrays of each size."""
    if None in found or len({len(f.run_time) for f in found}) > 1:
        return None
    both, layout = found[0], None
    for size in found[1:]:
        layout = padded(both, size)
        if layout is None:
            return None
        both = layouts.sizes(layout)
    return layout


def _add_edges(made: TracedArray, pred: Atom, copy: TracedArray, option: object) -> None:
    """Where an option is the one, what is written to it reaches what was made of it, and the other way round."""
    if copy is (option.memory if isinstance(option, DynamicArray) else option):
        aliasing.add_edge(made.storage, pred, copy)
        return
    for edge in copy.storage.alias_edges:
        both = None if edge.pred is None else atoms.logical_and(pred, edge.pred)
        aliasing.add_edge(made.storage, both, edge.handle, edge.form)
