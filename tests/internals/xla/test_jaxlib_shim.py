"""XLA programs on NumPy arrays: values, memory that is the caller's own, errors."""

from __future__ import annotations

import gc

import ml_dtypes
import numpy as np
import pytest

from anabranch.runtime import _jaxlib
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host import buffer_types, callbacks, compile_options, staging
from anabranch.runtime.xla import compiler
from tests.internals.xla.hand_written import COUNT_TO_TEN, add, program, run_script

ELEMENTS = sorted(buffer_types.DTYPES)
# This many float64 values are more than what is staged.
LARGE = 150_000


def returning(kinds, values, arguments, body=""):
    """A module that returns values that may repeat."""
    parameters = ", ".join(f"%{name}: {kind}" for name, kind in arguments.items())
    return f"""module @m {{
      func.func public @main({parameters}) -> ({", ".join(kinds)}) {{
        {body}
        return {", ".join(values)} : {", ".join(kinds)}
      }}
    }}"""


def copy_of(kind):
    return program({"a": kind}, {"a": kind}, "")


CALL = "stablehlo.custom_call @xla_ffi_python_cpu_callback"
SIDE_EFFECT = "api_version = 4 : i32, has_side_effect = true, backend_config = {index = 0 : ui64}"


def misaligned(values):
    """The values at an address that is a multiple of their size only."""
    memory = np.empty(values.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + values.dtype.itemsize
    view = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


def aligned(values):
    memory = np.empty(values.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    view = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


def call(text, *arguments):
    return compiler.compile_text(text)(arguments)


@pytest.mark.parametrize("size", [4, 3000, LARGE])
def test_add(size):
    a, b = np.arange(size) * 0.5, np.ones(size)
    (result,) = call(add(f"tensor<{size}xf64>"), a, b)
    np.testing.assert_array_equal(result, a + b)
    assert result.dtype == np.float64
    assert result.flags.writeable
    assert result.flags.c_contiguous


def test_while():
    (result,) = call(program({"a": "tensor<i64>"}, {"r": "tensor<i64>"}, COUNT_TO_TEN.replace("BODY", "")), np.array(3))
    assert result == 10
    assert result.shape == ()


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("copied_bytes", [staging._COPIED_BYTES, 0])
def test_dtypes_pass_through(element, copied_bytes, monkeypatch):
    monkeypatch.setattr(staging, "_COPIED_BYTES", copied_bytes)
    size, dtype = 300, buffer_types.DTYPES[element]
    values = np.arange(size).astype(np.uint8).astype(dtype)
    (result,) = call(copy_of(f"tensor<{size}x{element}>"), values)
    assert result.dtype == dtype
    assert result.tobytes() == values.tobytes()


@pytest.mark.parametrize("element", [e for e in ELEMENTS if not e.startswith(("f8", "i1"))])
def test_dtypes_compute(element):
    values = np.array([1, 2, 3]).astype(buffer_types.DTYPES[element])
    (result,) = call(add(f"tensor<3x{element}>"), values, values)
    np.testing.assert_array_equal(result, values + values)


def test_bool_results_are_bytes():
    a = np.array([1.0, np.nan, 3.0])
    body = "%r = stablehlo.compare EQ, %a, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>"
    (result,) = call(program({"a": "tensor<3xf64>"}, {"r": "tensor<3xi1>"}, body), a)
    assert result.dtype == np.bool_
    assert result.tolist() == [True, False, True]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_zero_size_and_zero_dimensions(shape):
    kind = "tensor<" + "".join(f"{n}x" for n in shape) + "f64>"
    a = np.full(shape, 2.5)
    (result,) = call(add(kind), a, a)
    assert result.shape == shape
    assert result.flags.writeable
    np.testing.assert_array_equal(result, a + a)


@pytest.mark.parametrize("size", [5, 400])
@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        lambda a: np.broadcast_to(a[0], a.shape),
        lambda a: a.T,
        misaligned,
        aligned,
    ],
    ids=["fortran", "strided", "reversed", "broadcast", "transposed", "misaligned", "aligned"],
)
def test_layouts(layout, size):
    a = layout(np.arange(size * size, dtype=np.float64).reshape(size, size))
    b = np.ones((size, size))
    before = a.copy()
    (result,) = call(add(f"tensor<{size}x{size}xf64>"), a, b)
    np.testing.assert_array_equal(result, before + b)
    np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize("size", [4, LARGE])
