"""The command line that the programs of the gallery share: compute, and draw where `--picture FILE` is given."""

from __future__ import annotations

import argparse
import io
import time
from pathlib import Path

SIZE = (480, 360)
_DOTS = 96
# Few colours make a small file.
_COLOURS = 96


def run(compute, draw):
    """Print how long computing takes; draw what it returns, which needs matplotlib, if the command line asks for it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", metavar="FILE.png", help="draw into this file; needs matplotlib")
    wanted = parser.parse_args().picture
    start = time.perf_counter()
    result = compute()
    print(f"computed in {time.perf_counter() - start:.2f} s, the first call included")
    if wanted is not None:
        Path(wanted).write_bytes(drawn(draw, result))


def drawn(draw, result):
    """The bytes of a PNG; the same result makes the same bytes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only pictures need it
    from PIL import Image  # noqa: PLC0415 - comes with matplotlib

    figure = Figure(figsize=(SIZE[0] / _DOTS, SIZE[1] / _DOTS), dpi=_DOTS, layout="constrained")
    draw(figure, result)
    large, small = io.BytesIO(), io.BytesIO()
    figure.savefig(large, format="png")
    colours = Image.open(large).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    colours.save(small, format="PNG", optimize=True)
    return small.getvalue()


def whole(figure):
    """Axes without marks that fill the figure."""
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    return axes


def image(figure, values, **options):
    """An image that fills the figure."""
    axes = whole(figure)
    axes.imshow(values, aspect="auto", interpolation="nearest", **options)
    return axes
