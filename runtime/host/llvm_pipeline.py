"""How LLVM optimises a module; run as a program, it says what became of the loops of those on its standard input.

LLVM says so on the standard error alone, and only after an option that holds for all of a process from then on.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

_SAYS = "-pass-remarks{}=loop-vectorize"
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
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True)


def optimised(llvm: str) -> Any:
    """A module as LLVM has optimised it."""
    library, target = binding(), machine()
    module = library.parse_assembly(llvm)
    module.verify()
    # The level above writes out so many steps of loops over a few elements that no vectors are made of them.
    options = library.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = True
    builder = library.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return module


if __name__ == "__main__":
    for kind in ("", "-missed", "-analysis"):
        binding().set_option("", _SAYS.format(kind))
    for text in sys.stdin.read().split(END):
        optimised(text)
        os.write(2, END.encode())