def test_read_only_argument(size):
    a = aligned(np.arange(float(size)))
    a.flags.writeable = False
    (result,) = call(add(f"tensor<{size}xf64>"), a, a)
    result[0] = 7
    assert a[0] == 0


@pytest.mark.parametrize("size", [4, LARGE])
def test_no_two_results_and_no_argument_share_memory(size):
    kind = f"tensor<{size}xf64>"
    body = f"%s = stablehlo.add %a, %b : {kind}\n%c = stablehlo.constant dense<3.0> : {kind}"
    values = ["%a", "%a", "%b", "%s", "%s", "%c", "%c"]
    executable = compiler.compile_text(returning([kind] * 7, values, {"a": kind, "b": kind}, body))
    a, b = aligned(np.arange(float(size))), aligned(np.ones(size))
    expected = [a.copy(), a.copy(), b.copy(), a + b, a + b, np.full(size, 3.0), np.full(size, 3.0)]
    first, second = executable([a, b]), executable([a, b])
    a[:], b[:] = -1, -2
    for number, result in enumerate(first):
        np.testing.assert_array_equal(result, expected[number])
        result[:] = 100 + number
    for number, result in enumerate(first):
        assert (result == 100 + number).all()
    for result, value in zip(second, expected, strict=True):
        np.testing.assert_array_equal(result, value)
    for result, value in zip(executable([expected[0], expected[2]]), expected, strict=True):
        np.testing.assert_array_equal(result, value)
    assert (a == -1).all()
    assert (b == -2).all()


@pytest.mark.parametrize("size", [4, LARGE])
def test_same_array_as_every_argument(size):
    a = aligned(np.arange(float(size)))
    (result,) = call(add(f"tensor<{size}xf64>"), a, a)
    np.testing.assert_array_equal(result, 2 * a)


@pytest.mark.parametrize("size", [8, LARGE])
def test_results_outlive_the_executable(size):
    executable = compiler.compile_text(add(f"tensor<{size}xf64>"))
    a = aligned(np.arange(float(size)))
    (result,) = executable([a, a])
    view = result[1:]
    del executable, a, result
    gc.collect()
    compiler.compile_text(add(f"tensor<{size}xf64>"))([np.zeros(size), np.zeros(size)])
    np.testing.assert_array_equal(view, 2 * np.arange(1.0, size))
    view += 1
    np.testing.assert_array_equal(view, 2 * np.arange(1.0, size) + 1)


def test_a_library_that_would_not_see_what_arguments_become_is_refused(monkeypatch):
    monkeypatch.setattr(_jaxlib.backend_of(), "keeps_memory", False)
    with pytest.raises(callbacks.ExecutionError, match="copies aligned arrays"):
        compiler.compile_text(add("tensor<33xf64>"))([np.ones(33), np.ones(33)])


def test_memory_does_not_grow():
    resource = pytest.importorskip("resource")
    executable = compiler.compile_text(add("tensor<400x400xf64>"))
    a = np.ones((400, 400))
    for _ in range(50):
        executable([a, a])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(500):
        executable([a, a])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000


def test_no_results():
    seen = []
    body = f"%t = {CALL}(%a) {{{SIDE_EFFECT}}} : (tensor<2xf64>) -> tuple<>"
    executable = compiler.compile_text(
        program({"a": "tensor<2xf64>"}, {}, body), callbacks=[lambda a: seen.append(a.tolist()) or ()]
    )
    assert executable([np.array([1.0, 2.0])]) == []
    assert seen == [[1.0, 2.0]]


def test_memory_that_there_is_not():
    body = "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f64>) -> tensor<10000000x10000000xf64>"
    executable = compiler.compile_text(program({"a": "tensor<f64>"}, {"r": "tensor<10000000x10000000xf64>"}, body))
    with pytest.raises(callbacks.OutOfMemoryError, match=r"^Out of memory") as caught:
        executable([np.array(1.0)])
    assert isinstance(caught.value, MemoryError)


def test_text_that_does_not_parse():
    text = add("tensor<4xf64>").replace("stablehlo.add", "stablehlo.addd")
    with pytest.raises(callbacks.LoweringError) as caught:
        compiler.compile_text(text)
    assert "'stablehlo.addd' is unknown" in str(caught.value)
    assert "%r = stablehlo.addd %a, %b : tensor<4xf64>" in str(caught.value)


