"""`Wrapped`: a function that is compiled for each new signature of its arguments."""

from __future__ import annotations

import copy
import functools
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from anabranch.base.instance_cache import PerInstance
from anabranch.runtime.api.call_dispatch import Dispatched
from anabranch.runtime.api.eager_fallback import RefusedBeforeError
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.memory_cache import CacheInfo, ExecutableCache
from anabranch.runtime.api.notebook_html import of_function
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.call.execution import MISS, Execution, Recompile, run_until_it_fits
from anabranch.runtime.call.quick.entry import QuickCalls, Taker, are_possible
from anabranch.runtime.call.quick.translation import table_of
from anabranch.runtime.config import configure
from anabranch.runtime.control.call import resolve
from anabranch.runtime.errors import AnabranchError, SourceError
from anabranch.runtime.frontend.function_info import method_of
from anabranch.runtime.host.object_layout import call_as_method
from anabranch.runtime.signature.flatten_to_key import Leaves
from anabranch.runtime.tracing.builder import tracing

if TYPE_CHECKING:
    from anabranch.runtime.api.inspection.inspection import Inspection
    from anabranch.runtime.api.inspection.profile import Profile

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
Stage = TypeVar("Stage", bound=Callable[..., Any])

# So many calls of a function that took fast paths are worth machine code that takes them.
_OFTEN = 32


