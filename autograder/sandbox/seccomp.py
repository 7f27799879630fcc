"""A filter of system calls for the sandbox, as a classic BPF program that bubblewrap loads (``--seccomp``).

It lists what is allowed: a call that is not in ``syscalls.py`` does not exist inside, calls of later kernels included.
Namespaces do not isolate everything: kernel keyrings, vsock sockets and mount tables are shared with the host, and some
memory is not counted. Calls with the numbers of another processor (32-bit, x32) end the process or fail.
"""

from __future__ import annotations

import functools
import platform
import struct
from collections.abc import Iterator

from autograder.sandbox import syscalls
from course_utils.errors import MachineError

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000  # a second numbering of the same calls on x86_64

LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
NUMBER_AT, ARCH_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # struct seccomp_data

AF_UNIX, SOL_SOCKET = 1, 1
# Of a socket its kind, error, sizes and the like may be read. SO_PEERPIDFD (77) would be a handle on the judge's process.
PLAIN_OPTIONS = (2, 3, 4, 7, 8, 9, 13, 16, 17, 18, 19, 20, 21, 30, 38, 39)
BUFFER_SIZES = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and their FORCE forms: more memory for each socket
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS … CLONE_NEWNET
SHARED_ANONYMOUS = 0x21  # memory that can remain after its mapping and is counted for no process
# Commands of fcntl. A lock or a lease on a file of the course holds in every sandbox and on the host, so locks are done in
# words alone and all other commands are refused: a lease would keep everybody else from opening the file for 45 seconds.
DESCRIPTORS = (0, 1, 2, 3, 4, 9, 1030, 1032, 1034)  # F_DUPFD … F_SETFL, F_GETOWN, …_CLOEXEC, F_GETPIPE_SZ, F_GET_SEALS
LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, and those of open file descriptions
LOCK_SEEN = (5, 36)  # F_GETLK and F_OFD_GETLK: where nobody can set a lock they find none
OUT_OF_MEMORY = (
    20,
    21,
)  # MADV_COLD, MADV_PAGEOUT: with a read that asks whether a page is there, a letter box for others
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX


def _op(code: int, value: int, then: int = 0, other: int = 0) -> bytes:
    """One instruction; a jump skips ``then`` instructions if the test holds and ``other`` if not."""
    return struct.pack("=HBBI", code, then, other, value)


ALLOWED, DENIED, DONE = _op(RETURN, ALLOW), _op(RETURN, ERRNO | EPERM), _op(RETURN, ERRNO)


def _argument(position: int) -> bytes:
    """Load the low half of an argument: of the arguments examined here the kernel reads no more."""
    return _op(LOAD, FIRST_ARGUMENT_AT + 8 * position)


def _if(value: int, answer: bytes) -> list[bytes]:
    return [_op(EQUAL, value, 0, 1), answer]


def _examined() -> dict[str, list[bytes]]:
    """Calls that are allowed or refused by their arguments, with the instructions for each."""
    families = [_argument(0), *_if(AF_UNIX, ALLOWED), _op(RETURN, ERRNO | EAFNOSUPPORT)]
    sizes = [row for option in BUFFER_SIZES for row in _if(option, DENIED)]
    commands = [row for command in (*DESCRIPTORS, *LOCK_SEEN) for row in _if(command, ALLOWED)]
    commands += [row for command in LOCKS for row in _if(command, DONE)]
    terminal = [row for command in TYPE_INTO_TERMINAL for row in _if(command, DENIED)]
    plain = [row for option in PLAIN_OPTIONS for row in _if(option, ALLOWED)]
    pages = [row for advice in OUT_OF_MEMORY for row in _if(advice, DENIED)]
    return {
        "madvise": [_argument(2), *pages, ALLOWED],
        "preadv2": [_argument(5), *_if(0, ALLOWED), DENIED],  # RWF_NOWAIT says whether somebody has read the page
        "socket": families,
        "socketpair": families,
        "setsockopt": [_argument(1), _op(EQUAL, SOL_SOCKET, 1), ALLOWED, _argument(2), *sizes, ALLOWED],
        "getsockopt": [_argument(1), _op(EQUAL, SOL_SOCKET, 1), DENIED, _argument(2), *plain, DENIED],
        "clone": [_argument(0), _op(AND, NEW_NAMESPACES), *_if(0, ALLOWED), DENIED],
        "mmap": [_argument(3), _op(AND, SHARED_ANONYMOUS), *_if(SHARED_ANONYMOUS, DENIED), ALLOWED],
        "fcntl": [_argument(1), *commands, DENIED],
        "ioctl": [_argument(1), *terminal, ALLOWED],
    }


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """First and one past the last of each run of consecutive numbers."""
    left = sorted(numbers)
    while left:
        size = next((n for n in range(len(left)) if left[n] != left[0] + n), len(left))
        yield left[0], left[0] + size
        left = left[size:]


def _listed(listed: str, machine: str, answer: bytes) -> list[bytes]:
    """``answer`` for every call of a list."""
    rows: list[bytes] = []
    for first, end in _runs(list(syscalls.numbers(listed, machine).values())):
        rows += [_op(AT_LEAST, first, 0, 2), _op(AT_LEAST, end, 1, 0), answer]
    return rows


def program(machine: str = "") -> bytes:
    """The filter for this machine's processor. Raises MachineError where its call numbers are not listed here."""
    if (machine := machine or platform.machine()) not in MACHINES:
        raise MachineError(
            f"there is no filter of system calls for this processor ({machine}), and student code never runs without "
            f"one: grade on {' or '.join(MACHINES)} (`python -m autograder doctor` tells more)"
        )
    return _assembled(machine)


@functools.cache
def _assembled(machine: str) -> bytes:
    """The filter as bytes, computed once in a process."""
    ops = [_op(LOAD, ARCH_AT), _op(EQUAL, MACHINES[machine], 1), _op(RETURN, KILL), _op(LOAD, NUMBER_AT)]
    ops += [_op(AT_LEAST, X32_BIT, 0, 1), DENIED]
    examined = _examined()
    for name, number in syscalls.numbers(syscalls.EXAMINED, machine).items():
        ops += [_op(EQUAL, number, 0, len(examined[name])), *examined[name]]
    ops += [*_listed(syscalls.ALLOWED, machine, ALLOWED), *_listed(syscalls.REFUSED, machine, DENIED)]
    ops += _listed(syscalls.EMPTY, machine, DONE)
    return b"".join([*ops, _op(RETURN, ERRNO | ENOSYS)])
