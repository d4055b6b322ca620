"""Dicts and functions that hold the very objects that they held: asked in machine code.

A guard of a global name is a lookup in a dict and a comparison of addresses, which takes Python's own code five times
as long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anabranch.runtime.host.machine_code import compile_llvm
from anabranch.runtime.host.object_layout import ITEMS, LENGTH
from anabranch.runtime.host.python_function import ENTRY, python_function

_BYTES = 8  # of an address


@functools.cache
def hold_the_same() -> Callable[[tuple[Any, ...], tuple[Any, ...], object], bool]:
    """Return a function that says whether dicts and functions hold the very objects that they held.

    Returns
    -------
    callable
        Takes a tuple with a dict, a name and its item in turn, and one with a function, its code, its defaults and
        those of its keywords in turn; then the object that stands for the item of a name that is not there. It
        raises what a dict's own lookup raises.
    """
    return python_function("same_objects", compile_llvm(_MODULE), _MODULE)


def _word(name: str, base: str, offset: int, kind: str = "ptr") -> str:
    """A name for the word at so many bytes behind an address."""
    return f"""
  %{name}.p = getelementptr i8, ptr {base}, i64 {offset}
  %{name} = load {kind}, ptr %{name}.p"""


def _loop(name: str, place: int, fields: int, then: str, body: str) -> str:
    """A loop over a tuple among the arguments, with the next items, so many of them, as `%NAME.0` and so on."""
    return f"""
{name}:
{_word(f"{name}.tuple", "%args", place * _BYTES)}
{_word(f"{name}.length", f"%{name}.tuple", LENGTH, "i64")}
  %{name}.items = getelementptr i8, ptr %{name}.tuple, i64 {ITEMS}
  br label %{name}.next
{name}.next:
  %{name}.at = phi i64 [ 0, %{name} ], [ %{name}.after, %{name}.same ]
  %{name}.is.end = icmp uge i64 %{name}.at, %{name}.length
  br i1 %{name}.is.end, label %{then}, label %{name}.item
{name}.item:
  %{name}.step = getelementptr ptr, ptr %{name}.items, i64 %{name}.at
{"".join(_word(f"{name}.{k}", f"%{name}.step", k * _BYTES) for k in range(fields))}
{body}
{name}.same:
  %{name}.after = add i64 %{name}.at, {fields}
  br label %{name}.next
"""


def _attribute(name: str, field: int, reader: str) -> str:
    """A comparison of what a function's attribute is with a field of the step; None stands for no value."""
    return f"""
  %{name}.n = call ptr @{reader}(ptr %functions.0)
  %{name}.is.none = icmp eq ptr %{name}.n, null
  %{name}.now = select i1 %{name}.is.none, ptr @_Py_NoneStruct, ptr %{name}.n
  %{name}.is = icmp eq ptr %{name}.now, %functions.{field}"""


_MODULE = f"""
@_Py_NoneStruct = external global i8
@_Py_TrueStruct = external global i8
@_Py_FalseStruct = external global i8
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare ptr @PyErr_Occurred()
declare ptr @PyFunction_GetCode(ptr)
declare ptr @PyFunction_GetDefaults(ptr)
declare ptr @PyFunction_GetKwDefaults(ptr)
declare void @Py_IncRef(ptr)
define ptr @{ENTRY}(ptr %self, ptr %args, i64 %count) nounwind {{
entry:
{_word("absent", "%args", 2 * _BYTES)}
  br label %dicts
{
    _loop(
        "dicts",
        0,
        3,
        "functions",
        '''
  %found = call ptr @PyDict_GetItemWithError(ptr %dicts.0, ptr %dicts.1)
  %is.known = icmp eq ptr %found, %dicts.2
  br i1 %is.known, label %dicts.same, label %other
other:
  %is.lost = icmp eq ptr %found, null
  br i1 %is.lost, label %lost, label %differs
lost:
  %error = call ptr @PyErr_Occurred()
  %is.error = icmp ne ptr %error, null
  br i1 %is.error, label %raise, label %missing
raise:
  ret ptr null
missing:
  %is.absent = icmp eq ptr %dicts.2, %absent
  br i1 %is.absent, label %dicts.same, label %differs''',
    )
}
{
    _loop(
        "functions",
        1,
        4,
        "same",
        f'''
{_attribute("code", 1, "PyFunction_GetCode")}
{_attribute("defaults", 2, "PyFunction_GetDefaults")}
{_attribute("keywords", 3, "PyFunction_GetKwDefaults")}
  %both = and i1 %code.is, %defaults.is
  %all = and i1 %both, %keywords.is
  br i1 %all, label %functions.same, label %differs''',
    )
}
same:
  call void @Py_IncRef(ptr @_Py_TrueStruct)
  ret ptr @_Py_TrueStruct
differs:
  call void @Py_IncRef(ptr @_Py_FalseStruct)
  ret ptr @_Py_FalseStruct
}}
"""
