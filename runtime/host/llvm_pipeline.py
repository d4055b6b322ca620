"""How LLVM optimises a module, and its remarks on loops; run as a program, this reads modules and says those.

LLVM says so on the standard error alone, and only after an option that holds for all of a process from then on.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

_SAYS = "-pass-remarks{}=loop-vectorize"
# Processors (AMD's) that load and store elements at several places faster one by one than by one instruction: LLVM
# takes that for cheap, and a loop over a column of a matrix takes 1.5 times as long.
_SLOW_GATHERS = "znver"
# Between modules, and after what is said of each.
END = "\0"


@functools.cache
def binding() -> Any:
    """The binding of llvmlite, which takes long to import; many programs need none."""
    import llvmlite.binding as llvm  # noqa: PLC0415

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def machine() -> Any:
    """LLVM's description of this machine."""
    llvm = binding()
    name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    if name.startswith(_SLOW_GATHERS):
        features += ",+prefer-no-gather,+prefer-no-scatter"
    return llvm.Target.from_default_triple().create_target_machine(cpu=name, features=features, opt=3, jit=True)


def optimised(llvm: str) -> Any:
    """A module as LLVM has optimised it."""
    library, target = binding(), machine()
    module = library.parse_assembly(llvm)
    module.verify()
    # The level above writes out so many steps of loops over a few elements that no vectors are made of them.
    options = library.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = True
    options.slp_vectorization = llvm.count("\n  store ") <= _FEW_STORES
    builder = library.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return module


# LLVM looks among all pairs of stores for those that make a vector, in a time that grows with the cube of their number.
_FEW_STORES = 256


def as_written(llvm: str) -> Any:
    """A module as it is, but that variables on the stack are values: in a thirtieth of the time."""
    library = binding()
    module = library.parse_assembly(llvm)
    module.verify()
    passes = library.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, library.create_pass_builder(machine(), library.create_pipeline_tuning_options(speed_level=1)))
    return module


if __name__ == "__main__":
    for kind in ("", "-missed", "-analysis"):
        binding().set_option("", _SAYS.format(kind))
    for text in sys.stdin.read().split(END):
        optimised(text)
        os.write(2, END.encode())


_SECONDS = 60.0
_REMARK = re.compile(r"[^\n]*?:(\d+):\d+: (.*)", re.DOTALL)
_VECTORISED = re.compile(r"vectorized loop \(vectorization width: (\d+)")
# What stands in the way has the place of that, and comes before the verdict, which has the loop's.
_VERDICT, _REASON = "loop not vectorized", "loop not vectorized: "


class Remark(NamedTuple):
    """A remark of LLVM's on a loop."""

    line: int  # the loop's, of the module's debug information
    width: int  # how many steps are done at once; 0 where the loop is not vectorised
    reasons: tuple[str, ...] = ()  # what stands in the way of that, in LLVM's words


def remarks(modules: Sequence[str]) -> list[list[Remark]] | None:
    """LLVM's remarks on the loops of each module, which have debug information, asked in a process of its own.

    None where it cannot be asked here.
    """
    program = __file__
    if not modules:
        return []
    if not (sys.executable and os.path.isfile(program)):
        return None
    # Beside the program are modules with names of the standard library's.
    command, given = [sys.executable, "-P", program], END.join(modules)
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    said = done.stderr.split(END)[: len(modules)]
    return None if done.returncode else list(map(_read, said))


def _read(text: str) -> list[Remark]:
    found, reasons = list[Remark](), list[str]()
    for part in text.split("remark: ")[1:]:
        place = _REMARK.fullmatch(part.strip())
        if place is None:
            continue
        line, words = int(place[1]), place[2]
        width = _VECTORISED.match(words)
        if width is not None:
            found.append(Remark(line, int(width[1])))
        elif words == _VERDICT:
            found.append(Remark(line, 0, tuple(reasons)))
        else:
            reasons.append(words.removeprefix(_REASON))
            continue
        reasons.clear()
    return found
