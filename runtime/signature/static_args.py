"""Static arguments: which ones they are, and how a call's arguments are arranged around them."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from anabranch.base.grammar import a, counted
from anabranch.runtime.errors import AnabranchError, DonationError, StaticArgumentError
from anabranch.runtime.signature.static_keys import Static, is_static, key_of
from anabranch.runtime.values.heap.opaque import is_opaque


def static_parameters(fun: Callable[..., object], nums: object, names: object) -> frozenset[str | int]:
    """The static parameters, by name; positions beyond the named parameters, in `*args`, stay numbers.

    Raises `StaticArgumentError` for a position or name that the function does not have.
    """
    return chosen_parameters(fun, nums, names, "static", StaticArgumentError)


def donated_parameters(
    fun: Callable[..., object], nums: object, names: object, static: frozenset[str | int]
) -> frozenset[str | int]:
    """The donated parameters, in the same way.

    Raises `DonationError` for a position or name that the function does not have, or that is static.
    """
    donated = chosen_parameters(fun, nums, names, "donate", DonationError)
    both = ", ".join(map(str, sorted(donated & static, key=str)))
    if both:
        raise DonationError(
            f"{_name(fun)}: {both} cannot be static and donated: a static argument has no memory to donate; take it "
            "out of one of the two"
        )
    return donated


def _listed(names: object, what: str, error: type[AnabranchError]) -> tuple[Any, ...]:
    """One name or several."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (names,)
    try:
        return tuple(names)
    except Exception as failed:  # what an iterator says
        kind = f"{type(failed).__name__}: {failed}"
        raise error(f"{what}_argnames is a {type(names).__name__} that gives no names ({kind})") from failed


def chosen_parameters(
    fun: Callable[..., object], nums: object, names: object, what: str, error: type[AnabranchError]
) -> frozenset[str | int]:
    """The parameters that are meant by positions and names; `what` is how the arguments of `jit` begin."""
    nums, names = () if nums is None else nums, () if names is None else names
    places = _numbers(nums, what, error)
    given = _listed(names, what, error)
    if not places and not given:
        return frozenset()
    form = ParameterForm.of(fun)
    chosen: set[str | int] = set()
    for n in places:
        if -len(form.positional) <= n < len(form.positional) and (n >= 0 or form.rest is None):
            chosen.add(form.positional[n])
        elif form.rest is not None:
            chosen.add(n)
        else:
            raise error(
                f"{what}_argnums has {n}, but {_name(fun)} has {counted(len(form.positional), 'positional parameter')}"
            )
    for name in given:
        if not isinstance(name, str):
            raise error(f"{what}_argnames holds names of parameters, not {name!r}")
        if name not in form.names and form.rest_by_name is None:
            raise error(f"{what}_argnames has '{name}', but {_name(fun)} has no such parameter")
        chosen.add(name)
    return frozenset(chosen)


def _numbers(nums: Any, what: str, error: type[AnabranchError]) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, nums)) if isinstance(nums, Iterable) else (operator.index(nums),)
    except TypeError:
        raise error(f"{what}_argnums holds positions of parameters, not {nums!r}") from None


def _name(fun: Callable[..., object]) -> str:
    return getattr(fun, "__qualname__", None) or repr(fun)


class ParameterForm:
    """The positions and names of parameters, which say where an argument may stand."""

    __slots__ = ("by_keyword", "defaults", "names", "positional", "rest", "rest_by_name")

    def __init__(self, parameters: Sequence[inspect.Parameter]) -> None:
        kinds = inspect.Parameter
        places = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        self.positional = tuple(p.name for p in places)
        self.by_keyword = {p.name for p in places if p.kind is kinds.POSITIONAL_OR_KEYWORD}
        self.defaults = {p.name: p.default for p in parameters if p.default is not kinds.empty}
        self.names = {p.name for p in parameters}
        self.rest = next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None)
        self.rest_by_name = next((p.name for p in parameters if p.kind is kinds.VAR_KEYWORD), None)

    @staticmethod
    def of(fun: Callable[..., Any]) -> ParameterForm:
        """The form of a callable; one that has no signature takes anything."""
        try:
            return ParameterForm(list(inspect.signature(fun).parameters.values()))
        except (TypeError, ValueError):
            kinds = inspect.Parameter
            return ParameterForm([kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)])


