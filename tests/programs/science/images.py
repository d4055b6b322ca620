"""Images: filters, components, morphology, transforms."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.programs.science.table import program


def _grey(h=10, w=12, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (h, w)).astype(np.uint8)


def _blobs():
    rows = ["110000110", "110010110", "000010000", "011110001", "000000011", "101000000"]
    return np.array([[int(c) for c in row] for row in rows])


@program(lambda: (_grey().astype(float), np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16))
def convolve_zero_padded(image, kernel):
    h, w = image.shape
    kh, kw = kernel.shape
    padded = np.pad(image, ((kh // 2,), (kw // 2,)))
    out = np.zeros_like(image)
    for i in range(h):
        for j in range(w):
            out[i, j] = np.sum(padded[i : i + kh, j : j + kw] * kernel[::-1, ::-1])
    return out


@program(lambda: (_blobs(),))
def connected_components(mask):
    labels = np.zeros_like(mask)
    current = 0
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            if mask[i, j] and not labels[i, j]:
                current += 1
                stack = [(i, j)]
                labels[i, j] = current
                while stack:
                    y, x = stack.pop()
                    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        ny, nx = y + dy, x + dx
                        if 0 <= ny < mask.shape[0] and 0 <= nx < mask.shape[1]:
                            if mask[ny, nx] and not labels[ny, nx]:
                                labels[ny, nx] = current
                                stack.append((ny, nx))
    return labels, current


@program(lambda: (_blobs().tolist(),))
def largest_island_recursive(grid):
    h, w = len(grid), len(grid[0])

    def sink(i, j):
        if i < 0 or j < 0 or i >= h or j >= w or grid[i][j] == 0:
            return 0
        grid[i][j] = 0
        return 1 + sink(i + 1, j) + sink(i - 1, j) + sink(i, j + 1) + sink(i, j - 1)

    best = 0
    for i in range(h):
        for j in range(w):
            best = max(best, sink(i, j))
    return best, grid


@program(lambda: (_blobs().astype(bool),))
def erode_dilate(mask):
    def dilate(m):
        out = m.copy()
        out[1:] |= m[:-1]
        out[:-1] |= m[1:]
        out[:, 1:] |= m[:, :-1]
        out[:, :-1] |= m[:, 1:]
        return out

    def erode(m):
        return ~dilate(~m)

    opened, closed = dilate(erode(mask)), erode(dilate(mask))
    return opened, closed, np.argwhere(closed & ~mask)


@program(lambda: (_grey(8, 8),))
def floyd_steinberg(image):
    img = image.astype(float)
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            old = img[y, x]
            new = 255.0 if old > 127 else 0.0
            img[y, x] = new
            err = old - new
            if x + 1 < w:
                img[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    img[y + 1, x - 1] += err * 3 / 16
                img[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    img[y + 1, x + 1] += err / 16
    return img.astype(np.uint8)


@program(lambda: (np.array([[1, 1], [3, 3], [5, 5], [2, 6], [7, 7]]), 18))
def hough_lines(points, n_angles):
    diagonal = int(np.ceil(np.hypot(*points.max(axis=0))))
    accumulator = np.zeros((2 * diagonal + 1, n_angles), dtype=np.int32)
    for y, x in points:
        for k in range(n_angles):
            theta = np.pi * k / n_angles
            rho = int(round(x * np.cos(theta) + y * np.sin(theta)))
            accumulator[rho + diagonal, k] += 1
    best = np.unravel_index(accumulator.argmax(), accumulator.shape)
    return accumulator.max(), best[0] - diagonal, best[1] * 180 / n_angles


@program(lambda: (_grey(),))
def equalise_histogram(image):
    hist = np.bincount(image.ravel(), minlength=256)
    cdf = hist.cumsum()
    low = cdf[cdf > 0].min()
    table = np.round((cdf - low) / (image.size - low) * 255).clip(0, 255).astype(np.uint8)
    return table[image]


@program(lambda: (_grey(),))
def otsu_threshold(image):
    hist, _ = np.histogram(image, bins=256, range=(0, 256))
    total = image.size
    sum_all = np.dot(np.arange(256), hist)
    weight_b, sum_b, best, threshold = 0, 0.0, -1.0, 0
    for t in range(256):
        weight_b += hist[t]
        if weight_b == 0:
            continue
        weight_f = total - weight_b
        if weight_f == 0:
            break
        sum_b += t * hist[t]
        between = weight_b * weight_f * (sum_b / weight_b - (sum_all - sum_b) / weight_f) ** 2
        if between > best:
            best, threshold = between, t
    return threshold, (image > threshold).sum()


@program(lambda: (_grey(6, 7), (2, 3), 90, 0))
def flood_fill_queue(image, seed, tolerance, colour):
    h, w = image.shape
    target = int(image[seed])
    queue = deque([seed])
    visited = np.zeros((h, w), bool)
    visited[seed] = True
    count = 0
    while queue:
        y, x = queue.popleft()
        image[y, x] = colour
        count += 1
        for ny, nx in [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]:
            if 0 <= ny < h and 0 <= nx < w and not visited[ny, nx]:
                if abs(int(image[ny, nx]) - target) <= tolerance:
                    visited[ny, nx] = True
                    queue.append((ny, nx))
    return count, image


@program(lambda: (_grey(6, 6).astype(float), 9, 8))
def bilinear_resize(image, new_h, new_w):
    h, w = image.shape
    out = np.empty((new_h, new_w))
    for i in range(new_h):
        for j in range(new_w):
            y = i * (h - 1) / (new_h - 1)
            x = j * (w - 1) / (new_w - 1)
            y0, x0 = int(y), int(x)
            y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
            fy, fx = y - y0, x - x0
            top = image[y0, x0] * (1 - fx) + image[y0, x1] * fx
            bottom = image[y1, x0] * (1 - fx) + image[y1, x1] * fx
            out[i, j] = top * (1 - fy) + bottom * fy
    return out


@program(lambda: (_grey(9, 9).astype(float), 60.0))
def sobel_edges(image, threshold):
    gx = image[:-2, 2:] - image[:-2, :-2] + 2 * (image[1:-1, 2:] - image[1:-1, :-2]) + image[2:, 2:] - image[2:, :-2]
    gy = image[2:, :-2] - image[:-2, :-2] + 2 * (image[2:, 1:-1] - image[:-2, 1:-1]) + image[2:, 2:] - image[:-2, 2:]
    magnitude = np.hypot(gx, gy)
    angle = np.rad2deg(np.arctan2(gy, gx)) % 180
    edges = magnitude > threshold
    return edges.sum(), np.round(angle[edges].mean(), 6)


@program(lambda: (_grey(8, 8), 3))
def mandelbrot_of_size(image, zoom):
    h, w = image.shape
    out = np.zeros((h, w), dtype=int)
    for i in range(h):
        for j in range(w):
            c = complex(-2 + 3 * j / w / zoom, -1.5 + 3 * i / h / zoom)
            z = 0j
            for k in range(30):
                if abs(z) > 2:
                    break
                z = z * z + c
            out[i, j] = k
    return out


@program(lambda: (_blobs(),))
def distance_transform(mask):
    h, w = mask.shape
    big = h + w
    d = np.where(mask > 0, big, 0)
    for i in range(h):
        for j in range(w):
            if d[i, j]:
                up = d[i - 1, j] if i > 0 else big
                left = d[i, j - 1] if j > 0 else big
                d[i, j] = min(d[i, j], up + 1, left + 1)
    for i in range(h - 1, -1, -1):
        for j in range(w - 1, -1, -1):
            if i + 1 < h:
                d[i, j] = min(d[i, j], d[i + 1, j] + 1)
            if j + 1 < w:
                d[i, j] = min(d[i, j], d[i, j + 1] + 1)
    return d
