"""From `FILE.py:FUNCTION` to the function."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import pathlib
import sys
import types
from typing import Any

import numpy as np

from anabranch.base.grammar import a
from anabranch.runtime.api.jit import jit
from anabranch.runtime.api.jitted import Wrapped


class TargetError(Exception):
    """`FILE.py:FUNCTION` leads to no function; the message is one line."""


def find(target: str) -> tuple[Wrapped[..., Any], types.ModuleType]:
    """The function that `FILE.py:FUNCTION` names, compiled, and the module that the file makes.

    Raises
    ------
    TargetError
        When there is no such file or function, or the file can't be run.
    """
    file, colon, name = target.rpartition(":")
    if not (file and colon and name):
        raise TargetError(f"'{target}' is not of the form FILE.py:FUNCTION")
    module = load(pathlib.Path(file))
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # a module, or a class, may answer for itself
            raise TargetError(f"{file} has no '{name}'; {_functions(module)}") from None
    if isinstance(found, Wrapped):
        return found, module
    if not isinstance(found, (types.FunctionType, types.MethodType)):
        raise TargetError(f"'{name}' in {file} is {a(_kind(found))}, not a function; {_functions(module)}")
    return jit(found), module


def _kind(value: Any) -> str:
    return "class" if isinstance(value, type) else type(value).__name__


def _functions(module: types.ModuleType) -> str:
    names = [
        name
        for name, value in vars(module).items()
        if isinstance(value, Wrapped) or (inspect.isfunction(value) and value.__module__ == module.__name__)
    ]
    return f"its functions are {', '.join(names)}" if names else "it has no functions"


def load(file: pathlib.Path) -> types.ModuleType:
    """Run a Python file as a module, with its folder on the path as `python FILE` has it.

    Raises
    ------
    TargetError
        When there is no such file, or running it raises.
    """
    if not file.is_file():
        raise TargetError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(file.stem, file.resolve())
    if spec is None or spec.loader is None:
        raise TargetError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        # What the file prints is not what was asked for.
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"{file} can't be run: {one_line(error)}") from error
    return module


def values(texts: list[str], module: types.ModuleType) -> list[Any]:
    """Python expressions evaluated with the names of a module, and NumPy as `np`.

    Raises
    ------
    TargetError
        When one can't be evaluated.
    """
    made = []
    for text in texts:
        try:
            made.append(eval(text, {"np": np, **vars(module)}))
        except (Exception, SystemExit) as error:
            option = ", and is no option" if text.startswith("--") else ""
            raise TargetError(f"the argument {text} can't be evaluated{option}: {one_line(error)}") from error
    return made


def one_line(error: BaseException) -> str:
    """An exception as text."""
    return " ".join(f"{type(error).__name__}: {error}".split())
