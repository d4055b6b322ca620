"""Writes into arrays: slices, rows, masks, fancy indices, augmented ones, `out`, methods that work in place."""

from __future__ import annotations

from property_tests.generation.kinds import Array
from property_tests.generation.productions import Productions
from property_tests.generation.templates import Operand, line
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

WRITES = {
    "write slices": (
        "{0}[...] = {v}", "{0}[:] = {v}", "{0}[1:3] = {v}", "{0}[::2] = {v}", "{0}[::-1] = {v}", "{0}[-2:] = {v}",
        "{0}[:, 0] = {v}", "{0}[0] = {v}", "{0}[-1, ...] = {v}", "{0}[..., 1] = {v}", "{0}[1:][:2] = {v}",
        "{0}[1, 1:] = {v}",
        "{0}.T[0] = {v}", "{0}[()] = {v}", "{0}[{k}:] = {l}", "{0}[:{k}] = {l}", "{0}[{k}:{k2}] = {l}",
        "{0}[::{k} + 1] = {l}",
        "{0}[-{k}:] = {l}", "{0}[{k}::-1] = {l}", "{0}[:, :{k}] = {l}",
    ),
    "augmented slices": (
        "{0}[...] {o}= {v}", "{0}[1:3] {o}= {v}", "{0}[::2] {o}= {v}", "{0}[0] {o}= {v}", "{0}[:, -1] {o}= {v}",
        "{0}[::-1] {o}= {v}", "{0}.T[0] {o}= {v}", "{0}[{k}:] {o}= {l}", "{0}[:{k}] {o}= {l}", "{0}[{k}:{k2}] {o}= {l}",
        "{0}[1:][:2] {o}= {v}",
    ),
    "augmented arrays": (
        "{0} {o}= {v}", "{0} {o}= {v}", "{0} {o}= {b}", "{0} {o}= {0}", "{0} {o}= {0}[::-1]", "{0} //= 2", "{0} %= 5",
        "{0} /= 2", "{0} **= 2", "{0} &= 7", "{0} |= {b}", "{0} ^= {b}", "{0} <<= 1", "{0} @= np.eye(2)",
    ),
    "masks": (
        "{0}[{0} > {l}] = {l2}", "{0}[{0} < 0] {o}= {l}", "{0}[~({0} > 1)] = {x}", "{0}[({0} > 0) & ({0} < 3)] = {k}",
        "{0}[{b} > 0] = {l}", "{0}[{0} == {l}] *= 0", "{0}[{0} > 0] = -{0}[{0} > 0]", "{0}[{0} > {x}] = {e}",
        "{0}[{b} > 0] = {c}[{b} > 0]", "np.copyto({0}, {b}, where={0} > 1)", "np.putmask({0}, {0} > 1, {l})",
        "{0}[[True, False]] = {l}",
    ),
    "fancy writes": (
        "{0}[[0, 2]] = {l}", "{0}[[0, -1]] {o}= {v}", "{0}[[0, 1, 0]] {o}= 1", "{0}[[1, 0]] = {0}[[0, 1]]",
        "np.add.at({0}, [0, 1, 0], 1)", "np.add.at({0}, [{k} % 2, 0], {l})", "np.subtract.at({0}, ([0, 1], [1, 0]), 1)",
        "{0}[[0, 1], [1, 0]] = {l}", "{0}[:, [0, 1]] = {l}", "{0}[np.array([{k} % 2])] = {v}",
        "np.maximum.at({0}, [0, 0], {l})",
        "np.put({0}, [0, -1], {l})", "{0}[{b} % 2] = {l}", "{0}[[{k} % 2, 0]] = {v}",
    ),
    "out": (
        "np.add({0}, {v}, out={0})", "np.multiply({b}, {l}, out={0})", "np.abs({0}, out={0})",
        "np.maximum({0}, {b}, out={0})",
        "np.cumsum({b}, out={0}[:])",  # NumPy itself crashes on an `out` without axes
        "np.clip({b}, 0, 2, out={0})", "np.add({0}[1:], {0}[:-1], out={0}[1:])",
        "np.negative({b}, out={0}[:])", "np.add({b}, 1, out={0}, where={b} > 0)", "np.copyto({0}, {v})",
        "np.subtract({0}[::-1], {0}, out={0})",
    ),
    "methods in place": ("{0}.fill({l})", "{0}.sort()", "{0}[::-1].sort()", "{0}.sort(axis=0)", "{0}[1:].fill({x})",
                         "np.fill_diagonal({0}, {l})", "{0}.T.fill({k})", "{0}.put([0, 1], {l})"),
    "overlaps": (
        "{0}[1:] = {0}[:-1]", "{0}[:-1] = {0}[1:]", "{0}[1:] += {0}[:-1]", "{0}[:] = {0}[::-1]", "{0}[...] = {0}.T",
        "{0}[0], {0}[1] = {0}[1], {0}[0]", "{0}[[0, 1]] = {0}[[1, 0]]", "{0}[::2] -= {0}[0]", "{0} -= {0}[0]",
        "{0} += {0}.T", "{0}[0], {0}[-1] = {0}[-1] + 1, {0}[0]", "{0}[{k} % 2], {0}[0] = {0}[0], {0}[{k} % 2]",
        "{0}[0] = {0}[1:][0] = {0}[-1]", "{0}[1:] = {0}[0]", "{0}[:, 0] = {0}[0, 0]", "{0}[::-1][:-1] = {0}[1:]",
        "{0}[:2] = {0}[-2:] * 2 % 8", "{0}[{k} % 2] = {0}[-1]",
    ),
}  # fmt: skip
# Assigned to slices, arrays are copies: what overlapping lines of different steps become is NumPy's own (see
# docs/differences.md).
COPIES = {value: f"{value}.copy()" for value in ("{a}", "{b}[0]", "{b}[1:]", "{b}[::-1]", "{0}[0]")}
VALUES = ("{l}", "{l}", "{x}", "{k}", "{e}", "{a}", "{b}[0]", "{b}[1:]", "{a} + 1", "{b}[::-1]", "{0}[0]", "[1, 2]",
          "{b} * 2 % 9", "{a}.sum()", "np.float32(1.5)")  # fmt: skip


def _register(feature: str, templates: tuple[str, ...], weight: int) -> None:
    @PRODUCTIONS.statement(feature, weight)
    def write(w: Writer) -> list[str] | None:
        for _ in range(8):
            name = w.changeable(Array)
            if name is None:
                return None
            template, value = w.one(*templates), w.one(*VALUES)
            value = value if "{o}" in template else COPIES.get(value, value)
            template = template.replace("{v}", value).replace("{o}", w.one("+", "-", "*"))
            text = line(w, template, [Operand(name, w.names[name])])
            if text is not None:
                return [text]
        return None


for _feature, _templates in WRITES.items():
    _register(_feature, _templates, 2)


@PRODUCTIONS.statement("empty and fill", 1)
def empty(w: Writer) -> list[str] | None:
    name = w.pick(Array)
    if name is None:
        return None
    target = w.target(w.names[name])
    return [f"{target} = np.empty_like({name})", f"{target}.fill({w.number(0, 3)})"]
