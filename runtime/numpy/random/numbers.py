"""Numbers, single or in arrays: computed in the Program, bit for bit as NumPy and Python compute them.

A call of the host takes microseconds; but it is one equation. Arrays are drawn in a loop, where that is machine code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.host.generator_state import GeneratorKind
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.host.numpy_c_functions import SAMPLERS, Bound
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy.random import bits, bounded_ints, draws, gaussians
from anabranch.runtime.numpy.random.bits import Bits, State
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer

# From a generator, arguments and the shape of an array to a number or that array; None where the host is called.
Rule: TypeAlias = Callable[[TracedGenerator, Mapping[str, Value], "Shape | None"], Value]
Shape: TypeAlias = tuple[int, ...]
# From the state of a generator's bits to the next one, and a number.
Sample: TypeAlias = Callable[[Any, State], tuple[State, Atom]]

_FEW = 256  # equations, among which it makes no difference how many a number takes
_FLOAT = Abstract((), np.dtype(np.float64), Kind.PYTHON)


def number(generator: TracedGenerator, method: str, given: Mapping[str, Value]) -> Value:
    """The result of a method for these arguments; None where the host is called."""
    kind = generator.generator_kind
    rule = (_PYTHON_RULES if kind.bits is None else _OLD_RULES if kind.is_legacy else _RULES).get(method)
    if rule is None or not _is_worth_it() or bits.bits_of(kind) is None:
        return None
    passed = {name: value for name, value in given.items() if value is not None and name != "size"}
    shape: Shape | None = given.get("size") if kind.bits is not None else None
    if shape is not None and not _may_loop(kind, method, passed, shape):
        return None
    return rule(generator, passed, shape)


def _may_loop(kind: GeneratorKind, method: str, given: Mapping[str, Value], shape: Shape) -> bool:
    """Return whether an array is drawn in a loop: in machine code, which has no form of its own for such a draw."""
    if NativeOptions.in_force() is None or not math.prod(shape):
        return False
    return kind.is_legacy or (method == "integers" and any(isinstance(value, Tracer) for value in given.values()))


def _is_worth_it() -> bool:
    """Return whether a number is to be computed in the Program: where it is drawn often, or among few equations."""
    builder = current()
    return builder.in_loop or len(builder.equations) < _FEW


def _sampled(generator: TracedGenerator, sample: Sample, shape: Shape | None) -> Atom:
    """Draw a number, or an array of them; the generator is left in the state after it."""
    algorithm = bits.bits_of(generator.generator_kind)
    assert algorithm is not None
    source = algorithm(draws.is_off(generator))

    def step(_: object, carries: Sequence[Atom], __: object) -> tuple[list[Atom], list[Atom]]:
        (words,) = carries
        state, drawn = sample(source, source.loaded(words))
        return [source.stored(words, state)], [drawn]

    before = generator.state_words.atom
    if shape is None:
        (after,), (found,) = step(0, [before], ())
    else:
        count = math.prod(shape)
        after, rows = counted(atoms.literal(count, np.int64), count, step, [before])
        found = atoms.reshape(rows, shape)
    generator.state_words.overwrite(after)
    return found


def _apply(function: np.ufunc, *operands: Atom) -> Atom:
    """A ufunc of numbers and of what is drawn."""
    shape = np.broadcast_shapes(*[operand.type.shape for operand in operands])
    return atoms.ufunc(function, *[atoms.broadcast_to(operand, shape) for operand in operands])


def _result(drawn: Atom) -> Value:
    """A number, or an array of them."""
    return wrap.array_of(drawn) if drawn.type.shape else wrap.from_abstract(_FLOAT, drawn)


def _random(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
    """As `random()`."""
    if given:
        return None
    return _result(_sampled(generator, lambda source, state: source.double(state), shape))


def _uniform(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
    """As `uniform(low, high)`, of numbers."""
    if gaussians.has_fused_sums():
        return None
    bounds = {"low": 0.0, "high": 1.0, **given} if generator.generator_kind.bits is not None else given
    if len(bounds) != 2 or not all(map(_is_number, bounds.values())):
        return None
    low, high = (wrap.as_atom(v, np.float64) for v in bounds.values())
    width = atoms.ufunc(np.subtract, high, low)
    wrong: Atom = atoms.literal(False)
    if generator.generator_kind.bits is not None:
        wrong = atoms.logical_not(atoms.ufunc(np.isfinite, width))
        if not generator.generator_kind.is_legacy:
            wrong = atoms.logical_or(wrong, atoms.ufunc(np.signbit, width))
    if not _checked(generator, "uniform", wrong, {"low": low, "high": high}):
        return None

    def sample(source: Bits, state: State) -> tuple[State, Atom]:
        source.off = atoms.logical_or(source.off, wrong)
        return source.double(state)

    scaled = _apply(np.multiply, width, _sampled(generator, sample, shape))
    return _result(_apply(np.add, low, scaled))


def _normal(method: str, names: Sequence[str], sample: Sample) -> Rule:
    """The rule of a method of the older generators: of a mean and a standard deviation, if these are its parameters."""

    def rule(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
        values = {**dict(zip(names, (0.0, 1.0), strict=False)), **given}
        if values.keys() != set(names) or not all(map(_is_number, values.values())) or gaussians.has_fused_sums():
            return None
        found = {name: wrap.as_atom(values[name], np.float64) for name in names}
        wrong: Atom = atoms.literal(False)
        if names and generator.generator_kind.is_legacy:
            wrong = _is_beyond(found[names[1]], Bound.NOT_NEGATIVE)
        if not _checked(generator, method, wrong, found):
            return None
        drawn = _sampled(generator, _unless(wrong, sample), shape)
        if names:
            mean, deviation = found.values()
            drawn = _apply(np.add, mean, _apply(np.multiply, drawn, deviation))
        return _result(drawn)

    return rule


def _exponential(method: str, name: str, function: np.ufunc, default: float | None) -> Rule:
    """The rule of a method of the older generators for exponential numbers: times a scale, or divided by a rate."""

    def rule(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
        factor = given.get(name, default) if name else 1.0
        if not given.keys() <= {name} or not _is_number(factor) or gaussians.has_fused_sums():
            return None
        found = wrap.as_atom(factor, np.float64)
        is_rate = function is np.true_divide
        wrong = atoms.ufunc(np.equal, found, atoms.literal(0.0)) if is_rate else _is_beyond(found, Bound.NOT_NEGATIVE)
        if isinstance(wrong, Literal) and wrong.value:
            return None
        if is_rate:  # the quotient fails after the number was drawn
            drawn = _sampled(generator, gaussians.exponential, shape)
        if not _checked(generator, method, wrong, {name: found}):
            return None
        if not is_rate:
            drawn = _sampled(generator, _unless(wrong, gaussians.exponential), shape)
        return _result(_apply(function, drawn, found))

    return rule


def _unless(wrong: Atom, sample: Sample) -> Sample:
    """A draw that is off where arguments are wrong."""

    def run(source: Any, state: State) -> tuple[State, Atom]:
        source.off = atoms.logical_or(source.off, wrong)
        return sample(source, state)

    return run


def _integers(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
    """As `integers(low, high)`, of ints."""
    if not given.keys() <= {"low", "high", "endpoint"}:
        return None
    ends = {name: value for name, value in given.items() if name != "endpoint"}
    is_closed = bool(given.get("endpoint", False))
    return _between(generator, "integers", ends, is_closed, bounded_ints.multiplied, shape)


def _randint(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
    """As `RandomState.randint(low, high)`, of ints."""
    if not given.keys() <= {"low", "high"}:
        return None
    return _between(generator, "randint", given, False, bounded_ints.masked, shape)


def _python(method: str, is_closed: bool = False) -> Rule:
    """The rule of a method of Python's generator, which takes one bound or two."""

    def rule(generator: TracedGenerator, given: Mapping[str, Value], shape: Shape | None) -> Value:
        fits = len(given) == 2 or not is_closed
        return _between(generator, method, given, is_closed, bounded_ints.leading, shape) if fits else None

    return rule


