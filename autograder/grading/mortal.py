"""Imported by multiprocessing's fork server alone, before it works: it ends with its grader, and everything below it, too.

A judge or a sandbox asks the kernel to be killed with its parent. Who is orphaned before it could ask is missed by that:
bubblewrap's inner process, for one, waits for ever if its outer one dies while it is being set up. So the fork server is
made the parent of all orphans below it. When the grader dies the kernel sends it a signal, and it kills until nobody is left.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import time
import warnings
from contextlib import suppress

from autograder.sandbox.processes import tree

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>
PAUSE, ROUNDS = 0.01, 3000


def end_below() -> None:
    """Kill all that descend from this process, until nobody is left (a newcomer may appear while one is killed)."""
    me = os.getpid()
    for _ in range(ROUNDS):
        others = [pid for pid in tree(me) if pid != me]
        for pid in others:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not others:
            return
        time.sleep(PAUSE)


def _end(*_: object) -> None:
    end_below()
    os._exit(0)


# the terminal sends Ctrl-C to the fork server, too: while it imports that would be a traceback, and no judge less
signal.signal(signal.SIGINT, signal.SIG_IGN)
atexit.register(end_below)  # its pipe to the grader may close before the signal comes; judges leave by os._exit
signal.signal(signal.SIGTERM, _end)
warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")  # an orphan that has ended
_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
_libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
