"""How what was compiled is called: its arguments without the static ones, checked against its signature."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from anabranch.base.frozen import frozen
from anabranch.base.grammar import counted
from anabranch.runtime.call import cache_miss
from anabranch.runtime.call.auto_static import known_key
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.device.array import DEVICE
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.signature.flatten_to_key import Leaves, SignatureKey
from anabranch.runtime.signature.pytree import ConstantLeaf, PyTreeDef, Reading, ResultReading, Tree, joined, struct
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct
from anabranch.runtime.signature.static_args import ParameterForm
from anabranch.runtime.signature.static_keys import Static
from anabranch.runtime.values.abstract import Abstract
from anabranch.runtime.values.pytrees import layout as layouts

Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


@frozen
class ArgInfo:
    """The type of an argument's leaf, and whether it is donated, as `jax.stages.ArgInfo`.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
    donated : bool
        Whether its memory is given away.
    weak_type : bool
        Whether it is a Python number.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda x: x).lower(2.0).args_info
    ((ArgInfo(shape=(), dtype=float64, donated=False, weak_type=True),), {})
    """

    shape: tuple[int, ...]
    dtype: Any
    donated: bool = False
    weak_type: bool = False

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ArgInfo(shape={self.shape}, dtype={self.dtype.name}, donated={self.donated}{weak})"


@frozen
class Passed:
    """How the arguments of a call were given."""

    positional: tuple[str, ...] = ()  # the names of those given by position, the static ones left out
    # Name, and the static value or None, of what stands at each position when the arguments are arranged.
    places: tuple[tuple[str, Static | None], ...] = ()
    # Name, and the static value or None, of the others.
    named: Mapping[str, Static | None] = dataclasses.field(default_factory=dict)

    @staticmethod
    def of(form: ParameterForm, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> Passed:
        """How a call gave its arguments; `call` has them as they are arranged, the static ones marked."""
        arranged, named = call
        names = [*form.positional, *(f"{form.rest}[{i}]" for i in range(len(arranged) - len(form.positional)))]
        places = tuple((n, v if isinstance(v, Static) else None) for n, v in zip(names, arranged, strict=False))
        positional = tuple(n for n, mark in places[: len(args)] if mark is None)
        return Passed(positional, places, {n: v if isinstance(v, Static) else None for n, v in sorted(named.items())})

    @property
    def statics(self) -> dict[str, Any]:
        """The static arguments by name."""
        return {n: mark.value for n, mark in (*self.places, *self.named.items()) if mark is not None}

    def arranged(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> Call:
        """A call's arguments with the static ones, which it leaves out."""
        rest, left, placed = list(args), dict(kwargs), list[Any]()
        for name, mark in self.places:
            if mark is not None:
                placed.append(mark)
            elif rest:
                placed.append(rest.pop(0))
            elif name in left:
                placed.append(left.pop(name))
            else:
                break  # what follows goes by name
        return tuple(placed), {**left, **{n: mark for n, mark in self.named.items() if mark is not None}}


