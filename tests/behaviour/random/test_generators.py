"""NumPy's generators draw in compiled functions what they draw in plain ones, and are left in the same state."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, SerializationError, UnsupportedOperationError, djit, jit
from anabranch.export import export
from anabranch.numpy import asarray
from anabranch.runtime.host import generator_state, twister_memory
from anabranch.runtime.host.generator_state import kind_of
from tests.equivalence import Outcome, alike, check

BITS = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
GENERATORS = [
    *[pytest.param(np.random.Generator(bits(3)), id=bits.__name__) for bits in BITS],
    pytest.param(np.random.RandomState(4), id="RandomState"),
    pytest.param(np.random.RandomState(np.random.PCG64(4)), id="RandomState of PCG64"),
]
OUTSIDE = np.random.default_rng(8)


def exactly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return check(function, *args, ulps=0.0, **kwargs)


def state_of(generator: Any) -> Any:
    return pickle.dumps(generator)


DISTRIBUTIONS: dict[str, tuple[Any, ...]] = {
    "beta": (1.5, 2.0),
    "binomial": (10, 0.3),
    "chisquare": (2.0,),
    "exponential": (1.5,),
    "f": (2.0, 3.0),
    "gamma": (2.0, 1.5),
    "geometric": (0.3,),
    "gumbel": (0.5, 2.0),
    "hypergeometric": (5, 6, 7),
    "laplace": (0.5, 2.0),
    "logistic": (0.5, 2.0),
    "lognormal": (0.5, 0.25),
    "logseries": (0.6,),
    "negative_binomial": (4, 0.3),
    "noncentral_chisquare": (2.0, 1.0),
    "noncentral_f": (2.0, 3.0, 1.0),
    "normal": (1.0, 2.0),
    "pareto": (2.0,),
    "poisson": (3.0,),
    "power": (2.0,),
    "rayleigh": (2.0,),
    "standard_gamma": (2.0,),
    "standard_t": (3.0,),
    "triangular": (0.0, 0.25, 1.0),
    "uniform": (-1.0, 2.0),
    "vonmises": (0.5, 1.0),
    "wald": (1.0, 2.0),
    "weibull": (1.5,),
    "zipf": (2.5,),
}


@pytest.mark.parametrize("generator", GENERATORS[:1] + GENERATORS[5:6])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name: str, generator: Any) -> None:
    def of_numbers(rng, *args):
        return getattr(rng, name)(*args), getattr(rng, name)(*args)

    def of_arrays(rng, first, *rest):
        return getattr(rng, name)(first, *rest), getattr(rng, name)(np.float64(1.0) * first, *rest, size=(2, 3))

    args = DISTRIBUTIONS[name]
    exactly(of_numbers, generator, *args)
    if isinstance(args[0], float):
        exactly(of_arrays, generator, np.full(3, args[0]), *args[1:])


@pytest.mark.parametrize("generator", GENERATORS)
def test_states_of_all_generators(generator: Any) -> None:
    def drawn(rng, n, scale):
        total = 0.0
        for _ in range(n):
            total += rng.normal(0.0, scale)
        # Half of a word is kept for the next such draw.
        return total, rng.random(3) if n > 2 else rng.random(3) + 1, rng.permutation(4), rng.poisson(3.0, size=2)

    exactly(drawn, generator, 4, 1.5)
    exactly(drawn, generator, 1, 1.5)


def test_integers() -> None:
    def of_generator(rng, high):
        few = rng.integers(high), rng.integers(high, size=3), rng.integers(1, high, endpoint=True)
        return *few, rng.integers(0, 5, dtype=np.int8), rng.integers(0, 2, size=4, dtype=bool), rng.integers(2**40)

    def of_random_state(rng, high):
        return rng.randint(high), rng.randint(1, high, size=3), rng.randint(0, 5, dtype=np.int16), rng.randint(2**40)

    exactly(of_generator, np.random.default_rng(1), 10)
    exactly(of_random_state, np.random.RandomState(1), 10)


def test_arrays_and_their_slices() -> None:
    def of_generator(rng, a, p):
        rng.shuffle(a)
        rows = rng.permutation(a), rng.permuted(a, axis=1), rng.choice(a, 2), rng.choice(a, 2, axis=1, replace=False)
        a[0] = 7.0
        return *rows, rng.choice(4, p=p), rng.choice([1.0, 2.0, 5.0], size=3), rng.choice(10, 3, replace=False)

    def of_random_state(rng, a, p):
        rng.shuffle(a)
        return (
            rng.permutation(a),
            rng.permutation(5),
            rng.choice(a[:, 0], 2),
            rng.choice(4, p=p),
            rng.rand(2, 3),
            rng.randn(),
        )

    a, p = np.arange(12.0).reshape(4, 3), np.array([0.1, 0.2, 0.3, 0.4])
    exactly(of_generator, np.random.default_rng(2), a, p)
    exactly(of_random_state, np.random.RandomState(2), a, p)


def one_text(rng):
    return rng.choice(["a", "bb", "c"]), rng.random()


def texts_by_weights(rng):
    joined, counts = "", {"N": 0, "S": 0}
    for _ in range(6):
        step = rng.choice(("N", "S"), None, p=[0.25, 0.75])
        counts[step] += 1
        joined += step
    return joined, counts, step == "N", rng.random()


def texts_by_wrong_weights(rng):
    return rng.choice(a=["a", "bb"], p=[0.25, 0.25, 0.5])


@pytest.mark.parametrize("function", [one_text, texts_by_weights, texts_by_wrong_weights])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_one_of_several_texts(function: Callable[..., Any], make: Callable[[int], Any]) -> None:
    for seed in range(3):
        exactly(function, make(seed))


def test_texts_and_lists_by_the_functions_of_the_module() -> None:
    def drawn(seed):
        np.random.seed(seed)
        numbers = [1, 2, 3, 4]
        np.random.shuffle(numbers)
        return np.random.choice(["a", "bb", "c"]), numbers, np.random.random()

    before = np.random.get_state()
    try:
        for seed in range(3):
            exactly(drawn, seed)
    finally:
        np.random.set_state(before)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random])
@pytest.mark.parametrize("native", [True, False])
def test_lists_are_shuffled(make: Callable[[int], Any], native: bool) -> None:
    def shuffled(rng, given, n):
        made = [[k, 0.5] for k in range(n)]
        names = []
        for k in range(3):
            names.append("abc"[k])
        first = made[0]
        for one in (given, made, names):
            rng.shuffle(one)
        first.append(7.0)
        return made, names, rng.random()

    compiled = jit(shuffled, native_loops=native)
    for given, n in (([1, 2.5, None], 4), ([], 1)):
        want = Outcome(shuffled, (make(2), given, n), {})
        for _ in range(3):
            alike(want, Outcome(compiled, (make(2), given, n), {}))


def test_several_dimensions() -> None:
    def drawn(rng, mean, pvals, alpha):
        cov = np.eye(2) * 2.0
        many = rng.multivariate_normal(mean, cov), rng.multivariate_normal(mean, cov, size=(2, 2))
        return *many, rng.multinomial(5, pvals), rng.dirichlet(alpha, size=2), rng.dirichlet([1.0, 2.0])

    exactly(drawn, np.random.default_rng(2), np.array([1.0, 2.0]), np.array([0.25, 0.75]), np.array([1.0, 2.0, 3.0]))


def test_out() -> None:
    def drawn(rng, a):
        same = rng.random(out=a) is a
        rng.standard_normal(out=a[1:])
        return same, rng.random(2, dtype=np.float32)

    exactly(drawn, np.random.default_rng(2), np.zeros(4))


def test_a_large_result_is_not_drawn_for_a_trial() -> None:
    exactly(lambda rng, s: (rng.normal(0.0, s, size=(100, 90)), rng.random((90, 50))), np.random.default_rng(5), 2.0)
    exactly(lambda rng: rng.dirichlet([1.0, 2.0], size=(9000,)), np.random.default_rng(5))


@pytest.mark.parametrize(
    "of", [np.random.default_rng, np.random.RandomState, lambda s: np.random.Generator(np.random.Philox(s))]
)
def test_generators_made_in_the_function(of) -> None:
    def known(x):
        rng = of(42)
        return rng.normal(x), rng.random(2)

    def at_run_time(seed):
        rng = of(seed)
        total = 0.0
        for i in range(3):
            total += rng.random() * i
        return total, rng.random()

    exactly(known, 1.5)
    exactly(at_run_time, 7)
    assert jit(at_run_time)(8) == at_run_time(8)


def test_a_generator_for_each_step() -> None:
    def drawn(n, x):
        total = x
        for seed in range(n):
            rng = np.random.default_rng(seed)
            total += rng.random() + rng.random()
        return total

    exactly(drawn, 5, 0.5)


def test_a_generator_is_returned() -> None:
    def made(seed):
        rng = np.random.default_rng(seed)
        return rng, rng.random()

    exactly(made, 3)
    generator = np.random.default_rng(3)
    assert jit(lambda rng: rng)(generator) is generator


def test_two_generators() -> None:
    def drawn(a, b, n):
        total = 0.0
        for i in range(n):
            total += a.random() if i % 2 else b.normal()
        return total, a.random() - b.random()

    exactly(drawn, np.random.default_rng(1), np.random.default_rng(2), 5)
    exactly(drawn, np.random.default_rng(1), np.random.RandomState(2), 5)


def test_one_generator_passed_twice() -> None:
    rng = np.random.default_rng(1)
    exactly(lambda a, b: (a.random(), b.random(), a is b), rng, rng)


@dataclasses.dataclass
class Model:
    rng: np.random.Generator
    scale: float

    def step(self, x):
        return x + self.rng.normal(0.0, self.scale)


class Walker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.place = 0.0

    def walk(self, n):
        for _ in range(n):
            self.place += self.rng.random()
        return self.place


def test_generators_in_containers() -> None:
    exactly(
        lambda all, n: sum([all[0].random() for _ in range(n)]) + all[1].random(),
        [np.random.default_rng(i) for i in (1, 2)],
        3,
    )
    exactly(lambda by: by["a"].random() + by["b"], {"a": np.random.default_rng(1), "b": 2.0})
    exactly(lambda pair: pair[1].random(), (1.5, np.random.RandomState(1)))

    def stepped(model, n):
        x = 0.0
        for _ in range(n):
            x = model.step(x)
        return x

    exactly(stepped, Model(np.random.default_rng(4), 2.0), 4)


def test_methods() -> None:
    class Jitted(Walker):
        walk = jit(Walker.walk)

    plain, compiled = Walker(5), Jitted(5)
    for n in (3, 4, 4):
        assert plain.walk(n) == compiled.walk(n)
        assert state_of(plain.rng) == state_of(compiled.rng)


def test_a_chosen_generator() -> None:
    def drawn(a, b, x):
        rng = a if x > 0 else b
        return rng.random() + rng.random()

    for x in (1.0, -1.0):
        exactly(drawn, np.random.default_rng(1), np.random.default_rng(2), x)


def from_outside(function: Callable[..., Any], *args: Any) -> None:
    """Assert that a function that draws from `OUTSIDE` and `numpy.random` does the same compiled, again and again."""
    compiled = jit(function)
    outcomes = []
    for each in (function, compiled):
        OUTSIDE.bit_generator.state = np.random.PCG64(11).state
        np.random.seed(12)
        drawn = [each(*copy.deepcopy(args)) for _ in range(3)]
        outcomes.append((pickle.dumps(drawn), state_of(OUTSIDE), pickle.dumps(np.random.get_state())))
    assert outcomes[0] == outcomes[1]


def test_generators_from_outside() -> None:
    inside = np.random.default_rng(3)

    def drawn(x):
        if x > 0:
            x += OUTSIDE.random()
        return x + np.random.normal(), np.random.rand(2), np.random.randint(0, 9)

    from_outside(drawn, 1.0)
    from_outside(drawn, -1.0)
    before = copy.deepcopy(inside)
    closing = jit(lambda x: x + inside.random())
    assert [closing(1.0), closing(1.0)] == [1.0 + before.random(), 1.0 + before.random()]


@pytest.mark.parametrize(
    "seed",
    [0, 7, 2**32 - 1, 2**32, -1, np.int64(9), np.int8(-1), np.uint8(3), np.uint64(2**63), True, np.int32(2**31 - 1)],
)
def test_seeds_known_at_run_time(seed) -> None:
    """Also where they are refused: the state is then as it was."""

    def drawn(seed):
        np.random.seed(seed)
        return np.random.random(), np.random.RandomState(seed).randint(0, 1000)

    found: list[Any] = []
    for function in (drawn, jit(drawn)):
        np.random.seed(1)
        np.random.standard_normal()
        try:
            found.append(function(seed))
        except ValueError as error:
            found.append(str(error))
        found[-1] = found[-1], np.random.standard_normal(), np.random.random()
    assert found[0] == found[1]


def test_the_hidden_generator_is_seeded() -> None:
    def drawn(seed, n):
        np.random.seed(seed)
        total = 0.0
        for _ in range(n):
            total += np.random.random()
        return total

    from_outside(drawn, 5, 3)


def test_a_generator_from_outside_that_is_an_argument_too() -> None:
    with pytest.raises(AliasError, match="a generator from outside"):
        jit(lambda rng: rng.random() + OUTSIDE.random())(OUTSIDE)


def test_tracing_draws_nothing() -> None:
    rng = np.random.default_rng(1)
    before = state_of(rng)
    compiled = jit(lambda rng, x: rng.normal(x) + np.random.normal())
    hidden = pickle.dumps(np.random.get_state())
    compiled.lower(rng, 1.0)
    compiled.explain(rng, 1.0)
    assert (state_of(rng), pickle.dumps(np.random.get_state())) == (before, hidden)


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda rng: rng.bit_generator.state, "shares the state"),
        (lambda rng: rng.bytes(3), "not supported"),
        (lambda rng: rng.spawn(2), "not supported"),
        (lambda rng: rng.shuffle(bytearray(3)), "shuffle an array"),
        (lambda rng: np.random.default_rng().random(), "without a seed"),
        (lambda rng: np.random.seed(), "without a seed"),
        (lambda rng: np.random.get_state(), "not supported"),
        (lambda rng: rng.permutation(rng.integers(5)), "size of a permutation"),
    ],
)
def test_what_is_refused(function, match: str) -> None:
    with pytest.raises(UnsupportedOperationError, match=match):
        jit(function)(np.random.default_rng(1))


def test_invalid_arguments() -> None:
    exactly(lambda rng, s: rng.normal(0.0, s), np.random.default_rng(1), -1.0)
    exactly(lambda rng: rng.normal(0.0, -1.0), np.random.default_rng(1))
    exactly(lambda rng, n: rng.integers(n), np.random.default_rng(1), -1)
    exactly(lambda rng, p: rng.choice(2, p=p), np.random.default_rng(1), np.array([0.5, 0.6]))

    def caught(rng, s):
        first = rng.random()
        try:
            x = rng.normal(0.0, s)
        except ValueError:
            x = rng.random()
        return first, x, rng.random()

    exactly(caught, np.random.default_rng(1), -1.0)
    exactly(caught, np.random.default_rng(1), 1.0)


def test_export() -> None:
    plain, rng = (np.random.default_rng(1) for _ in range(2))
    exported = export(jit(lambda rng, x: rng.random() + x))(rng, 1.0)
    assert [exported.call(rng, 1.0) for _ in range(2)] == [plain.random() + 1.0 for _ in range(2)]
    exported = export(jit(lambda rng, x: rng.beta(1.0, 2.0) + x))
    with pytest.raises(SerializationError, match="draws random numbers"):
        exported(np.random.default_rng(1), 1.0)


def test_a_library_does_not_draw_while_tracing() -> None:
    stats = pytest.importorskip("scipy.stats")
    for function in (lambda x: stats.norm.rvs(random_state=OUTSIDE) + x, lambda rng: stats.norm.rvs(random_state=rng)):
        before = state_of(OUTSIDE)
        with pytest.raises(UnsupportedOperationError, match=r"is traced|compiled code has the state"):
            jit(function)(OUTSIDE if function.__code__.co_varnames == ("rng",) else 1.0)
        assert state_of(OUTSIDE) == before


def test_copies() -> None:
    def drawn(rng):
        one, other = copy.deepcopy(rng), copy.copy(rng)
        return one.random(), rng.random(), other.random(), one.random()

    exactly(drawn, np.random.default_rng(1))


def test_static_generators_and_those_of_compiled_stages() -> None:
    plain, rng = (np.random.default_rng(1) for _ in range(2))
    static = jit(lambda rng, x: rng.random() + x, static_argnames="rng")
    assert [static(rng, 1.0) for _ in range(3)] == [plain.random() + 1.0 for _ in range(3)]
    compiled = jit(lambda rng, x: rng.normal() + x).lower(rng, 1.0).compile()
    assert [compiled(rng, 1.0) for _ in range(3)] == [plain.normal() + 1.0 for _ in range(3)]
    dynamic = djit(lambda rng, x: rng.normal() + x)
    assert [dynamic(rng, 1.0) for _ in range(3)] == [plain.normal() + 1.0 for _ in range(3)]


def test_saving() -> None:
    with pytest.raises(SerializationError, match="from outside"):
        jit(lambda x: OUTSIDE.random() + x).lower(1.0).compile().serialize()


def test_other_bits_of_the_hidden_generator() -> None:
    compiled = jit(lambda x: np.random.random() + x)
    before = np.random.get_bit_generator()
    try:
        compiled(1.0)
        np.random.set_bit_generator(np.random.PCG64(3))
        with pytest.raises(RuntimeError, match="other bits"):
            compiled(1.0)
    finally:
        np.random.set_bit_generator(before)


def test_arrays_on_the_device() -> None:
    plain, rng = (np.random.default_rng(1) for _ in range(2))
    compiled = jit(lambda rng, x: x * rng.random(3))
    for _ in range(3):
        assert np.asarray(compiled(rng, asarray(np.ones(3)))).tolist() == plain.random(3).tolist()
    assert state_of(rng) == state_of(plain)


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize("make", [np.random.RandomState, lambda seed: np.random.Generator(np.random.MT19937(seed))])
def test_a_twister_is_read_and_written_where_it_lies(
    make: Callable[[int], Any], is_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert twister_memory.gauss_offset() is not None
    if not is_fast:
        monkeypatch.setattr(twister_memory, "gauss_offset", lambda: None)
    kind = kind_of(make(1))
    assert kind is not None
    for count in (0, 1, 311, 624):
        generator, other = make(5), make(6)
        generator.standard_normal(count)  # of an odd number a `RandomState` keeps another one
        kind.write(other, kind.read(generator))
        assert np.array_equal(other.standard_normal(700), generator.standard_normal(700))


@pytest.mark.parametrize("is_fast", [True, False])
def test_the_twister_of_pythons_is_read_and_written_where_it_lies(
    is_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert twister_memory.python_has_words()
    if not is_fast:
        monkeypatch.setattr(twister_memory, "memory_of_python", lambda _: None)
    kind = kind_of(random.Random(1))
    assert kind is not None
    for count in (0, 1, 311, 624):
        generator, other = random.Random(5), random.Random(6)
        for rng in (generator, other):
            for _ in range(count):
                rng.gauss(0.0, 1.0)  # every other time another number is kept
        words = kind.read(generator)
        assert words.tolist() == generator_state._python_words(generator.getstate()).tolist()
        kind.write(other, words)
        assert other.getstate() == generator.getstate()
        assert [other.gauss(0.0, 1.0), other.random()] == [generator.gauss(0.0, 1.0), generator.random()]


def test_machine_code_answers_calls_that_draw() -> None:
    """States that calls, NumPy's own draws and failures leave are those of eager code, also between the two."""

    def draws(n: int) -> int:
        total = 0
        for _ in range(n):
            total += np.random.randint(0, 6)
            if total > 1000:
                raise ValueError(total)
        return total

    def run(function: Callable[[int], int]) -> list[object]:
        np.random.seed(3)
        found: list[object] = []
        for n in (0, 1, 5, 700, 3, 2, 4, 1, 6, 2, 700, 5, 2, 3):
            try:
                found.append(function(n))
            except ValueError as error:
                found.append(str(error))
            if n == 3:
                found.append(np.random.standard_normal())
        return [*found, np.random.standard_normal(), np.random.random()]

    before = np.random.get_state()
    try:
        assert run(jit(draws)) == run(draws)
    finally:
        np.random.set_state(before)
