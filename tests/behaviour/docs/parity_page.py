"""The page of what stands beside Nabla's and JAX's names: `python -m tests.behaviour.docs.parity_page` writes it.

A test says with `shows` which names it shows; what is not there is listed with the reason.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T", bound=Callable[..., object])

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "parity.md"
MODULES = ("stages", "donation", "nabla_form", "export")

_ONE_DEVICE = "programs run on one device, the CPU: nothing is spread"
_NO_GRADIENTS = "there are no derivatives yet"

NABLA = [
    "nabla.jit(func)", "nabla.jit(static)", "nabla.jit(show_graph)", "nabla.jit(auto_device)",
    "nabla.djit(func)", "nabla.djit(show_graph)", "nabla.djit(auto_device)",
    "nabla.xpr(fn)", "nabla.xpr(primals)",
]  # fmt: skip

# As `tests.behaviour.docs.jax_names` finds them in jax 0.10.
JAX = """
jax.jit(fun in_shardings out_shardings static_argnums static_argnames donate_argnums donate_argnames keep_unused device
    backend inline compiler_options)
jax.stages.Wrapped.[__call__ clear_cache eval_shape lower trace]
jax.stages.Traced.[__call__ args_info donate_argnums fun_name in_avals in_tree jaxpr lojax]
jax.stages.Traced.lower(lowering_platforms)
jax.stages.Traced.[out_avals out_info out_tree]
jax.stages.Lowered.[args_info]
jax.stages.Lowered.as_text(dialect debug_info)
jax.stages.Lowered.compile(compiler_options device_assignment)
jax.stages.Lowered.compiler_ir(dialect)
jax.stages.Lowered.[cost_analysis donate_argnums in_avals in_tree out_info out_tree]
jax.stages.Compiled.[__call__ args_info as_text call cost_analysis donate_argnums in_avals in_tree input_formats
    input_shardings memory_analysis out_info out_tree output_formats output_shardings runtime_executable]
jax.stages.ArgInfo.[donated dtype shape]
jax.ShapeDtypeStruct(shape dtype sharding weak_type manual_axis_type is_ref)
jax.eval_shape(fun)
jax.make_jaxpr(fun static_argnums axis_env return_shape)
jax.export.export(fun_jit platforms disabled_checks)
jax.export.deserialize(blob)
jax.export.Exported.[call calling_convention_version disabled_safety_checks fun_name has_vjp in_avals in_shardings_hlo]
jax.export.Exported.in_shardings_jax(mesh)
jax.export.Exported.[in_tree]
jax.export.Exported.mlir_module(serialized)
jax.export.Exported.[mlir_module_serialized module_kept_var_idx nr_devices ordered_effects out_avals out_shardings_hlo]
jax.export.Exported.out_shardings_jax(mesh)
jax.export.Exported.[out_tree platforms]
jax.export.Exported.serialize(vjp_order)
jax.export.Exported.[unordered_effects uses_global_constants vjp]
"""

# Names that are not there, with the reason.
ABSENT = {
    "jax.jit(in_shardings)": _ONE_DEVICE,
    "jax.jit(out_shardings)": _ONE_DEVICE,
    "jax.jit(keep_unused)": "arguments are always kept",
    "jax.jit(device)": _ONE_DEVICE,
    "jax.jit(backend)": _ONE_DEVICE,
    "jax.jit(inline)": "a call from another compiled function is always traced along with its caller",
    "jax.stages.Traced.lojax": "there is one form of a Program",
    "jax.stages.Lowered.compile(device_assignment)": _ONE_DEVICE,
    "jax.stages.Compiled.call": "it is `__call__` without the object, for JAX's own use",
    "jax.stages.Compiled.input_formats": _ONE_DEVICE + ", and every array lies there in C order",
    "jax.stages.Compiled.output_formats": _ONE_DEVICE + ", and every array lies there in C order",
    "jax.stages.Compiled.input_shardings": _ONE_DEVICE,
    "jax.stages.Compiled.output_shardings": _ONE_DEVICE,
    "jax.ShapeDtypeStruct(sharding)": _ONE_DEVICE + '; `device="cpu"` stands for an `anabranch.Array`',
    "jax.ShapeDtypeStruct(manual_axis_type)": _ONE_DEVICE,
    "jax.ShapeDtypeStruct(is_ref)": "ndarrays are written to as such; there are no references",
    "jax.make_jaxpr(axis_env)": "there are no named axes",
    "jax.export.export(disabled_checks)": "there are no checks of custom calls to disable",
    "jax.export.Exported.calling_convention_version": "a file says its form, and another one is refused",
    "jax.export.Exported.disabled_safety_checks": "there are no checks of custom calls to disable",
    "jax.export.Exported.has_vjp": _NO_GRADIENTS,
    "jax.export.Exported.vjp": _NO_GRADIENTS,
    "jax.export.Exported.in_shardings_hlo": _ONE_DEVICE,
    "jax.export.Exported.in_shardings_jax(mesh)": _ONE_DEVICE,
    "jax.export.Exported.out_shardings_hlo": _ONE_DEVICE,
    "jax.export.Exported.out_shardings_jax(mesh)": _ONE_DEVICE,
    "jax.export.Exported.module_kept_var_idx": "arguments are always kept",
    "jax.export.Exported.ordered_effects": "a function with effects in a branch or a loop cannot be exported",
    "jax.export.Exported.unordered_effects": "a function with effects in a branch or a loop cannot be exported",
    "jax.export.Exported.uses_global_constants": "there are no symbolic shapes",
}

# What goes by another name here.
HERE = {
    "jax.stages.Traced.jaxpr": "`program`",
    "jax.make_jaxpr(fun)": "`make_xpr`",
    "jax.make_jaxpr(static_argnums)": "`make_xpr`",
    "jax.make_jaxpr(return_shape)": "`make_xpr`",
    "jax.export.export(fun_jit)": "`fun`, jitted or not",
    "jax.export.Exported.mlir_module(serialized)": "False where it is not given: text",
    "jax.jit(fun)": "`func`, as in Nabla",
    "jax.export.Exported.serialize(vjp_order)": "0, as there are no derivatives yet",
    "nabla.jit(auto_device)": "there is no accelerator to move to",
    "nabla.djit(auto_device)": "there is no accelerator to move to",
}

_HEAD = """# Names beside Nabla's and JAX's

