"""The structure of pytrees as a value: `PyTreeDef`, and trees of what is known of arguments and results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from anabranch.base.frozen import frozen
from anabranch.runtime.signature.flatten_to_key import RepeatedArgument
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct
from anabranch.runtime.signature.static_keys import is_static, key_of
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.lazy_text import TextStructure
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.host_values import BesideStructure, CallersNumber, CallersObject

Info: TypeAlias = Callable[[Abstract], Any]


@frozen
class OneOf:
    """The options for a result that is one of a few things, by a run-time condition.

    Attributes
    ----------
    options : tuple
        A tree for each.

    Examples
    --------
    >>> from anabranch import eval_shape
    >>> eval_shape(lambda x: x if x > 0 else None, 1.0)
    OneOf(options=(None, ShapeDtypeStruct(shape=(), dtype=float64, weak_type=True)))
    """

    options: tuple[Any, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.options))


@frozen(eq=False)
class ConstantLeaf:
    """A part that is no leaf: None, a str, a function; what Python takes for the same is equal."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstantLeaf):
            return NotImplemented
        a, b = self.value, other.value
        if layouts.same(a, b) or (type(a) is type(b) is RepeatedArgument and a == b):
            return True
        return is_static(a) and is_static(b) and bool(key_of(a) == key_of(b))

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __repr__(self) -> str:
        name = getattr(self.value, "__qualname__", None)
        return name if isinstance(name, str) else repr(self.value)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PyTreeDef:
    """The structure of a pytree: its containers, and where its leaves are.

    Leaves are arrays and numbers, and text that is made at run time. What a call holds fast (None, strings, functions)
    belongs to the structure. Two are equal when their containers are of the same classes with the same keys, and what
    they hold fast is the same. Named as in `jax.tree_util`.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda x: {"twice": 2 * x, "all": [x, x]}).lower(1.0).out_tree
    PyTreeDef({'twice': *, 'all': [*, *]})
    """

    structure: Structure | ConstantLeaf | None = None
    parts: tuple[PyTreeDef, ...] = ()

    @property
    def num_leaves(self) -> int:
        """How many leaves there are."""
        return 1 if self.structure is None else sum(p.num_leaves for p in self.parts)

    @property
    def num_nodes(self) -> int:
        """How many leaves and containers there are."""
        return 1 + sum(p.num_nodes for p in self.parts)

    def children(self) -> list[PyTreeDef]:
        """The structures of a container's parts; none of a leaf."""
        return list(self.parts)

    def unflatten(self, leaves: Iterable[object]) -> Any:
        """The pytree with these leaves.

        Parameters
        ----------
        leaves : iterable
            As many as `num_leaves`, in order.

        Raises
        ------
        ValueError
            For another number of leaves.
        """
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(f"{self} has {self.num_leaves} leaves, {len(given)} were given")
        return self._build(iter(given), [])

    def _build(self, leaves: Iterator[object], made: list[Any]) -> Any:
        """`made` gets the mutable containers, in the order in which they are met."""
        if self.structure is None:
            return next(leaves)
        if isinstance(self.structure, ConstantLeaf):
            value = self.structure.value
            return made[value.index] if isinstance(value, RepeatedArgument) else value
        if not self.structure.mutable:
            return self.structure.build([p._build(leaves, made) for p in self.parts])
        container = self.structure.empty()
        made.append(container)
        self.structure.fill(container, [p._build(leaves, made) for p in self.parts])
        return container

    def __repr__(self) -> str:
        return f"PyTreeDef({self})"

    def __str__(self) -> str:
        if self.structure is None:
            return "*"
        if isinstance(self.structure, ConstantLeaf):
            return repr(self.structure)
        return _written(self.structure, list(map(str, self.parts)))


LEAF = PyTreeDef()


def _written(structure: Structure, parts: list[str]) -> str:
    """A container as Python writes it."""
    cls = structure.cls
    if cls is tuple:
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if cls is list:
        return f"[{', '.join(parts)}]"
    if issubclass(cls, dict):
        items = ", ".join(f"{k!r}: {p}" for k, p in zip(structure.keys, parts, strict=True))
        return f"{{{items}}}" if cls is dict else f"{cls.__name__}({{{items}}})"
    keys: Sequence[Any] = getattr(cls, "_fields", structure.keys) if issubclass(cls, tuple) else structure.keys
    if all(isinstance(k, str) for k in keys):
        return f"{cls.__name__}({', '.join(f'{k}={p}' for k, p in zip(keys, parts, strict=True))})"
    return f"{cls.__name__}([{', '.join(parts)}])"


