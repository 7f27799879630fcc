"""The judge of the faults' class; it stands alone, because every judging process imports this module."""

from __future__ import annotations

import os
import random
import subprocess
import time

from autograder.records import Job, Result
from tests.autograder.tiny_course import fake_execute


def judge(job: Job) -> Result:
    """The tiny course's judge with a sandbox's process beside it; if that dies, there is no verdict.

    As the real agent does, the process inside waits for commands and ends when nobody can send any more: a bubblewrap that
    is orphaned before it could ask the kernel to die with its parent ends by that.
    """
    command = ["bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--die-with-parent", "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as sandbox:
        time.sleep(random.Random(os.getpid()).uniform(0.01, 0.1))
        if sandbox.poll() is not None:
            raise RuntimeError("the sandbox died")
        sandbox.kill()
    return fake_execute(job)
