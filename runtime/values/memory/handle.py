"""Handles on memory: a storage, and the view steps that lead to the part of it that a handle shows."""

from __future__ import annotations

import itertools

import numpy as np

from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.tracer import Tracer

serials = itertools.count(1)


class Handle(Tracer):
    """The base of traced ndarrays: the memory that one shows, and which part of it.

    Two handles with the same storage share memory, as two ndarrays that are views of one buffer do: a write through one
    is seen by the other. `b = a` is the same handle; `a[1:3]` is a new handle on the same storage with a longer path.
    """

    __slots__ = ("_abstract", "_shape", "is_view", "path", "readonly", "serial", "storage")
    ndim: int
    T: Handle

    def __init__(self, storage: Storage, path: views.Path = (), readonly: bool = False) -> None:
        self.storage = storage
        self.path = path
        self.readonly = readonly
        # An object of its own beside the one that the memory was made for, even where it is a view of all of it.
        self.is_view = False
        self.serial = next(serials)  # in the order in which they were made
        shape = storage.type.shape
        for step in path:
            shape = step.shape(shape)
        self._shape = shape
        self._abstract: Abstract | None = None

    @property
    def abstract(self) -> Abstract:
        if self._abstract is None:
            self._abstract = Abstract(self._shape, self.dtype, Kind.ARRAY)
        return self._abstract

    @property
    def shape(self) -> tuple[int, ...]:
        """The static shape of the part."""
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the elements."""
        raise NotImplementedError

    @property
    def atom(self) -> Atom:
        """The current value."""
        whole = current().read(self.storage)
        return views.read(whole, self.path) if self.path else whole

    @property
    def is_readonly(self) -> bool:
        """Return whether a write raises."""
        return self.readonly or self.storage.readonly is not None

    def set(self, value: Atom) -> None:
        """Write a value of exactly this shape and dtype."""
        raise NotImplementedError

    def assign(self, value: object) -> None:
        """Write a value that is cast and broadcast."""
        raise NotImplementedError

    def viewed(self, *steps: views.ViewStep, readonly: bool = False) -> Handle:
        """Return another handle on the same memory, as a view is another object."""
        raise NotImplementedError
