"""The caches on disk when disks, clocks, processes and people do their worst: right answers, no crash, no old bytes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import anabranch
from anabranch import jit
from anabranch.base.file_store import CacheUsage, Store
from anabranch.runtime.config import configure
from anabranch.runtime.xla import disk_cache

PATH = str(Path(anabranch.__file__).parents[1])
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
needs_unix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

MODULE = """
import sys
import numpy as np
from anabranch import jit
from anabranch.runtime.xla import disk_cache

compiled, plain, llvm = [], disk_cache.compile_text, disk_cache.compile_llvm
disk_cache.compile_text = lambda *a: compiled.append(1) or plain(*a)
disk_cache.compile_llvm = lambda *a: compiled.append(1) or llvm(*a)

def smaller(v):
    return v if v < 2 else v / 2

@jit
def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return smaller(y)
"""
RUN = "import program; print(program.newton(9.0), len(program.compiled), 'libcst' in program.sys.modules)"


def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def environment(folder, **more):
    return {**os.environ, "ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": str(folder), "PYTHONPATH": PATH, **more}


def start(tmp_path, program, folder, **options):
    if not (tmp_path / "program.py").exists():  # others may be importing it
        (tmp_path / "program.py").write_text(MODULE)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, cwd=tmp_path, env=environment(folder), **pipes, **options)


def finished(process):
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out


def files(folder):
    return sorted(p for p in folder.rglob("*") if not p.is_dir() or p.is_symlink())


# ---- processes that end, and processes beside one another -----------------------------------------------------------


@pytest.mark.slow
@needs_unix
def test_killed_while_writing(tmp_path):
    """Entries that were there stay; those that were left behind go."""
    folder = tmp_path / "cache"
    Store(folder, 2**30).save("key", b"old")
    program = f"""
import sys
sys.path.insert(0, {PATH!r})
from pathlib import Path
from anabranch.base.file_store import Store
while True:
    Store(Path({str(folder)!r}), 2**30).save("key", bytes(2**27))
"""
    process = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 60
    while not any(p.stat().st_size > 2**20 for p in folder.glob("*.tmp") if p.exists()):
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGKILL)
    process.wait()
    (left,) = folder.glob("*.tmp")
    store = Store(folder, 2**30)
    assert store.load("key") in (b"old", bytes(2**27))
    assert store.usage().entries == 1
    store.save("other", b"")
    assert left.exists()  # it may be one that is still being written
    os.utime(left, (time.time() - 7200,) * 2)
    Store(folder, 2**30).save("other", b"")
    assert not left.exists()


@pytest.mark.slow
def test_eight_processes_at_once(tmp_path):
    folder = tmp_path / "cache"
    processes = [start(tmp_path, RUN, folder) for _ in range(8)]
    assert {finished(p).split()[0] for p in processes} == {"1.5"}
    assert finished(start(tmp_path, RUN, folder)) == "1.5 0 False\n"
    assert len(files(folder)) == 3
    assert not list(folder.rglob("*.tmp"))


def test_eviction_beside_other_processes(tmp_path):
    """Four processes write and read more than there is room for."""
    program = f"""
import sys
sys.path.insert(0, {PATH!r})
from pathlib import Path
from anabranch.base.file_store import Store
store = Store(Path({str(tmp_path)!r}), 200_000)
for i in range(300):
    store.save(f"k{{i % 50}}", bytes([i % 50]) * 10_000)
    found = store.load(f"k{{i * 7 % 50}}")
    assert found is None or found == bytes([i * 7 % 50]) * 10_000
