"""Generators that a traced function makes of a seed."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.generator_state import GeneratorKind
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import core
from anabranch.runtime.numpy.random import draws, seeds
from anabranch.runtime.ops.random_draws import Operand, random_seed
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import raised
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer

# Functions of `numpy.random`, and the methods that they call.
_HIDDEN = {
    "seed": "seed",
    "get_state": "get_state",
    "set_state": "set_state",
    "ranf": "random_sample",
    "sample": "random_sample",
}
_BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def constructor(original: Any) -> Callable[..., Any] | None:
    """The staged form of what makes one of NumPy's generators; None for anything else."""
    if "numpy.random" not in sys.modules or not str(getattr(original, "__module__", "")).startswith("numpy"):
        return None
    if original is np.random.default_rng:
        return functools.partial(_call, original, _default_rng)
    if original is np.random.RandomState:
        return functools.partial(_call, original, _random_state)
    if original is np.random.Generator:
        return functools.partial(_call, original, _generator)
    if getattr(original, "__name__", "") in _HIDDEN and original is getattr(np.random, original.__name__):
        return functools.partial(_call, original, functools.partial(_hidden, original.__name__))
    if getattr(original, "__name__", "") in _BITS and original is getattr(np.random, original.__name__):
        return functools.partial(_call, original, functools.partial(_bits, original))
    return None


def _hidden(name: str, *args: Value, **kwargs: Value) -> Value:
    """A function of `numpy.random` that is no method of its hidden generator, but calls one."""
    hidden = current().trace.outside.capture(np.random.mtrand._rand)
    return getattr(hidden, _HIDDEN[name])(*args, **kwargs)


def _call(original: Callable[..., object], staged: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
    return staged(*args, **kwargs) if tracing() else original(*args, **kwargs)


def _default_rng(seed: Value = None) -> Value:
    """As `numpy.random.default_rng`."""
    if isinstance(seed, TracedGenerator):
        return seed if seed.generator_kind.cls is np.random.Generator else _generator(seed)
    if isinstance(seed, (np.random.Generator, np.random.BitGenerator)):
        return seed if isinstance(seed, np.random.Generator) else _generator(seed)
    return seeded(GeneratorKind(np.random.Generator, np.random.PCG64), "default_rng", seed)


def _random_state(seed: Value = None) -> Value:
    """As `numpy.random.RandomState`."""
    return seeded(GeneratorKind(np.random.RandomState, np.random.MT19937), "RandomState", seed)


def _bits(cls: Any, seed: Value = None) -> Value:
    """As a class of bit generators."""
    return seeded(GeneratorKind(cls, cls), cls.__name__, seed)


def _generator(bit_generator: Value) -> TracedGenerator:
    """As `numpy.random.Generator`: it shares the state of its bit generator."""
    if not isinstance(bit_generator, TracedGenerator) or bit_generator.generator_kind.cls is np.random.RandomState:
        raise UnsupportedOperationError(
            "Generator() of a bit generator from outside is not supported in compiled code; make the generator "
            "outside, or write default_rng(seed)"
        )
    kind = bit_generator.generator_kind
    return TracedGenerator(GeneratorKind(np.random.Generator, kind.bits), bit_generator.state_words)


def seeded(kind: GeneratorKind, name: str, seed: Value = None) -> TracedGenerator:
    """A new generator."""
    if seed is None:
        raise UnsupportedOperationError(
            f"{name}() without a seed returns new numbers at each call, but compiled code takes none from the "
            "operating system; make the generator outside and pass it as an argument, or pass a seed"
        )
    if isinstance(seed, Tracer) and seeds.is_made(kind, seed):
        seeds.fail_if_refused(kind, wrap.as_atom(seed))
        words: Atom = seeds.words_of(kind, wrap.as_atom(seed))
    elif core.traced_inside(seed):
        operands = draws.Operands()
        argument: Operand = operands.argument(seed)
        is_checked = _is_checked(kind, operands.atoms[0])
        words, ticket = current().bind(
            random_seed, *operands.atoms, kind=kind, argument=argument, is_checked=is_checked
        )
        if not is_checked:
            draws.fail_by_ticket(ticket)
    else:
        words = Literal(core.frozen(kind.read(kind.seeded(seed))))
    return TracedGenerator(kind, wrap.array_of(words))


def _is_checked(kind: GeneratorKind, seed: Atom) -> bool:
    """Fail at run time where a seed is negative; return whether no other seed of its type is refused."""
    if kind.algorithm != "PCG64" or seed.type.shape or seed.type.dtype.kind not in "iu":
        return False
    zero = atoms.literal(0, seed.type.dtype)
    run_time_checks.fail_if(atoms.ufunc(np.less, seed, zero), raised(kind.seeded, -1))
    return True
