"""The results as bars: how many times as fast as NumPy each peer is, on a logarithmic axis."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness import Results
from benchmarks.peers import PEERS
from benchmarks.table import ratio

COLOURS = {"anabranch": "#0072b2", "numba": "#e69f00", "jax": "#009e73"}


def write_plot(path: Path, results: Results) -> None:
    """Write a PNG or an SVG, as the name ends, with a group of bars for each kernel; what was not measured has no bar.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    peers = [name for name in PEERS if name != "numpy" and any(name in row for row in results.values())]
    width = 0.8 / max(1, len(peers))
    # The background is light in documents that are read in dark mode, too.
    figure = Figure(figsize=(2.0 + 0.6 * len(results), 4.5), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for offset, peer in enumerate(peers):
        speed = {at: ratio(row, "numpy", peer) for at, row in enumerate(results.values())}
        bars = {at: times for at, times in speed.items() if times is not None}
        centres = [at + (offset - (len(peers) - 1) / 2) * width for at in bars]
        label = peer if bars else f"{peer} (not measured)"
        # Bars start at 1, NumPy's own speed: what is slower hangs below the line.
        axes.bar(centres, [times - 1.0 for times in bars.values()], width, bottom=1.0, label=label, color=COLOURS[peer])
    axes.set_yscale("log")
    axes.axhline(1.0, color="black", linewidth=1.0)
    axes.set_ylabel("times as fast as NumPy")
    axes.set_xticks(range(len(results)), list(results), rotation=40, ha="right")
    axes.grid(axis="y", alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    # One file for one set of results: an SVG has neither a date nor random names in it.
    with rc_context({"svg.hashsalt": "anabranch"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
