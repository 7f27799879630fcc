"""The kernel's process in the sandbox: it holds the student's names and answers the judge over one socket.

It is started as ``python -I -S agent.py FD BOUNDS SITE…`` and has no checks or answers. The student's code can take control
of it, so the judge trusts nothing that it sends. Requests and replies are wire values; a request is ``[number, verb, …]``
and its reply ``[number, "ok", value]`` or ``[number, "error", kind, text, line]``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import os
import platform
import resource
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CELL_OUTPUT = 2**20
MAX_TASKS = 300
COPY_LIMIT = 64 * 2**20  # of one file
COPY_TOTAL = 192 * 2**20  # of all files: their folder is in memory, and the notebook's cells write there as well
CELL_FILE = "<ipython-input-"
COURSE = Path("/course")  # mounted read-only


class Output:
    """The outputs of one cell as nbformat dicts, cut after ``CELL_OUTPUT`` bytes."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.room = CELL_OUTPUT

    def text(self, name: str, text: str) -> None:
        """Append to a stream, to the last output if this is of the same stream."""
        text = text[: max(self.room, 0)]
        self.room -= len(text.encode("utf-8", "replace"))
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last.get("name") == name:
            last["text"] += text
        elif text:
            self.items.append({"output_type": "stream", "name": name, "text": text})

    def add(self, item: dict[str, Any]) -> None:
        """Append a display, a result or an error if the limit allows it."""
        self.room -= len(repr(item))
        if self.room >= 0:
            self.items.append(item)


class Stream(io.TextIOBase):
    """stdout or stderr of the running cell."""

    encoding = "utf-8"

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent, self.name = agent, name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.agent.output.text(self.name, str(text))
        return len(text)


def entries(owner: Any, most: int) -> Any:
    """The entries of a sequence in order; the length alone where it is above ``most``; None for what is no sequence."""
    try:
        size = len(owner)
        return [owner[index] for index in range(size)] if size <= most else size
    except KeyboardInterrupt:
        raise
    except BaseException:  # also SystemExit: it is the student's __len__ or __getitem__ that runs
        return None