def test_text_that_does_not_verify():
    text = program({"a": "tensor<4xf64>"}, {"a": "tensor<4xf32>"}, "")
    with pytest.raises(callbacks.LoweringError, match=r"in line: return %a : tensor<4xf32>"):
        compiler.compile_text(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module @m { func.func public @f() { return } }", "no function main"),
        (copy_of("tensor<?xf64>"), "no NumPy counterpart"),
        (copy_of("tensor<4xi4>"), "no NumPy counterpart"),
        (
            copy_of("tensor<4xf64>").replace("%a: tensor<4xf64>", "%a: tensor<4xf64> {tf.aliasing_output = 0 : i32}"),
            "donated",
        ),
        (
            program(
                {"a": "tensor<f64>"},
                {"r": "tensor<f64>"},
                "%r = stablehlo.custom_call @nothing_of_that_name(%a) {api_version = 4 : i32}"
                " : (tensor<f64>) -> tensor<f64>",
            ),
            "nothing_of_that_name",
        ),
    ],
    ids=["no-main", "dynamic", "int4", "donated", "unknown-target"],
)
def test_programs_refused(text, message):
    with pytest.raises((callbacks.LoweringError, callbacks.ExecutionError), match=message):
        compiler.compile_text(text)([np.array(1.0)])


@pytest.mark.parametrize(
    "arguments",
    [
        [np.zeros(4)],
        [np.zeros(4), np.zeros(5)],
        [np.zeros(4), np.zeros(())],
        [np.zeros(4), np.zeros(4, np.float32)],
        [np.zeros(4), np.zeros(4, ">f8")],
    ],
    ids=["count", "shape", "broadcastable", "dtype", "byte-order"],
)
def test_arguments_that_do_not_fit(arguments):
    executable = compiler.compile_text(add("tensor<4xf64>"))
    with pytest.raises(callbacks.ArgumentMismatchError):
        executable(arguments)


def test_flags():
    text = add("tensor<4xf64>")
    a = np.ones(4)
    options = compile_options.CompileOptions((("xla_cpu_enable_fast_math", True),))
    np.testing.assert_array_equal(compiler.compile_text(text, options)([a, a])[0], a + a)
    with pytest.raises(callbacks.LoweringError, match="xla_no_such_flag"):
        compiler.compile_text(text, compile_options.CompileOptions((("xla_no_such_flag", True),)))


def test_default_flag_unknown_to_this_release_is_left_out(monkeypatch):
    unknown = (("xla_no_such_flag", "X"), *_jaxlib._DEFAULT_FLAGS)
    monkeypatch.setattr(_jaxlib.backend_of(), "default_flags", unknown)
    a = np.ones(4)
    np.testing.assert_array_equal(call(add("tensor<4xf64>"), a, a)[0], a + a)
    assert _jaxlib.backend_of().default_flags == _jaxlib._DEFAULT_FLAGS


def test_each_product_is_a_fusion_of_its_own():
    kind, row = "tensor<64x64xf32>", "tensor<64xf32>"
    body = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    for before, after in (("a", "p"), ("p", "q"), ("q", "r")):
        body += f"""
        %d{after} = stablehlo.dot_general %{before}, %a, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}
        %s{after} = stablehlo.reduce(%d{after} init: %z) applies stablehlo.add across dimensions = [1]
          : ({kind}, tensor<f32>) -> {row}
        %b{after} = stablehlo.broadcast_in_dim %s{after}, dims = [0] : ({row}) -> {kind}
        %{after} = stablehlo.add %d{after}, %b{after} : {kind}"""
    text = compiler.compile_text(program({"a": kind}, {"r": kind}, body)).hlo_text()
    assert all(part.count(" dot(") <= 1 for part in text.split("\n\n") if not part.startswith("ENTRY"))


CHOLESKY = """module @m { func.func public @main(%a: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>) {
      %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8},
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}
        : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
      return %r#0, %r#1 : tensor<3x3xf64>, tensor<i32> } }"""


def test_lapack():
    _jaxlib.register_lapack()
    _jaxlib.register_lapack()
    a = np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])
    factor, info = call(CHOLESKY, a)
    assert info == 0
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(a), rtol=1e-14)


