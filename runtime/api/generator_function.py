"""`GeneratorFunction`: a jitted generator function, whose code between two yields is compiled."""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from anabranch import transpile
from anabranch.base.frozen import frozen
from anabranch.runtime.api import eager_fallback
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.memory_cache import CacheInfo
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.api.stages import Traced
from anabranch.runtime.control.iteration import generator_steps as helpers
from anabranch.runtime.errors import DonationError, SourceError, StaticArgumentError
from anabranch.runtime.frontend.function_info import plain_function
from anabranch.runtime.tracing.builder import tracing

HELPERS = transpile.StepHelpers(
    helpers.deliver, helpers.delegate, helpers.sequence, helpers.bounds, operator.index, len
)
if TYPE_CHECKING:
    from anabranch.runtime.api.inspection.inspection import Inspection
    from anabranch.runtime.api.inspection.profile import Profile

P = ParamSpec("P")
R = TypeVar("R")


@frozen
class _CompiledStep:
    """A step: compiled, with the names of the values that it takes, as far as these are arguments of the generator."""

    run: Wrapped[..., Any]
    given: tuple[str, ...]
    told: int
    kind: transpile.Resumed


class GeneratorFunction(Wrapped[P, R]):
    """A generator function whose code from one yield to the next is compiled.

    A call returns a generator of Python's. Asked for an item it runs compiled code up to the next yield, so that what
    it changes is changed then, as in the plain function. The stages and `explain` show the first step: from the call to
    the first yield. In another compiled function the generator is traced with the loop that goes over it.
    """

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        super().__init__(function, options)
        if options.donated:
            raise DonationError("arguments of a jitted generator are needed at each item and cannot be donated")
        if any(isinstance(one, int) for one in options.static):
            raise StaticArgumentError("static arguments of a jitted generator are parameters with a name")
        # By the user's function: a generator that yields from itself is compiled once.
        self._delegates: dict[object, Callable[..., Any]] = {} if options.static else {function: self}

    @functools.cached_property
    def _steps(self) -> tuple[_CompiledStep, ...]:
        """The steps, by the number of the yield behind which each begins."""
        options, made = self.__anabranch_options__, []
        for step in transpile.steps_of_generator(plain_function(self.__anabranch_function__), HELPERS):
            given = step.parameters[step.told : len(step.parameters) - len(step.gives)]
            static = options.static.intersection(given)
            if step.kind is transpile.Resumed.ITEM:
                static |= {step.parameters[1]}
            its = JitOptions(static, options.settings, frozenset(), options.compiler_flags, options.show_graph)
            made.append(_CompiledStep(Wrapped(step.function, its), given, step.told, step.kind))
        return tuple(made)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the generator; nothing of the function has run."""
        if tracing():
            return super().__call__(*args, **kwargs)
        # Python binds the arguments, and says what is wrong with them.
        plain: Any = self.__anabranch_function__(*args, **kwargs)
        if self.__anabranch_options__.in_force().disable_jit:
            return plain  # type: ignore[no-any-return]
        try:
            steps = self._steps
        except SourceError as error:
            if not self._runs_refused(args, kwargs):
                raise
            eager_fallback.tell_of_refusal(self, error)
            return plain  # type: ignore[no-any-return]
        made: Any = self._generate(steps, helpers.arguments_of(plain))
        made.__name__, made.__qualname__ = plain.__name__, plain.__qualname__
        return made  # type: ignore[no-any-return]

    def _generate(self, steps: tuple[_CompiledStep, ...], arguments: Mapping[str, Any]) -> Generator[Any, Any, Any]:
        iterators: dict[int, Iterator[Any]] = {}
        number, value, names = steps[0].run(*[arguments[n] for n in steps[0].given])
        while number:
            step = steps[number]
            told: tuple[Any, ...]
            match step.kind:
                case transpile.Resumed.YIELD:
                    told = ((yield value),)
                case transpile.Resumed.YIELD_FROM:
                    told = ((yield from self._iterator(*value)),)
                case transpile.Resumed.ITERATOR:
                    iterators[number + 1] = iter(self._iterator(*value))
                    told = ()
                case transpile.Resumed.ITEM:
                    told = _asked(iterators[number])
            # Of nothing that the user may let go of while the generator waits is there a name here.
            value = None
            given = [arguments[n] for n in step.given]
            number, value, names = step.run(*told[: step.told], *given, *names)
            del told, given
        return value

    def _iterator(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The iterable of a `yield from`; a generator of the user's is compiled with the same settings."""
        if function is None:
            return args[0]
        if not isinstance(function, types.FunctionType):
            return function(*args, **kwargs)
        made = self._delegates.get(function)
        if made is None:
            compiled = GeneratorFunction(function, JitOptions(settings=self.__anabranch_options__.settings))
            compiled._delegates = self._delegates
            made = self._delegates[function] = compiled
        return made(*args, **kwargs)

    # ---- stages ----------------------------------------------------------------------------------------------------

    def _first(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> tuple[Wrapped[..., Any], tuple[Any, ...]]:
        plain: Any = self.__anabranch_function__
        first, arguments = self._steps[0], helpers.arguments_of(plain(*args, **kwargs))
        return first.run, tuple(arguments[n] for n in first.given)

    def trace(self, /, *args: object, **kwargs: object) -> Traced:
        """Trace the first step on these arguments."""
        first, values = self._first(args, kwargs)
        return first.trace(*values)

    def eval_shape(self, /, *args: object, **kwargs: object) -> Any:
        """Return what is known of the result of the first step: the number of the yield, the item, what is kept."""
        first, values = self._first(args, kwargs)
        return first.eval_shape(*values)

    def explain(self, /, *args: object, **kwargs: object) -> Explanation:
        """Return what becomes of the first step on these arguments, and why."""
        first, values = self._first(args, kwargs)
        return first.explain(*values)

    def inspect(self, /, *args: object, **kwargs: object) -> Inspection:
        """Return what becomes of each line of the first step on these arguments."""
        first, values = self._first(args, kwargs)
        return first.inspect(*values)

    def profile(self, /, *args: object, seconds: float = 1.0, **kwargs: object) -> Profile:
        """Return how long each line of the first step takes on these arguments."""
        first, values = self._first(args, kwargs)
        return first.profile(*values, seconds=seconds)

    def source(self, /, *args: object, **kwargs: object) -> str:
        """The rewritten source of all steps; of the first one alone with arguments."""
        if args or kwargs:
            first, values = self._first(args, kwargs)
            return first.source(*values)
        return "\n\n".join(step.run.source() for step in self._steps)

    def clear_cache(self) -> None:
        """Forget all executables."""
        for step in self._steps:
            step.run.clear_cache()

    def cache_info(self) -> CacheInfo:
        """How many steps found an executable, how many did not, how many there may be, and how many there are."""
        each = [step.run.cache_info() for step in self._steps]
        return CacheInfo(*map(sum, zip(*each, strict=True)))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """A method of an instance, which is its first argument."""
        return self if instance is None else types.MethodType(self, instance)


def _asked(iterator: Iterator[Any]) -> tuple[Any, bool]:
    """The next item of an iterator, and whether there is none."""
    for item in iterator:
        return item, False
    return None, True
