"""Spectrogram.

Which frequencies a sound has at which time: overlapping frames, a window, and NumPy's Fourier transform in a loop.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def spectrogram(sound, size, hop):
    """The power in decibels; a row for each frequency."""
    frames = (len(sound) - size) // hop + 1
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(size) / size)
    power = np.zeros((size // 2 + 1, frames))
    for frame in range(frames):
        part = sound[frame * hop : frame * hop + size] * window
        power[:, frame] = np.abs(np.fft.rfft(part)) ** 2
    return 10.0 * np.log10(power + 1e-9)


def chirps(seconds, rate, seed):
    """Two tones, one of which rises while the other wobbles, and noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(seconds * rate)) / rate
    rising = np.sin(2.0 * np.pi * (200.0 * time + 0.5 * 900.0 * time**2 / seconds))
    wobbling = np.sin(2.0 * np.pi * (2200.0 * time - 60.0 * np.cos(2.0 * np.pi * 1.5 * time)))
    return rising + 0.6 * wobbling + 0.03 * rng.normal(size=len(time))


def compute():
    levels = spectrogram(chirps(2.0, 8000, seed=15), 256, 64)
    print(f"{levels.shape[0]} frequencies at {levels.shape[1]} times, the loudest at {levels.max():.1f} dB")
    return levels


def draw(figure, levels):
    axes = figure.add_subplot()
    axes.imshow(levels, origin="lower", aspect="auto", cmap="magma", extent=(0.0, 2.0, 0.0, 4.0), vmin=-5)
    axes.set_xlabel("seconds")
    axes.set_ylabel("kHz")


if __name__ == "__main__":
    run(compute, draw)
