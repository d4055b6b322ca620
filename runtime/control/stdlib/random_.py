"""`random`: the functions of the module, generators of its class `Random`, and the way to the caller's generators."""

from __future__ import annotations

import dataclasses
import functools
import random
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib import random_source as source, sized_draws
from anabranch.runtime.control.stdlib.builtin_iterators import len_
from anabranch.runtime.control.subscript import at
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.generator_state import GeneratorKind, is_generator, kind_of
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.numpy import core
from anabranch.runtime.numpy.random import draws, seeds
from anabranch.runtime.numpy.random.constructors import seeded
from anabranch.runtime.numpy.random.methods import Method
from anabranch.runtime.numpy.random.numbers import number
from anabranch.runtime.ops.random_draws import DrawCall, Operand, Positions
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import standard
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_types.text_arrays import TracedTexts
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer

# The methods that return numbers, and arguments that they take.
_NUMBERS: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(["betavariate", "gammavariate", "gauss", "lognormvariate", "normalvariate"], (1, 1)),
    **dict.fromkeys(["uniform", "vonmisesvariate", "weibullvariate"], (1, 1)),
    **dict.fromkeys(["expovariate", "getrandbits", "paretovariate", "_randbelow", "seed"], (1,)),
    "randint": (0, 1),
    "random": (),
    "randrange": (0, 1, 1),
    "triangular": (0, 1, 0.5),
}
# The parameters of those that are computed in the Program.
_ENDS = {
    **dict.fromkeys(("gauss", "normalvariate"), ("mu", "sigma")),
    **dict.fromkeys(("randint", "uniform"), ("a", "b")),
    "expovariate": ("lambd",),
    "randrange": ("start", "stop"),
}
_MOST_BITS = 63


def counterpart(function: Any) -> Callable[..., Any] | None:
    """The staged form of a method of the caller's generator, and of the class of Python's; None for anything else."""
    if not tracing():
        return None
    if function is random.Random:
        return functools.partial(seeded, GeneratorKind(random.Random, None), "Random")
    if isinstance(function, Method):
        return _of_lists(function)
    owner = getattr(function, "__self__", None)
    if owner is None or kind_of(owner) is None:
        _refuse_others(function, owner)
        return None
    return _of_lists(getattr(current().trace.outside.capture(owner), function.__name__))


