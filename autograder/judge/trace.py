"""Counting calls of forbidden functions while a check runs, inside the student's process.

The count comes from a process that the student controls and can be changed there. So it can only take points away. A check
whose calls could not be counted is not passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from autograder.sandbox.kernel import Kernel
from course_utils.checks.forbidden import WITHIN, forms
from course_utils.checks.student import StudentError

# Calls of functions are counted, and for classes calls of __init__ and forward, each in all forms of its name. Calls by a
# library count where the student's code, or the check itself, called the library; calls that the course's code makes do not.
# Functions below torch.ops and whatever calls them without Python are found in the record of torch's dispatcher.
START = """
def _watch(forms):
    import functools, re, sys
    counts, undo, before = {{}}, [], globals()
    library = ("/site/", "/usr/", "/python", "<frozen", sys.base_prefix)
    def counted(function, name):
        @functools.wraps(function)
        def call(*args, **kwargs):
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename.startswith(library):
                frame = frame.f_back
            if frame is None or not frame.f_code.co_filename.startswith("/course/"):
                counts[name] = counts.get(name, 0) + 1
            return function(*args, **kwargs)
        return call
    def replace(owner, key, value, write):
        undo.append((owner, key, vars(owner)[key] if write is setattr else owner[key], write))
        write(owner, key, value)
    def recorded():
        if not {record!r} or ("torch" not in sys.modules and not {torch!r}):
            return lambda last=True: ()  # the record of a loop takes memory, the import of torch seconds
        import _thread, torch
        own, kinds, processor = torch._C._autograd, torch.autograd, {{torch.profiler.ProfilerActivity.CPU}}
        def config(state, **more):
            flags = (False, False, False, False, False, torch._C._profiler._ExperimentalConfig(**more))
            return kinds.ProfilerConfig(getattr(kinds.ProfilerState, state), *flags)
        def begin():
            nonlocal all_threads
            all_threads = all_threads or _thread._count() > 0
            if all_threads:  # begun before or to come; this record takes several times as long
                every = config("KINETO", profile_all_threads=True)
                own._prepare_profiler(every, processor)
                own._enable_profiler(every, processor)
            else:
                own._enable_profiler_legacy(config("CPU"))
        def end():
            if not all_threads:
                return events.update(event.name() for thread in own._disable_profiler_legacy() for event in thread)
            with torch.autograd.profiler.record_function({end!r}):
                found = {{event.name() for event in own._disable_profiler().events()}}
            if {end!r} not in found:
                raise RuntimeError  # somebody else has ended this record: torch only warns
            events.update(found)
        def taken(last=True):
            nonlocal open
            end()
            open = not last
            return events if last else begin()
        def heard(event, arguments):
            nonlocal all_threads
            if event == "_thread.start_new_thread" and open and not all_threads:
                end()
                all_threads = True
                begin()
        all_threads, open = False, True
        begin()
        sys.addaudithook(heard)
        return taken
    events, record = set(), None
    record = recorded()
    for name, form in forms.items():
        fits, made = re.compile(form).fullmatch, {{}}
        for module in list(sys.modules.values()):
            space = getattr(module, "__dict__", None)
            for key in [k for k in space if fits(str(k))] if type(space) is dict and space is not before else ():
                value = space[key]
                if isinstance(value, type):
                    for method in ("__init__", "forward"):
                        if method in vars(value) and id(value) not in made:
                            replace(value, method, counted(vars(value)[method], name), setattr)
                    made[id(value)] = value
                elif callable(value):
                    replace(module, key, made.setdefault(id(value), counted(value, name)), setattr)
        for key, value in list(before.items()):  # other names for it in the notebook
            if id(value) in made and not isinstance(value, type):
                replace(before, key, made[id(value)], dict.__setitem__)
    def stop():
        for event in record():
            for name, form in forms.items():
                if re.fullmatch(form, str(event).rpartition("::")[2]):
                    counts[name] = counts.get(name, 0) + 1
        for owner, key, value, write in reversed(undo):
            write(owner, key, value)
        return {{str(key): int(value) for key, value in counts.items()}}
    return stop, record
_watched, _taken = _watch({forms!r})
"""
END = "the end of a record"  # a name in each record that was not ended before
TAKE = "_taken(False)"  # now and then: the record of all calls of a long loop would take gigabytes
STOP = "_watched = _watched()"
SECONDS = 20.0


def operators(patterns: Iterable[str]) -> bool:
    """Whether torch's dispatcher knows an operator whose name fits one of the patterns."""
    import torch

    known = {name.rpartition("::")[2].partition(".")[0] for name in torch._C._dispatch_get_all_op_names()}
    return any(re.fullmatch(pattern, name) for pattern in patterns for name in known)


def start(kernel: Kernel, names: Sequence[str]) -> bool:
    """Begin to count calls of functions with the last parts of ``names``; says whether they are counted.

    Nothing that the student's code does raises.
    """
    found = {name.rpartition(".")[2]: forms(name) for name in names}
    code = START.format(
        forms=found, torch=bool(WITHIN.keys() & found.keys()), record=operators(found.values()), end=END
    )
    kept = kernel.run_cell(code, SECONDS).status == "ok"
    if kept:
        kernel.between = partial(_take, kernel)
    return kept


def _take(kernel: Kernel) -> None:
    """Take the names out of the record. Where that fails, the count is gone, which ``stop`` says."""
    if kernel.alive and kernel.run_cell(TAKE, SECONDS).status != "ok":
        kernel.run_cell("_watched = None", SECONDS)


def stop(kernel: Kernel, names: Sequence[str]) -> list[str] | None:
    """End the count; return the names that the process reports as called, in the order given, or None if it has no count."""
    kernel.between, kernel.deadline = (
        None,
        float("inf"),
    )  # also after a check that took too long: the next one counts anew
    kernel.run_cell(STOP, SECONDS)
    if not kernel.alive:
        return None
    try:
        counts = kernel.ask("name", "_watched", seconds=SECONDS)
    except StudentError:
        return None
    if type(counts) is not dict:
        return None
    return [name for name in names if type(n := counts.get(name.rpartition(".")[2])) is int and n > 0]
