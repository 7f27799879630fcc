"""The filter of system calls: what it answers, by interpreting its program and by asking inside a sandbox."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re
import struct
from pathlib import Path

import pytest

from autograder.sandbox import seccomp, syscalls
from autograder.sandbox.kernel import Kernel
from course_utils.errors import CourseError
from tests.autograder.sandbox.conftest import shown

FAMILIES = """
import socket
for family in (1, 2, 16, 17, 38, 40):
    try:
        socket.socket(family, 2 if family in (1, 2, 16) else 5 if family == 38 else 1).close()
        print(family)
    except OSError as error:
        print(family, error.errno)
"""


def test_refused_calls(kernel: Kernel) -> None:
    assert shown(kernel.run_cell(FAMILIES)).split("\n")[:6] == ["1", "2 97", "16 97", "17 97", "38 97", "40 97"]
    code = "import os\ntry:\n    os.memfd_create('x')\nexcept OSError as e:\n    print(e.errno)"
    assert shown(kernel.run_cell(code)) == "1\n"
    assert os.memfd_create("control") > 0
    assert "1" in shown(
        kernel.run_cell("import ctypes\nctypes.CDLL(None, use_errno=True).syscall(250, 0, 0, 0) and ctypes.get_errno()")
    )


HOST = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
print(libc.sysinfo(ctypes.create_string_buffer(512)), ctypes.get_errno())
one, other = socket.socketpair()
print(one.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE), one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
try:
    print(one.getsockopt(socket.SOL_SOCKET, 77, 4))
except OSError as error:
    print(error.errno)
"""


def test_neither_the_hosts_memory_nor_a_handle_on_the_judge_is_shown(kernel: Kernel) -> None:
    assert shown(kernel.run_cell(HOST)) == "-1 1\n1 0\n1\n"
    assert ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(512)) == 0, "outside it tells"


@functools.cache
def instructions(machine: str) -> list[tuple[int, int, int, int]]:
    program = seccomp.program(machine)
    return [struct.unpack("=HBBI", program[i : i + 8]) for i in range(0, len(program), 8)]  # type: ignore[misc]


