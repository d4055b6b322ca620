"""The text of a fast path as a table of steps.

A fast path is Python in a few forms, which `call.fastpath` writes. Where all of its lines are forms that steps do, the
table does what it says; else calls run the text itself.
"""

from __future__ import annotations

import ast
import ctypes
import types
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeGuard

import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.runtime.call.execution import MISS, Execution
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution
from anabranch.runtime.call.quick.entry import Table
from anabranch.runtime.call.quick.step_values import StepValues, UntranslatedError, has_dict
from anabranch.runtime.call.quick.steps import MOST, Step
from anabranch.runtime.host.object_layout import AXES, DTYPE, FLAGS, SIZES, STRIDES, VERSION, class_version
from anabranch.runtime.host.same_objects import hold_the_same
from anabranch.runtime.values.heap.container_slots import DictSlot, SequenceSlot
from anabranch.runtime.values.heap.slots import ObjectSlot
from anabranch.runtime.values.heap.snapshot import Heap

_FITS, _MISSES = True, False
_ADDRESS = ctypes.pythonapi.PyCFunction_GetFunction
_ADDRESS.restype, _ADDRESS.argtypes = ctypes.c_size_t, [ctypes.py_object]
_OVERFLOW, _FAILURE = 1, 2
_MOST_MADE = 16  # tables of one execution
_parsing = lock()  # Python counts how deep it is for all threads together, and raises SystemError where that is off
_MOST_HELD = 8  # parts of an object from outside that are compared one by one


def table_of(execution: Execution) -> Table | None:
    """Return the table that does what an execution's fast path does; None where there is none, or has been often."""
    if not isinstance(execution, NativeExecution) or execution.written is None or execution.code.callbacks:
        return None  # what a failed run has called is not to be called again
    if execution.tables_made >= _MOST_MADE:
        return None
    execution.tables_made += 1
    lines, scope = execution.written
    try:
        with _parsing:
            tree = ast.parse("\n".join(lines))
        return _Translation(scope, execution.code).table(tree.body)
    except (UntranslatedError, RecursionError):  # one of hundreds of values is chosen by as many conditions
        execution.tables_made = _MOST_MADE
        return None


