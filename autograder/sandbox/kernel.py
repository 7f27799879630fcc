"""The judge's side of a kernel: cells and calls with deadlines, and the object ``student`` of a check.

Everything that arrives from the kernel is untrusted data. A reply that is late, too large, malformed or out of order ends
the kernel; it never ends the judge.
"""

from __future__ import annotations

import builtins
import contextlib
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from autograder.sandbox import outputs, wire
from autograder.sandbox.bubblewrap import Limits, Paths, Sandbox
from course_utils.checks.student import Held, StudentError
from course_utils.errors import MachineError

START_SECONDS = 60.0
CALL_SECONDS = 60.0
BETWEEN, BUSY = 100, 0.1  # requests, and seconds that they may take together, before `between` is done
GRACE_SECONDS = 2.0
CHUNK = 5000  # rows of one map message
RELEASE_AFTER = 500
UNKNOWN = "an exception"
# All names of exceptions that a student may see: Python's own, then those of torch and numpy, then the wire's.
EXCEPTIONS = (
    *sorted(
        name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
    ),
    *("OutOfMemoryError", "LinAlgError", "AxisError", "JSONDecodeError", "UnpicklingError"),
    "WireError",
)


class KernelStopped(BaseException):
    """The kernel gave no proper answer. Not an ``Exception``, so that no check takes it for a wrong answer.

    Attributes:
        status: the verdict's status.
        text: a fixed sentence for the student, which contains nothing that the kernel sent.
        detail: for the instructor, what was wrong.
    """

    def __init__(self, status: Literal["timeout", "dead", "error"], text: str, detail: str = "") -> None:
        super().__init__(f"{text}: {detail}" if detail else text)
        self.status, self.text, self.detail = status, text, detail


class RemoteError(StudentError):
    """A StudentError from a kernel. Its text is the student's: ``str()`` omits it, the instructor's detail contains it.

    Attributes:
        claimed: the kind as the kernel sent it; ``kind`` is from a closed list.
    """

    def __init__(self, kind: str, text: str = "", line: int | None = None, *, undefined: bool = False) -> None:
        super().__init__(known(kind), text, line, undefined=undefined)
        self.claimed = kind

    def __str__(self) -> str:
        return self.kind


def known(kind: str) -> str:
    """The name of an exception if it is on the closed list, else "an exception": a student's own name could be any text."""
    return kind if kind in EXCEPTIONS else UNKNOWN


@dataclass(frozen=True)
class CellResult:
    """The result of one cell. ``error`` is (kind, text, line) of an exception; ``note`` is a sentence for the instructor."""

    status: Literal["ok", "error", "timeout", "dead"]
    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: tuple[str, str, int] | None = None
    note: str = ""