def answer(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the filter answers to a call, by an interpreter of its program."""
    known = {seccomp.NUMBER_AT: number, seccomp.ARCH_AT: seccomp.MACHINES[machine] if arch is None else arch}
    known |= {seccomp.FIRST_ARGUMENT_AT + 8 * n: value & 0xFFFFFFFF for n, value in enumerate(arguments)}
    rows, at, register = instructions(machine), 0, 0
    while rows[at][0] != seccomp.RETURN:
        code, then, other, value = rows[at]
        if code == seccomp.LOAD:
            register = known.get(value, 0)
        elif code == seccomp.AND:
            register &= value
        else:
            holds = register == value if code == seccomp.EQUAL else register >= value
            at += then if holds else other
        at += 1
    return rows[at][3]


EPERM, ENOSYS, FAMILY = (seccomp.ERRNO | number for number in (1, 38, 97))
ARGUMENTS = [
    ("socket", (1, 1), seccomp.ALLOW),
    ("socket", (2, 1), FAMILY),
    ("socket", (2**32 + 16, 3), FAMILY),  # the kernel reads 32 bits, and so does the filter
    ("socketpair", (40, 1), FAMILY),
    ("clone", (0x11,), seccomp.ALLOW),
    ("clone", (0x3D0F00,), seccomp.ALLOW),  # a thread
    *[("clone", (0x11 | flag,), EPERM) for flag in (0x20000, 0x2000000, 0x4000000, 0x10000000, 0x40000000)],
    ("mmap", (0, 4096, 3, 0x22), seccomp.ALLOW),
    ("mmap", (0, 4096, 3, 0x21), EPERM),
    ("mmap", (0, 4096, 3, 0x23), EPERM),
    ("mmap", (0, 4096, 3, 0x1), seccomp.ALLOW),
    *[
        ("fcntl", (3, command), EPERM) for command in (1031, 1024, 1025, 1026, 8, 10, 15, 39, 99)
    ],  # leases, dnotify, owners
    *[("fcntl", (3, command), seccomp.ERRNO) for command in (6, 7, 37, 38)],  # locks, in words alone
    *[("fcntl", (3, command), seccomp.ALLOW) for command in (0, 1, 3, 4, 5, 36, 1030)],
    ("fcntl", (3, 2), seccomp.ALLOW),
    ("madvise", (0, 4096, 21), EPERM),
    ("madvise", (0, 4096, 4), seccomp.ALLOW),
    ("preadv2", (3, 0, 1, 0, 0, 8), EPERM),
    ("preadv2", (3, 0, 1, 0, 0, 0), seccomp.ALLOW),
    ("ioctl", (0, 0x5412), EPERM),
    ("ioctl", (0, 0x5401), seccomp.ALLOW),
    ("setsockopt", (3, 1, 7), EPERM),
    ("setsockopt", (3, 1, 33), EPERM),
    ("setsockopt", (3, 1, 9), seccomp.ALLOW),
    ("setsockopt", (3, 6, 7), seccomp.ALLOW),
    *[("getsockopt", (3, 1, option), seccomp.ALLOW) for option in (3, 4, 7, 8)],
    *[
        ("getsockopt", (3, 1, option), EPERM) for option in (31, 59, 77, 99)
    ],  # names, groups, a handle on the other's process
    ("getsockopt", (3, 6, 3), EPERM),
]
DANGEROUS = (
    "bpf userfaultfd io_uring_setup io_uring_enter keyctl add_key ptrace process_vm_readv process_vm_writev kcmp "
    "perf_event_open mount umount2 move_mount open_tree fsopen fsmount mount_setattr statmount listmount pivot_root "
    "inotify_init1 inotify_add_watch mincore sysinfo chroot unshare setns pidfd_getfd "
    "memfd_create memfd_secret shmget msgget semget mq_open init_module kexec_load"
)


@pytest.mark.parametrize("machine", sorted(seccomp.MACHINES))
def test_every_call_has_the_answer_that_is_listed(machine: str) -> None:
    allowed, refused, examined, empty = (
        syscalls.numbers(part, machine)
        for part in (syscalls.ALLOWED, syscalls.REFUSED, syscalls.EXAMINED, syscalls.EMPTY)
    )
    assert len({*allowed, *refused, *examined, *empty}) == sum(map(len, (allowed, refused, examined, empty)))
    assert set(DANGEROUS.split()) <= set(refused)
    listed = set(allowed.values()) | set(examined.values())
    for number in range(700):
        expected = EPERM if number in refused.values() else seccomp.ERRNO if number in empty.values() else ENOSYS
        if number not in examined.values():
            assert answer(machine, number) == (seccomp.ALLOW if number in listed else expected), number
    for name, arguments, expected in ARGUMENTS:
        assert answer(machine, examined[name], *arguments) == expected, (name, arguments)
    assert answer(machine, allowed["read"] + seccomp.X32_BIT) == EPERM
    for other in (0x40000003, 0x40000028, 0xC00000F3, 0):  # i386, arm, riscv64, nothing
        assert answer(machine, allowed["read"], arch=other) == seccomp.KILL
    assert answer(machine, 435) == ENOSYS, "clone3 hides its flags behind a pointer; libraries then use clone"


HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


@pytest.mark.skipif(not HEADER.exists(), reason="no kernel headers on this machine")
def test_numbers_are_those_of_the_kernel() -> None:
    known = {name: int(n) for name, n in re.findall(r"#define __NR_(\w+) (\d+)", HEADER.read_text())}
    for part in (syscalls.ALLOWED, syscalls.REFUSED, syscalls.EXAMINED, syscalls.EMPTY):
        for name, number in syscalls.numbers(part, "x86_64").items():
            assert known.get(name, number) == number, name


X86_CALLS = """
import ctypes, mmap
code = bytes.fromhex("b814000000cd80c3")  # getpid in the 32-bit numbering: mov eax, 20; int 0x80; ret
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(code)
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="32-bit entry of x86")
def test_no_way_in_by_the_32_bit_numbering(kernel: Kernel) -> None:
    """With or without 32-bit support in the kernel: there it kills, here it must not answer."""
    result = kernel.run_cell(X86_CALLS)
    assert result.status == "dead"


def test_filter_is_well_formed() -> None:
    for machine in seccomp.MACHINES:
        rows = instructions(machine)
        for at, (code, then, other, _) in enumerate(rows):
            assert code not in (seccomp.EQUAL, seccomp.AT_LEAST) or max(then, other) + at + 1 < len(rows)
        assert rows[-1] == (seccomp.RETURN, 0, 0, seccomp.ERRNO | seccomp.ENOSYS)
    with pytest.raises(CourseError, match=r"no filter of system calls for this processor .riscv64."):
        seccomp.program("riscv64")
