"""The positions that sort an array, equal elements in the order of their places, in less time than NumPy's stable sort.

Integers that are not far apart are sorted by digits of 16 bits, for which NumPy has a radix sort, or in short rows as
words that hold their places, too; others by the sort that keeps no order, which takes half the time of the one that
does, and by their places where some are equal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Shorter rows are sorted by insertion in less time, and rows with equal elements that are shorter than the second by
# merging.
_LEAST, _LEAST_BY_DIGITS = 16, 512
_WORD = np.dtype(np.uint64)
# Of how many bits a digit is, and how many digits take less time than the sort that keeps no order.
_BITS, _MOST_DIGITS = 16, 2
# How many elements are looked at together: they stay in the processor's caches.
_CHUNK = 2**13


def write_stable_positions(out: np.ndarray, x: np.ndarray, axis: int) -> None:
    """Write `np.argsort(x, axis, kind="stable")`."""
    length = x.shape[axis]
    if length < _LEAST or x.dtype.kind == "c" or x.dtype.itemsize <= 2:
        out[...] = np.argsort(x, axis, kind="stable")
        return
    if axis < x.ndim - 1:
        x, out = x.swapaxes(axis, -1), out.swapaxes(axis, -1)
    rows = np.ascontiguousarray(x).reshape(-1, length)
    is_there = out.flags.c_contiguous
    found = out.reshape(rows.shape) if is_there else np.empty(rows.shape, np.int64)
    if not (x.dtype.kind in "iu" and _wrote_of_ints(found, rows)):
        _write_of_any(found, rows)
    if not is_there:
        out[...] = found.reshape(out.shape)


def _wrote_of_ints(found: np.ndarray, rows: np.ndarray) -> bool:
    """Write the positions that sort each row of integers, unless these are far apart."""
    low, length = int(rows.min()), rows.shape[1]
    width, places = (int(rows.max()) - low).bit_length(), (length - 1).bit_length()
    # Two's complement: the distances are right whatever the sign.
    least, is_short = np.uint64(low % 2**64), length < _LEAST_BY_DIGITS
    if width > (_WORD.itemsize * 8 - places if is_short else _BITS * _MOST_DIGITS):
        return False
    if not is_short:
        found[...] = _by_digits(rows.astype(_WORD) - least)
        return True
    step, place = max(_CHUNK // length, 1), np.arange(length, dtype=_WORD)
    for first in range(0, len(rows), step):
        # Words that hold the places, too, all differ.
        keys = found[first : first + step].view(_WORD)
        keys[...] = rows[first : first + step]
        keys -= least
        keys <<= np.uint64(places)
        keys |= place
        keys.sort(axis=1)
        keys &= np.uint64(2**places - 1)
    return True


def _write_of_any(found: np.ndarray, rows: np.ndarray) -> None:
    """Write the positions that sort each row."""
    length = rows.shape[1]
    step = min(max(_CHUNK // length, 1), len(rows))
    starts = np.arange(step)[:, None] * length
    ordered_, same_ = np.empty((step, length), rows.dtype), np.zeros(step * length, np.bool_)
    for first in range(0, len(rows), step):
        part, order = rows[first : first + step], found[first : first + step]
        count = len(part)
        order[...] = part.argsort(axis=1)
        ordered, same = ordered_[:count], same_[: part.size]
        # All positions are valid; to look for others takes twice as long.
        part.reshape(-1).take(order if step == 1 else order + starts[:count], out=ordered, mode="clip")
        # The first element of a row is compared with the last one of another.
        line = ordered.reshape(-1)
        np.equal(line[1:], line[:-1], out=same[1:])
        ties = same.reshape(part.shape)[:, 1:]
        if rows.dtype.kind == "f" and np.isnan(ordered[:, -1]).any():
            ties |= np.isnan(ordered[:, :-1])
        elif not same.any():
            continue
        tied = np.flatnonzero(ties.any(axis=1))
        if tied.size and length >= _LEAST_BY_DIGITS:
            _put_in_order(order, tied, ties)
        elif 2 * tied.size > count:
            # The rows that follow are likely to be so, too.
            found[first:] = rows[first:].argsort(axis=1, kind="stable")
            break
        elif tied.size:
            order[tied] = part[tied].argsort(axis=1, kind="stable")


def _put_in_order(found: np.ndarray, tied: np.ndarray, ties: np.ndarray) -> None:
    """Put the positions of elements that are equal in order, in the rows of these numbers."""
    # Each place's number of the elements that are equal, in the order of the places.
    keys = np.zeros((len(tied), found.shape[1]), _WORD)
    np.put_along_axis(keys, found[tied, 1:], np.cumsum(~ties[tied], axis=1, dtype=_WORD), axis=1)
    found[tied] = _by_digits(keys)


def _by_digits(keys: np.ndarray) -> np.ndarray:
    """The positions that sort each row of words, by their digits, the least first."""
    found = keys.astype(np.uint16).argsort(axis=1, kind="stable")
    for shift in range(_BITS, int(keys.max()).bit_length(), _BITS):
        digit = (keys >> np.uint64(shift)).astype(np.uint16)
        order = np.take_along_axis(digit, found, axis=1).argsort(axis=1, kind="stable")
        found = np.take_along_axis(found, order, axis=1)
    return found


class _ArgSortFront:
    """The positions that sort the elements at the front of a vector, then those of the rest, which are behind them."""

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, count: np.ndarray) -> None:
        """Write the positions."""
        n = int(count)
        write_stable_positions(outs[0][:n], x[:n], 0)
        outs[0][n:] = np.arange(n, len(x))


argsort_front = _ArgSortFront()
