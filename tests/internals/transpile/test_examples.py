"""Each pass says what becomes of its construct; these are the promises, kept to the letter."""

from __future__ import annotations

import textwrap

import pytest

from anabranch.transpile import rewrite
from anabranch.transpile.passes import PASSES
from tests.internals.transpile.eager_rewriting import from_text, nothing_staged

EXAMPLES = [pytest.param(example, id=f"{type(p).__name__}-{k}") for p in PASSES for k, example in enumerate(p.examples)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_pass_keeps_the_promise_of_its_example(example, request):
    function = from_text(example.before, f"<{request.node.name}>")
    source = rewrite(function, nothing_staged).source
    head, body = source.split("\n", 1)
    assert head == "def rewritten(ab):"
    inside = textwrap.dedent(body)
    assert inside == example.after + "return f\n"


@pytest.mark.parametrize("p", PASSES, ids=lambda p: type(p).__name__)
def test_every_pass_has_a_message(p):
    assert p.message