def _of_lists(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a generator, which takes lists if it is one of NumPy's that shuffles, and texts if it chooses."""
    if isinstance(method, Method) and method.__name__ == "shuffle":
        return functools.partial(_shuffled_as_places, method)
    if isinstance(method, Method) and method.__name__ == "permutation":
        return functools.partial(_permuted, method)
    if isinstance(method, Method) and method.__name__ == "choice":
        return functools.partial(_chosen_text, method)
    return method


def _chosen_text(method: Method, a: Value, *args: Value, **kwargs: Value) -> Value:
    """`choice` of NumPy's: for one of several texts it draws what it draws for a place among them."""
    if isinstance(a, TracedTexts) and a.ndim == 1:
        return a[method(a.size, *args, **kwargs)]
    one = args in ((), (None,)) and kwargs.get("size") is None and kwargs.get("axis", 0) == 0
    texts = list(a) if isinstance(a, (list, tuple)) and not is_dynamic_list(a) else []
    if not (one and texts and all(type(text) in (str, np.str_) for text in texts)):
        return method(a, *args, **kwargs)
    return at(list(np.array(texts)))[method(len(texts), **kwargs)]


def _permuted(method: Method, x: Value, *args: Value, **kwargs: Value) -> Value:
    """`permutation` of NumPy's, which draws for a line of texts what it draws for their places."""
    if isinstance(x, TracedTexts) and x.ndim == 1:
        return x[method(x.size, *args, **kwargs)]
    return method(x, *args, **kwargs)


def _shuffled_as_places(method: Method, x: Value, *args: Value, **kwargs: Value) -> Value:
    """`shuffle` of NumPy's, which draws for a list, or texts, what it draws for an array as long."""
    of_texts = isinstance(x, TracedTexts) and x.ndim == 1 and type(x.size) is int
    if not (of_texts or isinstance(x, list)) or args or kwargs:
        return method(x, *args, **kwargs)
    places = wrap.array_of(atoms.literal(np.arange(x.size if of_texts else _count("shuffle", x)), np.int64))
    method(places)
    if of_texts:
        x[...] = x[places]
        return None
    _put_in_order(x, [places[i] for i in range(places.shape[0])])
    return None


def _refuse_others(function: Any, owner: object) -> None:
    """Refuse a method of a generator of which no state is known, unless it is the user's own, which is rewritten."""
    own = isinstance(getattr(function, "__func__", None), types.FunctionType)
    if is_generator(owner) and not (own and not standard(function.__code__.co_filename)):
        raise UnsupportedOperationError(
            f"{type(owner).__name__}.{function.__name__}() would give the same number at each call of the compiled "
            "function; draw from a random.Random, a numpy.random.Generator or a RandomState, or from a key with "
            "anabranch.random"
        )


class PythonMethod:
    """A method of a traced generator of Python's."""

    def __init__(self, generator: TracedGenerator, name: str) -> None:
        self.generator, self.__name__ = generator, name

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        special = _SPECIAL.get(self.__name__)
        if special is not None:
            return special(self.generator, *args, **kwargs)
        if self.__name__ not in _NUMBERS:
            draws.refuse(self.__name__, "it shows or sets more than numbers that are drawn")
        if self.__name__ == "seed" and (args or tuple(kwargs.values()))[:1] in ((), (None,)):
            draws.refuse("seed", "without a seed it takes one from the operating system")
        if self.__name__ == "seed" and seeds.seed(self.generator, args, kwargs):
            return None
        if self.__name__ == "getrandbits" and type(args[0]) is int and args[0] > _MOST_BITS:
            draws.refuse("getrandbits", f"ints are int64, and {args[0]} bits are more")
        names = _ENDS.get(self.__name__, ())
        single = None
        if len(args) <= len(names) and not kwargs:
            single = number(self.generator, self.__name__, dict(zip(names, args, strict=False)))
        return _number(self.generator, self.__name__, args, kwargs) if single is None else single


def _number(generator: TracedGenerator, method: str, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> Value:
    """The number that a method returns."""
    operands = draws.Operands()
    call = DrawCall(
        method, tuple(map(operands.argument, args)), tuple((n, operands.argument(v)) for n, v in kwargs.items())
    )
    tried = call
    if operands.atoms:
        examples = (1,) if method == "randrange" and len(args) == 1 else _NUMBERS[method]
        zeros = [np.zeros(atom.type.shape, atom.type.dtype) for atom in operands.atoms]
        like = [type(a.of(zeros) if isinstance(a, Operand) else a) for a in call.args]
        tried = dataclasses.replace(call, args=tuple(cls(x) for cls, x in zip(like, examples, strict=False)), kwargs=())
    try:
        out = draws.type_of(method, draws.trial(generator, tried, ()))
    except Exception:
        draws.draw(generator, call, operands.atoms, None, may_fail=False)  # it may have drawn before it failed
        raise
    return draws.draw(generator, call, operands.atoms, out, may_fail=bool(operands.atoms))


def _below(generator: TracedGenerator, count: Value) -> Value:
    """A place among so many items."""
    single = number(generator, "_randbelow", {"n": count})
    if single is not None:
        return single
    place = _number(generator, "_randbelow", (count,), {})
    return wrap.python_number(place.atom, Interval(0, count - 1)) if type(count) is int else place


def _choice(generator: TracedGenerator, seq: Value) -> Value:
    count = len_(seq)
    empty = wrap.as_atom(count == 0, np.bool_)
    run_time_checks.fail_if(empty, run_time_checks.IntMessage(IndexError, "Cannot choose from an empty sequence"))
    return at(seq)[_below(generator, count)]


def _places(generator: TracedGenerator, call: DrawCall, operands: draws.Operands) -> list[Value]:
    """The places that a call draws, one by one."""
    arrays = [np.ones(atom.type.shape, atom.type.dtype) for atom in operands.atoms]
    found = np.asarray(draws.trial(generator, call, arrays), np.int64)
    places = draws.draw(generator, call, operands.atoms, draws.type_of(call.method, found), bool(operands.atoms))
    return [places[i] for i in range(len(found))]


def _count(method: str, items: Value) -> int:
    count = len_(items)
    if not isinstance(count, int) or isinstance(count, Tracer):
        draws.refuse(method, "the length of the list is known only at run time")
    return count


def _is_of_run_time(items: Value, k: Value = 0) -> bool:
    """Return whether a list has a length known only at run time, or so many of its items are wanted."""
    return isinstance(k, Tracer) or isinstance(len_(items), Tracer)


def _called(function: Callable[..., Any], *args: Value) -> Value:
    return current().trace.outside.called(function)(*args)


def _shuffle(generator: TracedGenerator, x: Value) -> None:
    if isinstance(x, list) and _is_of_run_time(x):
        _called(source.shuffle, lambda n, generator=generator: _below(generator, n), x)
        return
    count = _count("shuffle", x)
    order = _places(
        generator, DrawCall("shuffle", (Positions(count, is_list=True),), (), is_in_place=True), draws.Operands()
    )
    if isinstance(x, TracedArray) and len(x.shape) == 1:
        x.assign([x[place] for place in order])
    elif isinstance(x, list):
        _put_in_order(x, order)
    else:
        draws.refuse("shuffle", f"it changes a {type(x).__name__}; shuffle a list or an array of one dimension")


def _put_in_order(x: list[Value], order: list[Value]) -> None:
    items = at(list(x))
    x[:] = [items[place] for place in order]


def _sample(generator: TracedGenerator, population: Value, k: Value, *, counts: Value = None) -> list[Value]:
    if counts is not None or isinstance(population, (set, dict)):
        draws.refuse("sample", "it takes a sequence, and no counts")
    if _is_of_run_time(population, k):
        made: list[Value] = _called(source.sample, lambda n, generator=generator: _below(generator, n), population, k)
        return made
    call = DrawCall("sample", (Positions(_count("sample", population)), draws.known(k, "the size of a sample")))
    return _items(generator, call, population, draws.Operands())


def _choices(
    generator: TracedGenerator, population: Value, weights: Value = None, *, cum_weights: Value = None, k: Value = 1
) -> list[Value]:
    if weights is None and cum_weights is None and _is_of_run_time(population, k):
        made: list[Value] = _called(
            source.choices, lambda generator=generator: _number(generator, "random", (), {}), population, k
        )
        return made
    operands = draws.Operands()
    given = {"weights": weights, "cum_weights": cum_weights}
    kwargs = {n: operands.argument(v) if core.traced_inside(v) else v for n, v in given.items()}
    known = (("k", draws.known(k, "the number of choices")),)
    call = DrawCall("choices", (Positions(_count("choices", population)),), (*kwargs.items(), *known))
    return _items(generator, call, population, operands)


def _items(generator: TracedGenerator, call: DrawCall, population: Value, operands: draws.Operands) -> list[Value]:
    """The items of a sequence at the places that a call draws."""
    items = at(population)
    return [items[place] for place in _places(generator, call, operands)]


_SPECIAL: Mapping[str, Callable[..., Any]] = {
    "choice": _choice,
    "choices": _choices,
    "sample": _sample,
    "shuffle": _shuffle,
}


def _method(generator: TracedGenerator, name: str) -> PythonMethod:
    if not hasattr(random.Random, name):
        raise AttributeError(f"'Random' object has no attribute '{name}'")
    return PythonMethod(generator, name)


registry.GENERATOR_METHODS["Random"] = _method
registry.GENERATOR_METHODS.update(dict.fromkeys(("Generator", "RandomState"), sized_draws.method))
