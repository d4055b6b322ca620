"""`del` of names: the name holds an `Undefined` from then on."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.lowering import Here, Lowering
from anabranch.transpile.nodes import call, name, string
from anabranch.transpile.passes.base import Example, SmallPass
from anabranch.transpile.reader import Reader


class Delete(SmallPass[cst.Del]):
    """del of a name assigns it an Undefined; items and attributes are deleted as ever."""

    handles = (cst.Del,)
    examples = (
        Example(
            "def f(t, o):\n    del t\n    del o[0]\n",
            'def f(t, o):\n    t = ab.Undefined("t")\n    del o[0]\n',
        ),
    )

    def lower(self, work: Lowering, node: cst.Del, here: Here) -> list[cst.BaseSmallStatement]:
        reader = Reader(work, work.flow.entry(node), here.place)
        return [small for part in _parts(node.target) for small in self._one(work, reader, part)]

    def _one(self, work: Lowering, reader: Reader, part: cst.BaseExpression) -> list[cst.BaseSmallStatement]:
        if not isinstance(part, cst.Name):
            target = reader.rewrite(part)
            assert isinstance(target, cst.BaseDelTargetExpression)
            return [cst.Del(target)]
        text = part.value
        if text in work.globals:
            return [cst.Del(part)]
        found: list[cst.BaseSmallStatement] = []
        if reader.may_be_unset(text):
            found.append(cst.Expr(reader.rewrite(part)))
        value = call(reader.constant("Undefined"), string(text))
        return [*found, cst.Assign([cst.AssignTarget(name(text))], value)]


def _parts(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, (cst.Tuple, cst.List)):
        return [part for element in target.elements for part in _parts(element.value)]
    return [target]
