"""Python source to Python source: control flow rewritten as calls on structured primitives.

libcst is imported when the first function really is rewritten, not before.
"""

from __future__ import annotations

from anabranch.transpile.errors import (
    CODES as CODES,
)
from anabranch.transpile.errors import (
    AnabranchError as AnabranchError,
)
from anabranch.transpile.errors import (
    Finding as Finding,
)
from anabranch.transpile.errors import (
    NoSourceError as NoSourceError,
)
from anabranch.transpile.errors import (
    SourceError as SourceError,
)
from anabranch.transpile.errors import (
    UnsupportedConstructError as UnsupportedConstructError,
)
from anabranch.transpile.rewritten import (
    Counterpart as Counterpart,
)
from anabranch.transpile.rewritten import (
    Rewritten as Rewritten,
)
from anabranch.transpile.rewritten import (
    is_rewritten as is_rewritten,
)
from anabranch.transpile.rewritten import (
    needs_rewriting as needs_rewriting,
)
from anabranch.transpile.rewritten import (
    rewrite as rewrite,
)
