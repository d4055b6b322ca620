"""The queues of `queue`, used by one thread."""

from __future__ import annotations

import queue
from queue import LifoQueue, PriorityQueue, Queue

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Table

case = Table()
XS = (np.array([2, 9, -1, 7, 3, 1]),), (np.array([1, -4, 8]),)


@case(*XS)
def first_in_first_out(xs):
    waiting, out = Queue(), []
    for x in xs:
        if x > 0:
            waiting.put((x, x * 2))
    while not waiting.empty():
        u, v = waiting.get()
        out.append(u + v)
        if u > 5:
            waiting.put((u - 3, v))
    return out, waiting.qsize()


@case(*XS)
def smallest_first(xs):
    waiting, out = PriorityQueue(), []
    for i, x in enumerate(xs):
        if x > 0:
            waiting.put((x, i))
    while waiting.qsize():
        out.append(waiting.get())
        waiting.task_done()
    waiting.join()
    return out


@case(*XS)
def last_in_first_out(xs):
    waiting, total = LifoQueue(maxsize=2), 0
    for x in xs:
        if waiting.full():
            total += waiting.get()
        if x > 0:
            waiting.put_nowait(x)
    try:
        while True:
            total = total * 2 + waiting.get_nowait()
    except queue.Empty:
        return -total


@case(*XS)
def full_at_last(xs):
    waiting = queue.Queue(2)
    try:
        for x in xs:
            if x > 0:
                waiting.put(x, block=False)
    except queue.Full:
        return -waiting.get()
    return waiting.qsize(), isinstance(waiting, Queue)


class Scheduler:
    def __init__(self):
        self.tasks = Queue()

    def add(self, task):
        self.tasks.put(task)


@case(*XS)
def held_by_an_object(xs):
    scheduler, total = Scheduler(), 0
    for x in xs:
        if x > 1:
            scheduler.add(x)
    while not scheduler.tasks.empty():
        total = total * 2 + scheduler.tasks.get()
    return total


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program) -> None:
    program.check()


def test_waiting_for_ever_is_an_error() -> None:
    def waits(x):
        waiting = Queue()
        if x > 0:
            waiting.put(x)
        return waiting.get()

    compiled = jit(waits)
    assert compiled(3) == 3
    with pytest.raises(RuntimeError, match="the queue is empty, and get would wait"):
        compiled(-3)
