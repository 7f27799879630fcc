"""What the judge asks of a kernel, and how often: each request costs about a millisecond."""

from __future__ import annotations

from typing import Any

from autograder.sandbox.kernel import RemoteHandle, Student


class Asked:
    """A kernel that notes what it is asked, and has a handle for everything."""

    def __init__(self) -> None:
        self.verbs: list[str] = []
        self.sandbox, self.released = object(), list[int]()

    def ask(self, verb: str, *rest: Any) -> RemoteHandle:
        self.verbs.append(verb)
        return RemoteHandle(self, len(self.verbs))  # type: ignore[arg-type]

    def release_some(self, number: int) -> None:
        """Note the handle, as a kernel does."""
        self.released.append(number)


def test_a_tool_is_asked_for_once_in_a_check_and_a_name_each_time() -> None:
    """Tools are the course's own; a name of the notebook may mean something else after each call."""
    kernel = Asked()
    student = Student(kernel)  # type: ignore[arg-type]
    tools = {student.tool("course_utils.checks.fetch.slopes") for _ in range(3)}
    names = {student.attention for _ in range(3)}
    assert (len(tools), len(names)) == (1, 3)
    assert kernel.verbs == ["tool", "name", "name", "name"]
    Student(kernel).tool("course_utils.checks.fetch.slopes")  # type: ignore[arg-type]
    assert kernel.verbs[-1] == "tool", "the next check asks anew: the handles of the last one are forgotten"


def test_a_handle_of_a_process_that_is_gone_releases_nothing() -> None:
    """Numbers begin at 1 again: the new process would drop an object that a check still holds."""
    kernel = Asked()
    student = Student(kernel)  # type: ignore[arg-type]
    before, kept = student.attention, student.attention
    del before
    assert len(kernel.released) == 1
    kernel.sandbox = object()
    del kept
    assert len(kernel.released) == 1
