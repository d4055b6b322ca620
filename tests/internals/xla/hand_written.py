"""StableHLO modules written by hand, and scripts that a fresh interpreter runs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def program(arguments, results, body):
    """A module whose `main` takes the named arguments and returns `results`."""
    parameters = ", ".join(f"%{name}: {kind}" for name, kind in arguments.items())
    kinds, values = ", ".join(results.values()), ", ".join(f"%{name}" for name in results)
    return f"""module @m {{
      func.func public @main({parameters}) -> ({kinds}) {{
        {textwrap.indent(textwrap.dedent(body), " " * 8).strip()}
        return {values}{" : " + kinds if results else ""}
      }}
    }}"""


def add(kind):
    return program({"a": kind, "b": kind}, {"r": kind}, f"%r = stablehlo.add %a, %b : {kind}")


COUNT_TO_TEN = """
%one = stablehlo.constant dense<1> : tensor<i64>
%ten = stablehlo.constant dense<10> : tensor<i64>
%r = stablehlo.while(%i = %a) : tensor<i64>
cond {
  %c = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
} do {
  BODY
  %n = stablehlo.add %i, %one : tensor<i64>
  stablehlo.return %n : tensor<i64>
}
"""


def run_script(script):
    environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done