class Kernel:
    """A student's Python session in its sandbox.

    Args:
        paths: what the sandbox shows.
        limits: what the sandbox may use.
    """

    def __init__(self, paths: Paths, limits: Limits = Limits()) -> None:
        self.paths, self.limits = paths, limits
        self.sandbox: Sandbox | None = None
        self.deadline = float("inf")  # of the running check, by time.monotonic
        self.between: Callable[[], None] | None = (
            None  # done before every BETWEEN-th request that is no cell, or sooner
        )
        self._number, self._inside, self._asked, self._worked = 0, False, 0, 0.0
        self._released: list[int] = []
        self._generators: dict[int, tuple[Any, int, bytes]] = {}

    def __enter__(self) -> Kernel:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether the kernel can answer requests."""
        return self.sandbox is not None and self.sandbox.alive and not self.sandbox.ended and not self._inside

    def start(self) -> None:
        """Build the sandbox and wait for its agent. Raises MachineError if that is impossible here."""
        self.close()
        self.sandbox, self._inside = Sandbox(self.paths, self.limits), False
        self._number, self._released, self._generators, self.between = 0, [], {}, None
        try:
            self._read(0, time.monotonic() + START_SECONDS)
        except (KernelStopped, TimeoutError):
            sentence = self.sandbox.complaint()
            self.close()
            raise MachineError(sentence) from None
        self.sandbox.ready()

    def close(self) -> None:
        """End it and everything it started."""
        if self.sandbox is not None:
            self.sandbox.close()
        self.sandbox = None

    # -- requests and replies

    def ask(self, verb: str, *rest: Any, seconds: float = CALL_SECONDS) -> Any:
        """Send one request and return its answer.

        Raises:
            StudentError: the student's code raised an exception.
            KernelStopped: no proper answer in time; the kernel may be gone (``alive``).
        """
        if verb != "cell" and self.between is not None:
            self._asked += 1
            if self._asked >= BETWEEN or self._worked > BUSY:
                self._asked, self._worked = 0, 0.0
                self.between()
        if self.sandbox is None or not self.alive:
            raise KernelStopped("dead", "the notebook's kernel is no longer there")
        request = wire.encode([self._number + 1, verb, *rest], self._swap, records=True)
        self._number += 1
        deadline = min(time.monotonic() + seconds, self.deadline)
        self._inside = True  # stays True if anything, the judge's own alarm included, ends the exchange before its end
        begun = time.monotonic()
        reply = self._exchange(request, deadline)
        self._worked += time.monotonic() - begun
        self._inside = False
        return self._open(reply, verb)

    def _exchange(self, request: bytes, deadline: float) -> Any:
        try:
            self._write(struct.pack(">Q", len(request)) + request, deadline)
            return self._read(self._number, deadline)
        except TimeoutError:
            return self._too_late()

    def _too_late(self) -> NoReturn:
        """Interrupt the kernel; kill it if it does not answer then; raise KernelStopped."""
        assert self.sandbox is not None
        self.sandbox.interrupt()
        try:
            self._read(self._number, time.monotonic() + GRACE_SECONDS)
            self._inside = False
        except (TimeoutError, KernelStopped):
            self.sandbox.kill()
        raise KernelStopped("timeout", "your code took too long and was stopped")

    def _write(self, data: bytes, deadline: float) -> None:
        assert self.sandbox is not None
        view = memoryview(data)
        with self._hearing():
            while view:
                self.sandbox.channel.settimeout(max(0.001, deadline - time.monotonic()))
                view = view[self.sandbox.channel.send(view[: 2**20]) :]

    def _take(self, size: int, deadline: float) -> bytes:
        assert self.sandbox is not None
        data = bytearray()
        with self._hearing():
            while len(data) < size:
                if (left := deadline - time.monotonic()) <= 0:
                    raise TimeoutError
                self.sandbox.channel.settimeout(left)
                part = self.sandbox.channel.recv(min(size - len(data), 2**20))
                if not part:
                    raise ConnectionResetError
                data += part
        return bytes(data)

    @contextlib.contextmanager
    def _hearing(self) -> Any:
        """Turn a closed connection into KernelStopped."""
        try:
            yield
        except TimeoutError:
            raise
        except OSError:
            assert self.sandbox is not None
            self.sandbox.kill()
            reason = f" (it used {self.sandbox.ended})" if self.sandbox.ended else ""
            raise KernelStopped("dead", f"the notebook's kernel died{reason}") from None

    def _read(self, number: int, deadline: float) -> Any:
        """The reply with this number: ``[number, "ok", value]`` or ``[number, "error", kind, text, line]``."""
        size = struct.unpack(">Q", self._take(8, deadline))[0]
        if size > wire.LIMIT_BYTES:
            self._violation("a message that is too large")
        try:
            reply = wire.decode(self._take(size, deadline), self._claim)
        except wire.WireError as error:
            self._violation(str(error))
        kinds = [type(part) for part in reply] if type(reply) is list else []
        ok = kinds[:2] == [int, str] and reply[1] == "ok" and len(kinds) == 3
        if (ok or (kinds == [int, str, str, str, int] and reply[1] == "error")) and reply[0] == number:
            return reply
        return self._violation("a reply that was not asked for")

    def _violation(self, what: str) -> NoReturn:
        assert self.sandbox is not None
        self.sandbox.kill()
        raise KernelStopped("error", "the notebook's kernel sent something that cannot be read", what)

    def _open(self, reply: Any, verb: str) -> Any:
        if reply[1] == "ok":
            return reply[2]
        kind, line = outputs.text(reply[2], 100), reply[4] if 0 < reply[4] < 10**6 else None
        raise RemoteError(kind, outputs.text(reply[3], 2000), line, undefined=verb == "name" and kind == "NameError")

    # -- values

    def _claim(self, mark: wire.Handle) -> RemoteHandle:
        return RemoteHandle(self, mark.number)

    def _swap(self, value: Any) -> Any:
        """The mark for a value that is not plain: a handle or a random generator. Raises TypeError for any other."""
        if type(value) is RemoteHandle:
            return wire.Handle(object.__getattribute__(value, "_number"))
        found = wire.generator_state(value)
        if found is None:
            name = "a function" if callable(value) else f"a {type(value).__name__}"
            raise TypeError(f"{name} ({value!r:.80}) cannot be sent to the student's code: use a name of the notebook")
        return self._generator(value, *found)

    def _generator(self, value: Any, flavour: str, state: Any) -> wire.Generator:
        """The mark for a generator; its state is sent only if the check has drawn from it or seeded it since the last call."""
        _, key, sent = self._generators.get(id(value), (None, len(self._generators) + 1, b""))
        now = wire.encode(state)
        self._generators[id(value)] = (value, key, now)  # the reference keeps the id from being used again
        return wire.Generator(key, flavour, None if now == sent else state)

    # -- what the judge calls

    def run_cell(self, code: str, seconds: float = 120.0) -> CellResult:
        """Run one cell. Nothing that the student's code does raises."""
        try:
            reply = self.ask("cell", code, seconds=seconds)
        except StudentError as error:  # IPython itself failed, e.g. because it was replaced
            return CellResult("error", error=(error.kind, error.text, error.line or 0))
        except KernelStopped as stop:
            status: Literal["timeout", "dead"] = "timeout" if stop.status == "timeout" else "dead"
            return CellResult(status, note=stop.text)
        reply = reply if type(reply) is dict else {}
        shown, cut = outputs.clean(reply.get("outputs"))
        note = "its output was cut at 1 MiB" if cut or reply.get("cut") is True else ""
        raised = reply.get("error")
        if type(raised) is list and [type(part) for part in raised] == [str, str, int]:
            return CellResult("error", shown, (raised[0], raised[1], raised[2]), note)
        return CellResult("ok", shown, None, note)

    def release_some(self, number: int) -> None:
        """Note that a handle is no longer needed; :meth:`flush` tells the kernel."""
        self._released.append(number)

    def flush(self) -> None:
        """Tell the kernel which handles it may drop, if there are many."""
        if len(self._released) > RELEASE_AFTER:
            gone, self._released = self._released, []
            self.ask("release", gone)

    def forget(self) -> None:
        """Drop the handles and generators of a check that has ended, on both sides."""
        self._released, self._generators = [], {}
        if self.alive:
            with contextlib.suppress(KernelStopped, StudentError):
                self.ask("forget", seconds=5)


