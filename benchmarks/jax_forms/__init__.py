"""The kernels as a JAX user writes them, in modules by group; a form has its kernel's name and is under `jax.jit`.

Loops whose iterations depend on one another are loops of `jax.lax`, other loops are array expressions; what has sizes
known only at run time is masked by hand.
"""

from __future__ import annotations

import jax

jax.config.update("jax_enable_x64", True)
