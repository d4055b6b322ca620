"""A class, or a partial, that is bound to its first argument as a method is."""

from __future__ import annotations

import functools
import types

from tests.equivalence import check_calls


class Event:
    def __init__(self, owner, delay):
        if delay < 0:
            raise ValueError(f"a delay of {delay}")
        self.owner, self.delay = owner, delay


class Clock:
    def __init__(self, now):
        self.now = now


def test_a_class():
    def f(n):
        clock = Clock(n)
        event = types.MethodType(Event, clock)(n * 2)
        return event.delay, event.owner is clock

    check_calls(f, (1.0,), (-1.0,))


def test_a_partial():
    def scaled(factor, clock, n):
        return clock.now * factor if n > 2 else n

    def f(n):
        return types.MethodType(functools.partial(scaled, 3.0), Clock(n))(n + 1)

    check_calls(f, (1.0,), (2.5,))