def _between(
    generator: TracedGenerator,
    method: str,
    given: Mapping[str, Value],
    is_closed: bool,
    bounded: Callable[[Bits, State, Atom], tuple[State, Atom]],
    shape: Shape | None,
) -> Value:
    """An int between two bounds, or below one."""
    if not 1 <= len(given) <= 2 or not all(map(_is_int, given.values())):
        return None
    ends = {name: wrap.as_atom(end, np.int64) for name, end in given.items()}
    low, high = (atoms.literal(0, np.int64), *ends.values())[-2:]
    is_empty = atoms.ufunc(np.greater if is_closed else np.greater_equal, low, high)
    # Python's own methods have seen that it is not asked for one of no numbers, for which it would draw without end.
    may_fail = method != "_randbelow" or isinstance(is_empty, Literal)
    if may_fail and not _checked(generator, method, is_empty, ends, endpoint=is_closed):
        return None
    most = high if is_closed else atoms.ufunc(np.subtract, high, atoms.literal(1, np.int64))
    first = atoms.convert(low, np.uint64)
    distance = bits.subtract(atoms.convert(most, np.uint64), first)
    # Nothing is drawn where the number is known, but by Python's generator.
    is_python = bounded is bounded_ints.leading
    is_known = is_empty if is_python else atoms.logical_or(is_empty, bits.equal(distance, 0))

    def sample(source: Bits, state: State) -> tuple[State, Atom]:
        source.off = atoms.logical_or(source.off, is_known)
        return bounded(source, state, distance)

    found = atoms.convert(_apply(np.add, first, _sampled(generator, sample, shape)), np.int64)
    if shape is not None:
        return wrap.array_of(found)
    if method == "integers":
        return wrap.numpy_result(found)
    if isinstance(low, Literal) and isinstance(most, Literal):
        return wrap.python_number(found, Interval(int(low.value), int(most.value)))
    return wrap.python_number(found)


