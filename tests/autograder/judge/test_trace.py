"""What is recorded while forbidden calls are counted."""

import pytest

from autograder.judge.trace import operators
from course_utils.checks.forbidden import forms


@pytest.mark.parametrize(
    ("name", "recorded"),
    [("scaled_dot_product_attention", True), ("torch.einsum", True), ("MultiheadAttention", True), ("cuda", False)],
)
def test_the_dispatcher_is_asked_only_for_names_that_it_knows(name, recorded):
    assert operators([forms(name)]) is recorded
