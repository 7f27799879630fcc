"""How a training is asked to stop: a flag that the loop reads between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def stop_signal() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C, a notebook's stop button and SIGTERM only set a flag; a second one interrupts at once.

    Yields the function that reads the flag. A training loop reads it between two steps, because an interrupt during a
    step leaves half of the weights updated. Outside the main thread nothing changes: Python allows no handlers there.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def on_signal(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
