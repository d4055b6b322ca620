"""Changes of a program's text that leave what it does as it is: what compiles one must do the same with the other."""

from property_tests.transformations.inlining import inline_helpers
from property_tests.transformations.loops import for_to_while
from property_tests.transformations.outlining import outline_expressions
from property_tests.transformations.renaming import rename_locals
from property_tests.transformations.swapping import swap_independent
from property_tests.transformations.variants import Variant
from property_tests.transformations.wrapping import wrap_in_true, wrap_under_flag

TRANSFORMATIONS = (
    wrap_in_true,
    wrap_under_flag,
    rename_locals,
    for_to_while,
    swap_independent,
    outline_expressions,
    inline_helpers,
)

__all__ = ["TRANSFORMATIONS", "Variant"]
