"""Classes, dataclasses and state machines."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from typing import NamedTuple

import numpy as np

from tests.programs.science.table import program


class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0.0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("deposits are positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} cannot withdraw")
        self.balance -= amount
        self.history.append(("withdraw", amount))


@program(lambda: ([100.0, 50.0, 30.0], [20.0, 500.0, 45.0]))
def bank_account(deposits, withdrawals):
    account = Account("ann")
    failures = 0
    for amount in deposits:
        account.deposit(amount)
    for amount in withdrawals:
        try:
            account.withdraw(amount)
        except InsufficientFunds:
            failures += 1
    return account.balance, account.history, failures


@program(
    lambda: (Account("ann", 80.0), Account("bob", 10.0), 50.0),
    lambda: (Account("ann", 8.0), Account("bob", 10.0), 50.0),
)
def transfer(source, target, amount):
    source.withdraw(amount)
    target.deposit(amount)
    return source.balance, target.balance


class Direction(Enum):
    UP = auto()
    DOWN = auto()
    IDLE = auto()


@dataclass
class Elevator:
    floor: int = 0
    direction: Direction = Direction.IDLE
    requests: list = field(default_factory=list)
    travelled: int = 0

    def step(self):
        if not self.requests:
            self.direction = Direction.IDLE
            return False
        target = self.requests[0]
        if target > self.floor:
            self.direction = Direction.UP
            self.floor += 1
        elif target < self.floor:
            self.direction = Direction.DOWN
            self.floor -= 1
        else:
            self.requests.pop(0)
            return True
        self.travelled += 1
        return True


@program(lambda: ([3, 1, 4],))
def elevator(calls):
    lift = Elevator(requests=list(calls))
    trace = []
    while lift.step():
        trace.append((lift.floor, lift.direction.name))
    return trace, lift.travelled, lift.direction


@program(lambda: (1, 40, 0.3, 0.35), lambda: (2, 40, 0.6, 0.35))
def single_server_queue(seed, ticks, arrive, serve):
    rng = random.Random(seed)
    queue = deque()
    waits, longest = [], 0
    for now in range(ticks):
        if rng.random() < arrive:
            queue.append(now)
        longest = max(longest, len(queue))
        if queue and rng.random() < serve:
            waits.append(now - queue.popleft())
    return len(waits), sum(waits) / len(waits) if waits else 0.0, longest, len(queue)


@dataclass
class Animal:
    x: int
    y: int
    energy: float


@program(lambda: (0, 6, 8))
def predator_prey_agents(seed, size, steps):
    rng = np.random.default_rng(seed)
    rabbits = [Animal(int(rng.integers(size)), int(rng.integers(size)), 1.0) for _ in range(6)]
    foxes = [Animal(int(rng.integers(size)), int(rng.integers(size)), 3.0) for _ in range(2)]
    counts = []
    for _ in range(steps):
        for a in rabbits + foxes:
            a.x = (a.x + int(rng.integers(-1, 2))) % size
            a.y = (a.y + int(rng.integers(-1, 2))) % size
        for fox in foxes:
            fox.energy -= 0.5
            eaten = [r for r in rabbits if r.x == fox.x and r.y == fox.y]
            for r in eaten:
                rabbits.remove(r)
                fox.energy += 2.0
        foxes = [f for f in foxes if f.energy > 0]
        counts.append((len(rabbits), len(foxes)))
    return counts


@program(lambda: (np.array([[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]), 3))
def game_of_life(board, generations):
    for _ in range(generations):
        neighbours = np.zeros_like(board)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    neighbours += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(int)
    return board


@program(lambda: ({(1, 0), (1, 1), (1, 2)}, 2))
def game_of_life_of_sets(alive, generations):
    for _ in range(generations):
        counts = {}
        for x, y in alive:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if (dx, dy) != (0, 0):
                        cell = (x + dx, y + dy)
                        counts[cell] = counts.get(cell, 0) + 1
        alive = {c for c, n in counts.items() if n == 3 or (n == 2 and c in alive)}
    return alive


@program(lambda: (30, 21, 8), lambda: (110, 21, 8))
def elementary_automaton(rule, width, steps):
    row = [0] * width
    row[width // 2] = 1
    picture = []
    for _ in range(steps):
        picture.append("".join("#" if c else "." for c in row))
        row = [rule >> (4 * row[i - 1] + 2 * row[i] + row[(i + 1) % width]) & 1 for i in range(width)]
    return picture


class Light(IntEnum):
    RED = 0
    GREEN = 1
    AMBER = 2


@program(lambda: (Light.RED, [5, 4, 1], 23))
def traffic_light(state, durations, seconds):
    spent = {light: 0 for light in Light}
    left = durations[state]
    for _ in range(seconds):
        spent[state] += 1
        left -= 1
        if left == 0:
            state = Light((state + 1) % 3)
            left = durations[state]
    return state, spent


@program(lambda: (["coin", "push", "push", "coin", "coin", "kick"],))
def turnstile(events):
    transitions = {
        ("locked", "coin"): ("unlocked", 1),
        ("unlocked", "push"): ("locked", 0),
        ("locked", "push"): ("locked", 0),
        ("unlocked", "coin"): ("unlocked", 1),
    }
    state, coins, unknown = "locked", 0, []
    for event in events:
        try:
            state, coin = transitions[state, event]
        except KeyError:
            unknown.append(event)
            continue
        coins += coin
    return state, coins, unknown


class Move(NamedTuple):
    dx: int
    dy: int


@program(lambda: ("FFRFFLFRRFF",), lambda: ("FQ",))
def robot(commands):
    headings = [Move(0, 1), Move(1, 0), Move(0, -1), Move(-1, 0)]
    x = y = heading = 0
    visited = {(0, 0)}
    for c in commands:
        match c:
            case "F":
                x += headings[heading].dx
                y += headings[heading].dy
                visited.add((x, y))
            case "R":
                heading = (heading + 1) % 4
            case "L":
                heading = (heading - 1) % 4
            case _:
                raise ValueError(f"unknown command {c}")
    return x, y, headings[heading], len(visited)


@program(lambda: (np.zeros((7, 7), dtype=bool), 60))
def langtons_ant(grid, steps):
    x = y = 3
    dx, dy = 0, -1
    for _ in range(steps):
        if grid[y, x]:
            dx, dy = dy, -dx
        else:
            dx, dy = -dy, dx
        grid[y, x] = not grid[y, x]
        x, y = (x + dx) % 7, (y + dy) % 7
    return grid.sum(), (x, y), grid


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __eq__(self, other):
        return isinstance(other, Vector) and self.x == other.x and self.y == other.y


@program(lambda: (1.0, 2.0, 12))
def orbit_with_vectors(x, v, n):
    position, velocity = Vector(x, 0.0), Vector(0.0, v)
    for _ in range(n):
        acceleration = -4.0 / abs(position) ** 3 * position
        velocity = velocity + 0.05 * acceleration
        position = position + velocity * 0.05
    return abs(position), position == position * 1.0, velocity.x


class Shape:
    def area(self):
        raise NotImplementedError

    def describe(self):
        return f"{type(self).__name__} of area {self.area():.2f}"


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return np.pi * self.r**2


class Rectangle(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    @property
    def square(self):
        return self.w == self.h

    def area(self):
        return self.w * self.h


@program(lambda: (2.0, 3.0, 4.0), lambda: (1.0, 2.0, 2.0))
def polymorphic_shapes(r, w, h):
    shapes = [Circle(r), Rectangle(w, h), Rectangle(w, w)]
    largest = max(shapes, key=lambda s: s.area())
    squares = [s for s in shapes if isinstance(s, Rectangle) and s.square]
    return [s.describe() for s in shapes], largest.area(), len(squares)


@program(lambda: (2, ["a", "b", "a", "c", "b", "a"]))
def least_recently_used(capacity, keys):
    cache, hits = {}, 0
    for k in keys:
        if k in cache:
            hits += 1
            cache[k] = cache.pop(k)
        else:
            if len(cache) == capacity:
                del cache[next(iter(cache))]
            cache[k] = len(k)
    return hits, list(cache)
