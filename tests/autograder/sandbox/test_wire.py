"""The wire: what travels comes back equal and exact, and no bytes whatever do more than raise WireError."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox import wire

ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**4000), 2**4000)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.binary(max_size=20)
)
KEYS = st.text(max_size=5) | st.integers(-(2**59), 2**59)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4) | st.tuples(inner, inner),
    max_leaves=20,
)


def exact(a: Any, b: Any) -> bool:
    """Equal, and of equal types all the way down (1 == True would pass an ordinary comparison)."""
    if type(a) is not type(b) or (isinstance(a, list | tuple) and len(a) != len(b)):
        return False
    if isinstance(a, list | tuple):
        return all(map(exact, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(exact(a[key], b[key]) for key in a)
    return bool(a == b)


@given(VALUES)
def test_round_trip(value: Any) -> None:
    assert exact(wire.decode(wire.encode(value)), value)


NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.booleans()


@given(st.lists(st.integers(-(2**63), 2**63 - 1)) | st.lists(st.floats(allow_nan=False)) | st.lists(NUMBERS))
def test_lists_and_tuples_of_numbers_keep_their_types(value: list[Any]) -> None:
    for form in (value, tuple(value), [value, tuple(value)]):
        assert repr(wire.decode(wire.encode(form))) == repr(form)  # by repr: a NaN equals nothing


def test_lists_of_ids_take_8_bytes_a_number_and_keep_the_limits() -> None:
    ids = list(range(1000))
    assert len(wire.encode(ids)) < 8 * len(ids) + 10
    data = wire.encode(ids)
    for broken in (data[:-1], data + b"0", data.replace(b"ml", b"mx", 1), data.replace(b"mlq", b"mlz", 1)):
        with pytest.raises(wire.WireError):
            wire.decode(broken)
    with pytest.raises(wire.WireError):  # more parts than one message may have, in many small lists
        wire.encode([[0] * 1000] * 1001)
    many = b"l" + struct.pack(">I", 1001) + wire.encode([0] * 1000) * 1001
    with pytest.raises(wire.WireError):
        wire.decode(many)


@given(st.sampled_from(sorted(wire.NUMPY_DTYPES)), st.lists(st.integers(0, 4), max_size=4), st.integers(0, 2**32))
def test_arrays(dtype: str, shape: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    value = (rng.integers(0, 2, shape) if dtype == "bool" else rng.integers(0, 100, shape)).astype(dtype)
    got = wire.decode(wire.encode(value))
    assert got.dtype == value.dtype and got.shape == value.shape and np.array_equal(got, value)


@given(st.sampled_from(sorted(wire.TORCH_DTYPES)), st.lists(st.integers(0, 4), max_size=4), st.integers(0, 2**32))
def test_tensors(dtype: str, shape: list[int], seed: int) -> None:
    kind = getattr(torch, dtype)
    value = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).mul(50).abs().to(kind)
    got = wire.decode(wire.encode(value.mT if value.dim() > 1 else value))
    want = value.mT if value.dim() > 1 else value
    assert got.dtype == kind and got.shape == want.shape and torch.equal(got, want)


def test_views_conjugates_and_parameters_arrive_as_plain_tensors() -> None:
    base = torch.randn(6, 4, dtype=torch.complex64)
    for value in (
        base.conj()[::2],
        base.imag,
        torch.nn.Parameter(torch.randn(3)),
        torch.tensor(3.5),
        torch.zeros(0, 5),
    ):
        got = wire.decode(wire.encode(value))
        assert type(got) is torch.Tensor and torch.equal(got, value) and not got.requires_grad


def test_gradient_flag_travels_inwards_only() -> None:
    data = wire.encode(torch.ones(2, requires_grad=True))
    assert wire.decode(data, trusted=True).requires_grad
    assert not wire.decode(data).requires_grad


def test_numpy_scalars_and_text_arrays() -> None:
    got = wire.decode(wire.encode([np.float64(0.5), np.int64(3), np.bool_(True), np.float32(0.25), np.str_("Zoë")]))
    assert exact(got, [0.5, 3, True, 0.25, "Zoë"])
    names = np.array([["Ada", "Émile"], ["", "Zoë"]])
    assert np.array_equal(wire.decode(wire.encode(names)), names)


def test_torch_words() -> None:
    value = [torch.bfloat16, torch.device("cpu"), torch.Size([2, 0, 3]), slice(1, None, -2)]
    assert exact(wire.decode(wire.encode(value)), value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0])
def test_special_floats(value: float) -> None:
    got = wire.decode(wire.encode(value))
    assert struct.pack(">d", got) == struct.pack(">d", value)


class Liar(torch.Tensor):
    pass


class Word(str):
    pass


class Truth(float):
    pass


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(2).as_subclass(Liar),
        Word("x"),
        Truth(1.0),
        {1, 2},
        object(),
        lambda: 0,
        np.ones(2).view(np.matrix),
        3 + 0j,
        bytearray(b"x"),
        random.Random(1),
        np.array([object()]),
        torch.eye(3).to_sparse(),
        torch.empty(2, device="meta"),
        {(1, 2): 3},
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_stays(value: Any) -> None:
    if type(value) is complex:
        assert wire.decode(wire.encode(value)) == value
    elif type(value) is dict:
        with pytest.raises(wire.WireError, match="key"):
            wire.encode(value)
    else:
        with pytest.raises(wire.WireError, match="cannot be sent"):
            wire.encode(value)
        handle = wire.decode(wire.encode([value], lambda v: wire.Handle(7, type(v).__name__)))[0]
        assert handle == wire.Handle(7, type(value).__name__)


def test_limits_when_writing() -> None:
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    loop: list[Any] = []
    loop.append(loop)
    for value in (deep, loop, [0] * 1_000_001, torch.zeros(2**25), "x" * (2**24 + 1), 2**5000, {2**61 - 1: 0}):
        with pytest.raises(wire.WireError):
            wire.encode(value)


def test_a_message_beyond_the_limit_is_not_read() -> None:
    data = bytes(wire.LIMIT_BYTES + 1)
    with pytest.raises(wire.WireError, match="larger than a message may be"):
        wire.decode(data)
    with pytest.raises(wire.WireError) as within:
        wire.decode(data[:-1])
    assert "larger" not in str(within.value)


def frame(tag: bytes, *parts: bytes) -> bytes:
    return tag + b"".join(parts)


def named(name: str) -> bytes:
    return struct.pack(">I", len(name)) + name.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"?",
        b"NN",
        frame(b"l", struct.pack(">I", 2**32 - 1)),
        frame(b"l", struct.pack(">I", 5), b"NN"),
        frame(b"u", struct.pack(">I", 2**31), b"x"),
        frame(b"u", struct.pack(">I", 2), b"\xff\xfe"),
        frame(b"i", struct.pack(">H", 0)),
        frame(b"i", struct.pack(">H", 60_000), bytes(60_000)),
        frame(b"a", named("float64"), struct.pack(">B2Q", 2, 2**40, 2**40)),
        frame(b"a", named("float64"), struct.pack(">B2Q", 2, 2**63, 2)),
        frame(b"a", named("float64"), struct.pack(">B2Q", 2, 0, 2**62)),
        frame(b"a", named("object"), struct.pack(">BQ", 1, 1), bytes(8)),
        frame(b"a", named("float64"), struct.pack(">BQ", 1, 2), bytes(8)),
        frame(b"a", named("float64"), b"\xff"),
        frame(b"x", b"-", named("quint8"), struct.pack(">BQ", 1, 1), b"x"),
        frame(b"y", named("manual_seed")),
        frame(b"v", named("nonsense")),
        frame(b"z", wire.encode([2**50])),
        frame(b"z", wire.encode("abc")),
        frame(b"w", wire.encode([[2], ["a"]])),
        frame(b"w", wire.encode([[1000], ["a"] * 999 + ["b" * 100_000]])),
        frame(b"q", wire.encode(["course_utils.errors", "CourseError", []])),
        frame(b"r", wire.encode([1, "python", None])),
        frame(b"d", struct.pack(">I", 1), b"l", struct.pack(">I", 0), b"N"),
        frame(b"d", struct.pack(">I", 1), wire.encode(2**61), b"N"),
        b"l\x00\x00\x00\x01" * 100 + b"N",
    ],
)
def test_malformed(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(data)


@pytest.mark.parametrize(
    "module", ["os", "course_utils.nowhere", "course_utils.errors.x", "course_utils.__main__", "autograder.records"]
)
def test_records_of_others_are_refused(module: str) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(frame(b"q", wire.encode([module, "Check", [1, 2, 3, 4, 5]])), trusted=True)


def test_a_byte_of_two_is_not_a_third_truth() -> None:
    data = bytearray(wire.encode(torch.tensor([True, False])))
    data[-2] = 2
    assert wire.decode(bytes(data)).view(torch.uint8).tolist() == [1, 0]


@settings(max_examples=400)
@given(st.binary(max_size=200))
def test_noise_never_escapes(data: bytes) -> None:
    try:
        wire.decode(data)
    except wire.WireError:
        return


@settings(max_examples=400)
@given(VALUES, st.data())
def test_damaged_frames_never_escape(value: Any, data: st.DataObject) -> None:
    frame_ = bytearray(wire.encode([value, torch.ones(2, 3), np.arange(3), torch.Size([1])]))
    for _ in range(data.draw(st.integers(1, 4))):
        frame_[data.draw(st.integers(0, len(frame_) - 1))] = data.draw(st.integers(0, 255))
    try:
        wire.decode(bytes(frame_[: data.draw(st.integers(0, len(frame_)))]), trusted=data.draw(st.booleans()))
    except wire.WireError:
        return


@pytest.mark.parametrize(
    "make",
    [
        lambda: random.Random(3),
        lambda: np.random.default_rng(3),
        lambda: np.random.Generator(np.random.MT19937(3)),
        lambda: np.random.Generator(np.random.Philox(3)),
        lambda: torch.Generator().manual_seed(3),
    ],
)
def test_generators(make: Any) -> None:
    def draw(rng: Any) -> float:
        return float(torch.rand((), generator=rng)) if isinstance(rng, torch.Generator) else float(rng.random())

    rng = make()
    draw(rng)
    flavour, state = wire.generator_state(rng)  # type: ignore[misc]
    twin = wire.generator_from(flavour, wire.decode(wire.encode(state)))
    assert [draw(twin) for _ in range(5)] == [draw(rng) for _ in range(5)]
    sent = wire.decode(wire.encode(wire.Generator(4, flavour, state)), trusted=True)
    assert sent.key == 4 and draw(wire.generator_from(flavour, sent.state)) >= 0


def test_generator_subclasses_and_unknown_bits() -> None:
    class Loaded(random.Random):
        pass

    assert wire.generator_state(Loaded(1)) is None
    with pytest.raises(wire.WireError):
        wire.generator_from("numpy", {"bit_generator": "Generator"})