class Agent:
    """The server of requests, until the socket closes."""

    def __init__(self, channel: socket.socket, wire: Any) -> None:
        self.channel, self.wire, self.output = channel, wire, Output()
        self.handles: dict[int, Any] = {}
        self.generators: dict[int, Any] = {}
        self.tools: dict[str, Any] = {}
        self.count = itertools.count(1)
        self.busy = False
        self.shell = make_shell(self)
        self.verbs: dict[str, Callable[..., Any]] = {
            "cell": self.cell,
            "name": self.name,
            "tool": self.tool,
            "has": lambda name: name in self.shell.user_ns,
            "attribute": lambda owner, name: getattr(owner, name),
            "call": lambda target, args, kwargs: target(*args, **kwargs),
            "item": lambda owner, key: owner[key],
            "length": len,
            "entries": lambda owners, most: [entries(owner, most) for owner in owners],
            "keep": self.swap,
            "hold": lambda target, args: self.swap(target(*args)),
            "fetch": lambda value: value,
            "map": lambda target, rows: [target(*row) for row in rows],
            "release": self.release,
            "forget": self.forget,
        }

    # -- requests and replies

    def serve(self) -> None:
        """Answer requests until the other side closes the socket."""
        self.send([0, "ok", "ready"])
        while True:
            head = self.read(8)
            self.answer(self.read(struct.unpack(">Q", head)[0]))

    def read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self.channel.recv(min(size - len(parts), 2**20))
            if not part:
                os._exit(0)
            parts += part
        return bytes(parts)

    def send(self, reply: list[Any]) -> None:
        data = self.wire.encode(reply, self.swap)
        self.channel.sendall(struct.pack(">Q", len(data)) + data)

    def answer(self, frame: bytes) -> None:
        number = -1
        try:
            request = self.wire.decode(frame, self.claim, trusted=True)
            number, verb = request[:2]
            self.send([number, "ok", self.run(verb, request[2:])])
        except (
            BaseException
        ) as error:  # whatever a student's code raises, SystemExit and KeyboardInterrupt too, is a reply
            self.send([number, "error", *describe(error)])

    def run(self, verb: str, rest: list[Any]) -> Any:
        """Run one verb; interrupts are accepted only during it, and its prints go to the current cell's output."""
        with contextlib.redirect_stdout(Stream(self, "stdout")), contextlib.redirect_stderr(Stream(self, "stderr")):  # type: ignore[type-var]
            self.busy = True
            try:
                return self.verbs[verb](*rest)
            finally:
                self.busy = False

    def interrupt(self, *_: Any) -> None:
        if self.busy:
            raise KeyboardInterrupt

    # -- handles

    def swap(self, value: Any) -> Any:
        """Keep a value that is not plain, and return a handle with a number to send instead."""
        number = next(self.count)
        self.handles[number] = value
        return self.wire.Handle(number, type(value).__name__)

    def claim(self, mark: Any) -> Any:
        """The object behind a handle, or the generator behind its key."""
        if isinstance(mark, self.wire.Handle):
            return self.handles[mark.number]
        if mark.state is not None:
            self.generators[mark.key] = self.wire.generator_from(mark.flavour, mark.state)
        return self.generators[mark.key]

    def release(self, numbers: list[int]) -> None:
        for number in numbers:
            self.handles.pop(number, None)

    def forget(self) -> None:
        """Drop all handles, generators, tools and outputs at the end of a check."""
        self.handles.clear()
        self.generators.clear()
        self.tools.clear()
        self.output = Output()

    # -- verbs

    def name(self, name: str) -> Any:
        try:
            return self.shell.user_ns[name]
        except KeyError:
            raise NameError(f"name '{name}' is not defined") from None

    def tool(self, path: str) -> Any:
        """A course tool, loaded for this check from its file and not taken from the notebook's names or modules.

        This prevents simple rebinding only: code that controls this process can still send any answer.
        """
        place, _, name = path.rpartition(".")
        if place not in self.tools:
            file = COURSE.joinpath(*place.split(".")).with_suffix(".py")
            spec = importlib.util.spec_from_file_location(place, file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            with listed(place, module):
                spec.loader.exec_module(module)
            self.tools[place] = module
        return getattr(self.tools[place], name)

    def cell(self, code: str) -> dict[str, Any]:
        """Run one cell; return its outputs and, if it failed, the error's kind, text and line."""
        self.output = Output()
        result = self.shell.run_cell(code, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        return {
            "outputs": self.output.items,
            "cut": self.output.room < 0,
            "error": None if error is None else list(describe(error)),
            "count": self.shell.execution_count - 1,
        }


@contextlib.contextmanager
def listed(name: str, module: Any) -> Iterator[None]:
    """Enter the module in ``sys.modules`` while it runs, since dataclasses look there; restore the entry afterwards."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before


def describe(error: BaseException) -> tuple[str, str, int]:
    """An exception's type name, text and last line number in a notebook cell (0 if there is none)."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith(CELL_FILE):
            line = step.tb_lineno
        step = step.tb_next
    if isinstance(error, SyntaxError) and not line:
        line = error.lineno or 0
    with contextlib.suppress(Exception):
        return type(error).__name__[:100], str(error)[:2000], line
    return type(error).__name__[:100], "", line


# ---------------------------------------------------------------- IPython


def make_shell(agent: Agent) -> Any:
    """An IPython shell that sends all outputs to ``agent.output``."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Publisher(DisplayPublisher):
        def publish(self, data: Any, metadata: Any = None, *_: Any, **rest: Any) -> None:
            agent.output.add({"output_type": "display_data", "data": mime(data), "metadata": metadata or {}})

        def clear_output(self, wait: bool = False) -> None:  # noqa: FBT001, FBT002  # IPython calls it
            agent.output.items.clear()

    class Hook(DisplayHook):
        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            count = self.prompt_count
            item = {"output_type": "execute_result", "data": mime(format_dict), "metadata": md_dict or {}}
            agent.output.add({**item, "execution_count": count})

    class Shell(InteractiveShell):
        def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
            item = {
                "output_type": "error",
                "ename": etype.__name__,
                "evalue": str(evalue)[:2000],
                "traceback": list(stb),
            }
            agent.output.add(item)

        def enable_gui(self, gui: Any = None) -> None:
            pass

    config = Config(
        {"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor", "automagic": False}}
    )
    return Shell.instance(config=config, display_pub_class=Publisher, displayhook_class=Hook)


def mime(data: Any) -> dict[str, str]:
    """A mime bundle as text; images, which IPython gives as bytes, become base64."""
    import base64

    return {k: base64.b64encode(v).decode() if isinstance(v, bytes) else str(v) for k, v in dict(data).items()}


# ---------------------------------------------------------------- start


def bring_files(source: Path, target: Path) -> None:
    """Copy the submitted files to the folder where the notebook expects them, in which its cells may also write."""
    room = COPY_TOTAL
    for found in sorted(walk(source), key=lambda path: path.stat().st_size):  # the small ones are copied in any case
        goal, size = target / found.relative_to(source), found.stat().st_size
        goal.parent.mkdir(parents=True, exist_ok=True)
        if size <= min(COPY_LIMIT, room):
            shutil.copyfile(found, goal)
            room -= size
        else:  # too large for a folder in memory: a link to the read-only original
            goal.symlink_to(found)


def walk(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def limit_tasks() -> None:
    """Limit the number of tasks: since Linux 5.14 the count is per user namespace, here the sandbox's own."""
    release = tuple(int(n) for n in platform.release().split("-")[0].split(".")[:2] if n.isdigit())
    if release >= (5, 14):
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_TASKS, MAX_TASKS))


def limit(bounds: str) -> None:
    """Lower this process's limits permanently: address space, CPU seconds, file size, open files."""
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
    for kind, bound in zip(kinds, map(int, bounds.split(",")), strict=True):
        hard = resource.getrlimit(kind)[1]
        bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # too large a file raises OSError and does not end the process
    limit_tasks()


def main(arguments: list[str]) -> None:
    """``agent.py FD BOUNDS SITE…``: serve the socket that was inherited as file descriptor FD."""
    inherited, bounds, *sites = arguments
    fd = os.dup2(int(inherited), 3) if int(inherited) != 3 else 3
    os.closerange(4, 10_000)  # bubblewrap's own descriptors
    if bounds != "-":  # "-": a test without this layer
        limit(bounds)
    sys.path += sites
    sys.path[:0] = [str(Path(__file__).parent)]
    import wire

    sys.path[0] = "/course"
    bring_files(Path("/handin"), Path.cwd() / "work" / os.environ["ASSIGNMENT"])
    channel = socket.socket(fileno=fd)
    os.set_inheritable(fd, False)  # noqa: FBT003  # takes no keyword
    agent = Agent(channel, wire)
    sys.path.insert(0, "")
    signal.signal(signal.SIGINT, agent.interrupt)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the judge does not read standard error after the first reply
    agent.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