def node(cls: type, parts: Sequence[PyTreeDef], keys: Sequence[object] | None = None) -> PyTreeDef:
    """The structure of a tuple, list or dict of these."""
    return PyTreeDef(Structure(cls, tuple(range(len(parts)) if keys is None else keys)), tuple(parts))


@frozen
class Tree:
    """A structure with what is known of each leaf."""

    definition: PyTreeDef
    leaves: tuple[Any, ...]

    def built(self) -> Any:
        """The pytree of what is known."""
        return self.definition.unflatten(self.leaves)


def _of_run_time_size(structure: DynamicArrayStructure, view: layouts.Layout) -> Abstract:
    """Return the type of an array of run-time size: None stands for the sizes that are not known."""
    abstract = layouts.numeric(view)
    assert abstract is not None
    rows = zip(abstract.shape, structure.kinds, strict=True)
    shape: Any = tuple([n if kind == "whole" else None for n, kind in rows])
    return Abstract(shape, abstract.dtype, Kind.ARRAY)


def joined(cls: type, trees: Sequence[Tree], keys: Sequence[object] | None = None) -> Tree:
    """The tree of a tuple, list or dict of these."""
    definition = node(cls, [t.definition for t in trees], keys)
    return Tree(definition, tuple(leaf for t in trees for leaf in t.leaves))


class Reading:
    """Reads trees off the layouts of arguments; `info` says what is known of a leaf."""

    def __init__(self, info: Info) -> None:
        self._info = info

    def tree(self, layout: layouts.Layout) -> Tree:
        """The tree of a layout."""
        match layout:
            case layouts.Leaf(abstract):
                return self.leaf(abstract)
            case layouts.Constant():
                return self.constant(layout)
            case layouts.Union(options):
                return Tree(LEAF, (OneOf(tuple(self.tree(o).built() for o in options)),))
            case layouts.Node(BesideStructure(), (_, result)):
                return self.tree(result)
            case layouts.Node(structure, children):
                if isinstance(structure, TextStructure):
                    return Tree(LEAF, (ShapeDtypeStruct((), str),))
                if structure.flat or structure.is_dynamic_list:
                    return Tree(LEAF, (ShapeDtypeStruct((), structure.cls),))
                if isinstance(structure, DynamicArrayStructure):
                    return self.leaf(_of_run_time_size(structure, children[0]))
                parts = [self.tree(c) for c in children]
                definition = PyTreeDef(structure, tuple(p.definition for p in parts))
                return Tree(definition, tuple(leaf for p in parts for leaf in p.leaves))

    def leaf(self, abstract: Abstract) -> Tree:
        """The tree of a number or array."""
        return Tree(LEAF, (self._info(abstract),))

    def constant(self, layout: layouts.Constant) -> Tree:
        """The tree of what is no run-time value."""
        return Tree(PyTreeDef(ConstantLeaf(layout.value)), ())


class ResultReading(Reading):
    """Reads trees off the layouts of results: numbers known while tracing are leaves, and parts may be the caller's.

    Parameters
    ----------
    info
        What is known of a leaf.
    objects
        Gives the trees of the mutable containers among the arguments, by number.
    numbers
        What is known of the arguments' leaves.
    """

    def __init__(self, info: Info, objects: Callable[[int], Tree], numbers: Sequence[object]) -> None:
        super().__init__(info)
        self._objects, self._numbers = objects, numbers

    def constant(self, layout: layouts.Constant) -> Tree:
        """The tree of an argument's part, or of a constant."""
        value = layout.value
        if isinstance(value, CallersObject):
            return self._objects(value.index)
        if isinstance(value, CallersNumber):
            return Tree(LEAF, (self._numbers[value.leaf],))
        abstract = layouts.numeric(layout)
        return super().constant(layout) if abstract is None else self.leaf(abstract)


def struct(abstract: Abstract, device: str | None = None) -> ShapeDtypeStruct:
    """Return the struct of a value of this type: Python's numbers are weak, arrays on the device name it."""
    if abstract.kind is Kind.PYTHON:
        return ShapeDtypeStruct((), abstract.dtype, weak_type=True)
    return ShapeDtypeStruct(abstract.shape, abstract.dtype, device=device)
