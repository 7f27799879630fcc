"""The register of attentions is the process's: a check's declaration, read by another test, may have entered its own."""

import pytest

from course_utils.attention import register_attention
from solutions.reference.perceiver import PerceiverAttention
from solutions.reference.rope import RotaryCausalSelfAttention
from solutions.reference.synthesizer import SynthesizerAttention


@pytest.fixture(autouse=True)
def _reference_attentions() -> None:
    """Enter the reference's attentions under their names again."""
    for name, cls in (
        ("rope", RotaryCausalSelfAttention),
        ("perceiver", PerceiverAttention),
        ("synthesizer", SynthesizerAttention),
    ):
        register_attention(name, cls)