@frozen
class CallSpec:
    """How one signature of a function is called."""

    fun_name: str
    key: SignatureKey  # what `Leaves` says of the arguments: positional ones, named ones, and which arrays are one
    arguments: Arguments  # their layouts, in the same order
    passed: Passed  # how the arguments were given
    known: frozenset[int] = frozenset()  # the leaves whose values this is for
    donated: frozenset[int] = frozenset()  # the leaves that are given away
    taking: type[Leaves] = Leaves  # what takes arguments apart

    def leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Leaves:
        """The leaves of a call's arguments, static ones left out.

        Raises `UnsupportedValueError` when the arguments are of another signature: each that is, what it was compiled
        for, and what it is.
        """
        statics = self.passed.statics
        static = [f"{name}={statics[name]!r:.60}" for name in kwargs if name in statics]
        if static:
            raise UnsupportedValueError(
                f"{self.fun_name} was compiled with {', '.join(static)}; leave static arguments out"
            )
        free = [name for name, mark in self.passed.places if mark is None]
        if len(args) > len(free):
            without = f" (without the static {', '.join(statics)})" if statics else ""
            raise UnsupportedValueError(
                f"{self.fun_name} was compiled for {counted(len(free), 'positional argument')}{without}, "
                f"called with {len(args)}"
            )
        twice = [name for name in free[: len(args)] if name in kwargs]
        if twice:
            raise UnsupportedValueError(f"{self.fun_name} got argument '{twice[0]}' by position and by name")
        arranged, kwargs = self.passed.arranged(args, kwargs)
        leaves = self.taking()
        given = tuple([leaves.key(a, n) for a, (n, _) in zip(arranged, self.passed.places, strict=False)])
        named = tuple([(k, leaves.key(v, k)) for k, v in sorted(kwargs.items())])
        given, named, _ = known_key((given, named, ()), leaves.values, self.known)
        if (given, named, leaves.aliases()) != self.key:
            raise UnsupportedValueError(self._difference(given, named, leaves.aliases()))
        return leaves

    def _difference(
        self, given: tuple[object, ...], named: tuple[object, ...], aliases: tuple[tuple[int, int], ...]
    ) -> str:
        was, now = dict(self._rows(self.key[0], self.key[1])), dict(self._rows(given, named))
        lines = [
            f"  {n}: compiled for {was.get(n, 'a call without it')}, called with {now.get(n, 'nothing')}"
            for n in {**was, **now}
            if was.get(n) != now.get(n)
        ]
        if not lines:
            which = "with" if aliases else "for"
            lines = [f"  two of the arrays are one array, which it was {'not ' * (which == 'with')}compiled for"]
        head = f"{self.fun_name} was compiled for other arguments:"
        tail = "Lower and compile it for these, or call the jitted function, which does so by itself."
        return "\n".join([head, *lines, tail])

    def described(self) -> str:
        """The signature, for people: `x: float64[3], n: Python int, flag: static True`."""
        return ", ".join(f"{name}: {text}" for name, text in self._rows(self.key[0], self.key[1]))

    def _rows(self, given: Sequence[Any], named: Sequence[Any]) -> Iterator[tuple[str, str]]:
        for (name, _), key in zip(self.passed.places, given, strict=False):
            yield from cache_miss.leaves(name, key)
        for name, key in named:
            yield from cache_miss.leaves(name, key)

    # ---- trees -----------------------------------------------------------------------------------------------------

    def args_info(self) -> Tree:
        """An `ArgInfo` for each leaf: a tuple of the positional arguments, and a dict of the named ones."""
        infos = [
            ArgInfo(s.known_shape or (), s.dtype, i in self.donated, s.weak_type)
            for i, s in enumerate(self.leaf_structs())
        ]
        return self._as_given(infos)

    def structs(self) -> Tree:
        """The same of `ShapeDtypeStruct`s: what the function can be traced with."""
        return self._as_given(self.leaf_structs())

    def leaf_structs(self) -> list[ShapeDtypeStruct]:
        """Return the types of the leaves, in the order of the program's inputs."""
        abstracts: list[Abstract] = []
        reading = Reading(abstracts.append)
        for _, layout in self._layouts():
            reading.tree(layout)
        places = self.arguments.device
        return [struct(a, DEVICE if leaf in places else None) for leaf, a in enumerate(abstracts)]

    def leaf_names(self) -> dict[int, str]:
        """How the user would write each leaf."""
        return dict(enumerate(self.arguments.leaf_names()))

    def _layouts(self) -> Iterator[tuple[str, layouts.Layout]]:
        """The arguments with their names, in the order in which they are taken apart."""
        names = [name for name, _ in self.passed.places] or list(map(str, range(len(self.arguments.args))))
        yield from zip(names, self.arguments.args, strict=True)
        yield from self.arguments.kwargs.items()

    def _as_given(self, infos: Sequence[object]) -> Tree:
        """The arguments as they were given, the static ones left out."""
        each = iter(infos)
        reading = Reading(lambda _: next(each))
        trees = {name: reading.tree(layout) for name, layout in self._layouts()}
        left = {n: t for n, t in trees.items() if n not in self.passed.statics}
        positional = [left.pop(n) for n in self.passed.positional]
        return joined(tuple, [joined(tuple, positional), joined(dict, list(left.values()), tuple(left))])

    def containers(self) -> list[layouts.Node]:
        """The mutable containers among the arguments, as `Leaves` numbers them."""
        found: list[layouts.Node] = []
        for _, layout in self._layouts():
            found += _mutable(layout)
        return found


def out_info(calling: CallSpec, plan: Plan) -> Tree:
    """Return what is known of the result; of a function that always raises, that there is none."""
    if not isinstance(plan.result, layouts.Node):
        return Tree(PyTreeDef(ConstantLeaf(NoReturn)), ())
    result, *contents = plan.result.children
    device = DEVICE if plan.on_device else None
    given, written = calling.containers(), dict(zip(plan.written, contents, strict=False))
    inside: list[int] = []

    def container(index: int) -> Tree:
        now = written.get(index)
        if not isinstance(now, layouts.Node) or index in inside:
            return reading.tree(given[index])
        inside.append(index)
        made = reading.tree(now)
        inside.pop()
        structure = dataclasses.replace(given[index].structure, keys=now.structure.keys)
        return Tree(PyTreeDef(structure, made.definition.parts), made.leaves)

    reading = ResultReading(lambda a: struct(a, device), container, calling.leaf_structs())
    return reading.tree(result)


def _mutable(layout: layouts.Layout) -> Iterator[layouts.Node]:
    if isinstance(layout, layouts.Node):
        if layout.structure.mutable:
            yield layout
        for child in layout.children:
            yield from _mutable(child)
