"""Counting calls of forbidden functions while a check runs, inside the student's process.

The count comes from a process that the student controls and can be changed there. So it can only take points away, and a
missing or malformed count takes none.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograder.sandbox.kernel import Kernel
from course_utils.checks.student import StudentError

# Calls of functions are counted, and for classes calls of __init__ and forward. Calls by library code are not counted: the
# caller's file must not belong to a library.
START = """
def _watch(names):
    import functools, sys
    counts, undo, before = {{}}, [], globals()
    library = ("/site/", "/usr/", "/course/", "/agent/", "<frozen", sys.base_prefix)
    def counted(function, name):
        @functools.wraps(function)
        def call(*args, **kwargs):
            frame = sys._getframe(1)
            while frame.f_code.co_name in ("_call_impl", "_wrapped_call_impl") and frame.f_back is not None:
                frame = frame.f_back
            if not frame.f_code.co_filename.startswith(library):
                counts[name] = counts.get(name, 0) + 1
            return function(*args, **kwargs)
        return call
    def replace(owner, key, value, write):
        undo.append((owner, key, vars(owner)[key] if write is setattr else owner[key], write))
        write(owner, key, value)
    for name in names:
        made = {{}}
        for module in list(sys.modules.values()):
            space = getattr(module, "__dict__", None)
            value = space.get(name) if type(space) is dict and space is not before else None
            if isinstance(value, type):
                for method in ("__init__", "forward"):
                    if method in vars(value) and id(value) not in made:
                        replace(value, method, counted(vars(value)[method], name), setattr)
                made[id(value)] = value
            elif callable(value):
                wrapper = made.setdefault(id(value), counted(value, name))
                replace(module, name, wrapper, setattr)
        for key, value in list(before.items()):  # other names for it in the notebook
            if id(value) in made and not isinstance(value, type):
                replace(before, key, made[id(value)], dict.__setitem__)
    def stop():
        for owner, key, value, write in reversed(undo):
            write(owner, key, value)
        return {{str(key): int(value) for key, value in counts.items()}}
    return stop
_watched = _watch({names!r})
"""
STOP = "_watched = _watched()"
SECONDS = 20.0


def start(kernel: Kernel, names: Sequence[str]) -> None:
    """Begin to count calls of functions with the last parts of ``names``. Nothing that the student's code does raises."""
    kernel.run_cell(START.format(names=[name.rpartition(".")[2] for name in names]), SECONDS)


def stop(kernel: Kernel, names: Sequence[str]) -> list[str]:
    """End the count; return the names that the process reports as called, in the order given."""
    kernel.run_cell(STOP, SECONDS)
    if not kernel.alive:
        return []
    try:
        counts = kernel.ask("name", "_watched", seconds=SECONDS)
    except StudentError:
        return []
    if type(counts) is not dict:
        return []
    return [name for name in names if type(n := counts.get(name.rpartition(".")[2])) is int and n > 0]
