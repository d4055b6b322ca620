"""The second half of a fast path: the executable is run, and the result built."""

from __future__ import annotations

import functools
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.runtime._jaxlib import has_forgotten
from anabranch.runtime.call.execution import MISS, Execution
from anabranch.runtime.call.fastpath.codegen import UnsuitedError, Writer
from anabranch.runtime.call.fastpath.guard_args import ArgumentChecks
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.device.array import Array
from anabranch.runtime.host.staging import is_staged, reader
from anabranch.runtime.signature.flatten_to_key import number_on_device
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind
from anabranch.runtime.values.containers import Contents
from anabranch.runtime.values.dynamic_lists.items_structure import HostListStructure, ItemsStructure
from anabranch.runtime.values.dynamic_lists.records import refers_to_members
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.host_values import BesideStructure, CallersArray, CallersNumber, CallersObject
from anabranch.runtime.values.random_generators import GeneratorStructure
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.xla.executable import Executable

# Brackets within brackets that Python is given to parse, which takes no more than 200.
_DEEPEST = 50


def _fail(plan: Plan, adopters: Sequence[Callable[[Any], Any]], results: Sequence[Any]) -> Any:
    """Raise what jaxlib's arrays of a run say has failed. A method would keep the execution, and it this.

    Where a buffer was too small, the general path does it all again.
    """
    try:
        plan.fail([adopt(result) for adopt, result in zip(adopters, results, strict=True)])
    except OverflowedError:
        return MISS


def place_lines(values: Sequence[object], line: str) -> list[str]:
    """Lines that place such leaves; an int beyond 64 bits is refused on the general path, where it has a name."""
    first = [value[0] if isinstance(value, (list, tuple)) else value for value in values]
    return [f"try: {line}", "except OverflowError: return MISS"] if int in map(type, first) else [line]


