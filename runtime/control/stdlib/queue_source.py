"""Classes of `queue` for one thread, which are rewritten and staged as the user's own are."""

from __future__ import annotations

import heapq
import queue
from collections import deque
from typing import Any


class Queue(queue.Queue[Any]):
    """As `queue.Queue`, in which nobody waits: where another thread would have to act, there is an error."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.queue = self._contents()

    def _contents(self) -> Any:
        return deque()

    def _append(self, item: Any) -> None:
        self.queue.append(item)

    def _next(self) -> Any:
        return self.queue.popleft()

    def qsize(self) -> int:
        return len(self.queue)

    def empty(self) -> bool:
        return not self.queue

    def full(self) -> bool:
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if 0 < self.maxsize <= len(self.queue):
            if block and timeout is None:
                raise RuntimeError("the queue is full, and put would wait for another thread")
            raise queue.Full
        self._append(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if not self.queue:
            if block and timeout is None:
                raise RuntimeError("the queue is empty, and get would wait for another thread")
            raise queue.Empty
        return self._next()

    def put_nowait(self, item: Any) -> None:
        self.put(item, False)

    def get_nowait(self) -> Any:
        return self.get(False)

    def task_done(self) -> None:
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        if self.unfinished_tasks:
            raise RuntimeError("tasks are unfinished, and join would wait for another thread")


class LifoQueue(Queue):
    """As `queue.LifoQueue`."""

    def _contents(self) -> Any:
        return []

    def _next(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """As `queue.PriorityQueue`."""

    def _contents(self) -> Any:
        return []

    def _append(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _next(self) -> Any:
        return heapq.heappop(self.queue)


# In messages they have the names of those for which they stand.
for made in (Queue, LifoQueue, PriorityQueue):
    made.__module__ = "queue"

COUNTERPARTS: dict[object, type] = {
    queue.Queue: Queue,
    queue.LifoQueue: LifoQueue,
    queue.PriorityQueue: PriorityQueue,
}
