"""Functions written at a prompt, in a notebook, on a command line: their source is found, or the error says so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.behaviour.interop.fresh_process import run_command, run_program

FIRST = """from anabranch import jit
@jit
def total(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s

print(total(4))
"""
PROGRAM = FIRST + "print(jit(lambda x: x if x > 0 else -x)(-3))\n"


def test_on_the_command_line(tmp_path):
    assert run_command(tmp_path, [sys.executable, "-c", PROGRAM]) == "10\n3\n"
    assert (
        run_command(tmp_path, [sys.executable, "-W", "ignore", "-Xutf8", "-Ic", "print('no function')"])
        == "no function\n"
    )


def test_a_file_as_input(tmp_path):
    (tmp_path / "program").write_text(PROGRAM)
    with (tmp_path / "program").open() as program:
        out = subprocess.run([sys.executable, "-"], stdin=program, capture_output=True, text=True, check=True).stdout
    assert out == "10\n3\n"


def test_a_pipe_as_input(tmp_path):
    program = (
        f"try:\n    exec(compile({PROGRAM!r}, '<stdin>', 'exec'))\nexcept Exception as e:\n    print(type(e), e)\n"
    )
    out = run_command(tmp_path, [sys.executable], stdin=program)
    assert "NoSourceError" in out
    assert "put the function into a file or a notebook cell" in out


def test_a_prompt(tmp_path):
    """Python keeps what is typed at its prompt since 3.13; before, the error says what to do."""
    out = run_command(tmp_path, [sys.executable, "-i", "-c", "import sys; sys.stderr = sys.stdout"], stdin=PROGRAM)
    if sys.version_info >= (3, 13):
        assert "10" in out
        assert "3" in out
    else:
        assert "NoSourceError: no source for total: <stdin>" in out
        assert "put the function into a file or a notebook cell" in out


def test_text_that_is_executed_is_not_mistaken_for_the_program(tmp_path):
    """Both have the file name `<string>`, and Python 3.13 knows the program's text by it."""
    program = """
from anabranch import NoSourceError, jit
# The same function stands below, but for what it does.
def scaled(x):
    return x * 2 if x > 0 else x

exec('''
# The same function stands above.
# It does something else.
def scaled(x):
    return x * 100 if x > 0 else x
''')
try:
    print(jit(scaled)(1))
except NoSourceError:
    print("no source")
"""
    assert run_command(tmp_path, [sys.executable, "-c", program]) == "no source\n"


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()

def cell(text):
    result = shell.run_cell(text, store_history=True)
    result.raise_error()
    return result.result

cell("import numpy as np\\nfrom anabranch import jit\\nGAIN = 2")
cell('''
@jit
def f(x):
    if x > 0:
        return x * GAIN
    return -x
''')
assert cell("f(3.0)") == 6.0
assert cell("GAIN = 5\\nf(3.0)") == 15.0
assert "ab.if_" in cell("f.source()")
assert cell("f._repr_pretty_ if False else repr(f)").startswith("<anabranch.jit of")
# The cell is changed and run again: under the same name there is another function.
cell('''
@jit
def f(x):
    if x > 0:
        return x * 1000
    return -x
''')
assert cell("f(3.0)") == 3000.0
# A helper of an earlier cell is changed.
cell("def helper(x):\\n    return x + 1 if x > 0 else x")
cell("g = jit(lambda x: helper(x) * 2)")
assert cell("g(1)") == 4
cell("def helper(x):\\n    return x + 10 if x > 0 else x")
assert cell("g(1)") == 22
# A function of a cell with a magic, which compiles the cell under no name.
cell("%%time\\n@jit\\ndef timed(x):\\n    if x > 0:\\n        return x * 7\\n    return x\\nlast = timed(2.0)")
assert cell("last") == 14.0
cell("%%prun -q\\n@jit\\ndef profiled(x):\\n    if x > 0:\\n        return x * 9\\n    return x\\nlast = profiled(2.0)")
assert cell("last") == 18.0
from anabranch import NoSourceError
try:
    cell("%%timeit -n 1 -r 1\\n@jit\\ndef timed(x):\\n    if x > 0:\\n        return x\\n    return -x\\ntimed(2.0)")
except NoSourceError as error:
    assert "a magic such as %%timeit keeps no source" in str(error)
else:
    raise AssertionError
# A class of a cell; `%%time` and `%timeit` run code of their own, of which they keep no source.
cell('''
class Model:
    def __init__(self, w):
        self.w = w
    @jit
    def run(self, x):
        for _ in range(3):
            x = x * self.w
        return x
''')
assert cell("Model(2.0).run(1.0)") == 8.0
cell("%timeit -n 2 -r 1 f(1.0)")
cell("%%time\\nlast = f(1.0)")
assert cell("last") == 1000.0
assert cell("import inspect; inspect.getsource(f)").count("1000") == 1
try:
    cell("@jit\\ndef wrong(x):\\n    if x > 0:\\n        raise ValueError(x)\\n    return x\\nwrong(2.5)")
except ValueError as error:
    assert error.args == (2.5,)
    assert error.__traceback__.tb_next.tb_next is not None
print("done")
"""


@pytest.mark.slow
def test_notebook_cells(tmp_path):
    pytest.importorskip("IPython")
    out = run_program(tmp_path, NOTEBOOK, IPYTHONDIR=str(tmp_path / "ipython"))
    assert out.rstrip().endswith("done"), out


@pytest.mark.slow
def test_a_kernel(tmp_path):
    """A notebook as Jupyter runs it."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    assert nbclient is not None
    assert nbformat is not None
    program = f"""
import nbformat, nbclient
cells = [nbformat.v4.new_code_cell(text) for text in ({FIRST!r}, "total(5)", {FIRST.replace("s += n", "s += 2 * n")!r})]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.outputs:
        print((output.get("text") or output["data"]["text/plain"]).strip())
"""
    assert run_program(tmp_path, program).split() == ["10", "15", "20"]
