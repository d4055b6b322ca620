"""Counts and records: epidemics, experiments in psychology, accounts, sports."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from enum import Enum
from itertools import groupby

import numpy as np

from tests.programs.science.table import program


def _events(beta, n, infected, seed):
    s, i, t = n - infected, infected, 0.0
    while i > 0:
        seed = 48271 * seed % 2147483647
        u = seed / 2147483647
        seed = 48271 * seed % 2147483647
        infection, recovery = beta * s * i / n, float(i)
        t -= math.log(u) / (infection + recovery)
        if seed / 2147483647 * (infection + recovery) < infection:
            s, i, kind = s - 1, i + 1, "infect"
        else:
            i, kind = i - 1, "recover"
        yield t, kind, s, i


@program(lambda: (2.0, 12345))
def outbreak(beta, seed):
    counts, peak, last = Counter(), 0, None
    for t, kind, s, i in _events(beta, 40, 3, seed):
        counts[kind] += 1
        peak = max(peak, i)
        last = t, s
        if t > 5:
            break
    return counts, peak, last


class Outcome(Enum):
    HIT = 1
    MISS = 2
    FALSE_ALARM = 3
    REJECTION = 4


@program(lambda: ([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]))
def signal_detection(stimuli, answers):
    found = Counter(
        Outcome.HIT if s and a else Outcome.MISS if s else Outcome.FALSE_ALARM if a else Outcome.REJECTION
        for s, a in zip(stimuli, answers)
    )
    hits = (found[Outcome.HIT] + 0.5) / (found[Outcome.HIT] + found[Outcome.MISS] + 1)
    alarms = (found[Outcome.FALSE_ALARM] + 0.5) / (found[Outcome.FALSE_ALARM] + found[Outcome.REJECTION] + 1)
    return hits, alarms


@program(lambda: (np.array([1, 1, 2, 2, 2, 3]), np.array([1, 0, 1, 1, 0, 0])))
def secondary_attacks(houses, sick):
    members = defaultdict(list)
    for house, s in zip(houses, sick):
        members[house].append(bool(s))
    rates = {k: (sum(v) - 1) / (len(v) - 1) for k, v in members.items() if len(v) > 1 and any(v)}
    return rates, statistics.mean(rates.values()) if rates else None


@program(lambda: (np.array([1, 1, 0, 1, 1, 1, 0, 0]),))
def longest_streaks(results):
    best = {}
    for won, games in groupby(results):
        best[won] = max(best.get(won, 0), len(list(games)))
    return best


class Controller:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral, self.before = 0.0, None

    def __call__(self, error, dt):
        slope = 0.0 if self.before is None else (error - self.before) / dt
        self.before = error
        self.integral += error * dt
        return max(-1.0, min(1.0, self.kp * error + self.ki * self.integral + self.kd * slope))


@program(lambda: (1.0, 40), lambda: (0.1, 5))
def settling(target, n):
    control, x, log = Controller(2.0, 0.5, 0.1), 0.0, []
    for _ in range(n):
        u = control(target - x, 0.1)
        x += 0.1 * (u - 0.2 * x)
        log.append((x, u))
    return log[-1], next((i for i, (y, _) in enumerate(log) if abs(y - target) < 0.05 * abs(target)), None)


class ShortError(Exception):
    def __init__(self, need, have):
        super().__init__(f"need {need:.2f}, have {have:.2f}")
        self.short = need - have


def _pay(accounts, source, target, amount):
    if accounts[source] < amount:
        raise ShortError(amount, accounts[source])
    accounts[source] -= amount
    accounts[target] += amount


@program(lambda: ([50.0, 20.0, 100.0, 30.0],))
def transfers(amounts):
    accounts, short = defaultdict(float), 0.0
    accounts["cash"] = 100.0
    for k, amount in enumerate(amounts):
        try:
            _pay(accounts, "cash" if k % 2 == 0 else "stock", "stock" if k % 2 == 0 else "cash", amount)
        except ShortError as error:
            short += error.short
    return dict(accounts), short
