"""The base of the stages: the signature and the result of a function that is being compiled."""

from __future__ import annotations

import dataclasses
from typing import Any

from anabranch.runtime.call.call_spec import CallSpec, out_info
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.signature.pytree import PyTreeDef


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Stage:
    """A stage of compiling a function: the base that describes the arguments and the result."""

    plan: Plan  # what a call does around the Program
    calling: CallSpec  # how the function is called

    def __repr__(self) -> str:
        return f"<anabranch.{type(self).__name__} {self.fun_name}({self.calling.described()})>"

    @property
    def fun_name(self) -> str:
        """The function's name."""
        return self.calling.fun_name

    @property
    def in_tree(self) -> PyTreeDef:
        """The structure of `(args, kwargs)`, the static arguments left out."""
        return self.calling.args_info().definition

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the result."""
        return out_info(self.calling, self.plan).definition

    @property
    def args_info(self) -> Any:
        """The tree `(args, kwargs)` of an `ArgInfo` for each leaf."""
        return self.calling.args_info().built()

    @property
    def out_info(self) -> Any:
        """The tree of the result, of a `ShapeDtypeStruct` for each leaf; `OneOf` where it is one of a few things."""
        return out_info(self.calling, self.plan).built()

    @property
    def in_avals(self) -> Any:
        """The tree `(args, kwargs)` of a `ShapeDtypeStruct` for each leaf: what the function can be traced with."""
        return self.calling.structs().built()

    @property
    def out_avals(self) -> Any:
        """The same as `out_info`."""
        return self.out_info

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The donated leaves, by their places among those of `args_info`."""
        infos = self.calling.args_info().leaves
        return tuple(i for i, info in enumerate(infos) if info.donated)
