"""What a hint says of a handed-in file: fixed words, and no text of the file."""

from __future__ import annotations

import json

import pytest

from autograder.judge.files import read_safetensors
from course_utils.checks.selfcheck import HandinError


def broken(name: str) -> bytes:
    """A safetensors file of two tensors; the second one claims more bytes than there are."""
    entry = {"dtype": "F32", "shape": [1]}
    header = {"first": {**entry, "data_offsets": [0, 4]}, name: {**entry, "data_offsets": [4, 9]}}
    raw = json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(8)


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>",
        "Full marks: 10 of 10",
        "a" * 61,
        "a\nb",
        "",
        "=HYPERLINK(1)",
        "\u202eabc",
        "ｆull",
        "layer-1",
    ],
)
def test_a_name_that_is_no_name_is_told_by_its_place(name: str) -> None:
    with pytest.raises(HandinError) as caught:
        read_safetensors(broken(name), "w.safetensors")
    assert str(caught.value) == ("w.safetensors: the tensor number 2 does not fit the file (truncated?): save it again")


def test_a_tensors_own_name_helps() -> None:
    with pytest.raises(HandinError, match=r"the tensor blocks\.0\.norm_1\.weight does not fit"):
        read_safetensors(broken("blocks.0.norm_1.weight"), "w.safetensors")
