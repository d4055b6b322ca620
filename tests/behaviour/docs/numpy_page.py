"""Makes `docs/numpy-support.md` of the registry; run it as a module."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anabranch.runtime.control.calls import elementwise_calls  # noqa: F401 - it brings rules of its own
from anabranch.runtime.numpy.core import full_name
from anabranch.runtime.values import registry
from anabranch.runtime.values.arrays.traced_array import TracedArray

PAGE = Path(__file__).parents[3] / "docs" / "numpy-support.md"
VERSION = ".".join(np.__version__.split(".")[:2])
MODULES = (np, np.linalg, np.fft)
# NumPy's own test runners are objects, not functions.
_NO_FUNCTIONS = {"test"}
# What a class of NumPy's does in compiled code, where the registry does not refuse it; scalar types cast.
CLASSES: dict[str, tuple[str, str]] = {
    "busdaycalendar": ("tracing", "it is about dates"),
    "dtype": ("tracing", "dtypes are known while tracing"),
    "errstate": ("tracing", "compiled code gives no floating-point warnings"),
    "finfo": ("tracing", "dtypes are known while tracing"),
    "flatiter": ("run time", "as `a.flat`"),
    "iinfo": ("tracing", "dtypes are known while tracing"),
    "matrix": ("run time", "made on the host, as a copy"),
    "ndarray": ("run time", "as in isinstance; arrays are made by functions"),
    "ndenumerate": ("run time", "in for loops"),
    "ndindex": ("tracing", "shapes are known while tracing"),
    "nditer": ("run time", "over one array or several, also with indices and by `iternext`; no external loops"),
    "poly1d": ("run time", "made on the host; it has no length, and is not gone over"),
    "recarray": ("run time", "as arguments and results"),
    "vectorize": ("run time", "without `signature` and `excluded`"),
    "ufunc": ("run time", "as in isinstance; every ufunc is a function above, with its methods"),
}
BRACKETS = dict.fromkeys(("c_", "index_exp", "mgrid", "ogrid", "r_", "s_"), ("run time", ""))
# Methods and attributes of traced arrays that are there without the registry.
_OWN = frozenset(n for n in vars(TracedArray) | vars(TracedArray.__mro__[1]) if not n.startswith("_"))
_STATUS = {"run time": "", "tracing": "while tracing", "refused": "refused"}
_HEAD = f"""# What of NumPy is supported

Every public function of `numpy`, `numpy.linalg` and `numpy.fft` and every method and attribute of `ndarray`, as of
NumPy {VERSION}, and what becomes of it where values are known only at run time. With values known while tracing each
of them is NumPy's own.

A name without a remark works on run-time values and gives what NumPy gives. "While tracing" means that it takes only
what is known then: shapes, dtypes, settings. What is refused raises an `UnsupportedOperationError` with the reason
given here. The page is made of the registry of staged functions: `python -m tests.behaviour.docs.numpy_page`.
Differences in detail are in [differences.md](differences.md).

Operators work as their ufuncs do, and ufuncs have their methods `reduce`, `accumulate`, `reduceat`, `outer` and `at`.
"""


def functions(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions of a module, by name."""
    for name in sorted(dir(module)):
        value = getattr(module, name)
        if not name.startswith("_") and callable(value) and not isinstance(value, type) and name not in _NO_FUNCTIONS:
            yield name, value


def classes() -> list[str]:
    """The public classes of NumPy that are not scalar types."""
    return [n for n in dir(np) if not n.startswith("_") and _is_class(getattr(np, n))]


def _is_class(value: Any) -> bool:
    return isinstance(value, type) and not issubclass(value, (np.generic, BaseException)) and value is not bool


def class_status(name: str) -> tuple[str, str]:
    """Return what becomes of a class."""
    return CLASSES.get(name) or status(full_name(getattr(np, name)), found=False)


def status(name: str, found: bool) -> tuple[str, str]:
    """Return what becomes of a function or method with this full name, and why."""
    if name in registry.REFUSED:
        return "refused", registry.REFUSED[name]
    if name in registry.STATIC:
        return "tracing", registry.STATIC[name]
    return ("run time", "") if found else ("missing", "")


def function_status(module: types.ModuleType, name: str, function: Callable[..., Any]) -> tuple[str, str]:
    """Return what becomes of a function of a module; one that goes by several names has one entry in the registry."""
    for full in (f"{module.__name__}.{name}", f"{function.__module__}.{getattr(function, '__name__', name)}"):
        found = status(full, function in registry.FUNCTIONS)
        if found[0] != "run time":
            return found
    return found


def members() -> list[str]:
    """The public methods and attributes of ndarray."""
    return sorted(n for n in dir(np.ndarray) if not n.startswith("_"))


def member_status(name: str) -> tuple[str, str]:
    """Return what becomes of a method or attribute."""
    found = name in registry.METHODS or name in registry.PROPERTIES or name in _OWN
    return status(f"numpy.ndarray.{name}", found)


def page() -> str:
    """The text of the page."""
    parts = [_HEAD]
    for module in MODULES:
        rows = {name: function_status(module, name, function) for name, function in functions(module)}
        parts.append(_section(f"`{module.__name__}`", rows))
    parts.append(_section("Methods and attributes of `ndarray`", {n: member_status(n) for n in members()}))
    parts.append(_section("Classes", {n: class_status(n) for n in sorted(classes())}))
    parts.append(_section("Objects with brackets", BRACKETS))
    return "\n".join(parts)


def _section(title: str, rows: dict[str, tuple[str, str]]) -> str:
    plain = [f"`{n}`" for n, (kind, why) in rows.items() if kind == "run time" and not why]
    lines = [f"## {title}", ""]
    if plain:
        lines += [*_wrapped(plain), ""]
    rest = {n: row for n, row in rows.items() if f"`{n}`" not in plain}
    if rest:
        lines += ["| name | | why |", "|---|---|---|"]
        lines += [f"| `{n}` | {_STATUS[kind]} | {why} |" for n, (kind, why) in rest.items()]
        lines.append("")
    return "\n".join(lines)


def _wrapped(words: list[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 110:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


if __name__ == "__main__":
    PAGE.write_text(page())
