"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

Importing the package fills the registry in `runtime.values.dispatch`, from which operators, methods and the array
protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.runtime.numpy import (
    calculus as calculus,
)
from anabranch.runtime.numpy import (
    creation as creation,
)
from anabranch.runtime.numpy import (
    describing as describing,
)
from anabranch.runtime.numpy import (
    einsum as einsum,
)
from anabranch.runtime.numpy import (
    joining as joining,
)
from anabranch.runtime.numpy import (
    linear as linear,
)
from anabranch.runtime.numpy import (
    logic as logic,
)
from anabranch.runtime.numpy import (
    matrices as matrices,
)
from anabranch.runtime.numpy import (
    methods as methods,
)
from anabranch.runtime.numpy import (
    nans as nans,
)
from anabranch.runtime.numpy import (
    norms as norms,
)
from anabranch.runtime.numpy import (
    padding as padding,
)
from anabranch.runtime.numpy import (
    ranges as ranges,
)
from anabranch.runtime.numpy import (
    reductions as reductions,
)
from anabranch.runtime.numpy import (
    selection as selection,
)
from anabranch.runtime.numpy import (
    shaping as shaping,
)
from anabranch.runtime.numpy import (
    sorting as sorting,
)
from anabranch.runtime.numpy import (
    statistics as statistics,
)
from anabranch.runtime.numpy import (
    ufuncs as ufuncs,
)
from anabranch.runtime.numpy.namespace import namespace, staged

__all__ = ["namespace", "staged"]
