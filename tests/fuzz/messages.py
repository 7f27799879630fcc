"""Messages that no agent sends, through the wire's decoder and the judge's side of the conversation."""

from __future__ import annotations

import random
import struct
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from autograder.sandbox import wire
from autograder.sandbox.kernel import Kernel, KernelStopped
from course_utils.checks.selfcheck import StudentError

TAGS = b"NTFifcublmtdawxyvzehrq"
NUMBERS = (0, 1, 2, 7, 20, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
LONG = (0, 1, 2**31, 2**32, 2**40, 2**63, 2**64 - 1)
TEXTS = ("", "ok", "error", "x", "NameError", "\ud800", "é" * 50, "\0", "int64", "float32", "torch.Tensor", "a" * 500)
DTYPES = ("bool", "int64", "float32", "bfloat16", "float16", "complex64", "object", "str", "U9", "V8", "datetime64", "")


class Mailbox:
    """Stands for the sandbox: what is sent is dropped, what is read is one message."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.channel, self.alive, self.ended = self, True, ""

    def settimeout(self, seconds: float) -> None:
        """Nothing waits here."""

    def send(self, data: memoryview) -> int:
        """As if all had been sent."""
        return len(data)

    def recv(self, size: int) -> bytes:
        """The next bytes; none when the message is over, as from a closed connection."""
        part = self.data[self.at : self.at + min(size, 4096)]
        self.at += len(part)
        return part

    def kill(self) -> None:
        """The judge ends the sandbox."""
        self.alive = False


def seeds() -> list[bytes]:
    """Sound values of every kind that a kernel may send, encoded."""
    values: list[Any] = [
        None, True, -5, 2**300, 1.5, float("nan"), 1j, "text", b"bytes", [1, 2], (1.0, 2.0), [1, "a", None], {"a": 1, 2: [3]},
        np.arange(6).reshape(2, 3), np.array(["a", "bc"]), np.zeros((0, 3)), torch.ones(2, 2),
        torch.ones(3, dtype=torch.bfloat16), torch.float32, torch.device("cpu"),
        torch.Size([1, 2]), slice(1, None, 2), wire.Handle(3, "Thing"),
        {"outputs": [{"output_type": "stream", "name": "stdout", "text": "hi"}], "error": ["NameError", "x", 3], "cut": True},
        {"outputs": [{"output_type": "display_data", "data": {"image/png": "aGk=", "text/html": "<b>"}, "metadata": {}}]},
        [[[[[["deep"]]]]]], ["ok"] * 20,
    ]  # fmt: skip
    return [wire.encode(value) for value in values]


SEEDS = seeds()


def number(rng: random.Random) -> bytes:
    """A 4-byte count, mostly small."""
    return struct.pack(">I", rng.choice(NUMBERS) if rng.random() < 0.3 else rng.randrange(4))


def text(rng: random.Random) -> bytes:
    """A length and a text, sometimes of another length."""
    data = rng.choice(TEXTS + DTYPES).encode("utf-8", "surrogatepass")
    return (number(rng) if rng.random() < 0.1 else struct.pack(">I", len(data))) + data


def array(rng: random.Random) -> bytes:
    """dtype, shape and bytes that need not fit together."""
    dims = rng.choice((0, 1, 2, 3, 16, 17, 255))
    shape = [rng.choice(LONG) if rng.random() < 0.2 else rng.randrange(4) for _ in range(min(dims, 20))]
    name = rng.choice(DTYPES).encode()
    return struct.pack(f">I{len(name)}sB{len(shape)}Q", len(name), name, dims, *shape) + rng.randbytes(
        rng.randrange(40)
    )


def value(rng: random.Random, depth: int = 0) -> bytes:
    """One encoded value of any kind, grown from the wire's grammar with wrong counts, types and sizes now and then."""
    if rng.random() < 0.25:
        return rng.choice(SEEDS)
    tag = bytes([rng.choice(TAGS)])
    if tag in b"lt" or (tag == b"d" and depth < 5):
        count = rng.randrange(5) if depth < 5 else 0
        parts = [value(rng, depth + 1) for _ in range(count * (2 if tag == b"d" else 1))]
        return tag + (number(rng) if rng.random() < 0.1 else struct.pack(">I", count)) + b"".join(parts)
    if tag in b"wzerq":
        return tag + (value(rng, depth + 1) if depth < 5 else b"N")
    return tag + body(rng, tag)


def body(rng: random.Random, tag: bytes) -> bytes:
    """What follows the tag of a value without parts."""
    if tag == b"i":
        size = rng.choice((0, 1, 8, 512, 513, 65535)) if rng.random() < 0.5 else rng.randrange(1, 9)
        return struct.pack(">H", size) + rng.randbytes(min(size, 600))
    if tag in b"fc":
        return rng.randbytes(rng.choice((8, 16, 7)))
    if tag in b"ubyv":
        return text(rng)
    if tag == b"m":
        return (
            rng.choice((b"l", b"t", b"x"))
            + rng.choice((b"q", b"d", b"\xff"))
            + number(rng)
            + rng.randbytes(8 * rng.randrange(4))
        )
    if tag in b"ax":
        return (rng.choice((b"g", b"-")) if tag == b"x" else b"") + array(rng)
    return struct.pack(">Q", rng.choice(LONG)) + text(rng) if tag == b"h" else b""


def reply(rng: random.Random) -> bytes:
    """A reply with the number that the judge waits for, its parts of any kind."""
    count = rng.choice((3, 3, 3, 5, 5, rng.randrange(7)))
    first = wire.encode(1) if rng.random() < 0.9 else value(rng)
    second = wire.encode("ok" if count == 3 else "error") if rng.random() < 0.9 else value(rng)
    if count == 5 and rng.random() < 0.7:
        rest = [
            wire.encode(rng.choice(TEXTS)),
            wire.encode(rng.choice(TEXTS)),
            wire.encode(rng.choice((-1, 0, 3, 2**200))),
        ]
    else:
        rest = [value(rng) for _ in range(max(0, count - 2))]
    return b"l" + struct.pack(">I", count) + b"".join([first, second, *rest][:count])


def spoil(rng: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut, doubled or put in."""
    if not data:
        return rng.randbytes(3)
    raw = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(raw)) if raw else 0
        how = rng.randrange(4)
        if how == 0 and raw:
            raw[at] = rng.randrange(256)
        elif how == 1:
            del raw[at : at + rng.randrange(1, 9)]
        elif how == 2:
            raw[at:at] = raw[at : at + rng.randrange(1, 40)]
        else:
            raw[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(raw)


class Messages:
    """Draws messages and gives them to the decoder (every second) or to a judge that has asked something."""

    refusal = (wire.WireError, KernelStopped, StudentError)
    verbs = ("name", "call", "length", "entries", "has", "map", "cell")

    def __init__(self) -> None:
        self.kernel = Kernel(SimpleNamespace())  # type: ignore[arg-type]

    def draw(self, rng: random.Random) -> tuple[str, bytes]:
        """Verb (an empty one for the decoder alone) and the bytes that come back."""
        how = rng.random()
        data = rng.randbytes(rng.randrange(60)) if how < 0.1 else reply(rng) if how < 0.6 else value(rng)
        data = spoil(rng, data) if rng.random() < 0.25 else data
        if rng.random() < 0.5:
            return "", data
        size = len(data) if rng.random() < 0.95 else rng.choice((0, 1, len(data) + 5, wire.LIMIT_BYTES + 1, 2**64 - 1))
        return rng.choice(self.verbs), struct.pack(">Q", size) + data

    def take(self, case: tuple[str, bytes]) -> str:
        """Decode, or answer a request of the judge with it; what comes out must be of the listed kinds."""
        verb, data = case
        if not verb:
            found = wire.decode(data)
            wire.encode(found)
            return "decoded"
        kernel = self.kernel
        kernel.sandbox, kernel._number, kernel._inside, kernel._released = Mailbox(data), 0, False, []  # type: ignore[assignment]
        if verb == "cell":
            return f"cell {kernel.run_cell('x = 1').status}"
        kernel.ask(verb, "x")
        return "answered"
