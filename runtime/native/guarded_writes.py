"""Programs that write to the caller's arrays where no check has failed: these need not be kept as they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.ordering import written_inputs
from anabranch.runtime.native.python_entry import is_kept
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.comparison import equal
from anabranch.runtime.ops.op import BOOL, scalar
from anabranch.runtime.ops.shape import broadcast_in_dim


def guarded(program: Program) -> Program | None:
    """The Program with what follows its checks in a branch that runs where none fails.

    None where no large array is written to, or a check has to wait for a write.
    """
    groups = program.groups
    failures = program.outputs[groups.failures]
    is_seen = any(program.outputs[group] for group in (groups.draws, groups.effects, groups.effect_count))
    roots = _roots(program)
    written = [roots.get(atom) for atom in program.outputs[groups.writes]]
    is_large = any(base is not None and not is_kept(base.type.nbytes) for base in written)
    if not failures or is_seen or None in written or not is_large:
        return None
    early = _needed(program, failures)
    late = [equation for equation in program.equations if equation not in early]
    if any(var in roots for equation in early for var in written_inputs(equation)) or _calls_host(late):
        return None
    return _with_branch(program, failures[0], [e for e in program.equations if e in early], late, roots)


def _roots(program: Program) -> Mapping[Atom, Var]:
    """The inputs that values are new contents of."""
    roots: dict[Atom, Var] = {var: var for var in program.inputs}
    for equation in program.equations:
        if equation.op.update is not None and equation.inputs[0] in roots:
            roots[equation.outputs[0]] = roots[equation.inputs[0]]
    return roots


def _needed(program: Program, atoms: Iterable[Atom]) -> set[Equation]:
    """The equations that values depend on."""
    made: dict[Atom, Equation] = {var: equation for equation in program.equations for var in equation.outputs}
    found: set[Equation] = set()
    pending = list(atoms)
    while pending:
        equation = made.get(pending.pop())
        if equation is not None and equation not in found:
            found.add(equation)
            pending += equation.inputs
    return found


def _calls_host(equations: Iterable[Equation]) -> bool:
    """Return whether a function of this process is called, which may raise something of its own."""
    return any(e.op.is_host_call or any(_calls_host(p.equations) for p in e.programs()) for e in equations)


def _with_branch(
    program: Program, code: Atom, early: Sequence[Equation], late: Sequence[Equation], roots: Mapping[Atom, Var]
) -> Program:
    """The Program with late equations in a branch that runs where the code is 0."""
    inner = {var for equation in late for var in equation.outputs}
    results = [atom for atom in dict.fromkeys(program.outputs) if isinstance(atom, Var) and atom in inner]
    read = [atom for e in late for atom in e.inputs if isinstance(atom, Var) and atom not in inner]
    operands = tuple(dict.fromkeys([*read, *(roots[var] for var in results if var in roots)]))
    zeros: dict[Var, Equation] = {}
    for var in results:
        if var not in roots:
            zero = (Literal(np.zeros((), var.type.dtype)),)
            params = {"shape": var.type.shape, "dims": ()}
            zeros[var] = Equation(broadcast_in_dim, zero, params, (Var(var.type),))
    otherwise = tuple(roots[var] if var in roots else zeros[var].outputs[0] for var in results)
    branches = {
        "on_true": Program(operands, tuple(late), tuple(results)),
        "on_false": Program(operands, tuple(zeros.values()), otherwise),
    }
    outer = {var: Var(var.type) for var in results}
    is_fine = Var(scalar(BOOL))
    test = Equation(equal, (code, Literal(np.zeros((), code.type.dtype))), {}, (is_fine,))
    branch = Equation(COND, (is_fine, *operands), branches, tuple(outer.values()))
    outputs = tuple(outer.get(atom, atom) if isinstance(atom, Var) else atom for atom in program.outputs)
    return Program(
        program.inputs, (*early, test, branch), outputs, program.name, program.groups, program.failures_leave
    )
