"""The lines of object code by its addresses, read from the debug information of an ELF file."""

from __future__ import annotations

import bisect
import struct

from anabranch.base.frozen import frozen
from anabranch.runtime.host.machine_code import sections

_SYMBOL = struct.Struct("<IBBHQQ")
_HEADER = struct.Struct("<IHI")
_PROGRAM = struct.Struct("<BBBbBB")
_VERSION = 4  # of DWARF, which the module asks for


@frozen
class LineTable:
    """The lines of one function."""

    # Where the function lies in the code, in bytes, and how long it is.
    offset: int
    size: int
    # From which byte of the function on which line holds; 0 for none.
    starts: tuple[int, ...]
    lines: tuple[int, ...]

    def line(self, place: int) -> int:
        """The line of a byte of the function; 0 where there is none."""
        found = bisect.bisect_right(self.starts, place) - 1
        return self.lines[found] if found >= 0 else 0


def line_table(code: bytes, name: str, entry: str) -> LineTable:
    """The lines of the function `name`, the only one with debug information, placed from the function `entry` on."""
    found = sections(code)
    symbols = _symbols(found[".symtab"], found[".strtab"])
    (start, size), (origin, _) = symbols[name], symbols[entry]
    # The last row of an address holds. Where no instruction is of a line there is no such section.
    rows = dict(_rows(found[".debug_line"])) if ".debug_line" in found else {}
    return LineTable(start - origin, size, tuple(rows), tuple(rows.values()))


def _symbols(table: bytes, names: bytes) -> dict[str, tuple[int, int]]:
    """The place and the size of each symbol."""
    return {
        names[name : names.index(b"\0", name)].decode(): (value, size)
        for name, _, _, _, value, size in _SYMBOL.iter_unpack(table)
    }


def _rows(data: bytes) -> list[tuple[int, int]]:
    """Each address with its line, as DWARF's line number program says."""
    length, version, header = _HEADER.unpack_from(data)
    if version != _VERSION:
        raise ValueError(f"line numbers of DWARF {version}")
    step, _, _, base, span, first = _PROGRAM.unpack_from(data, _HEADER.size)
    operands = data[_HEADER.size + _PROGRAM.size :][: first - 1]
    place, end, address, line = _HEADER.size + header, length + 4, 0, 1
    rows: list[tuple[int, int]] = []
    while place < end:
        op = data[place]
        place += 1
        if op >= first:  # a special one: both advance
            address += (op - first) // span * step
            line += base + (op - first) % span
            rows.append((address, line))
        elif op == 0:  # an extended one
            size, place = _number(data, place)
            if data[place] == 1:  # the end
                break
            place += size
        elif op == 1:
            rows.append((address, line))
        elif op == 2:
            advance, place = _number(data, place)
            address += advance * step
        elif op == 3:
            advance, place = _number(data, place, signed=True)
            line += advance
        elif op == 8:
            address += (255 - first) // span * step
        elif op == 9:
            address += int.from_bytes(data[place : place + 2], "little")
            place += 2
        else:
            for _ in range(operands[op - 1]):
                _, place = _number(data, place)
    return rows


def _number(data: bytes, place: int, *, signed: bool = False) -> tuple[int, int]:
    """A number of any length, and the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value - (1 << shift if signed and byte & 0x40 else 0), place
