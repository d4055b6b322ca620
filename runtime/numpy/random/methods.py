"""The methods of NumPy's generators: each is NumPy's own, called on the host with the state that the Program has."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.numpy import core
from anabranch.runtime.numpy.random import bounded_ints, draws, numbers, seeds
from anabranch.runtime.numpy.random.draws import PARAMETERS, STATIC, example
from anabranch.runtime.ops.random_draws import DrawCall, Operand
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.static_requests import request_static
from anabranch.runtime.values.tracer import Tracer

_BY_SIZES = ("rand", "randn")
_PLAIN_CHOICE = {"replace": True, "axis": 0, "shuffle": True}
_OF_ENTROPY = "without a seed it takes one from the operating system"


class Method:
    """A method of a traced generator."""

    def __init__(self, generator: TracedGenerator, name: str) -> None:
        self.generator, self.__name__ = generator, name

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        generator, name = self.generator, self.__name__
        if name in _BY_SIZES and not kwargs:
            sizes = core.shape_argument(args) if args else None
            return _drawn(generator, "random_sample" if name == "rand" else "standard_normal", {"size": sizes})
        parameters = PARAMETERS.get(name)
        if parameters is None:
            draws.refuse(name, "it shows or sets more than numbers that are drawn")
        given = draws.keywords(parameters, args, kwargs)
        if given is None:
            draws.trial(generator, DrawCall(name, args, tuple(kwargs.items())), ())  # raises what NumPy does
            draws.refuse(name, "these arguments are not known to it")
        if name == "seed" and given.get("seed") is None:
            draws.refuse(name, _OF_ENTROPY)
        if name == "seed" and seeds.seed(generator, args, kwargs):
            return None
        if name == "shuffle":
            return _shuffled(generator, given)
        return _drawn(generator, name, given)


def _drawn(generator: TracedGenerator, method: str, given: Mapping[str, Value]) -> Value:
    """The result of a method with these arguments."""
    given = {name: draws.known(v, f"{name} of {method}()") if name in STATIC else v for name, v in given.items()}
    if given.get("size") is not None:
        given["size"] = core.shape_argument(given["size"])
    if method == "choice" and (chosen := _chosen(generator, given)) is not None:
        return chosen
    single = numbers.number(generator, method, given)
    if single is not None:
        return single
    out = given.pop("out", None)
    if out is not None and method != "permuted":
        given["size"] = _shape_of_out(method, given, out)
    if method == "permutation" and isinstance(given["x"], Tracer) and not given["x"].abstract.shape:
        request_static(given["x"], "the size of a permutation")
        draws.refuse(method, "the size of a permutation is known only at run time")
    if method == "permutation" and (made := _permuted(generator, given)) is not None:
        return made
    result = _call(generator, method, given)
    return result if out is None else core.store(out, result.atom)


def _permuted(generator: TracedGenerator, given: Mapping[str, Value]) -> Value:
    """`permutation(x)` of positions or of the items of a vector; None where the host is called."""
    x = given["x"]
    if given.get("axis") or not (isinstance(x, TracedArray) or type(x) is int):
        return None
    items = x.atom if isinstance(x, TracedArray) else atoms.literal(np.arange(max(x, 0)), np.int64)
    made = bounded_ints.shuffled(generator, items)
    return None if made is None else wrap.array_of(made)


def _chosen(generator: TracedGenerator, given: Mapping[str, Value]) -> Value:
    """`choice(a, size)` with repetitions, all as likely: items at places that are drawn as NumPy draws them."""
    a, size = given.get("a"), given.get("size")
    others = {name: value for name, value in given.items() if value is not None and name not in ("a", "size")}
    kind = generator.generator_kind
    if size is None or kind.bits is None or not all(_PLAIN_CHOICE.get(name) is value for name, value in others.items()):
        return None
    if not kind.is_legacy and not bounded_ints.shuffles_as_known():
        return None
    count: Value = a
    if isinstance(a, TracedArray) and a.ndim == 1:
        (count,) = a.abstract.shape
    if type(count) is not int or count <= 0:
        return None
    method = "randint" if kind.is_legacy else "integers"
    places = _drawn(generator, method, {"low": 0, "high": count, "size": size})
    return places if count is a else registry.FUNCTIONS[np.take](a, places)


def _shape_of_out(method: str, given: Mapping[str, Value], out: Value) -> tuple[int, ...]:
    if not isinstance(out, TracedArray) or given.get("size", out.shape) not in (None, out.shape):
        draws.refuse(method, "out= is not an array of the size that is asked for")
    return out.shape


def _shuffled(generator: TracedGenerator, given: Mapping[str, Value]) -> None:
    """`shuffle(x)`, of an array."""
    x = given["x"]
    if not isinstance(x, TracedArray):
        draws.refuse("shuffle", f"it changes a {type(x).__name__}; shuffle an array")
    made = None if given.get("axis") else bounded_ints.shuffled(generator, x.atom)
    x.set(_call(generator, "shuffle", given, is_in_place=True).atom if made is None else made)


def _call(generator: TracedGenerator, method: str, given: Mapping[str, Value], is_in_place: bool = False) -> Value:
    operands = draws.Operands()
    arguments = {n: v if n in STATIC or v is None else operands.argument(v) for n, v in given.items()}
    first = (arguments.pop("x"),) if is_in_place else ()
    call = DrawCall(method, first, tuple(arguments.items()), is_in_place)
    run_time = any(isinstance(a, Operand) and core.traced_inside(given[n]) for n, a in arguments.items())
    out = _type(generator, call, given, run_time, operands)
    may_fail = run_time or is_in_place or draws.is_large(given.get("size"))
    wrong = numbers.out_of_bounds(generator, method, given) if may_fail and not is_in_place else None
    return draws.draw(generator, call, operands.atoms, out, may_fail and wrong is None, wrong)


def _type(
    generator: TracedGenerator, call: DrawCall, given: Mapping[str, Value], run_time: bool, operands: draws.Operands
) -> Abstract | None:
    """The type of a call's result, found by a call with the arguments that are known, else with others like them."""
    types = [atom.type for atom in operands.atoms]
    if call.is_in_place:
        return Abstract(types[0].shape, types[0].dtype, Kind.ARRAY)
    size: Any = given.get("size")
    large = draws.is_large(size)
    arrays = [np.zeros(t.shape, t.dtype) for t in types]
    kwargs = dict(call.kwargs)
    if run_time:
        for name, argument in call.kwargs:
            if name not in STATIC and argument is not None:
                value = argument.of(arrays) if isinstance(argument, Operand) else argument
                if isinstance(argument, Operand) or call.method != "choice":
                    kwargs[name] = example(call.method, name, value, given)
    else:
        arrays = [a.value if isinstance(a, Literal) else np.zeros(a.type.shape, a.type.dtype) for a in operands.atoms]
    if large:
        kwargs["size"] = (1,) * len(size)
    found = draws.trial(generator, dataclasses.replace(call, kwargs=tuple(kwargs.items())), arrays)
    type = draws.type_of(call.method, found)
    if type is None or not large:
        return type
    return dataclasses.replace(type, shape=(*size, *type.shape[len(size) :]))


def method(generator: TracedGenerator, name: str) -> Method:
    """A method of a generator; raises AttributeError where NumPy has none of this name."""
    cls = generator.generator_kind.cls
    if not hasattr(cls, name):
        raise AttributeError(f"'{cls.__module__}.{cls.__qualname__}' object has no attribute '{name}'")
    if not callable(getattr(cls, name)):
        draws.refuse(name, "it is another object that shares the state")
    return Method(generator, name)


def install() -> None:
    """Serve traced generators of NumPy's classes from here."""
    registry.GENERATOR_METHODS.update(dict.fromkeys(("Generator", "RandomState"), method))
