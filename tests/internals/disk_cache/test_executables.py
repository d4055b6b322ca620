"""Executables on disk: who finds them, and what happens to damaged ones."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.base.file_store import CacheUsage, Store
from anabranch.runtime.config import configure
from anabranch.runtime.xla import disk_cache


def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def entries(folder):
    return sorted((folder / "executables").iterdir())


def test_the_second_time_nothing_is_compiled(tmp_path, compiled):
    with configure(cache_dir=tmp_path):
        first, second = jit(newton)(2.0), jit(newton)(2.0)
        assert jit(newton)(3.0) == newton(3.0)
    assert first == second == newton(2.0)
    assert len(compiled) == len(entries(tmp_path)) == 1
    jit(newton)(2.0)
    assert len(compiled) == 2


def test_another_process_finds_it(tmp_path, run_python):
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(anabranch.__file__).parents[1])!r})
os.environ.update(ANABRANCH_CACHE="1", ANABRANCH_CACHE_DIR={str(tmp_path)!r})
import numpy as np
from anabranch import jit
from anabranch.runtime.xla import disk_cache
plain, llvm, count = disk_cache.compile_text, disk_cache.compile_llvm, []
disk_cache.compile_text = lambda *a: count.append(1) or plain(*a)
disk_cache.compile_llvm = lambda *a: count.append(1) or llvm(*a)
print(jit(np.linalg.norm)(np.arange(5.0)), len(count))
"""
    assert run_python(program) == f"{np.linalg.norm(np.arange(5.0))} 1\n"
    assert run_python(program) == f"{np.linalg.norm(np.arange(5.0))} 0\n"


@pytest.mark.parametrize("damage", [lambda b: b[:-5], lambda b: b[:100] + b"x" + b[101:], lambda b: b""])
def test_a_damaged_entry_is_made_anew(tmp_path, compiled, damage):
    with configure(cache_dir=tmp_path):
        jit(newton)(2.0)
        (entry,) = entries(tmp_path)
        entry.write_bytes(damage(entry.read_bytes()))
        assert jit(newton)(2.0) == newton(2.0)
        assert len(compiled) == 2
        assert jit(newton)(2.0) == newton(2.0)
    assert len(compiled) == 2


def test_an_entry_that_is_no_executable_is_made_anew(tmp_path, compiled):
    with configure(cache_dir=tmp_path):
        jit(newton)(2.0)
        (entry,) = entries(tmp_path)
        disk_cache.store(tmp_path).save(entry.name, b"something else")
        assert jit(newton)(2.0) == newton(2.0)
    assert len(compiled) == 2


def test_flags_and_processor_are_told_apart(monkeypatch):
    plain = disk_cache.key_of("module", disk_cache.CompileOptions())
    assert disk_cache.key_of("module", disk_cache.CompileOptions((("xla_cpu_enable_fast_math", True),))) != plain
    assert disk_cache.key_of("another", disk_cache.CompileOptions()) != plain
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=x")
    assert disk_cache.key_of("module", disk_cache.CompileOptions()) != plain
    monkeypatch.delenv("XLA_FLAGS")
    monkeypatch.setattr(disk_cache, "processor", lambda: "another")
    assert disk_cache.key_of("module", disk_cache.CompileOptions()) != plain


def test_what_calls_back_is_kept_too(tmp_path, capfd, compiled):
    def f(n, text):
        for i in range(n):
            print(text, i)

    with configure(cache_dir=tmp_path):
        for text in ("step", "step", "other"):
            jit(f)(2, text)
    assert capfd.readouterr().out == "step 0\nstep 1\nstep 0\nstep 1\nother 0\nother 1\n"
    assert len(compiled) == 1


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path):
    (tmp_path / "executables").write_text("a file where the folder would be")
    with configure(cache_dir=tmp_path):
        assert jit(newton)(2.0) == newton(2.0)


# ---- the store -----------------------------------------------------------------------------------------------------


def test_the_least_recently_used_go_first(tmp_path):
    for age in range(8):
        (tmp_path / str(age)).write_bytes(bytes(100))
        os.utime(tmp_path / str(age), (1000 - age, 1000 - age))
    Store(tmp_path, 800).sweep()
    assert Store(tmp_path, 800).usage() == CacheUsage(8, 800)
    Store(tmp_path, 500).sweep()
    assert sorted(f.name for f in tmp_path.iterdir()) == ["0", "1", "2"]
    assert Store(tmp_path, 500).clear() == CacheUsage(3, 300)
    assert Store(tmp_path / "missing", 500).clear() == CacheUsage(0, 0)


def test_many_threads_and_one_key(tmp_path):
    store, wrong = Store(tmp_path, 2**20), []

    def work():
        for _ in range(50):
            store.save("key", b"value" * 1000)
            if store.load("key") != b"value" * 1000:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert [f.name for f in tmp_path.iterdir()] == ["key"]
