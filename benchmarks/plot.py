"""The results as points: how many times as fast as NumPy each peer is, on a logarithmic axis."""

from __future__ import annotations

from pathlib import Path

from benchmarks.kernels import all_kernels
from benchmarks.outcome import Results
from benchmarks.peers import PEERS
from benchmarks.table import best_ms

LOOKS = {"numba": ("#e69f00", "s"), "jax": ("#009e73", "^"), "anabranch": ("#0072b2", "o")}


def write_plot(path: Path, results: Results) -> None:
    """Write a PNG or an SVG, as the name ends: a panel for each size, in it a point for each kernel and peer.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    sizes = list(dict.fromkeys(size for rows in results.values() for size in rows))
    # The background is light in documents that are read in dark mode, too.
    shape = (3.0 + 0.17 * len(results), 1.5 + 3.5 * len(sizes))
    figure = Figure(figsize=shape, layout="constrained", facecolor="white")
    panels = figure.subplots(len(sizes), 1, sharex=True, squeeze=False)[:, 0]
    for axes, size in zip(panels, sizes, strict=True):
        _draw(axes, size, results)
    panels[-1].set_xticks(range(len(results)), list(results), rotation=90, fontsize=7)
    # Outside, where it hides no point.
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(LOOKS))
    path.parent.mkdir(parents=True, exist_ok=True)
    # One file for one set of results: an SVG has neither a date nor random names in it.
    with rc_context({"svg.hashsalt": "anabranch"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw(axes, size: str, results: Results) -> None:  # type: ignore[no-untyped-def]
    """One size; what was not measured has no point."""
    for peer, (colour, marker) in LOOKS.items():
        speed = {at: times for at, rows in enumerate(results.values()) if (times := _speed(rows, size, peer))}
        axes.scatter(list(speed), list(speed.values()), s=16, color=colour, marker=marker, label=peer, zorder=3)
    axes.set_yscale("log")
    axes.axhline(1.0, color="black", linewidth=1.0)
    axes.set_ylabel(f"{size}: times as fast as NumPy")
    axes.set_xlim(-1, len(results))
    axes.grid(alpha=0.3)
    groups = [all_kernels()[kernel].group for kernel in results]
    for at in range(1, len(groups)):
        if groups[at] != groups[at - 1]:
            axes.axvline(at - 0.5, color="grey", linewidth=0.8)


def _speed(rows: dict, size: str, peer: str) -> float | None:  # type: ignore[type-arg]
    row = rows.get(size, {})
    theirs, numpy = best_ms(row, peer), best_ms(row, "numpy")
    return numpy / theirs if numpy and theirs and peer in PEERS else None
