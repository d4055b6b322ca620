"""The public names of `jax.jit`, `jax.stages` and their neighbours, as the installed `jax` has them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any


def names() -> list[str]:
    """Each name once; of what takes parameters, each parameter."""
    import jax
    import jax.export
    import jax.stages

    found = [*_parameters("jax.jit", jax.jit)]
    jitted = jax.jit(lambda x: x)
    found.append("jax.stages.Wrapped.__call__")
    found += [f"jax.stages.Wrapped.{n}" for n in dir(jitted) if not n.startswith("_")]
    for cls in (jax.stages.Traced, jax.stages.Lowered, jax.stages.Compiled, jax.stages.ArgInfo):
        found += _members(f"jax.stages.{cls.__name__}", cls)
    found += _parameters("jax.ShapeDtypeStruct", jax.ShapeDtypeStruct)
    found += _parameters("jax.eval_shape", jax.eval_shape)
    found += _parameters("jax.make_jaxpr", jax.make_jaxpr)
    found += _parameters("jax.export.export", jax.export.export)
    found += _parameters("jax.export.deserialize", jax.export.deserialize)
    found += _members("jax.export.Exported", jax.export.Exported)
    return list(dict.fromkeys(found))


def _parameters(name: str, function: Any) -> Iterator[str]:
    rest = [p for p in inspect.signature(function).parameters if p not in ("self", "args", "kwargs")]
    public = [p for p in rest if not p.startswith("_")]
    yield from [f"{name}({p})" for p in public] or [name]


def _members(name: str, cls: type) -> Iterator[str]:
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    slots = {s for s in getattr(cls, "__slots__", ()) if not s.startswith("_")}
    members = {n for n in dir(cls) if not n.startswith("_") or (n == "__call__" and n in vars(cls))}
    for member in sorted(members | slots | {f for f in fields if not f.startswith("_")}):
        value = inspect.getattr_static(cls, member, None)
        if inspect.isfunction(value):
            yield from _parameters(f"{name}.{member}", value)
        else:
            yield f"{name}.{member}"