store.sweep()
"""
    processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [p.wait(60) for p in processes] == [0] * 4
    Store(tmp_path, 200_000).sweep()
    assert 0 < Store(tmp_path, 200_000).usage().size <= 200_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("compiler", ["compile_text", "compile_llvm"])
def test_forked_while_another_thread_compiles(tmp_path, monkeypatch, compiler):
    """The child has no such thread, and waits for nothing that it holds."""
    f = jit(newton, native_loops=compiler == "compile_llvm")
    inside, go_on, plain = threading.Event(), threading.Event(), getattr(disk_cache, compiler)

    def compile_slowly(*args):
        if threading.current_thread() is thread:
            inside.set()
            assert go_on.wait(60)
        return plain(*args)

    monkeypatch.setattr(disk_cache, compiler, compile_slowly)
    thread = threading.Thread(target=f, args=(9.0,))
    with configure(cache_dir=tmp_path):
        thread.start()
        assert inside.wait(60)
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                signal.alarm(60)
                code = 0 if f(9.0) == 3.0 else 2
            os._exit(code)
        _, status = os.waitpid(child, 0)
        go_on.set()
        thread.join()
    assert os.waitstatus_to_exitcode(status) == 0


# ---- disks ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_unix
def test_a_disk_that_takes_no_more(tmp_path):
    """Files may grow to a few bytes, as on a full disk."""
    folder = tmp_path / "cache"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)); "
    assert finished(start(tmp_path, limit + RUN, folder)).startswith("1.5 1")
    assert not files(folder)
    assert finished(start(tmp_path, RUN, folder)).startswith("1.5 1")
    assert len(files(folder)) == 3


@contextlib.contextmanager
def mounted(place, *options):
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(place)], capture_output=True)
    if done.returncode:
        pytest.skip(f"nothing can be mounted: {done.stderr.decode()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@needs_root
def test_a_full_disk(tmp_path, compiled):
    with mounted(tmp_path / "disk", "-o", "size=4k") as folder, configure(cache_dir=folder, native_loops=False):
        for _ in range(2):
            assert jit(newton)(9.0) == 3.0
        assert len(compiled) == 2
        assert not [p for p in files(folder) if p.name.endswith(".tmp")]


@needs_root
def test_a_disk_that_can_only_be_read(tmp_path, compiled):
    with mounted(tmp_path / "disk") as folder, configure(cache_dir=folder):
        jit(newton)(9.0)
        for entry in files(folder):
            os.utime(entry, (1, 1))
        if subprocess.run(["mount", "-o", "remount,ro", str(folder)]).returncode:
            pytest.skip("nothing can be mounted anew")
        assert jit(newton)(9.0) == 3.0
        assert len(compiled) == 1
        assert jit(newton)(4) == newton(4)
        assert len(compiled) == 2


@pytest.mark.parametrize("where", ["", "executables", "rewritten"])
def test_a_file_where_the_folder_would_be(tmp_path, where):
    (tmp_path / "cache").mkdir()
    place = tmp_path / "cache" / where
    if not where:
        place.rmdir()
    place.write_text("in the way")
    with configure(cache_dir=tmp_path / "cache"):
        assert jit(newton)(9.0) == 3.0
    assert place.read_text() == "in the way"


def test_a_folder_that_vanishes(tmp_path, compiled):
    with configure(cache_dir=tmp_path / "cache"):
        f = jit(newton)
        for x in (9.0, 9):
            assert f(x) == 3.0
            shutil.rmtree(tmp_path / "cache")
        assert jit(newton)(9.0) == 3.0
    assert len(compiled) == 3
    assert len(files(tmp_path / "cache")) == 1


# ---- entries -------------------------------------------------------------------------------------------------------


def test_every_bit_and_every_length(tmp_path):
    """A flipped bit anywhere, and a file cut short anywhere, are no entry, and go."""
    store = Store(tmp_path, 2**20)
    store.save("key", b"payload", {"function": "f"})
    entry = tmp_path / "key"
    good = entry.read_bytes()
    for place in range(len(good)):
        for bit in (0, 7):
            entry.write_bytes(good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :])
            assert store.load("key") is None, place
            assert not entry.exists()
        entry.write_bytes(good[:place])
        assert store.load("key") is None
        assert not entry.exists()
    entry.write_bytes(good + b"x")
    assert store.load("key") is None
    entry.write_bytes(good)
    assert store.load("key") == b"payload"


def test_an_entry_under_another_name(tmp_path):
    store = Store(tmp_path, 2**20)
    store.save("key", b"payload")
    (tmp_path / "key").rename(tmp_path / "other")
    assert store.load("other") is None
    assert not (tmp_path / "other").exists()


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


def loop(path):
    path.unlink()
    path.symlink_to(path)


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder_instead(path):
    path.unlink()
    path.mkdir()


DAMAGES = {
    "no bytes": lambda p: p.write_bytes(b""),
    "half": lambda p: p.write_bytes(p.read_bytes()[: p.stat().st_size // 2]),
    "format": lambda p: flip(p, 3),
    "digest": lambda p: flip(p, 30),
    "what is said of it": lambda p: flip(p, 60),
    "payload": lambda p: flip(p, -100),
    "a loop of links": loop,
    "a pipe": pipe,
    "a folder": folder_instead,
}


@needs_unix
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entries(tmp_path, compiled, damage):
    with configure(cache_dir=tmp_path):
        jit(newton)(9.0)
        (entry,) = files(tmp_path)
        DAMAGES[damage](entry)
        assert jit(newton)(9.0) == 3.0
        assert len(compiled) == 2
        assert jit(newton)(9.0) == 3.0
        assert len(compiled) == 2
    assert [p for p in tmp_path.rglob("*.tmp")] == []


@pytest.mark.slow
def test_damaged_rewritten_functions(tmp_path):
    folder = tmp_path / "cache"
    finished(start(tmp_path, RUN, folder))
    for entry, damage in zip(files(folder / "rewritten"), ("half", "payload"), strict=True):
        DAMAGES[damage](entry)
    assert finished(start(tmp_path, RUN, folder)) == "1.5 0 True\n"
    assert finished(start(tmp_path, RUN, folder)) == "1.5 0 False\n"


def test_a_wrong_clock(tmp_path, compiled):
    with configure(cache_dir=tmp_path):
        jit(newton)(9.0)
        (entry,) = files(tmp_path)
        for then in (time.time() + 1e8, 0.0):
            os.utime(entry, (then, then))
            assert jit(newton)(9.0) == 3.0
            assert abs(entry.stat().st_mtime - time.time()) < 3600
    assert len(compiled) == 1


def test_what_comes_from_the_future_goes_no_later(tmp_path):
    store = Store(tmp_path, 2**20)
    for name, then in (("future", time.time() + 1e8), ("now", time.time()), ("past", 1.0)):
        store.save(name, bytes(1000))
        os.utime(tmp_path / name, (then, then))
    small = Store(tmp_path, 2500)
    small.sweep()
    assert not (tmp_path / "past").exists()
    assert small.usage().entries == 1


@needs_root
def test_entries_of_another_user(tmp_path, compiled):
    """They are code: what others wrote is not run, but written anew."""
    with configure(cache_dir=tmp_path):
        jit(newton)(9.0)
        (entry,) = files(tmp_path)
        os.chown(entry, 12345, 12345)
        assert jit(newton)(9.0) == 3.0
        assert len(compiled) == 2
        assert entry.stat().st_uid == 0
        assert jit(newton)(9.0) == 3.0
    assert len(compiled) == 2


def test_what_is_left_over_is_no_entry(tmp_path):
    (tmp_path / "key.12.tmp").write_bytes(bytes(100))
    store = Store(tmp_path, 2**20)
    assert store.usage() == CacheUsage(0, 0)
    assert store.load("key") is None
    assert list(store.entries()) == []
    store.save("key", b"x")
    assert [e.key for e in store.entries()] == ["key"]
    store.clear()
    assert not files(tmp_path)


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    store = Store(tmp_path, 2**20)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.save("key", b"x")
    assert not files(tmp_path)
