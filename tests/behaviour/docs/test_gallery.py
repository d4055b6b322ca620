"""The gallery: each compiled function does what the plain one does, at a small size, and each program has a picture."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.equivalence import Outcome, alike

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "gallery"
PICTURES = ROOT / "docs" / "gallery"
NAMES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != "picture")


def program(name):
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(count, low=-2.0, high=1.0):
    return np.linspace(low, high, count)


def rng():
    return np.random.default_rng(5)


# For each program its compiled functions, and small arguments made of its module.
CALLS = {
    "convex_hull": {"hull": lambda m: (rng().normal(size=(15, 2)),)},
    "dithering": {"dither": lambda m: (m.ball(6, 8),)},
    "double_pendulum": {"flip_times": lambda m: (line(3), line(2), 0.01, 60)},
    "edges": {"edges": lambda m: (m.scene(9, 12), 0.1)},
    "edit_distance": {"distances": lambda m: ("kitten", "sitting"), "way_back": lambda m: (np.ones((3, 4)).cumsum(0),)},
    "epidemic": {"outbreak": lambda m: (rng(), 12, 2, 0.5, 0.2)},
    "game_of_life": {"live": lambda m: (m.start(9, 12), 4)},
    "gray_scott": {"react": lambda m: (*m.start(9, 10, 1), 0.037, 0.06, 3)},
    "heat": {"settle": lambda m: (*m.start(6, 8), 1.5, 1e-2)},
    "ising": {"sweep": lambda m: (np.ones((3, 4)), 2.0, rng(), 3)},
    "k_means": {"cluster": lambda m: (*m.start(24, 2), 20)},
    "kalman": {"follow": lambda m: (m.start(9, 1)[1], np.ones(4), np.eye(4), 0.05, 0.5, 1e-4)},
    "lorenz": {"integrate": lambda m: (m.lorenz, np.ones(3), 0.01, 5)},
    "mandelbrot": {"escape_times": lambda m: (line(4), line(3), 9)},
    "maze": {"dig": lambda m: (rng(), 3, 4), "distances": lambda m: (np.pad(np.ones((3, 4), bool), 1), (1, 1))},
    "median_filter": {"median_filter": lambda m: (m.speckled(5, 6, 1), 1)},
    "metropolis": {"sample": lambda m: (m.banana, rng(), 0.0, 0.5, 0.5, 9)},
    "n_body": {"move": lambda m: (*m.start(2, 1), 0.01, 3)},
    "newton_fractal": {"basins": lambda m: (line(4), line(3), 1e-6)},
    "option_price": {"payments": lambda m: (rng(), 3, 4, 100.0, 99.0, 0.03, 0.25)},
    "percolation": {"clusters": lambda m: (rng().random((6, 7)) < 0.6,)},
    "plant": {"grown": lambda m: (m.RULE, 2), "walked": lambda m: (m.grown.__wrapped__(m.RULE, 2), 0.5)},
    "ray_marching": {"render": lambda m: (3, 4)},
    "sandpile": {"topple": lambda m: (np.full((4, 5), 6),)},
    "shortest_path": {"cheapest": lambda m: (m.landscape(5, 6, 1), (0, 0), (4, 4))},
    "spectrogram": {"spectrogram": lambda m: (m.chirps(0.02, 8000, 1), 32, 16)},
    "spline": {"spline": lambda m: (line(6), np.sin(line(6)), line(5, -2.1))},
    "terrain": {"landscape": lambda m: (rng().random((4, 4)), 3, 4, 3.0, 2)},
    "viterbi": {"most_probable": lambda m: (m.play(12, 1)[1], *m.model())},
    "waves": {"ripple": lambda m: (*m.start(72, 48), 0.3, 4)},
}


@pytest.fixture(autouse=True)
def _beside_the_programs(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def test_every_program_is_here():
    assert sorted(CALLS) == NAMES
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_compiled_is_as_plain(name):
    module = program(name)
    compiled = [key for key, value in vars(module).items() if hasattr(value, "__wrapped__")]
    assert compiled == list(CALLS[name])
    for function, arguments in CALLS[name].items():
        jitted = getattr(module, function)
        want = Outcome(jitted.__wrapped__, arguments(module), {})
        assert want.error is None
        for _ in range(3):
            alike(want, Outcome(jitted, arguments(module), {}))


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name):
    text = (FOLDER / f"{name}.py").read_text()
    title, _, rest = text.removeprefix('"""').partition("\n")
    assert re.fullmatch(r"[A-Z][^.]+\.", title), "a docstring begins with the title"
    assert len(rest.split('"""')[0].split()) >= 10, "and goes on to say what is typical of it"


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_small_picture(name):
    data = (PICTURES / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (480, 360)
    assert len(data) <= 60_000


def test_no_picture_is_left_over():
    assert sorted(file.stem for file in PICTURES.glob("*.png")) == NAMES


def test_a_program_runs_by_itself():
    """One for all: what they share is the command line."""
    done = subprocess.run([sys.executable, str(FOLDER / "spline.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "between -0.810 and 1.520" in done.stdout


@pytest.mark.slow
def test_a_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    command = [sys.executable, str(FOLDER / "spline.py"), "--picture", "spline.png"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    size, kept = (
        (folder / name).stat().st_size for folder, name in ((tmp_path, "spline.png"), (PICTURES, "spline.png"))
    )
    assert math.isclose(size, kept, rel_tol=0.5)