class StaticArguments:
    """The static arguments of one function."""

    __slots__ = ("_name", "_names", "_numbers", "form")

    def __init__(self, fun: Callable[..., object], static: Iterable[str | int]) -> None:
        self.form = ParameterForm.of(fun)
        self._name = _name(fun)
        self._names = frozenset(s for s in static if isinstance(s, str))
        self._numbers = frozenset(s for s in static if isinstance(s, int))

    def __bool__(self) -> bool:
        return bool(self._names or self._numbers)

    def arrange(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with the static ones marked, in one form however the call was written.

        What was given by name stands at its position where it can. Static parameters that were left out are there by
        their defaults. Raises `StaticArgumentError` for a value that has neither a hash nor contents to go by.
        """
        form, left = self.form, dict(kwargs)
        placed = list(args)
        for name in form.positional[len(args) :]:
            if name in left and name in form.by_keyword:
                placed.append(left.pop(name))
            elif name in self._names and name in form.defaults:
                placed.append(form.defaults[name])
            else:
                break  # what follows goes by name
        for name in self._names:
            by_name = name in form.by_keyword or name not in form.positional
            if name in form.defaults and by_name and name not in left and name not in form.positional[: len(placed)]:
                left[name] = form.defaults[name]
        marked = [self._at(i, value, len(placed)) for i, value in enumerate(placed)]
        return tuple(marked), {k: self.mark(k, v) if self._is_static(k) else v for k, v in left.items()}

    def _is_static(self, name: str) -> bool:
        known = self.form.names
        return name in self._names or (name not in known and self.form.rest_by_name in self._names)

    def _at(self, place: int, value: object, count: int) -> Any:
        """The argument at a position, marked where it is static."""
        named = self.form.positional
        if place < len(named):
            name, static = named[place], named[place] in self._names
        else:
            name, static = f"*{self.form.rest}[{place - len(named)}]", self.form.rest in self._names
        return self.mark(name, value) if static or not self._numbers.isdisjoint((place, place - count)) else value

    def values(self, args: tuple[object, ...], kwargs: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
        """The values of static parameters in a call, which may leave out others.

        Those are meant that were named static, are `known`, or have values that are static by themselves. Raises
        `TypeError` for an argument that the function does not take.
        """
        form = self.form
        unknown = [name for name in kwargs if name not in form.names and form.rest_by_name is None]
        if len(args) > len(form.positional) and form.rest is None:
            raise TypeError(
                f"{self._name}() takes {counted(len(form.positional), 'positional argument')}, not {len(args)}"
            )
        if unknown:
            raise TypeError(f"{self._name}() got an unexpected keyword argument '{unknown[0]}'")
        given = {**dict(zip(form.positional, args, strict=False)), **kwargs}
        defaults = form.defaults if given else {}
        return {
            name: value
            for name, value in {**defaults, **given}.items()
            if name in self._names or is_static(value) or (name in known and name in given)
        }

    def mark(self, name: str, value: object) -> Static:
        """A static argument.

        Raises `StaticArgumentError`.
        """
        try:
            return Static(key_of(value), value)
        except StaticArgumentError:
            raise
        except Exception as error:
            why = "not hashable" if isinstance(error, TypeError) else f"not hashable ({type(error).__name__}: {error})"
            why = "changed by being used, or may be written to" if is_opaque(value) else why
            raise StaticArgumentError(
                f"static argument '{name}' of {self._name} is {a(type(value).__name__)}, which is {why}; pass a tuple "
                f"or another immutable value, or take '{name}' out of the static arguments"
            ) from None