class Running:
    """Runs the executable on the leaves, and builds the result."""

    def __init__(
        self, writer: Writer, execution: Execution, arguments: ArgumentChecks, outputs: Sequence[str] = ()
    ) -> None:
        self._writer, self._execution, self._plan = writer, execution, execution.plan
        self._arguments = arguments
        self._outputs = outputs or [f"r{i}" for i in range(len(self._plan.program.outputs))]
        self._built: IdentitySet[object] = IdentitySet()
        self._groups = self._plan.program.groups
        self._computed = self._outputs[self._groups.results]
        self._readonly: list[str] = []
        self._kinds: dict[str, Kind] = {}  # of the leaves that outputs hold side by side
        self._tags = itertools.count()
        self._read: set[str] = set()  # outputs that become Python numbers
        self._ordered: dict[str, tuple[str, tuple[int, ...]]] = {}  # results whose axes are in another order in outputs
        self._views = {k: view for k in self._plan.returned_arguments if (view := self._known_view(k))}

    def write(self) -> None:
        """Write the lines."""
        plan, lines, constant = self._plan, self._writer.lines, self._writer.constant
        assert isinstance(plan.result, layouts.Node)
        leaves = iter(self._leaves_of_result())
        result, *contents = [self._text(part, leaves) for part in plan.result.children]
        if plan.on_device:
            self._start()
        else:
            self._run()
        for name, (made, axes) in self._ordered.items():
            lines.append(f"{name} = {views.Permute(axes).text(made, axes, constant)}")
        for k, view in self._views.items():
            lines.append(f"v{k} = {view}")
            if plan.returned_arguments[k][0].readonly:
                lines.append(f"v{k}.setflags(False)")
        if any(map(self._is_view, plan.returned_arguments.keys() - self._views)) and not self._are_whole():
            given = f"iter([{', '.join(self._conditions())}]), [{', '.join(self._arguments.leaves)}]"
            lines.append(f"own = {self._writer.constant(plan.own)}({given})")
        if not contents:
            lines.append(f"return {result}")
            return
        # Whatever is written was read before.
        lines.append(f"result = {result}")
        lines += [f"w{k} = {text}" for k, text in enumerate(contents)]
        for k, place in enumerate(plan.written):
            layout = plan.result.children[1 + k]
            assert isinstance(layout, layouts.Node)
            self._arguments.store(place, f"w{k}", layout.structure.keys)
        for k, slot in enumerate(plan.slots, len(plan.written)):
            lines.append(f"{self._writer.constant(slot)}.restore(w{k})")
        lines.append("return result")

    # ---- on the host -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        lines, constant, executable = self._writer.lines, self._writer.constant, self._execution.executable
        stagings = constant(executable.stagings)
        lines += [
            f"try: staging = {stagings}.pop()",
            f"except IndexError: staging = {constant(executable.staging)}()",
            "buffers = staging.buffers",
        ]
        in_memory = {i: f"m{i}" for i, kind in enumerate(executable.inputs) if is_staged(kind)}
        if in_memory:
            lines.append(f"{', '.join(in_memory.values())}, = staging.memories")
        for i, (leaf, value) in enumerate(self._arguments.inputs):
            if i in in_memory:
                self._place(value, f"{in_memory[i]}[...] = {leaf}")
                continue
            if isinstance(value, (list, tuple)):
                leaf = f"as_array({leaf}, {constant(executable.inputs[i].dtype)})"
            self._place(value, f"buffers[{i}] = staging.placed({i}, {leaf})")
        lines.append(f"{self._unpacked()}{constant(executable.run)}(staging)")
        made = list(zip(self._outputs, executable.adopters, strict=True))
        lines += self._written_states([f"{constant(adopt)}({name})" for name, adopt in made[self._groups.draws]])
        self._fail(executable)
        computed = [(name, adopt) for name, adopt in made[self._groups.results] if name not in self._read]
        lines += [f"{name} = {constant(adopt)}({name})" for name, adopt in computed]
        self._finish([f"{constant(adopt)}({name})" for name, adopt in made[self._groups.writes]])

    def _written_states(self, states: Sequence[str]) -> list[str]:
        """Lines that write the states of generators back, which change where the run fails, too."""
        found = []
        for place, words in zip(self._plan.draws, states, strict=True):
            found.append(f"{self._arguments.generators[place]}{words})")
        return found

    def _finish(self, written: Sequence[str]) -> None:
        """Write what follows a run: `written` are the new contents of the caller's arrays, or these themselves."""
        lines, constant, contents = self._writer.lines, self._writer.constant, iter(written)
        lines += [f"{name}.flags.writeable = False" for name in self._readonly]
        lines += [f"s{i} = {self._unstacked(i)}" for i in self._plan.stacks]
        for write in self._plan.writes:
            array, after = self._arguments.leaves[write.leaf], next(contents)
            if after == array:
                continue
            if write.starts:
                starts = itertools.islice(contents, write.starts)
                lines.append(f"{constant(write.put)}({', '.join([array, after, *starts])})")
            else:
                part = array if write.part is None else f"{array}[{constant(write.index)}]"
                lines.append(f"copyto({part}, {after})")

    def _place(self, value: object, line: str) -> None:
        """Place a leaf; an int beyond 64 bits is refused on the general path, where it has a name."""
        self._writer.lines += place_lines([value], line)

    def _fail(self, executable: Executable) -> None:
        """Have the general path say what has failed."""
        failures = self._groups.failures
        for name, kind in list(zip(self._outputs, executable.outputs, strict=True))[failures][:1]:
            code = self._writer.constant(reader(kind))
            self._writer.scope["failed"] = functools.partial(_fail, self._plan, executable.adopters)
            self._writer.lines.append(f"if {code}({name}): return failed([{', '.join(self._outputs)}])")

    def _unpacked(self) -> str:
        return f"{', '.join(self._outputs)}, = " if self._outputs else ""

    # ---- on the device ---------------------------------------------------------------------------------------------

    def _start(self) -> None:
        plan, constant, executable = self._plan, self._writer.constant, self._execution.executable
        if has_forgotten() or self._outputs[self._groups.others] or plan.packs or not self._outputs:
            raise UnsuitedError
        put = constant(number_on_device)
        inputs = []
        for i, (leaf, value) in enumerate(zip(self._arguments.leaves, self._arguments.values, strict=True)):
            if not isinstance(value, (Array, *PYTHON_DTYPES)):
                raise UnsuitedError
            if not isinstance(value, Array):
                self._place(value, f"n{i} = {put}({leaf})")
            inputs.append(f"{leaf}._memory" if isinstance(value, Array) else f"n{i}")
        self._writer.lines.append(f"{self._unpacked()}{constant(executable.start)}([{', '.join(inputs)}])")
        outputs = zip(self._outputs, executable.outputs, strict=True)
        self._writer.lines += [f"{name} = Array({name}, {constant(kind)})" for name, kind in outputs]

    # ---- the result ------------------------------------------------------------------------------------------------

    def _leaves_of_result(self) -> list[str]:
        """Return, for each leaf of the result, an output, an argument's array, or what another leaf is."""
        plan = self._plan
        fresh = plan.unstacked(self._computed, self._parts)
        found: dict[int, str] = {}
        for k in range(plan.leaf_count):
            if plan.is_returned(k):
                found[k] = self._arguments.leaves[plan.returned_arguments[k][0].leaf]
            elif k not in plan.shared_results:
                found[k] = next(fresh)
                self._readonly += [found[k]] if k in plan.readonly_results else []
                if k in plan.orders:
                    self._ordered[f"o{k}"] = found[k], plan.orders[k]
                    found[k] = f"o{k}"
        if self._readonly and (plan.on_device or not set(self._readonly) <= set(self._computed)):
            raise UnsuitedError
        found = {k: self._or_own(k, made) for k, made in found.items()}
        for k, alias in plan.shared_results.items():
            if plan.is_returned(k):
                continue
            view = "[...]" if alias.is_view and not plan.on_device else ""
            found[k] = self._or_own(k, found[alias.leaf] + view)
        return [found[k] for k in range(plan.leaf_count)]

    def _conditions(self) -> list[str]:
        """The numbers by which the run says which results are the callers' arrays."""
        made = list(zip(self._outputs, self._execution.executable.adopters, strict=True))
        return [f"{self._writer.constant(adopt)}({name})" for name, adopt in made[self._groups.conditions]]

    def _or_own(self, leaf: int, made: str) -> str:
        """A leaf of the result, or the caller's array, or a view of it, that it is in this call."""
        if leaf in self._views:
            return f"v{leaf}"
        if not self._is_view(leaf):
            return made
        if not self._are_whole():
            return f"(own[{leaf}][1] if {leaf} in own else {made})"
        conditions, ways = iter(self._conditions()), []
        for k, owners in self._plan.returned_arguments.items():
            asked = [(self._arguments.leaves[o.leaf], None if o.pred is None else next(conditions)) for o in owners]
            ways += asked if k == leaf else []
        for array, condition in reversed(ways):
            made = f"({array} if {condition} else {made})" if condition else array
        return made

    def _known_view(self, leaf: int) -> str:
        """The expression of a leaf that is a part of one array in each call, and the same one; else empty."""
        owners = self._plan.returned_arguments[leaf]
        (owner, *others) = owners
        is_known = all(step.static for step in owner.path)
        if others or owner.pred is not None or owner.starts or self._plan.on_device or not (owner.path and is_known):
            return ""
        base = self._arguments.values[owner.leaf]
        view = functools.reduce(lambda array, step: step.of(array), owner.path, base)
        if view.size and not np.may_share_memory(view, base):
            return ""  # rows of memory that only partly follow one another
        return views.text(self._arguments.leaves[owner.leaf], owner.path, np.shape(base), self._writer.constant)

    def _are_whole(self) -> bool:
        """Return whether results that may be arguments' arrays are these as wholes, which takes only to ask when."""
        owners = itertools.chain(*self._plan.returned_arguments.values())
        return not any(o.path or o.starts for o in owners)

    def _is_view(self, leaf: int) -> bool:
        """Return whether a leaf of the result may be part of an argument's array, or another one each time."""
        owners = self._plan.returned_arguments.get(leaf, ())
        return any(o.pred is not None or o.path or o.starts for o in owners)

    def _parts(self, output: int) -> list[str]:
        """The names of the leaves that an output holds side by side."""
        return [f"s{output}[{k}]" for k in range(len(self._plan.stacks[output]))]

    def _unstacked(self, output: int) -> str:
        """The list of these leaves."""
        name = self._computed[output]
        kinds = {self._kinds[n] for n in self._parts(output) if n in self._kinds}
        if kinds == {Kind.PYTHON}:
            return f"{name}.tolist()"
        return f"list({name})" if kinds == {Kind.SCALAR} else f"[as_array(v) for v in {name}]"

    def _text(self, layout: layouts.Layout, leaves: Iterator[str], depth: int = 0) -> str:
        """The expression of a part of the result, which lies so deep in it."""
        if depth > _DEEPEST:
            raise UnsuitedError
        constant = self._writer.constant
        match layout:
            case layouts.Constant(CallersObject(index)):
                return self._arguments.containers[index]
            case layouts.Constant(CallersNumber(leaf)):
                return self._arguments.leaves[leaf]
            case layouts.Constant(CallersArray(array)):
                return constant(array)
            case layouts.Constant(value):
                if isinstance(value, (np.ndarray, np.generic)) and (
                    self._plan.on_device or isinstance(value, np.ndarray)
                ):
                    raise UnsuitedError
                return constant(value)
            case layouts.Leaf(abstract):
                return self._leaf(abstract.kind, next(leaves))
            case layouts.Node(GeneratorStructure() as structure, (words,)):
                return f"{constant(structure.extra.made)}({self._text(words, leaves, depth + 1)})"
            case layouts.Node(BesideStructure(), (members, result)):
                nodes = self._text(members, leaves, depth + 1)
                return f"((members := {nodes}), {self._text(result, leaves, depth + 1)})[1]"
            case layouts.Node(structure, children) if refers_to_members(structure):
                parts = [self._text(c, leaves, depth + 1) for c in children]
                return f"{constant(structure.on_host)}([{', '.join(parts)}], members)"
            case layouts.Node(structure, children) if structure.is_of_arrays:
                parts = [self._text(c, leaves, depth + 1) for c in children]
                return f"{constant(structure.on_host)}([{', '.join(parts)}], ())"
            case layouts.Node(structure, children, source):
                if source is not None and structure.mutable and not self._built.admit(source):
                    raise UnsuitedError  # one container in two places
                parts = [self._text(c, leaves, depth + 1) for c in children]
                whole = re.fullmatch(r"s(\d+)\[0\]", parts[0]) if parts else None
                if whole and structure.cls in (tuple, list) and parts == self._parts(int(whole[1])):
                    return f"s{whole[1]}" if structure.cls is list else f"tuple(s{whole[1]})"
                if isinstance(structure, HostListStructure) and structure.is_plain_list_of(children[0]):
                    return parts[0]  # a list that nobody else has
                if isinstance(structure, ItemsStructure) and structure.number and not self._plan.on_device:
                    return self._numbers_of_list(structure.number, parts)
                if structure.cls is tuple:
                    return f"({''.join(f'{p}, ' for p in parts)})"
                if structure.cls is list:
                    return f"[{', '.join(parts)}]"
                if structure.cls in (dict, Contents) and all(type(k) is str for k in structure.keys):
                    return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(structure.keys, parts, strict=True)) + "}"
                return f"{constant(structure.build)}([{', '.join(parts)}])"
            case layouts.Union(options):
                return self._chosen(options, leaves, depth + 1)
        raise UnsuitedError

    def _numbers_of_list(self, number: Abstract, parts: Sequence[str]) -> str:
        """The expression of a list, of the memory of its elements, and before it their number, where that may vary."""
        constant, (*length, memory) = self._writer.constant, parts
        if length:
            memory = f"{constant(operator.getitem)}({memory}, {constant(slice)}({length[0]}))"
        return f"{constant(np.ndarray.tolist if number.kind is Kind.PYTHON else list)}({memory})"

    def _chosen(self, options: Sequence[layouts.Layout], leaves: Iterator[str], depth: int) -> str:
        """The expression of one of a few values: an output says which."""
        tag = self._leaf(Kind.PYTHON, next(leaves))
        if any(isinstance(o, layouts.Constant) and isinstance(o.value, Undefined) for o in options):
            raise UnsuitedError  # reading a name that is not set
        name = f"t{next(self._tags)}"
        *texts, last = [self._text(option, leaves, depth) for option in options]
        tests = [f"({name} := {tag}) == 0", *[f"{name} == {k}" for k in range(1, len(texts))]]
        return f"({''.join(f'{text} if {test} else ' for text, test in zip(texts, tests, strict=False))}{last})"

    def _leaf(self, kind: Kind, name: str) -> str:
        if name not in self._outputs:
            self._kinds[name] = kind
            return name
        if self._plan.on_device:
            return f"{name}.item()" if kind is Kind.PYTHON else name
        return self._number(name) if kind is Kind.PYTHON else f"{name}[()]" if kind is Kind.SCALAR else name

    def _number(self, name: str) -> str:
        """The expression of an output that is a Python number."""
        self._read.add(name)
        output = self._execution.executable.outputs[self._outputs.index(name)]
        return f"{self._writer.constant(reader(output))}({name})"