class RemoteHandle(Held):
    """An object in the kernel; attributes, calls, ``[i]`` and ``len()`` are requests to it."""

    __slots__ = ("_kernel", "_number", "_process")
    __iter__ = None  # each step would be a round trip: use len() and [i]

    def __init__(self, kernel: Kernel, number: int) -> None:
        object.__setattr__(self, "_kernel", kernel)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_process", kernel.sandbox)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # protocols such as copying must not call the student's object
        return self._kernel.ask("attribute", self, name)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a check cannot set {name}: call a method of the student's object instead")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._kernel.flush()
        return self._kernel.ask("call", self, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self._kernel.ask("item", self, index)

    def __len__(self) -> int:
        size = self._kernel.ask("length", self)
        if type(size) is not int or not 0 <= size < 2**40:
            raise RemoteError("ValueError", "an impossible length")
        return size

    @staticmethod
    def _entries_(handles: Sequence[RemoteHandle], most: int) -> list[Any]:
        found = handles[0]._kernel.ask("entries", list(handles), most)
        if type(found) is not list or len(found) != len(handles):
            raise RemoteError("ValueError", "a wrong number of results")
        return found

    def __repr__(self) -> str:
        return "<an object of the student>"  # without the type's name, which the student chose

    def __del__(self) -> None:
        if self._kernel.sandbox is self._process:  # in a process that was started since, the number is another object's
            self._kernel.release_some(self._number)


class Student:
    """``student`` in the judge: the notebook's names, by value where plain, else as a :class:`RemoteHandle`."""

    def __init__(self, kernel: Kernel) -> None:
        object.__setattr__(self, "_kernel", kernel)
        object.__setattr__(self, "_touched", {})  # names that were asked for, as the notebook's own student has them
        object.__setattr__(self, "_tools", {})  # path -> handle: a check asks for the same few some hundred times

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._touched[name] = None
        return self._kernel.ask("name", name)

    def has(self, name: str) -> bool:
        """Whether the notebook defines ``name``; for releases of version 0.1, present checks do not use it."""
        return self._kernel.ask("has", name) is True

    def tool(self, path: str) -> RemoteHandle:
        """A course tool that fetches values; the kernel loads it from the course's folder, not from the notebook's names."""
        if path not in self._tools:
            found = self._kernel.ask("tool", path)
            if type(found) is not RemoteHandle:
                raise StudentError("TypeError", "a course tool was replaced")
            self._tools[path] = found
        return self._tools[path]

    def keep(self, value: Any) -> RemoteHandle:
        """Send a plain value to the kernel and return a handle to it, for calls and :meth:`fetch`."""
        return self._handle(self._kernel.ask("keep", value))

    def hold(self, function: RemoteHandle, *args: Any) -> RemoteHandle:
        """``function(*args)``, whose result stays in the kernel even if it is plain. Raises StudentError."""
        return self._handle(self._kernel.ask("hold", function, args))

    def fetch(self, handle: RemoteHandle) -> Any:
        """The object of a handle, by value if it is plain."""
        return self._kernel.ask("fetch", handle)

    def _handle(self, found: Any) -> RemoteHandle:
        if type(found) is not RemoteHandle:
            raise StudentError("TypeError", "a value came where a handle was due")
        return found

    def map(self, function: RemoteHandle, rows: Iterable[Sequence[Any]]) -> list[Any]:
        """``[function(*row) for row in rows]``, in one round trip per CHUNK rows. Raises StudentError of the first failure."""
        todo = [tuple(row) for row in rows]
        found: list[Any] = []
        for at in range(0, len(todo), CHUNK):
            part = todo[at : at + CHUNK]
            values = self._kernel.ask("map", function, part)
            if type(values) is not list or len(values) != len(part):
                raise RemoteError("ValueError", "a wrong number of results")
            found += values
        return found
