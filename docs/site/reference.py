"""The pages of the API: the public names in groups, each described by its docstring."""

from __future__ import annotations

import importlib
import inspect

_ERRORS = (
    "AnabranchError",
    "SourceError",
    "NoSourceError",
    "UnsupportedConstructError",
    "ConcretizationError",
    "UnsupportedValueError",
    "UnsupportedOperationError",
    "StructureMismatchError",
    "AliasError",
    "IntegerRangeError",
    "EagerFallbackWarning",
    "CapacityError",
    "StaticArgumentError",
    "ImmutableArrayError",
    "DeletedArrayError",
    "DonationError",
    "ForkedProcessError",
    "SerializationError",
    "StaleExecutableError",
    "EscapedTracerError",
)
_RANDOM = "key split fold_in uniform normal exponential gamma integers bernoulli categorical permutation choice"

# Page: its title, its module, its names.
PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "compiling": (
        "Compiling",
        "anabranch",
        ("jit", "Wrapped", "vectorize", "guvectorize", "host", "djit", "Dynamic"),
    ),
    "stages": (
        "Stages of a compilation",
        "anabranch",
        (
            "xpr",
            "make_xpr",
            "eval_shape",
            "Traced",
            "Lowered",
            "Compiled",
            "Program",
            "ShapeDtypeStruct",
            "ArgInfo",
            "PyTreeDef",
            "OneOf",
        ),
    ),
    "control-flow": (
        "Control flow as functions",
        "anabranch",
        ("cond", "switch", "while_loop", "fori_loop", "scan"),
    ),
    "arrays": (
        "Arrays and memory",
        "anabranch",
        ("Array", "asarray", "device_put", "from_dlpack", "memory_stats", "release_memory"),
    ),
    "settings": ("Settings and profiles", "anabranch", ("Settings", "configure", "disable_jit", "profile")),
    "errors": ("Errors", "anabranch", _ERRORS),
    "testing": (
        "anabranch.testing",
        "anabranch.testing",
        (
            "assert_equivalent",
            "check_equivalent",
            "equivalent",
            "Tolerance",
            "Report",
            "Difference",
            "arrays",
            "scalars",
            "elements",
            "pytrees",
        ),
    ),
    "random": ("anabranch.random", "anabranch.random", tuple(_RANDOM.split())),
    "export": ("anabranch.export", "anabranch.export", ("export", "deserialize", "Exported")),
    "compat-numba": (
        "anabranch.compat.numba",
        "anabranch.compat.numba",
        (
            "njit",
            "jit",
            "vectorize",
            "guvectorize",
            "jitclass",
            "typeof",
            "from_dtype",
            "literally",
            "set_num_threads",
            "get_num_threads",
            "threading_layer",
            "install",
        ),
    ),
}

_OVERVIEW = """\
# API

Every public name, with its docstring. What NumPy's functions do is said by NumPy; `anabranch.numpy` has those of the
array API standard for [Arrays](arrays.md). The commands are on [a page of their own](command-line.md).

| page | names |
|---|---|
"""


def pages() -> dict[str, str]:
    """The text of each page, by its path without `.md`."""
    rows = []
    made = {}
    for name, (title, module, names) in PAGES.items():
        rows.append(f"| [{title}](reference/{name}.md) | {', '.join(f'`{one}`' for one in names)} |")
        made[f"reference/{name}"] = f"# {title}\n\n" + "\n".join(_entry(module, one) for one in names)
    listed = "\n".join(f"reference/{name}" for name in PAGES)
    made["reference"] = f"{_OVERVIEW}{chr(10).join(rows)}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    return made


def _entry(module: str, name: str) -> str:
    value = getattr(importlib.import_module(module), name)
    directive = "autofunction"
    if inspect.isclass(value):
        directive = "autoexception" if issubclass(value, BaseException) else "autoclass"
    members = "\n   :members:\n   :inherited-members:" if directive == "autoclass" else ""
    return f"```{{eval-rst}}\n.. {directive}:: {module}.{name}{members}\n```\n"
