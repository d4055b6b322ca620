"""Python source to Python source: control flow rewritten as calls on structured primitives.

libcst is imported when the first function really is rewritten, not before.
"""

from __future__ import annotations

from anabranch.transpile.errors import (
    CODES as CODES,
    AnabranchError as AnabranchError,
    Finding as Finding,
    NoSourceError as NoSourceError,
    SourceError as SourceError,
    UnsupportedConstructError as UnsupportedConstructError,
)
from anabranch.transpile.rewritten import (
    Counterpart as Counterpart,
    GeneratorStep as GeneratorStep,
    Resumed as Resumed,
    Rewritten as Rewritten,
    StepHelpers as StepHelpers,
    inner_code as inner_code,
    is_rewritten as is_rewritten,
    needs_rewriting as needs_rewriting,
    rewrite as rewrite,
    rewrite_for as rewrite_for,
    rewritten_with as rewritten_with,
    stage_operators as stage_operators,
    steps_of_generator as steps_of_generator,
)
from anabranch.transpile.source import is_of_program as is_of_program