@frozen
class RaisedAgain:
    """Makes the exception that a method raises for arguments that are known only at run time."""

    kind: GeneratorKind
    method: str
    names: tuple[str, ...]
    known: tuple[tuple[str, Any], ...]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        given = dict(zip(self.names, [value.item() for value in found], strict=False))
        try:
            getattr(self.kind.scratch(), self.method)(**given, **dict(self.known))
        except Exception as error:
            return error.with_traceback(None)
        return ValueError()


def _checked(generator: TracedGenerator, method: str, wrong: Atom, given: Mapping[str, Atom], **known: object) -> bool:
    """Fail at run time where arguments are wrong; return False where they surely are."""
    if isinstance(wrong, Literal):
        return not wrong.value
    options = tuple(known.items()) if method == "integers" else ()
    make = RaisedAgain(generator.generator_kind, method, tuple(given), options)
    run_time_checks.record_failure(wrong, make, None, run_time_checks.user_frames(), tuple(given.values()))
    return True


def out_of_bounds(generator: TracedGenerator, method: str, given: Mapping[str, Value]) -> Atom | None:
    """Fail where NumPy refuses the numbers that a method is given; return whether it does, None where unknown."""
    given = {name: value for name, value in given.items() if name != "size"}
    sampler = SAMPLERS.get(method)
    kind = generator.generator_kind
    if sampler is None or kind.is_legacy or kind.bits is None or not _is_worth_it():
        return None
    values = {name: given.get(name, default) for name, default, _ in sampler.parameters}
    counts = {name for name, _, bound in sampler.parameters if bound is Bound.COUNT}
    if not given.keys() <= values.keys():
        return None
    if not all(_is_int(value) if name in counts else _is_number(value) for name, value in values.items()):
        return None
    found = {name: wrap.as_atom(value, np.int64 if name in counts else np.float64) for name, value in values.items()}
    wrong: Atom = atoms.literal(False)
    for name, _, bound in sampler.parameters:
        wrong = atoms.logical_or(wrong, _is_beyond(found[name], bound))
    return wrong if _checked(generator, method, wrong, found) else None


# Beyond it NumPy draws no number of Poisson's distribution.
_MOST_POISSON = float(np.iinfo(np.int64).max - np.sqrt(np.iinfo(np.int64).max) * 10)


def _is_beyond(value: Atom, bound: Bound) -> Atom:
    """Return whether NumPy refuses a number."""

    def has(function: np.ufunc, other: float) -> Atom:
        return atoms.ufunc(function, value, atoms.literal(other, np.float64))

    match bound:
        case Bound.NOT_NEGATIVE:
            return atoms.logical_and(atoms.ufunc(np.signbit, value), atoms.logical_not(atoms.ufunc(np.isnan, value)))
        case Bound.POSITIVE:
            return has(np.less_equal, 0.0)
        case Bound.POISSON:
            return atoms.logical_not(atoms.logical_and(has(np.greater_equal, 0.0), has(np.less_equal, _MOST_POISSON)))
        case Bound.COUNT:
            return atoms.ufunc(np.less, value, atoms.literal(0, np.int64))
        case Bound.FRACTION:
            return atoms.logical_not(atoms.logical_and(has(np.greater_equal, 0.0), has(np.less_equal, 1.0)))
        case Bound.PROBABILITY:
            return atoms.logical_not(atoms.logical_and(has(np.greater, 0.0), has(np.less_equal, 1.0)))
    return atoms.literal(False)


def _is_number(value: Value) -> bool:
    kind = value.abstract if isinstance(value, Tracer) and not wrap.is_dynamic_array(value) else abstract_of(value)
    if kind is None or kind.shape or kind.kind is Kind.ARRAY:
        return False
    # Larger ints are not floats.
    return kind.dtype == np.float64 or (type(value) is int and abs(value) <= 2**53)


def _is_int(value: Value) -> bool:
    kind = value.abstract if isinstance(value, Tracer) and not wrap.is_dynamic_array(value) else abstract_of(value)
    return kind is not None and kind.kind is not Kind.ARRAY and kind.dtype == np.int64


_PYTHON_RULES: Mapping[str, Rule] = {
    "_randbelow": _python("_randbelow"),
    "expovariate": _exponential("expovariate", "lambd", np.true_divide, None),
    "gauss": _normal("gauss", ("mu", "sigma"), gaussians.circular),
    "normalvariate": _normal("normalvariate", ("mu", "sigma"), gaussians.ratio),
    "randint": _python("randint", is_closed=True),
    "random": _random,
    "randrange": _python("randrange"),
    "uniform": _uniform,
}
_RULES: Mapping[str, Rule] = {
    "integers": _integers,
    "random": _random,
    "uniform": _uniform,
}
_OLD_RULES: Mapping[str, Rule] = {
    "exponential": _exponential("exponential", "scale", np.multiply, 1.0),
    "normal": _normal("normal", ("loc", "scale"), gaussians.polar),
    "randint": _randint,
    "random": _random,
    "random_sample": _random,
    "standard_exponential": _exponential("standard_exponential", "", np.multiply, None),
    "standard_normal": _normal("standard_normal", (), gaussians.polar),
    "uniform": _uniform,
}
