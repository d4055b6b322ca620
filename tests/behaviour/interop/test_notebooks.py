"""A notebook that is run by its kernel: bars as widgets, Ctrl-C by the kernel's interrupt, and what cells show."""

from __future__ import annotations

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
for _needed in ("ipykernel", "ipywidgets", "tqdm"):
    pytest.importorskip(_needed)

pytestmark = pytest.mark.slow

CELLS = (
    """
import os, signal, threading
import numpy as np
from anabranch import jit
from tqdm import auto, notebook
X = np.arange(10.0)

@jit
def total(x, n):
    s = 0.0
    for i in notebook.tqdm(range(n), desc="in a notebook"):
        s += x[i % 10]
    return s

total(X, 20)
""",
    """
@jit
def fails(x, n):
    s = 0.0
    for i in auto.trange(n, desc="failing"):
        if i > 3:
            raise ValueError(f"at {i}")
        s += x[i]
    return s

try:
    fails(X, 10)
except ValueError as error:
    print(error)
""",
    """
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    total(X, 10**11)
except KeyboardInterrupt:
    print("interrupted")
total(X, 30)
""",
    "total",
    "total.trace(X, 20)",
    "total.trace(X, 20).plan.program",
    "total.explain(X, 20)",
)


def test_a_notebook():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [{output.get("name", output.output_type): output for output in cell.outputs} for cell in book.cells]
    assert outputs[0]["execute_result"].data["text/plain"] == "np.float64(90.0)"
    assert outputs[1]["stdout"].text == "at 4\n"
    assert outputs[2]["stdout"].text == "interrupted\n"
    assert outputs[2]["execute_result"].data["text/plain"] == "np.float64(135.0)"
    for output in outputs[3:]:
        assert "<" in output["execute_result"].data["text/html"]
    widgets = book.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
    bars = [widget["state"] for widget in widgets if widget["model_name"] == "FloatProgressModel"]
    first, failed, stopped, last = [(bar["value"], bar["max"], bar["bar_style"]) for bar in bars]
    assert first == (20, 20, "success")
    assert failed == (4, 10, "danger")
    assert 0 < stopped[0] < stopped[1] == 10**11
    assert last == (30, 30, "success")
