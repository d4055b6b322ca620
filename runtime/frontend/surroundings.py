"""The world around a function that is traced: what is read is guarded, arrays are inputs, classes prepared."""

from __future__ import annotations

import contextvars
import functools
import types
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from anabranch.base.by_identity import reached
from anabranch.base.context_values import having
from anabranch.base.signals import whole
from anabranch.runtime.call.plan import held_leaves
from anabranch.runtime.control import vocabulary
from anabranch.runtime.control.branches import select_value, stage_branches
from anabranch.runtime.control.call import call
from anabranch.runtime.control.calls.user_functions import is_capturable, is_rewritten
from anabranch.runtime.control.columnar import copied_items
from anabranch.runtime.control.dynamic_lists import dynamic_list, run_time_tuple, spelled_texts
from anabranch.runtime.control.sequences import chosen_item
from anabranch.runtime.control.staging import restaging, run_time_keys
from anabranch.runtime.control.stdlib import text_parts
from anabranch.runtime.control.texts import characters_of, code_arrays, text_operations
from anabranch.runtime.device import array as device
from anabranch.runtime.device.array import Array
from anabranch.runtime.frontend.bind_arguments import BoundArguments
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.host.generator_state import GeneratorKind, OutsideGenerator, kind_of
from anabranch.runtime.ir.array_type import ArrayType, native
from anabranch.runtime.ir.program import Var
from anabranch.runtime.ops.random_draws import WORD
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.outside import ValueConstructors
from anabranch.runtime.tracing.storage import OnDeviceOutside, Storage
from anabranch.runtime.tracing.upper_layers import TextOperations, UnionOperations
from anabranch.runtime.values import containers, text_tables
from anabranch.runtime.values.arrays import dynamic_array
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import tuple_structure
from anabranch.runtime.values.heap.slots import GlobalVariable, closed_over
from anabranch.runtime.values.lazy_text import StrMethod
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout_join
from anabranch.runtime.values.random_generators import TracedGenerator


class CapturedArrays:
    """Arrays from globals and closures that the function reads: inputs, so that their contents are current."""

    def __init__(self, guards: Guards) -> None:
        self.guards = guards
        # The arrays, and the generators of random numbers whose states are inputs like them.
        self.arrays: list[Any] = []
        self.states: set[Storage] = set()  # the memory of these states
        self.handles: list[TracedArray] = []
        self._formals: list[Var] = []

    def handle(self, array: np.ndarray | device.Array) -> TracedArray:
        """The traced array that stands for it."""
        handle = self._known(array)
        if handle is not None:
            return handle
        formal = current().trace.root.formal(ArrayType(array.shape, native(array.dtype)))
        storage = Storage(formal.type)
        if isinstance(array, device.Array):
            storage.readonly = OnDeviceOutside("an array from outside of the function")
        else:
            storage.readonly = None if array.flags.writeable else "array from outside"
            storage.strides = None if array.flags.c_contiguous else array.strides
        self.guards.heap.forget_array(array)
        return self._added(array, storage, formal)

    def generator(self, generator: Any, kind: GeneratorKind) -> TracedGenerator:
        """The traced generator of random numbers that stands for one."""
        known = self._known(OutsideGenerator(generator, kind))
        if known is None:
            formal = current().trace.root.formal(ArrayType((kind.words,), WORD))
            known = self._added(OutsideGenerator(generator, kind), Storage(formal.type), formal)
            self.states.add(known.storage)
        return TracedGenerator(kind, known)

    def _known(self, array: object) -> TracedArray | None:
        root = current().trace.root
        for known, handle, formal in zip(self.arrays, self.handles, self._formals, strict=True):
            if known is array or (isinstance(known, OutsideGenerator) and known == array):
                # Met first in a trace of a loop's body that was given up: what its memory holds was forgotten.
                root.env.setdefault(handle.storage, formal)
                return handle
        return None

    def _added(self, array: Any, storage: Storage, formal: Var) -> TracedArray:
        trace = current().trace
        trace.root.env[storage] = formal
        trace.identity.callers_memory.add(storage)
        self.arrays.append(array)
        self.handles.append(TracedArray(storage))
        self.handles[-1].serial = 0  # the array was there before all, wherever it is met
        self._formals.append(formal)
        return self.handles[-1]


_values: contextvars.ContextVar[Sequence[Any]] = contextvars.ContextVar("call values", default=())
_NUMBERS = (np.ndarray, np.generic, bool, int, float, complex, Array)


def with_call_values(leaves: Sequence[Any]) -> AbstractContextManager[object]:
    """Trace for a call with these leaves of its arguments."""
    return having(_values, leaves)


def of_inputs(packs: Sequence[range | tuple[int, ...]], captured: Sequence[Any]) -> list[Any]:
    """The values of a Program's inputs: the arguments', of which some hold several leaves, and arrays from outside."""
    leaves = [_known(value) for value in _values.get()]
    found: list[Any] = []
    for held in held_leaves(packs, len(leaves)):
        if isinstance(held, int):
            found.append(leaves[held])
            continue
        row = [leaves[k] for k in held]
        found.append(None if any(x is None for x in row) else np.array(row))
    outside = (a.read() if isinstance(a, OutsideGenerator) else np.asarray(a) for a in captured)
    return [*found, *outside] if leaves or not packs else []