class _Translation(StepValues):
    """The steps of statements, and of the conditions in them."""

    def __init__(self, scope: Mapping[str, Any], code: NativeCode) -> None:
        super().__init__(scope, {f"m{place}": kind for place, kind in enumerate(code.program.arrays)})
        self._kernel = code.function
        self._objects.append(self._kernel)
        self._states: dict[str, dict[Any, int]] = {}  # the new contents of dicts
        self._positional = self._named = 0
        self._flags: int | None = None  # where the kernel's step has them

    def table(self, body: Sequence[ast.stmt]) -> Table:
        """The table of these statements."""
        for node in body:
            for call in ast.walk(node):
                if self._is_run(call):
                    self._place(call.args)
        for node in body:
            self._statement(node)
        is_whole = self._named == len(self._names_given)
        if self._first > MOST or self._owned > MOST or self._flags is None or not is_whole:
            raise UntranslatedError
        return Table(self._positional, frozenset(self._names_given), self._words, self._objects)

    def _is_run(self, node: ast.AST) -> TypeGuard[ast.Call]:
        """Return whether this calls the kernel."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        return self._scope.get(node.func.id) is self._kernel

    def _place(self, args: Sequence[ast.expr]) -> None:
        """Give what the kernel takes the first numbers."""
        for number, arg in enumerate(args):
            if isinstance(arg, ast.Name) and arg.id not in self._scope:
                self._numbers.setdefault(arg.id, number)
        self._first = len(args)

    # ---- statements -------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If(ast.UnaryOp(ast.Not(), test), [ast.Return(ast.Name("MISS"))], []):
                self._condition(test)
            case ast.If(ast.Compare(ast.Name(), [ast.Is()], [ast.Name("MISS")]), [ast.Return(ast.Name("MISS"))], []):
                pass  # the kernel's step looks for it
            case ast.If(
                ast.Compare(ast.Name(), [ast.Is()], [ast.Constant(None)]),
                [ast.Return(ast.Call(ast.Name("failed"))) | ast.Try([ast.Return(ast.Call(ast.Name("failed")))])],
                [],
            ) if self._flags is not None:
                self._words[self._flags] |= _FAILURE
            case ast.Try([line], [ast.ExceptHandler(ast.Name(error), None, [ast.Return(ast.Name("MISS"))])], [], []):
                self._attempt(line, error)
            case ast.Assign([ast.Tuple(targets)], ast.Name(answer)):
                for place, target in enumerate(targets):
                    self._step(Step.ITEM, self._target(target), self._local(answer), place)
                    self._answers.add(ast.unparse(target))
            case ast.Assign([ast.Name(name)], ast.Dict(keys, values)) if name.startswith("w"):
                names = [self._constant(key) for key in keys if isinstance(key, ast.Constant)]
                if len(names) != len(keys):
                    raise UntranslatedError
                self._states[name] = dict(zip(names, map(self._value, values), strict=True))
            case ast.Assign([ast.Name(name)], value):
                self._assign(name, value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(held), "update"), [ast.Name(state)], [])):
                if self._classes.get(held) is not dict or state not in self._states:
                    raise UntranslatedError
                for key, number in self._states[state].items():
                    self._step(Step.STORE, self._local(held), self._name(key), number)
            case ast.Expr(ast.Call() as call):
                self._value(call)
            case ast.Return(ast.expr() as value):
                self._step(Step.RETURN, self._value(value))
            case _:
                raise UntranslatedError

    def _attempt(self, line: ast.stmt, error: str) -> None:
        """A line with an exception that it may end with."""
        match line, error:
            case ast.Assign([ast.Name("held")], test), "ValueError":
                self._condition(test)  # a cell without contents
            case ast.Assign([ast.Name(name)], ast.Call() as call), "OverflowError":
                self._assign(name, call)
                if self._flags is None:
                    raise UntranslatedError
                self._words[self._flags] |= _OVERFLOW
            case _:
                raise UntranslatedError

    def _assign(self, name: str, value: ast.expr) -> None:
        if self._is_run(value):
            self._run(name, value.args)
            return
        number = self._value(value, self._numbers.get(name))
        if name not in self._numbers:
            self._numbers[name] = number
        elif self._numbers[name] != number:
            self._step(Step.COPY, self._numbers[name], number)
        match value:
            case ast.Attribute(ast.Name(), "__dict__"):
                self._step(Step.IS_TYPE, number, id(dict))
                self._classes[name] = dict

    def _run(self, name: str, args: Sequence[ast.expr]) -> None:
        """Call the kernel."""
        miss = 0
        for place, arg in enumerate(args):
            if isinstance(arg, ast.Name) and arg.id == "MISS":
                miss = id(MISS)
            number = self._value(arg, place)
            if number != place:
                self._step(Step.COPY, place, number)
        to = self._new()
        self._step(Step.KERNEL, to, _ADDRESS(self._kernel), len(args), miss, 0)
        if self._flags is not None:
            raise UntranslatedError
        self._numbers[name], self._flags = to, len(self._words) - 1
        self._answers.add(name)
        self._owned += 1

    # ---- conditions -------------------------------------------------------------------------------------------------

    def _condition(self, node: ast.expr) -> None:
        match node:
            case ast.BoolOp(ast.And(), parts):
                for part in parts:
                    self._condition(part)
            case ast.BoolOp(
                ast.Or(),
                [ast.Compare(ast.NamedExpr(_, ast.Call(ast.Name() as get, [], [])), [ast.Is()], [now]), _],
            ):
                # What is equal, and another object, is left to the text.
                self._context(get, now)
            case ast.Name("held"):
                pass
            case ast.Compare(left, [op], [right]):
                self._comparison(left, op, right)
            case ast.UnaryOp(ast.Not(), ast.Name("kwargs")):
                self._named = 0
            case ast.UnaryOp(ast.Not(), ast.Attribute(ast.Name(name), "__dict__")) if isinstance(
                self._scope.get(name), types.FunctionType
            ):
                self._step(Step.BARE, self._object(self._scope[name]), types.FunctionType.__dictoffset__)
            case ast.UnaryOp(
                ast.Not(),
                ast.Call(ast.Name("any"), [ast.Call(ast.Name("map"), [ast.Name() as known, ast.Tuple(asked)])]),
            ):
                self._unknown(self._constant(known), asked)
            case ast.UnaryOp(ast.Not(), ast.Attribute(ast.Name(name), "changed")) if self._has_version(name):
                self._version(self._scope[name].version_of, lambda: not self._scope[name].changed)
            case ast.Call(ast.Name(name), [], []) if self._has_version(name):
                self._version(self._scope[name].__self__.version_of, self._scope[name])
            case ast.UnaryOp(ast.Not(), ast.Attribute(ast.Name(name), "changed")) if self._unchanged(name):
                pass
            case ast.UnaryOp(ast.Not(), value):
                self._step(Step.TEST, self._value(value), _MISSES)
            case ast.Call(ast.Name(name), args, []) if self._scope.get(name) is hold_the_same():
                self._names(*map(self._constant, args))
            case _:
                self._step(Step.TEST, self._value(node), _FITS)

    def _has_version(self, name: str) -> bool:
        """Return whether a condition holds as long as a class has its version."""
        value = self._scope.get(name)
        cls = getattr(getattr(value, "__self__", value), "version_of", None)
        return isinstance(cls, type) and bool(class_version(cls))

    def _version(self, cls: type, holds: Callable[[], bool]) -> None:
        version = class_version(cls)
        # Another thread may have changed it since the text was run.
        if not holds():
            raise UntranslatedError
        self._step(Step.VERSION, self._object(cls), VERSION, version)

    def _unchanged(self, name: str) -> bool:
        """Translate that a small object from outside holds what it held; returns whether it is one."""
        slot = self._scope.get(name)
        target = getattr(slot, "target", None)
        match slot:
            case DictSlot() if type(slot) is DictSlot and type(target) is dict:
                held = target
            case SequenceSlot() if type(target) is list:
                held = dict(enumerate(target))
            case ObjectSlot() if type(slot) is ObjectSlot and slot.snapshot is not None and has_dict(slot.cls):
                held = target.__dict__
            case _:
                return False
        held, is_whole = dict(held), type(held) is dict and len(held) <= _MOST_HELD
        if not is_whole or not all(type(key) in (str, int) for key in held) or slot.changed:
            return False
        number = self._known(target)
        if type(target) is list:
            self._step(Step.LENGTH, number, len(held))
        else:
            if isinstance(slot, ObjectSlot):
                self._step(Step.IS_TYPE, number, self._object(slot.cls))
                number = self._made(Step.STATE, None, number)
                self._step(Step.IS_TYPE, number, id(dict))
            self._step(Step.KEYS, number, len(held), *map(self._object, held))
        step = Step.ELEMENT if type(target) is list else Step.ENTRY
        for key, value in held.items():
            place = key if type(target) is list else self._object(key)
            self._step(Step.IS, self._made(step, None, number, place), self._object(value))
        return True

    def _context(self, get: ast.expr, value: ast.expr) -> None:
        variable = getattr(self._constant(get), "__self__", None)
        if not isinstance(variable, ContextVar):
            raise UntranslatedError
        self._step(Step.CONTEXT, self._object(variable), self._object(self._constant(value)))

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
        match left, op, right:
            case ast.Call(ast.Name("len"), [ast.Name("args")]), ast.Eq(), ast.Constant(int(count)):
                self._positional = count
            case ast.Call(ast.Name("len"), [ast.Name("kwargs")]), ast.Eq(), ast.Constant(int(count)):
                self._named = count
            case ast.Call(ast.Name(get), [], []), ast.Is(), _ if get == "builder":
                self._context(ast.Name(get), right)
            case ast.Call(ast.Name("type"), [what]), ast.Is(), ast.Name():
                cls = self._constant(right)
                self._step(Step.IS_TYPE, self._value(what), self._object(cls))
                if isinstance(what, ast.NamedExpr):
                    what = what.target
                if isinstance(what, ast.Name):
                    self._classes[what.id] = cls
            case ast.Call(ast.Name("len"), [ast.Set(members)]), ast.Eq(), _:
                places = [self._value(member.args[0]) for member in members if isinstance(member, ast.Call)]
                for k, one in enumerate(places):
                    for other in places[:k]:
                        self._step(Step.DIFFER, one, other)
            case ast.Call(ast.Name("len"), [ast.Name(name)]), ast.Eq(), ast.Constant(int(count)):
                if issubclass(self._classes.get(name, object), (tuple, list)):
                    self._step(Step.LENGTH, self._local(name), count)
                elif type(self._scope.get(name)) is dict:
                    self._step(Step.KEPT, self._object(self._scope[name]), count)
                else:
                    raise UntranslatedError
            case (
                ast.Call(ast.Attribute(ast.Name(held), "get"), [ast.Constant(str(name)), _]),
                ast.Is(),
                ast.Name(),
            ) if type(self._scope.get(held)) is dict:
                value = self._constant(right)
                self._step(Step.NAME, self._object(self._scope[held]), self._name(name), self._object(value))
            case ast.Call(ast.Name("tuple"), [ast.Name(name)]), ast.Eq(), ast.Tuple(keys):
                if self._classes.get(name) is not dict:
                    raise UntranslatedError
                self._step(Step.KEYS, self._local(name), len(keys), *map(self._name, map(self._constant, keys)))
            case _ if self._of_array(left, op, right):
                pass
            case _, ast.Is(), _:
                is_known = not isinstance(right, ast.Name) or right.id in self._scope
                if is_known:
                    self._step(Step.IS, self._value(left), self._object(self._constant(right)))
                else:
                    self._step(Step.SAME, self._value(left), self._value(right))
            case _, ast.IsNot(), _:
                self._step(Step.DIFFER, self._value(left), self._value(right))
            case _, ast.Eq(), ast.Name():
                self._step(Step.EQUALS, self._value(left), self._object(self._constant(right)))
            case _:
                raise UntranslatedError

    def _of_array(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
        """Translate a comparison of what an ndarray is; returns whether this is one."""
        match left, op, right:
            case ast.Attribute(ast.Name(name), "shape" | "strides" as what), ast.Eq(), ast.Tuple():
                words = ast.literal_eval(right)
                self._step(Step.NARROW, self._array(name), AXES, -1, len(words))
                self._step(Step.SIZES, self._array(name), SIZES if what == "shape" else STRIDES, len(words), *words)
            case ast.Attribute(ast.Name(name), "dtype"), ast.Is(), ast.Name():
                self._step(Step.WORD, self._array(name), DTYPE, self._object(self._constant(right)))
            case (
                ast.BinOp(
                    ast.Attribute(ast.Attribute(ast.Name(name), "flags"), "num"), ast.BitAnd(), ast.Constant(int(mask))
                ),
                ast.Eq(),
                ast.Constant(int(wanted)),
            ):
                self._step(Step.NARROW, self._array(name), FLAGS, mask, wanted)
            case _:
                return False
        return True

    def _names(self, dicts: Sequence[Any], functions: Sequence[Any], absent: object) -> None:
        """The dicts and functions that are to hold what they held."""
        for place in range(0, len(dicts), 3):
            scope, name, value = dicts[place : place + 3]
            self._step(Step.NAME, id(scope), id(name), 0 if value is absent else id(value))
        for place in range(0, len(functions), 4):
            words = [0 if value is None else id(value) for value in functions[place : place + 4]]
            self._step(Step.FUNCTION, *words)
        self._objects += [dicts, functions]

    def _unknown(self, contains: Any, asked: Sequence[ast.expr]) -> None:
        """That objects are not among those that were read from outside, which an executable knows from the start."""
        known = getattr(contains, "__self__", None)
        if not isinstance(known, Heap) or len(known.slots) > MOST:
            raise UntranslatedError
        for one in asked:
            number = self._value(one)
            for slot in known.slots:
                self._step(Step.IS_NOT, number, id(slot.target))

    def _array(self, name: str) -> int:
        """The number of what was found to be an ndarray."""
        if self._classes.get(name) is not np.ndarray:
            raise UntranslatedError
        return self._local(name)
