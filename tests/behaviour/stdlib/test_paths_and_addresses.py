"""Objects of the standard library that never change, though some keep what was once computed of them."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import fractions
import ipaddress
import pathlib
import uuid
import zoneinfo

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()

X = np.array([0.5, 2.0, -1.0])
NETWORK = ipaddress.ip_network("10.1.0.0/24")
WIDER = ipaddress.ip_network("11.0.0.0/16")


class Folder(pathlib.PurePosixPath):
    """A path with a property of its own."""

    @property
    def depth(self):
        return len(self.parts)


@dataclasses.dataclass
class Job:
    path: pathlib.PurePath
    weight: float


PATHS = [pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.Path, Folder]


def in_branches(x, path):
    total = 0.0
    for v in x:
        if v > 1:
            total += v * len(str(path))
        elif v < 0:
            total += len(path.name) + len(path.parts)
        else:
            total -= hash(path) % 7
    return total, path


def made_there(x, path):
    other, n = path / "c.txt", 0
    for v in x:
        if v > 1:
            n += len(other.suffix) + len(other.parents) + len(str(other.with_suffix(".z")))
    return n, other, path.parent, path < other, path == other, other.as_posix()


def in_a_dict(x, jobs):
    scale = len(str(jobs["first"])) if x[0] > 0 else len(jobs["first"].stem)
    return x * scale, jobs["first"].suffix


def in_a_dataclass(x, job):
    if x[0] > 0:
        job.weight += len(job.path.stem)
    return x * job.weight, job.path / "z"


@pytest.mark.parametrize("kind", PATHS, ids=lambda c: c.__name__)
def test_paths(kind):
    for x in (X, -X):
        check(in_branches, x, kind("a/b.txt"))
        check(made_there, x, kind("a/b.txt"))
        check(in_a_dict, x, {"first": kind("a/b.txt")})
        check(in_a_dataclass, x, Job(kind("a/b.txt"), 2.0))


def test_a_property_of_a_subclass():
    check(lambda x, p: x * p.depth if x[0] > 0 else x - p.depth, X, Folder("a/b/c"))


@pytest.mark.parametrize("kind", PATHS, ids=lambda c: c.__name__)
def test_what_is_asked_of_a_path_between_calls_compiles_nothing_anew(kind):
    path = kind("a/b.txt")

    def f(x):
        return x + len(path.suffix)

    compiled = jit(f)
    assert compiled(1.0) == f(1.0)
    str(path), hash(path), path.parts, path < path / "c"
    assert compiled(1.0) == f(1.0)
    assert compiled.cache_info()[:2] == (1, 1)


def test_attributes_of_a_path_of_the_users_do_change():
    path = Folder("a/b")

    def f(x):
        path.count = 0.0
        for v in x:
            if v > 0:
                path.count += len(str(path)) * v
        return path.count

    assert jit(f)(X) == path.count == f(X)


@case((X, NETWORK), (-X, NETWORK), (X, ipaddress.ip_network("fe80::/120")))
def last_address(x, network):
    if x[0] > 0:
        x = x + int(network.broadcast_address) % 256
    else:
        x = x - int(network.hostmask)
    return x, network.broadcast_address, network.num_addresses, network


@case((X, ipaddress.ip_interface("10.0.0.1/24")), (-X, ipaddress.ip_interface("10.0.0.1/24")))
def of_an_interface(x, interface):
    return x * int(interface.hostmask) if x[0] > 0 else x - interface.network.prefixlen


@case((X, NETWORK, WIDER), (-X, NETWORK, WIDER))
def one_of_two_networks(x, a, b):
    network = a if x[0] > 0 else b
    end = int(network.broadcast_address) if x[1] > 0 else 0
    return end, network.prefixlen, int(network.network_address), int(network.broadcast_address)


@case((X, datetime.datetime(2020, 1, 2, tzinfo=zoneinfo.ZoneInfo("UTC"))))
def hours(x, moment):
    return x + moment.hour if x[0] > 0 else x - moment.timestamp(), hash(moment), moment.utcoffset()


@case((X, fractions.Fraction(3, 7), decimal.Decimal("3.25"), uuid.UUID(int=3 << 100)))
def numbers(x, a, b, c):
    y = x * float(a) if x[0] > 0 else x - float(b)
    return y, a.limit_denominator(2), b.quantize(decimal.Decimal("0.1")), c.hex, hash(a), hash(b), hash(c)


@pytest.mark.parametrize("program", case.programs)
def test_objects_that_do_not_change(program: Program):
    program.check()
