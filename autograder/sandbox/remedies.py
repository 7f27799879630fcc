"""Texts about each layer of the sandbox: what it stops (also in SECURITY.md), and how to switch it on."""

from __future__ import annotations

STOPS = {
    "bubblewrap": "everything below: it is the program that builds the sandbox",
    "user namespaces": "reading and changing files and processes of the host",
    "own processes": "seeing, signalling or tracing processes of the host, and processes that outlive the grading",
    "network off": "sending hidden inputs out, fetching answers, reaching servers of the host",
    "system-call filter": "rarely used kernel interfaces that exploits need, and memory that no count shows",
    "cgroup memory": "using up memory, the kernel's own for files, sockets and page tables included",
    "cgroup tasks": "fork bombs, threads included",
    "cgroup processor": "slowing the submissions that are graded at the same time",
    "process limits": "endless files, endless processor time, huge address spaces, many open files",
    "watchdog": "what the control groups stop, less exactly: it counts thirty times a second",
    "bounded folders": "filling memory or the disk with files",
    "no host folders": "learning names of users, folders and other submissions",
    "neutral names": "learning the name of the machine",
    "neutral bytecode": "learning the path of the folder in which Python and its packages are installed",
    "end with the grader": "sandboxes that would go on after the grader was killed",
    "python": "errors of a Python that is too old for the grader",
    "disk space": "results that cannot be written",
}
INSTALL = "Debian, Ubuntu: sudo apt install bubblewrap (0.8 or newer) · Fedora: sudo dnf install bubblewrap"
NAMESPACES = (
    "Ubuntu 24.04: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 (or load AppArmor's profile "
    "bwrap-userns-restrict from the package apparmor-profiles) · Debian: sudo sysctl "
    "kernel.unprivileged_userns_clone=1 · Red Hat: sudo sysctl user.max_user_namespaces=15000 · Docker: docker run "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined · Podman: podman run --security-opt "
    "seccomp=unconfined --security-opt label=disable · WSL: version 2 (wsl --set-version NAME 2)"
)
GROUPS = (
    "desktop or server with systemd, any account: systemd-run --user --scope -p Delegate=yes python -m autograder … "
    "(over ssh first: loginctl enable-linger) · WSL: [boot] systemd=true in /etc/wsl.conf · Docker, Podman: bound the "
    "container instead (--memory 6g --pids-limit 1000 --cpus 2), grade with --workers 1, and set "
    "AUTOGRADER_WITHOUT=cgroup · root on an older machine: cgroup v1 must be mounted writable"
)
PROCESSOR = (
    "let systemd hand the cpu controller to users: a file /etc/systemd/system/user@.service.d/delegate.conf with the "
    "lines [Service] and Delegate=cpu memory pids, then log in again; until then the watchdog lowers the priority"
)
FILTER = "grade on x86_64 or aarch64 with a kernel that has seccomp (CONFIG_SECCOMP_FILTER; every distribution's has)"
FAULT = "this should never be off where the sandbox can be built: please report it (SECURITY.md)"
REMEDIES = {
    **dict.fromkeys(STOPS, FAULT),
    "bubblewrap": INSTALL,
    "user namespaces": NAMESPACES,
    "system-call filter": FILTER,
    "cgroup memory": GROUPS,
    "cgroup tasks": GROUPS,
    "cgroup processor": PROCESSOR,
    "neutral bytecode": "give yourself the right to write in that folder, or use a virtual environment of your own",
    "python": "install Python 3.11 or newer, and the course with it",
    "disk space": "make room for 2 GiB, or set TMPDIR to a folder that has it",
}