def test_lapack_is_there_when_asked_for(tmp_path):
    file = tmp_path / "executable"
    run_script(f"""
    from pathlib import Path
    from anabranch.runtime.xla import compiler
    executable = compiler.compile_text({CHOLESKY!r})
    Path({str(file)!r}).write_bytes(executable.serialize())
    """)
    run_script(f"""
    from pathlib import Path
    import numpy as np
    from anabranch.runtime.xla import compiler
    factor, info = compiler.deserialize(Path({str(file)!r}).read_bytes())([4 * np.eye(3)])
    assert info == 0 and (factor == 2 * np.eye(3)).all()
    """)


def test_serialize():
    executable = compiler.compile_text(add("tensor<3xbf16>"))
    data = executable.serialize()
    loaded = compiler.deserialize(data)
    a = np.arange(3).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(loaded([a, a])[0], a + a)
    assert (loaded.inputs, loaded.outputs) == (executable.inputs, executable.outputs)
    np.testing.assert_array_equal(compiler.deserialize(loaded.serialize())([a, a])[0], a + a)
    damaged = bytearray(data)
    damaged[-10] ^= 1
    for wrong in (bytes(damaged), data[:-1], data[:20], b"", b"x" * 200):
        with pytest.raises(SerializationError):
            compiler.deserialize(wrong)


def test_serialize_from_another_release(monkeypatch):
    data = compiler.compile_text(add("tensor<3xf64>")).serialize()
    monkeypatch.setattr(compiler, "versions", lambda: "jaxlib 0.0.0")
    with pytest.raises(SerializationError, match=r"jaxlib 0\.0\.0"):
        compiler.deserialize(data)


def test_bytes_of_a_program_with_callbacks_are_loaded_with_as_many():
    body = f"%r = {CALL}(%a) {{{SIDE_EFFECT}}} : (tensor<f64>) -> tensor<f64>"
    data = compiler.compile_text(
        program({"a": "tensor<f64>"}, {"r": "tensor<f64>"}, body), callbacks=[lambda a: (a,)]
    ).serialize()
    assert compiler.deserialize(data, callbacks=[lambda a: (a + 1,)])([np.array(1.0)])[0] == 2.0
    with pytest.raises(SerializationError, match="callbacks"):
        compiler.deserialize(data)


def test_analyses():
    executable = compiler.compile_text(add("tensor<4xf64>"))
    assert executable.cost_analysis()["flops"] == 4
    stats = executable.memory_stats()
    assert (stats["argument"], stats["output"]) == (64, 32)
    assert "HloModule" in executable.hlo_text()
    assert _jaxlib.platform() == "cpu"
    assert _jaxlib.versions().startswith("jaxlib 0.")


ON_DEVICE = compile_options.CompileOptions(asynchronous=True)


def test_buffers():
    executable = compiler.compile_text(add("tensor<4xf64>"), ON_DEVICE)
    a = aligned(np.arange(4.0))
    buffer = _jaxlib.put(a)
    a[:] = -1
    (doubled,) = executable.execute_buffers([buffer, buffer])
    (again,) = executable.execute_buffers([doubled, buffer])
    first = _jaxlib.to_numpy(again)
    first[:] = 0
    np.testing.assert_array_equal(_jaxlib.to_numpy(again), [0, 3, 6, 9])
    np.testing.assert_array_equal(_jaxlib.to_numpy(_jaxlib.put(np.arange(4.0).astype(">f8")[::-1])), [3, 2, 1, 0])
    assert _jaxlib.to_numpy(_jaxlib.put(np.float64(2.5) + np.zeros(()))).shape == ()
    assert not _jaxlib.to_numpy(again, copy=False).flags.writeable
    with pytest.raises(callbacks.ArgumentMismatchError):
        executable.execute_buffers([buffer, _jaxlib.put(np.zeros(3))])
    with pytest.raises(callbacks.ArgumentMismatchError):
        executable.execute_buffers([buffer])


def test_failure_of_a_run_on_buffers():
    def refuse(_):
        raise ValueError("no")

    body = f"%r = {CALL}(%a) {{{SIDE_EFFECT}}} : (tensor<f64>) -> tensor<f64>"
    text = program({"a": "tensor<f64>"}, {"r": "tensor<f64>"}, body)
    executable = compiler.compile_text(text, ON_DEVICE, callbacks=[refuse])

    def run():
        (result,) = executable.execute_buffers([_jaxlib.put(np.array(1.0))])
        _jaxlib.to_numpy(result)

    with pytest.raises(callbacks.ExecutionError) as caught:
        run()
    assert isinstance(caught.value.__cause__, ValueError)
