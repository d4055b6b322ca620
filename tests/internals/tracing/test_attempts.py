"""An attempt that does not work out leaves nothing behind: no equation, no write into an array or an object."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from anabranch.runtime.frontend.surroundings import Surroundings
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.tracing.builder import Builder, Trace, building
from anabranch.runtime.values import atoms
from anabranch.runtime.values.heap.snapshot import Attempt, first_possible


@pytest.fixture
def builder() -> Iterator[Builder]:
    root = Trace(Surroundings(Guards(None), lambda _: None)).root
    with building(root):
        yield root


def steps(builder: Builder, seen: list[int]) -> Callable[[], None]:
    """A function that adds an equation, writes it into an array and changes a list."""
    given = builder.formal(ArrayType((), np.dtype(np.float64)))
    storage = builder.new_storage(given)

    def step() -> None:
        builder.write(storage, atoms.ufunc(np.add, builder.read(storage), given))
        seen.append(len(seen))

    step.is_untouched = lambda: builder.read(storage) is given and not builder.equations and seen == []
    return step


def test_an_attempt_can_be_undone_again_and_again(builder):
    seen = []
    step = steps(builder, seen)
    trying = Attempt(seen)
    for _ in range(3):
        step()
        assert trying.adds_equations
        assert not step.is_untouched()
        trying.undo()
        assert not trying.adds_equations
        assert step.is_untouched()


@pytest.mark.parametrize("error", [KeyError, ValueError])
def test_a_block_is_undone_by_the_errors_that_it_names_alone(builder, error):
    seen = []
    step = steps(builder, seen)

    def fail():
        step()
        raise error

    with pytest.raises(error), Attempt(seen, undone_by=KeyError):
        fail()
    assert step.is_untouched() == (error is KeyError)


def test_strategies_are_tried_in_turn_and_each_begins_with_what_was_there(builder):
    seen = []
    step = steps(builder, seen)

    def cannot(error):
        assert step.is_untouched()
        step()
        raise error

    def can():
        assert step.is_untouched()
        step()
        return len(builder.equations)

    assert first_possible((seen,), KeyError, lambda: cannot(KeyError), lambda: cannot(KeyError), can) == 1
    assert seen == [0]


@pytest.mark.parametrize("raised", [KeyError, ValueError])
def test_another_error_and_that_of_the_last_strategy_go_on(builder, raised):
    tried = []

    def fail(number):
        tried.append(number)
        raise raised

    with pytest.raises(raised):
        first_possible((), KeyError, lambda: fail(1), lambda: fail(2))
    assert tried == ([1, 2] if raised is KeyError else [1])