Each name, argument and method of Nabla's `jit`, `djit` and `xpr`, and of JAX's `jit`, `stages`, `export` and what
belongs to them (jax 0.10), with the tests that show it, or the reason why it is not there. `nabla.x` and `jax.x` are
`anabranch.x` here, `jax.stages.X` and `jax.ShapeDtypeStruct` are `anabranch.X`, and `jax.export` is `anabranch.export`,
where the table says nothing else.
"""


def shows(*names: str) -> Callable[[T], T]:
    """Mark a test as the one that shows these names."""

    def mark(test: T) -> T:
        test.__dict__.setdefault("shows", []).extend(names)
        return test

    return mark


def jax_names() -> list[str]:
    """The names of JAX that the page lists."""
    found = []
    for line in " ".join(JAX.split("\n")).replace(") ", ")\n").replace("] ", "]\n").strip().splitlines():
        head, _, rest = line.strip().replace("[", "(").rstrip(")]").partition("(")
        found += [head + n if head.endswith(".") else f"{head}({n})" for n in rest.split()]
    return found


def shown() -> dict[str, list[str]]:
    """For each name the tests that show it, as links."""
    found: dict[str, list[str]] = {}
    for module in MODULES:
        tests = importlib.import_module(f"tests.behaviour.api.test_{module}")
        for name, test in inspect.getmembers(tests, inspect.isfunction):
            for what in getattr(test, "shows", ()):
                found.setdefault(what, []).append(f"[{name}](../tests/behaviour/api/test_{module}.py)")
    return found


def page() -> str:
    """The text of the page."""
    tests = shown()
    lines = [_HEAD]
    for title, names in (("Nabla", NABLA), ("JAX", jax_names())):
        lines += [f"## {title}", "", "| name | here | shown by |", "|---|---|---|"]
        for name in names:
            if name in ABSENT:
                lines.append(f"| `{name}` | not there: {ABSENT[name]} | |")
            else:
                lines.append(f"| `{name}` | {HERE.get(name, 'the same')} | {', '.join(tests[name])} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
