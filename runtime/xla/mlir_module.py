"""StableHLO text read, verified, and turned into its other forms, by MLIR."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from anabranch.runtime._jaxlib import backend_of, bindings
from anabranch.runtime.errors import SerializationError, UnsupportedValueError
from anabranch.runtime.host.buffer_types import DTYPES, BufferType, Signature, buffer_type
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.host.staging import is_recycled
from anabranch.runtime.xla.windows import add_windows, read_in_place, windows_of

# Releases of the last twelve weeks read what `portable` gives; newer ones do for five years.
_READABLE_BY = "WEEK_12"


def dialect_of(name: str | None) -> str:
    """The name of a dialect that modules can be had in; "stablehlo" where none is named.

    Raises `UnsupportedValueError` for another one.
    """
    if name not in (None, "stablehlo", "hlo"):
        raise UnsupportedValueError(f"a module can be had in the dialects 'stablehlo' and 'hlo', not {name!r}")
    return name or "stablehlo"


def parse(text: str) -> Any:
    """Parse and verify a StableHLO module in the current context.

    Raises `LoweringError` with MLIR's message and the line.
    """
    try:
        return bindings().ir.Module.parse(text)
    except bindings().ir.MLIRError as error:
        message = str(error)
        place = re.search(r'"-":(\d+):', message)
        line = text.splitlines()[int(place.group(1)) - 1].strip() if place else ""
        raise LoweringError(f"{message}\nin line: {line}") from error


def _buffer_type(mlir_type: object) -> BufferType:
    tensor = bindings().ir.RankedTensorType(mlir_type)
    dtype = DTYPES.get(str(tensor.element_type))
    if dtype is None or not tensor.has_static_shape:
        raise LoweringError(f"an argument or result of type {mlir_type} has no NumPy counterpart")
    return buffer_type(tuple(tensor.shape), dtype)


def _main(module: Any) -> tuple[Any, tuple[BufferType, ...], tuple[BufferType, ...]]:
    """The function `main`, and the types of its arguments and results."""
    for function in module.body.operations:
        if bindings().ir.StringAttr(function.attributes["sym_name"]).value == "main":
            kind = function.attributes["function_type"].value
            return function, tuple(map(_buffer_type, kind.inputs)), tuple(map(_buffer_type, kind.results))
    raise LoweringError("the module has no function main")


def signature(module: Any, *, on_device: bool) -> Signature:
    """Types of the arguments and results of `main`.

    Of a program that runs on NumPy's arrays, `main` gets windows for large arguments, and arguments for the memory of
    large results. Raises `LoweringError`: there is no `main`, NumPy lacks a type, or an argument is donated that is not
    on the device.
    """
    function, inputs, outputs = _main(module)
    if on_device:
        return Signature(inputs, outputs)
    # Of a run on NumPy's arrays it would be the caller's own memory, or memory kept for the next call.
    if re.search(r"tf\.aliasing_output|jax\.buffer_donor", str(function.attributes.get("arg_attrs"))):
        raise LoweringError("only programs that run on the device's own data can have donated arguments")
    windows = windows_of(function, inputs)
    if windows:
        add_windows(function, inputs, windows)
    recycled = tuple(k for k, output in enumerate(outputs) if is_recycled(output))
    if recycled:
        _add_results_memory(function, recycled)
    return Signature(inputs, outputs, recycled, windows)


def large_arguments(text: str) -> dict[int, str | None]:
    """The large arguments of a module's `main`, each with the op for which it must be where XLA takes it, if any."""
    with context():
        whole = parse(text)  # its parts are gone without it
        function, inputs, _ = _main(whole)
        return read_in_place(function, inputs)


def _add_results_memory(function: Any, outputs: Sequence[int]) -> None:
    """Give a function arguments, which it does not read, in whose memory these outputs are computed."""
    ir = bindings().ir
    kind = function.attributes["function_type"].value
    added = [kind.results[k] for k in outputs]
    for one in added:
        function.regions[0].blocks[0].add_argument(one, ir.Location.unknown())
    taken = ir.FunctionType.get([*kind.inputs, *added], kind.results)
    function.attributes["function_type"] = ir.TypeAttr.get(taken)
    given = function.attributes.get("arg_attrs") or [ir.DictAttr.get({}) for _ in kind.inputs]
    number = ir.IntegerType.get_signless(32)
    aliases = [ir.DictAttr.get({"tf.aliasing_output": ir.IntegerAttr.get(number, k)}) for k in outputs]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*given, *aliases])


@contextlib.contextmanager
def context() -> Iterator[Any]:
    """A context of its own for one module: types and constants live as long as their context."""
    library = bindings()
    made = library.ir.Context()
    made.enable_multithreading(False)
    registry = library.ir.DialectRegistry()
    library.registry.register_dialects(registry)
    made.append_dialect_registry(registry)
    for dialect in library.dialects:
        dialect.register_dialect(made)
    with made:
        yield made


def module(text: str) -> Any:
    """MLIR's own object of a module, in a context of its own."""
    with context():
        return parse(text)


def hlo(text: str) -> Any:
    """XLA's own object of a module as HLO, before any optimisation."""
    with context():
        return bindings().xla.mlir.mlir_module_to_xla_computation(
            parse(text).operation.get_asm(enable_debug_info=True), use_tuple_args=False, return_tuple=False
        )


def hlo_text(text: str, *, metadata: bool) -> str:
    """The HLO as text, with or without the lines that its ops came from."""
    options = bindings().hlo.HloPrintOptions()
    options.print_metadata = metadata
    printed: str = hlo(text).get_hlo_module().to_string(options)
    return printed


def portable(text: str) -> bytes:
    """A module as bytes that other releases of StableHLO read, for as long as it promises."""
    with context():
        stablehlo = bindings().stablehlo
        readable_by = getattr(stablehlo.StablehloCompatibilityRequirement, _READABLE_BY)
        version = stablehlo.get_version_from_compatibility_requirement(readable_by)
        artifact: bytes = stablehlo.serialize_portable_artifact(parse(text), version)
        return artifact


def from_portable(artifact: bytes) -> str:
    """The text of a module from what `portable` gave.

    Raises `SerializationError`.
    """
    _check_age(artifact)
    try:
        with context() as made:
            return str(bindings().stablehlo.deserialize_portable_artifact(made, artifact))
    except Exception as error:  # MLIR's own, of several classes
        raise SerializationError(f"StableHLO does not read this module: {error}") from error


def _check_age(artifact: bytes) -> None:
    """Refuse what a newer release wrote for newer ones: its reader may end the process where it cannot go on."""
    written = re.search(rb"StableHLO_v(\d+)\.(\d+)\.(\d+)", artifact[:100])
    current = bindings().stablehlo.get_current_version()
    if written is None:
        raise SerializationError("this is no module of StableHLO's")
    if list(map(int, written.groups())) > list(map(int, current.split("."))):
        newer = b".".join(written.groups()).decode()
        raise SerializationError(f"this module is for StableHLO {newer}, and here is {current}; update jaxlib")


def estimate(stablehlo_text: str) -> dict[str, float]:
    """XLA's estimates of a module before it optimises, by XLA's names."""
    return dict(bindings().xla.hlo_module_cost_analysis(backend_of().client, hlo(stablehlo_text).get_hlo_module()))
