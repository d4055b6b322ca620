"""Classes with slots, as `dataclasses.dataclass(slots=True)` makes them, in a fraction of the time; most are frozen.

A process that finds its executables on disk would spend a fifth of its start in making such classes. Here one text is
compiled for each, where `dataclasses` compiles six; and a field is set by its slot, which takes half as long.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_Field: Any = dataclasses.Field
_MISSING = dataclasses.MISSING


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = ...) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type | None = None, /, *, eq: bool = True) -> Any:
    """Make a class a frozen dataclass with slots; without `eq` two are equal only when they are one.

    Fields are told by annotations, which must be text (`from __future__ import annotations`). `dataclasses.replace`,
    `fields`, `field` with a default or a factory, and inheritance from others work.
    """
    return (lambda given: _made(given, eq)) if cls is None else _made(cls, eq)


@dataclass_transform(eq_default=False, field_specifiers=(dataclasses.field,))
def mutable(cls: type[T]) -> type[T]:
    """Make a class such a one whose fields may be set; two are equal only when they are one, and show no fields."""
    return _made(cls, eq=False, frozen=False)


def _made(cls: type, eq: bool, frozen: bool = True) -> type:
    own = dict(_own_fields(cls))
    inherited: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited.update(getattr(base, "__dataclass_fields__", {}))
    fields = {**inherited, **own}
    namespace = {n: v for n, v in vars(cls).items() if n not in own and n not in ("__dict__", "__weakref__")}
    defined = set(namespace)
    namespace |= {
        "__slots__": tuple(n for n in own if n not in inherited),
        "__match_args__": tuple(fields),
        "__qualname__": cls.__qualname__,
        "__dataclass_fields__": fields,
        "__dataclass_params__": dataclasses._DataclassParams(  # type: ignore[attr-defined]
            init=True, repr=frozen, eq=eq, order=False, unsafe_hash=False, frozen=frozen, **_MORE_PARAMETERS
        ),
    }
    for name, method in (_OF_STATE | _OF_FROZEN if frozen else _OF_STATE).items():
        namespace.setdefault(name, method)
    kind: Any = type(cls)
    made: type = kind(cls.__name__, cls.__bases__, namespace)
    scope: dict[str, Any] = {f"set_{n}": getattr(made, n).__set__ for n in fields}
    exec(_text(made, fields, eq, scope), scope)
    for name in ("__init__", "__eq__", "__hash__")[: 3 if eq else 1]:
        if name not in defined or (name == "__hash__" and namespace[name] is None):
            scope[name].__qualname__ = f"{made.__qualname__}.{name}"
            setattr(made, name, scope[name])
    return made


def _own_fields(cls: type) -> Iterator[tuple[str, Any]]:
    for name, text in vars(cls).get("__annotations__", {}).items():
        if text.startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = vars(cls).get(name, _MISSING)
        field = default if isinstance(default, _Field) else dataclasses.field(default=default)
        field.name, field.type, field._field_type = name, text, dataclasses._FIELD  # type: ignore[attr-defined]
        field.kw_only = False
        yield name, field


def _text(cls: type, fields: Mapping[str, Any], eq: bool, scope: dict[str, Any]) -> str:
    """The methods that differ from class to class; what they need goes into `scope`."""
    parameters, body = ["self"], []
    for name, field in fields.items():
        value = name
        if field.default is not _MISSING:
            scope[f"default_{name}"] = field.default
            parameters.append(f"{name}=default_{name}")
        elif field.default_factory is not _MISSING:
            scope[f"make_{name}"] = field.default_factory
            parameters.append(f"{name}=MISSING")
            value = f"make_{name}() if {name} is MISSING else {name}"
        else:
            parameters.append(name)
        body.append(f"    set_{name}(self, {value})\n")
    scope["MISSING"] = _MISSING
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()\n")
    text = f"def __init__({', '.join(parameters)}):\n{''.join(body) or '    pass'}\n"
    if not eq:
        return text
    compared = [n for n, f in fields.items() if f.compare]
    mine, others = ("".join(f"{who}.{n}, " for n in compared) for who in ("self", "other"))
    return (
        f"{text}def __eq__(self, other):\n    if other.__class__ is self.__class__:\n"
        f"        return ({mine}) == ({others})\n    return NotImplemented\n"
        f"def __hash__(self):\n    return hash(({mine}))\n"
    )


def _repr(self: Any) -> str:
    fields = ", ".join(f"{n}={getattr(self, n)!r}" for n, f in self.__dataclass_fields__.items() if f.repr)
    return f"{type(self).__qualname__}({fields})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


_OF_STATE = {"__getstate__": _get_state, "__setstate__": _set_state}
_OF_FROZEN = {"__repr__": _repr, "__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
# Python 3.12 keeps more of what a dataclass was asked for.
_MORE_PARAMETERS = (
    {"match_args": True, "kw_only": False, "slots": True, "weakref_slot": False}
    if "slots" in dataclasses._DataclassParams.__slots__  # type: ignore[attr-defined]
    else {}
)
