"""The vocabulary of rewritten code, by the names that it uses: `ab.if_`, `ab.numpy`, `ab.call`."""

from __future__ import annotations

from anabranch.runtime.control import match as pattern  # noqa: F401 - `ab.pattern`
from anabranch.runtime.control.arenas.list_arena import growing as growing
from anabranch.runtime.control.assert_ import assert_ as assert_
from anabranch.runtime.control.attribute import attributes as attributes
from anabranch.runtime.control.boolean import (
    all_true as all_true,
    and_ as and_,
    any_true as any_true,
    not_ as not_,
    or_ as or_,
)
from anabranch.runtime.control.branches.truth import kept as kept
from anabranch.runtime.control.call import (
    call as call,
    calling as calling,
    tail_call as tail_call,
    tail_calling as tail_calling,
)
from anabranch.runtime.control.calls.counterparts import imported as imported
from anabranch.runtime.control.calls.starred_calls import spread as spread
from anabranch.runtime.control.calls.user_functions import inner_generator as generator  # noqa: F401
from anabranch.runtime.control.compare import compare as compare
from anabranch.runtime.control.containers.generator_reductions import count as count
from anabranch.runtime.control.containers.membership import in_ as in_, not_in as not_in
from anabranch.runtime.control.exits import (
    BREAK as BREAK,
    CONTINUE as CONTINUE,
    NEXT as NEXT,
    RETURN as RETURN,
    no_value as no_value,
    returned as returned,
)
from anabranch.runtime.control.for_ import for_ as for_
from anabranch.runtime.control.hash_tables.creation import (
    dict_comprehension as dict_comprehension,
    dict_display as dict_display,
    set_comprehension as set_comprehension,
    set_display as set_display,
)
from anabranch.runtime.control.identity import is_ as is_, is_not as is_not
from anabranch.runtime.control.if_ import if_ as if_
from anabranch.runtime.control.lists import (
    comprehension as comprehension,
    extended as extended,
    starred as starred,
    tupled as tupled,
)
from anabranch.runtime.control.match import match as match
from anabranch.runtime.control.raise_ import raised as raised
from anabranch.runtime.control.sets import members as members, members_of as members_of, set_operation as set_operation
from anabranch.runtime.control.stdlib import builtins_ as builtins  # noqa: F401 - `ab.builtins`
from anabranch.runtime.control.stdlib.builtin_iterators import each as each
from anabranch.runtime.control.stdlib.columns import transposed as transposed
from anabranch.runtime.control.stdlib.introspection import class_ as class_
from anabranch.runtime.control.stdlib.math_ import mathematics
from anabranch.runtime.control.subscript import at as at
from anabranch.runtime.control.ternary import ifexp as ifexp
from anabranch.runtime.control.text import fstring as fstring, percent as percent
from anabranch.runtime.control.try_ import try_ as try_
from anabranch.runtime.control.try_star import reraised as reraised, try_star_ as try_star_
from anabranch.runtime.control.undefined import Undefined as Undefined, defined as defined, enclosed as enclosed
from anabranch.runtime.control.while_ import while_ as while_
from anabranch.runtime.control.with_ import (
    entered as entered,
    leaving as leaving,
    left as left,
    managed as managed,
    suppressed as suppressed,
)
from anabranch.runtime.numpy import namespace

# What stands for the modules of these names.
numpy = namespace
math = mathematics