def _known(value: object) -> Any:
    return value if isinstance(value, _NUMBERS) else None


class Surroundings:
    """The outside of a trace: guards, arrays from outside, and the user's classes.

    Parameters
    ----------
    guards : Guards
        Of what the function reads.
    prepare_class : callable
        Prepares a class of the user's.
    """

    constructors = ValueConstructors(
        array=TracedArray, scalar=NumPyScalar, python=python_scalar, part=dynamic_array.make
    )
    union_operations = UnionOperations(
        decide=stage_branches.decide,
        compute=select_value.of_each,
        merge=layout_join.merged,
        look_up=text_tables.look_up,
        method=StrMethod,
        one_tuple=functools.partial(tuple_structure.one_of, run_time_tuple.RunTimeTuple),
        iterate=chosen_item.iterated,
    )
    text_operations = TextOperations(
        parts=text_parts.parts,
        compare=text_operations.compared,
        item=text_operations.item,
        truth=text_operations.truth,
        method=text_parts.method,
        codes=code_arrays.codes,
        spell=spelled_texts.spelled,
        spelled_layout=spelled_texts.layout_of,
        add=spelled_texts.added,
        join=spelled_texts.joined,
        places_in_order=dynamic_list.places_in_order,
        check_case=characters_of.check_case,
    )
    vocabulary = vocabulary

    def __init__(self, guards: Guards, prepare_class: Callable[[type], None]) -> None:
        self.guards, self.prepare_class = guards, prepare_class
        self.captured = CapturedArrays(guards)  # the arrays from outside
        self._begun = False
        self._given: BoundArguments | None = None

    def bind(self, given: BoundArguments) -> None:
        """Take note of what stands for the arguments."""
        self._given = given

    def input_values(self) -> Sequence[Any]:
        """Return the values of the Program's inputs in the call that is traced for; None for what is not known."""
        return [] if self._given is None else of_inputs(self._given.packs, self.captured.arrays)

    def begin(self) -> None:
        """Guard the arguments' classes; from here on, all that is entered. Before, the arguments are bound."""
        self.guards.start()
        self._prepare_classes_from(0)
        self._begun = True

    @whole
    def enter(self, value: object) -> None:
        """Guard what a function or an object that is about to be used leads to, unless it was made in this call."""
        guards, trace = self.guards, current().trace
        if not self._begun or _is_made_here(value) or value in trace.identity.created:
            return
        if containers.has_traced(value) and not guards.knows(value):
            return
        known = len(guards.heap.classes)
        new = guards.add(value)
        self._prepare_classes_from(known)
        for variable in new:
            if type(variable) is GlobalVariable:
                # Until the call ends the global is what stands for its array, so that writes into it are staged.
                array = variable.scope.get(variable.name)
                if is_capturable(array):
                    variable.scope[variable.name] = self.capture(array)
        trace.heap.roots += new
        for snapshot in trace.heap.snapshots:
            snapshot.extend(new)

    def capture(self, array: Any) -> Any:
        """Return the handle of an array from outside, which becomes an input; of a generator, what stands for it."""
        kind = kind_of(array)
        if kind is not None:
            return self.captured.generator(array, kind)
        return self.captured.handle(array) if self._begun else array

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the staged form of a function that is an argument of another, such as a sort key."""
        return functools.partial(call, function)

    def is_outside(self, value: Any) -> bool:
        """Return whether an object was there before the trace, as far as was seen."""
        return self.guards.knows(value)

    def rely_on(self, question: Callable[..., Any], asked: tuple[Any, ...], answer: object) -> None:
        """Guard what a function says of classes, unless they are made anew in each call."""
        if self._begun and not any(map(current().trace.identity.created.__contains__, asked)):
            self.guards.add_answer(question, asked, answer)

    def is_unchanged(self) -> bool:
        """Return whether all that was entered is and holds what it was and held then; arrays' elements aside."""
        return self.guards.hold_but_for_elements()

    def needs_plain(self) -> None:
        """Raise `Restart` where an operator that runs now can be staged, and is not yet."""
        if self._begun:
            restaging.stage_current_operator()
            run_time_keys.stage_comprehensions(run_time_keys.AT_ITERABLES)
            run_time_keys.become_asking_counter()

    def refusal(self) -> BaseException:
        """Return the error for a write into an array of which a list of run-time length has a copy."""
        return copied_items.refusal()

    def _prepare_classes_from(self, known: int) -> None:
        for cls in self.guards.heap.classes[known:]:
            self.prepare_class(cls)


def _is_made_here(value: object) -> bool:
    """Return whether this is a function of a rewritten text, or one that a decorator has made of such."""
    held = reached([value], lambda part: closed_over(part) if isinstance(part, types.FunctionType) else ())
    return any(isinstance(part, types.FunctionType) and is_rewritten(part.__code__) for part in held)