class Wrapped(Dispatched[P, R]):
    """A function that is compiled for each new signature of its arguments, as `jax.stages.Wrapped`.

    Raises
    ------
    UnsupportedConstructError
        When first called, where the source holds what cannot be rewritten; all of it is listed.
    UnsupportedValueError
        For an argument that is no array, scalar or pytree of these.
    StaticArgumentError
        For a static argument that is not hashable.

    Examples
    --------
    >>> from anabranch import jit
    >>> double = jit(lambda x: 2 * x)
    >>> double(4), double(1.5)
    (8, 3.0)
    >>> double.cache_info().misses
    2
    >>> double.__wrapped__("ab")
    'abab'
    """

    __anabranch_static__ = True  # as an argument of another one
    __name__: str
    __qualname__: str
    __wrapped__: Callable[P, R]

    _alone = False  # whether this is compiled for one instance, whose attributes are constants

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        super().__init__(function, options)
        self._bound: PerInstance[Wrapped[Any, Any]] = PerInstance()
        functools.update_wrapper(self, function, updated=())
        if getattr(function, "__isabstractmethod__", False):
            self.__isabstractmethod__ = True

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the plain function, from compiled code."""
        try:
            for entry in self._executables.with_fast_path:
                found: R = entry.fast_path(args, kwargs)
                if found is not MISS:
                    self._hit(entry)
                    return found
            answer: R = self._call(args, kwargs)
            return answer
        except AnabranchError as error:
            again = self._made_again(error, args, kwargs)
            if again is None:
                self._shorten(error, sys._getframe(1))
                raise
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise
        made: R = again(*args, **kwargs)
        return made

    def _hit(self, entry: Execution) -> None:
        """Count a call; have machine code answer calls such as one that was made often."""
        self._executables.hits += 1
        if self._executables.hits % _OFTEN:
            return
        if entry in self._many_values.serving:
            self._executables.drop_fast_path(entry)  # so that the next call is seen
            return
        table = table_of(entry) if are_possible() else None
        if table is not None:
            self._executables.put_table(entry, table)
            _quick_calls.begin()

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call by its signature."""
        if tracing():
            with configure(**self.__anabranch_options__.settings):
                return resolve(self.__anabranch_function__)(*args, **kwargs)
        if self.__anabranch_options__.in_force().disable_jit:
            return self.__anabranch_function__(*args, **kwargs)
        if args and self._is_alone_for(args[0]):
            return self.__get__(args[0])(*args[1:], **kwargs)
        try:
            ready = self._ready(args, kwargs)
        except SourceError:
            raise
        except AnabranchError as error:
            method = self.__get__(args[0]) if args and _has_method(args[0], self) else None
            if not isinstance(method, BoundMethod):
                raise
            ready = method._ready_alone(error, args[1:], kwargs)
        return run_until_it_fits(*ready)

    def _is_alone_for(self, instance: object) -> bool:
        """Return whether this is compiled as a method of one instance, with its attributes as constants."""
        kept = self._bound.get(instance)
        return kept is not None and kept._alone

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Wrapped[P, R]: ...
    @overload
    def __get__(self: Wrapped[Concatenate[S, Q], R], instance: S, owner: type | None = None) -> Wrapped[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """A method of an instance, which is its first argument.

        Where the instance is a static argument, by its contents, equal instances share what is compiled.
        """
        if instance is None:
            return self
        if self._names[:1] and self._names[0] in self.__anabranch_options__.static:
            return types.MethodType(self, instance)
        kept = self._bound.get(instance)
        if kept is None:
            options = self.__anabranch_options__.without(self._names[:1])
            kept = self._bound.put(instance, type(self)(method_of(self.__anabranch_function__, instance), options))
        # What is kept with the instance must not keep the instance; what is handed out must.
        kind: Any = type(self)
        bound: Any = object.__new__(_bound_kind(kind))
        bound.__dict__.update(kept.__dict__)
        bound.__self__, bound.__func__, bound._of_instance = instance, self, kept
        bound._executables = kept._executables
        return bound

    def plain(self) -> Callable[P, R]:
        """The function as it was written."""
        return self.__anabranch_function__

    def again(self, options: JitOptions) -> Wrapped[P, R]:
        """The same function, compiled in the same way with these options."""
        return type(self)(self.plain(), options)

    def __copy__(self) -> Wrapped[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Wrapped[P, R]:
        return self

    def __reduce__(self) -> Any:
        """Pickled as functions are, by name; by value where a pickler that can do so would take a function so."""
        module, name = self.__module__, vars(self).get("__qualname__", "")
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        # Workers have another `__main__`, so cloudpickle, which joblib and dask use, takes its functions by value.
        pickler = str(sys._getframe(1).f_globals.get("__name__"))
        if found is self and not (module == "__main__" and "cloudpickle" in pickler):
            return name
        return object.__new__, (type(self),), self.__getstate__()

    def __repr__(self) -> str:
        return f"<anabranch.jit of {self.__anabranch_function__!r}>"

    def _repr_html_(self) -> str:
        return of_function(self, self._entries(None))


def _has_method(instance: object, function: object) -> bool:
    """Return whether a function is a method of an object."""
    return any(held is function for cls in type(instance).__mro__ for held in vars(cls).values())


# `instance.method(x)` calls the function with the instance, and no method is made.
call_as_method(Wrapped)


class BoundMethod(Wrapped[P, R]):
    """A method of an instance, equal to others as bound methods are.

    A call is one of the function, with the instance as its first argument: numbers, arrays and containers among its
    attributes are run-time values, and what the method changes is written back. Where that can't be compiled, the
    method is compiled for the one instance, with its attributes as constants that are guarded. So are the stages.
    """

    __slots__ = ("__func__", "__self__", "_of_instance")
    __self__: Any
    __func__: Wrapped[..., R]
    _of_instance: Wrapped[..., R]  # what is compiled for the one instance

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the plain method, from compiled code."""
        function = self.__func__
        try:
            for entry in function._executables.with_fast_path:
                found: R = entry.fast_path((self.__self__, *args), kwargs)
                if found is not MISS:
                    function._hit(entry)
                    return found
            answer: R = self._call(args, kwargs)
            return answer
        except AnabranchError as error:
            again = function._made_again(error, (self.__self__, *args), kwargs)
            if again is None:
                self._shorten(error, sys._getframe(1))
                raise
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise
        made: R = again(self.__self__, *args, **kwargs)
        return made

    def _call(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> Any:
        function, given = self.__func__, (self.__self__, *args)
        if self._of_instance._alone or tracing() or self.__anabranch_options__.in_force().disable_jit:
            return super()._call(args, kwargs)
        try:
            ready = function._ready(given, kwargs)
        except (SourceError, RefusedBeforeError):
            raise
        except AnabranchError as error:
            ready = self._ready_alone(error, args, kwargs)
        return run_until_it_fits(*ready)

    def _ready_alone(
        self, refused: AnabranchError, args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> tuple[Execution, Leaves, Recompile]:
        """Compile for the one instance what was refused as a function of any."""
        try:
            ready = self._ready(args, kwargs)
        except Exception:
            raise refused from None
        self._of_instance._alone = True
        return ready

    def explain(self, /, *args: object, **kwargs: object) -> Explanation:
        """Return what becomes of the method on these arguments, and why: it is traced anew, and not run."""
        if self._of_instance._alone:
            return super().explain(*args, **kwargs)
        return self.__func__.explain(self.__self__, *args, **kwargs)

    def inspect(self, /, *args: object, **kwargs: object) -> Inspection:
        """Return what becomes of each line of the method on these arguments; it is compiled, and not run."""
        if self._of_instance._alone:
            return super().inspect(*args, **kwargs)
        return self.__func__.inspect(self.__self__, *args, **kwargs)

    def profile(self, /, *args: object, seconds: float = 1.0, **kwargs: object) -> Profile:
        """Return how long each line takes, from calls on copies of the instance and of these arguments."""
        if self._of_instance._alone:
            return super().profile(*args, seconds=seconds, **kwargs)
        return self.__func__.profile(self.__self__, *args, seconds=seconds, **kwargs)

    def clear_cache(self) -> None:
        """Forget all executables."""
        self.__func__.clear_cache()
        super().clear_cache()
        self._of_instance._alone = False

    def cache_info(self) -> CacheInfo:
        """How many calls found an executable, how many did not, how many there may be, and how many there are."""
        return super().cache_info() if self._of_instance._alone else self.__func__.cache_info()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundMethod) and self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((object.__hash__(self.__self__), self.__func__))

    def plain(self) -> Callable[P, R]:
        """The method as it was written."""
        return types.MethodType(self.__func__.plain(), self.__self__)

    def again(self, options: JitOptions) -> Wrapped[P, R]:
        """The same method, compiled in the same way with these options."""
        kind: Any = type(self.__func__)
        made: Wrapped[P, R] = kind(self.plain(), options)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Wrapped[P, R]:
        bound: Wrapped[P, R] = self.__func__.__get__(copy.deepcopy(self.__self__, memo))
        return bound

    def __reduce__(self) -> Any:
        """Pickled as bound methods are: the instance, and the method's name."""
        return getattr, (self.__self__, self.__name__)

    def __repr__(self) -> str:
        return f"<anabranch.jit of {self.plain()!r}>"


def _takers() -> tuple[Taker, Taker]:
    """The classes whose calls machine code takes."""
    function: Any = object.__new__(Wrapped)
    function._executables = ExecutableCache()
    function._executables.quick = (None,)
    bound: Any = object.__new__(BoundMethod)
    bound.__self__, bound.__func__ = object(), function
    tables = ("_executables", "quick")
    return (
        Taker(Wrapped, _PLAIN_CALLS[0], tables, function),
        Taker(BoundMethod, _PLAIN_CALLS[1], ("__func__", *tables), bound, "__self__"),
    )


_PLAIN_CALLS = Wrapped.__call__, BoundMethod.__call__
_quick_calls = QuickCalls(_takers)


@functools.cache
def _bound_kind(kind: type[Wrapped[Any, Any]]) -> type[BoundMethod[Any, Any]]:
    """The class of bound methods that are compiled as a class of functions is."""
    return BoundMethod if kind is Wrapped else type(f"Bound{kind.__name__}", (BoundMethod, kind), {})
