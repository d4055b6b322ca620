"""The vocabulary of rewritten source, run by plain Python: one branch runs, loops loop, nothing is traced."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from anabranch.runtime.control import match as pattern

match = pattern.match
NEXT, CONTINUE, BREAK, RETURN = 0, 1, 2, 3
no_value = object()


class Undefined:
    def __init__(self, name: str) -> None:
        self.name = name


def defined(value: Any) -> Any:
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"cannot access local variable '{value.name}' where it is not associated with a value")
    return value


def enclosed(value: Any) -> Any:
    if isinstance(value, Undefined):
        raise NameError(
            f"cannot access free variable '{value.name}' where it is not associated with a value in enclosing scope"
        )
    return value


def returned(value: Any) -> Any:
    return None if value is no_value else value


def _check(result: Any, names: tuple[str, ...]) -> Any:
    if len(names) > 1:
        assert isinstance(result, tuple)
        assert len(result) == len(names), (result, names)
    if not names:
        assert result is None
    return result


def if_(
    test: Any, then: Callable[..., Any], orelse: Callable[..., Any], args: tuple[Any, ...] = (), names: Any = None
) -> Any:
    result = then(*args) if test else orelse(*args)
    return result if names is None else _check(result, names)


def while_(
    test: Callable[..., Any],
    body: Callable[..., Any],
    carries: tuple[Any, ...] = (),
    names: tuple[str, ...] = (),
    exits: tuple[str, ...] = (),
) -> Any:
    return _loop(lambda c: (True, ()) if test(*c) else (False, ()), body, carries, names, exits)


def for_(
    iterable: Iterable[Any],
    body: Callable[..., Any],
    carries: tuple[Any, ...] = (),
    names: tuple[str, ...] = (),
    exits: tuple[str, ...] = (),
) -> Any:
    iterator = iter(iterable)

    def head(_: tuple[Any, ...]) -> tuple[bool, tuple[Any, ...]]:
        for item in iterator:
            return True, (item,)
        return False, ()

    return _loop(head, body, carries, names, exits)


def _loop(
    head: Callable[[tuple[Any, ...]], tuple[bool, tuple[Any, ...]]],
    body: Callable[..., Any],
    carries: tuple[Any, ...],
    names: tuple[str, ...],
    exits: tuple[str, ...],
) -> Any:
    assert len(names) == len(carries)
    extra = (1 + ("return" in exits)) if exits else 0
    code, value = NEXT, no_value
    while True:
        goes_on, items = head(carries)
        if not goes_on:
            break
        result = body(*items, *carries)
        count = extra + len(carries)
        parts = () if count == 0 else (result,) if count == 1 else result
        assert len(parts) == count
        assert count or result is None
        carries = tuple(parts[extra:])
        if exits:
            code = parts[0]
            value = parts[1] if "return" in exits else no_value
            if code in (BREAK, RETURN):
                break
            code, value = NEXT, no_value
    found = ((code, value)[:extra]) + carries
    return None if not found else found[0] if len(found) == 1 else found


def fstring(template: str, *values: Any) -> str:
    return template.format(*values)


def percent(left: Any, right: Any) -> Any:
    return left % right


def ifexp(test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    return then() if test else orelse()


def and_(value: Any, *thunks: Callable[[], Any]) -> Any:
    for thunk in thunks:
        if not value:
            return value
        value = thunk()
    return value


def or_(value: Any, *thunks: Callable[[], Any]) -> Any:
    for thunk in thunks:
        if value:
            return value
        value = thunk()
    return value


def all_true(value: Any, *thunks: Callable[[], Any]) -> bool:
    return bool(value) and all(thunk() for thunk in thunks)


def any_true(value: Any, *thunks: Callable[[], Any]) -> bool:
    return bool(value) or any(thunk() for thunk in thunks)


def not_(value: Any) -> bool:
    return not value


def in_(item: Any, container: Any) -> bool:
    return item in container


def not_in(item: Any, container: Any) -> bool:
    return item not in container


def is_(left: Any, right: Any) -> bool:
    return left is right


def is_not(left: Any, right: Any) -> bool:
    return left is not right


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
    "in": in_, "not in": not_in, "is": is_, "is not": is_not,
}  # fmt: skip


def compare(left: Any, *links: Any) -> Any:
    result: Any = True
    for sign, thunk in zip(links[::2], links[1::2], strict=True):
        right = thunk()
        result = _OPERATORS[sign](left, right)
        if not result:
            return result
        left = right
    return result


def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


tail_call = call


def attributes(value: Any) -> Any:
    return value


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    if not test:
        raise AssertionError(*([message()] if message else []))


def staged(value: Any) -> Any:
    return value


def imported(value: Any) -> Any:
    return value


def comprehension(items: Iterable[Any]) -> list[Any]:
    return list(items)


def each(
    items: Iterable[Any],
    element: Callable[..., Any],
    condition: Callable[..., Any] | None = None,
    width: Any = None,
    nested: bool = False,
    whole: bool = False,
) -> Iterator[Any]:
    return _each(iter(items), element, condition, width, nested)


def _row(item: Any, width: Any) -> tuple[Any, ...]:
    if isinstance(width, int):
        return tuple(item)
    if None in width:
        before, after = width.index(None), len(width) - width.index(None) - 1
        first, last = list(item)[:before], list(item)[len(item) - after :]
        item = [*first, list(item)[before : len(item) - after], *last]
    parts = [_row(part, inner) if inner else (part,) for part, inner in zip(item, width, strict=True)]
    return tuple(part for row in parts for part in row)


def _each(items: Iterator[Any], element: Any, condition: Any, width: Any, nested: bool) -> Iterator[Any]:
    for item in items:
        args = (item,) if width is None else _row(item, width)
        if condition is None or condition(*args):
            if nested:
                yield from element(*args)
            else:
                yield element(*args)


class _Pushed(list[Any]):
    """The items that were pushed; nothing is sent in."""

    sent = None

    def __call__(self, item: Any) -> None:
        self.append(item)

    def delegate(self, items: Any) -> Any:
        return items


def generator(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    def make(*args: Any, **kwargs: Any) -> list[Any]:
        items = _Pushed()
        function(items, *args, **kwargs)
        return items

    return make


def count(items: Iterable[Any]) -> int:
    return sum(1 for _ in items)


def managed(manager: Any) -> Any:
    return manager


def entered(manager: Any) -> tuple[Any]:
    return (manager,)


def leaving(manager: Any, entered: Any = None) -> Any:
    return manager


def left(manager: Any, error: BaseException | None) -> bool:
    return False


def suppressed(manager: Any) -> Callable[[], Any]:
    return lambda: manager._exceptions


def try_(
    body: Callable[..., Any],
    *handlers: tuple[Callable[[], Any] | None, Callable[..., Any]],
    orelse: Callable[..., Any] | None = None,
    final: Callable[..., Any] | None = None,
    exits: tuple[str, ...] = (),
) -> Any:
    def code(result: Any) -> int:
        return (result[0] if "return" in exits else result) if exits and result is not None else NEXT

    try:
        try:
            result = body()
        except BaseException as error:
            for kinds, handler in handlers:
                if kinds is None or isinstance(error, kinds()):
                    return handler(*(error,)[: handler.__code__.co_argcount])
            raise
        return orelse() if orelse is not None and code(result) == NEXT else result
    finally:
        left = final() if final is not None else None
        if code(left) != NEXT:
            return left  # noqa: B012 - as the program that leaves in its finally


def try_star_(
    body: Callable[..., Any],
    *handlers: tuple[Callable[[], Any], Callable[..., Any]],
    orelse: Callable[..., Any] | None = None,
    final: Callable[..., Any] | None = None,
    exits: tuple[str, ...] = (),
) -> Any:
    def handle(error: BaseException) -> Any:
        rest: BaseException | None = error
        result, raised = None, []
        for kinds, handler in handlers:
            if isinstance(rest, BaseExceptionGroup):
                part, rest = rest.split(kinds())
            elif rest is not None and isinstance(rest, kinds()):
                part, rest = BaseExceptionGroup("", (rest,)), None
            else:
                part = None
            if part is not None:
                try:
                    result = handler(*(part,)[: handler.__code__.co_argcount])
                except BaseException as new:
                    raised.append(new)
        if raised:
            raise BaseExceptionGroup("", raised if rest is None else [*raised, rest])
        if rest is not None:
            raise rest
        return result

    return try_(body, (lambda: BaseException, handle), orelse=orelse, final=final, exits=exits)


def raised(error: Any, *cause: Any) -> BaseException:
    if cause:
        raise error from cause[0]
    raise error


def reraised() -> BaseException:
    error = sys.exception()
    assert error is not None
    return error


def class_(value: Any) -> Any:
    return value.__class__
