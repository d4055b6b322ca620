"""Objects that are fields: `register`, `StructRefProxy`, `define_proxy`."""

from __future__ import annotations

from anabranch.runtime.compat.structrefs import (
    StructRefProxy as StructRefProxy,
    define_attributes as define_attributes,
    define_boxing as define_boxing,
    define_constructor as define_constructor,
    define_proxy as define_proxy,
    register as register,
)
