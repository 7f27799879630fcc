"""What a cell tries to do to the machine, as text; a star marks what the first attackers' findings name."""

from __future__ import annotations

CALL = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
# A file that every sandbox and the host see as one inode: what is done to it is done to all of them.
SHARED = "import fcntl, numpy, os\none, two = (os.open(numpy.__file__, os.O_RDONLY) for _ in range(2))\n"


ESCAPE = {
    "*signal to the grader": "import os; os.kill({pid}, 0); print('HARM')",
    "priority of the grader lowered": "import os; os.setpriority(os.PRIO_PROCESS, {pid}, 5); print('HARM')",
    "processor of the grader chosen": "import os; os.sched_setaffinity({pid}, os.sched_getaffinity({pid})); print('HARM')",
    "limits of the grader changed": "import resource; resource.prlimit({pid}, resource.RLIMIT_CORE, (0, 0)); print('HARM')",
    "handle on the grader's process": "import os; os.pidfd_open({pid}); print('HARM')",
    "grader traced": CALL + "if libc.ptrace(16, {pid}, 0, 0) == 0:\n    libc.ptrace(17, {pid}, 0, 0); print('HARM')",
    "memory of the grader read": (
        CALL + "import re\nstart = int(re.match('[0-9a-f]+', open('/proc/{pid}/maps').read())[0], 16)\n"
        "f = open('/proc/{pid}/mem', 'rb'); f.seek(start); f.read(4); print('HARM')"
    ),
    "*kernel settings": "import os; os.close(os.open('/proc/sys/kernel/hostname', os.O_WRONLY)); print('HARM')",
    "*memory outside every count": "import os; os.memfd_create('x'); print('HARM')",
    "shared memory of System V": CALL + "n = libc.shmget(0, 4096, 0o1600)\nif n >= 0:\n    libc.shmctl(n, 0, 0); print('HARM')",
    "message queue of System V": CALL + "n = libc.msgget(0, 0o1600)\nif n >= 0:\n    libc.msgctl(n, 0, 0); print('HARM')",
    "folder of the host's root listed": (
        "import os\nif '{folder}'.split('/')[1] in os.listdir('/') and os.path.isdir('{folder}'): print('HARM')"
    ),
    "device files": (
        "import glob, os\nfound = glob.glob('/dev/fuse') + glob.glob('/dev/loop-control') + glob.glob('/dev/[kv]*')\n"
        "for path in found:\n    try:\n        os.close(os.open(path, os.O_RDONLY)); print('HARM'); break\n"
        "    except OSError:\n        pass"
    ),
    "*user namespace": CALL + "if libc.unshare(0x10000000) == 0: print('HARM')",
    "the host's name": "import socket\nif socket.gethostname() == '{host}': print('HARM')",
    "processes of the host counted": "import os\nif len([n for n in os.listdir('/proc') if n.isdigit()]) > 12: print('HARM')",
    "a program of the host run": "import subprocess; subprocess.run(['{python}', '-c', ''], check=True); print('HARM')",
    "a lease: nobody else can open the file": SHARED + "os.close(two); fcntl.fcntl(one, 1024, fcntl.F_RDLCK); print('HARM')",
    "a lock that other sandboxes meet": (
        SHARED + "fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "try:\n    fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept BlockingIOError:\n    print('HARM')"
    ),
    "a lock of an open file that other sandboxes see": (
        SHARED + "import struct\nsize = struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 5, 3, 0)\nfcntl.fcntl(one, 37, size)\n"
        "seen = fcntl.fcntl(two, 36, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 5, 1, 0))\n"
        "if struct.unpack('hhqqi4x', seen)[0] != fcntl.F_UNLCK and struct.unpack('hhqqi4x', seen)[3] == 3: print('HARM')"
    ),
    "what others open is watched": (
        CALL + "import numpy\nn = libc.inotify_init()\nassert libc.inotify_add_watch(n, numpy.__file__.encode(), 0x20) > 0\n"
        "open(numpy.__file__).close()\nif len(os.read(n, 64)) >= 16: print('HARM')"
    ),
    "pages that others have read are looked for": (
        CALL + "import mmap, numpy\nf = open(numpy.__file__, 'rb'); f.read(10)\n"
        "m = mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, 3)\nplace = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
        "seen = (ctypes.c_ubyte * 64)()\nif libc.mincore(ctypes.c_void_p(place), ctypes.c_size_t(len(m)), seen) == 0:\n"
        "    print('HARM')"
    ),
    "whether others have read a page is asked by a read": (
        CALL + "import numpy\nf = open(numpy.__file__, 'rb')\n"
        "print('HARM' if os.preadv(f.fileno(), [bytearray(16)], 0, os.RWF_NOWAIT) == 16 else '')"
    ),
    "pages are put out of memory": (
        CALL + "import mmap, numpy\nf = open(numpy.__file__, 'rb')\nm = mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, 3)\n"
        "m.madvise(21); print('HARM')"
    ),
    "the host's account list": "print('HARM' if 'root' in open('/etc/passwd').read() else '')",
}  # fmt: skip
OUTWARD = {
    "*network": "import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('HARM')",
    "the same port over IPv6's mapping": (
        "import socket; s = socket.socket(socket.AF_INET6); s.settimeout(2)\n"
        "s.connect(('::ffff:127.0.0.1', {port})); print('HARM')"
    ),
    "a datagram to the host": (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.connect(('127.0.0.1', {port}))\n"
        "s.send(b'x'); s2 = socket.create_connection(('127.0.0.1', {port}), 2); print('HARM')"
    ),
    "an interface with an address": (
        "import socket, struct, fcntl\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "names = [n for _, n in socket.if_nameindex()]\n"
        "if len(names) > 1: print('HARM')\nelse:\n    socket.create_connection(('127.0.0.1', {port}), 2); print('HARM')"
    ),
    "a socket file of the host": (
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('{folder}/service.sock'); print('HARM')"
    ),
    "an abstract socket of the host": (
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0{abstract}'); print('HARM')"
    ),
}
EXHAUST = {
    "*400 forks": (
        "import os, time\nfor _ in range(400):\n    if os.fork() == 0:\n        time.sleep(2); os._exit(0)\nprint('HARM')"
    ),
    "forks that fork": (
        "import os, time\nfor _ in range(7):\n    os.fork()\ntime.sleep(1)\nprint('HARM')"
    ),
    "600 threads": (
        "import threading, time\nthreading.stack_size(65536)\n"
        "for _ in range(600): threading.Thread(target=time.sleep, args=(2,), daemon=True).start()\nprint('HARM')"
    ),
    "*endless loop": "import time\nend = time.monotonic() + 8\nwhile time.monotonic() < end: pass\nprint('HARM')",
    "interrupts ignored": (
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nend = time.monotonic() + 10\n"
        "while time.monotonic() < end: pass\nprint('HARM')"
    ),
    "one call that never comes back": (
        "import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n"
        "t = time.process_time()\nsum(range(5 * 10**7))\ntime.sleep(8)\nprint('HARM')"
    ),
    "*too much memory": "x = bytearray(b'1' * 2**20) * 480\nimport time; time.sleep(1); print('HARM')",
    "memory in small pieces": "x = [bytearray(b'1' * 2**16) for _ in range(7680)]\nimport time; time.sleep(1); print('HARM')",
    "memory of an anonymous map": (
        "import mmap, time\nm = mmap.mmap(-1, 480 * 2**20)\nfor at in range(0, len(m), 4096): m[at] = 1\n"
        "time.sleep(1); print('HARM')"
    ),
    "memory divided among children": (
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        x = bytearray(b'1' * 2**20) * 120\n"
        "        time.sleep(2); os._exit(0)\ntime.sleep(1.5); print('HARM')"
    ),
    "*full disk": (
        "with open('{folder}/fill' if __import__('os').path.isdir('{folder}') else '/tmp/fill', 'wb') as f:\n"
        "    for _ in range(40): f.write(bytes(2**20))\nprint('HARM')"
    ),
    "*60,000 empty files": (
        "import os\nplace = '{folder}/many' if os.path.isdir('{folder}') else '/tmp/many'\nos.mkdir(place)\n"
        "for n in range(60_000): os.close(os.open(f'{place}/{n}', os.O_CREAT | os.O_WRONLY))\n"
        "import time; time.sleep(.5); print('HARM')"
    ),
    "600 sockets full of bytes": (
        "import socket, resource, time\nresource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(7)[1],) * 2)\n"
        "kept = []\nfor _ in range(600):\n    a, b = socket.socketpair()\n    a.setblocking(False)\n    kept += [a, b]\n"
        "    try:\n        a.send(bytes(60_000))\n    except BlockingIOError:\n        pass\ntime.sleep(.5)\nprint('HARM')"
    ),
    "2,000 open files": (
        "import os, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(7)[1]),) * 2)\n"
        "kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(2000)]\nprint('HARM')"
    ),
    "limits raised again": (
        "import resource\nsoft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))\nif hard > 2000: print('HARM')"
    ),
}  # fmt: skip
SECRETS = {
    "*another student's file": "print('HARM' if open('{folder}/other/london.txt').read() else '')",
    "another student's file by a link": (
        "import os; os.symlink('{folder}/other/london.txt', 'link'); print('HARM' if open('link').read() else '')"
    ),
    "another student's file by an open folder": (
        "import os\nup = '../' * 20 + '{folder}/other/london.txt'\nfor n in range(3, 64):\n    try:\n"
        "        os.open(up, os.O_RDONLY, dir_fd=n); print('HARM')\n    except OSError:\n        pass\n"
        "open('{folder}/other/london.txt'); print('HARM')"
    ),
    "*environment of the grader": "print('HARM' if 'WALL_TEST_TOKEN' in open('/proc/{pid}/environ').read() else '')",
    "environment handed down": "import os\nif 'WALL_TEST_TOKEN' in os.environ: print('HARM')",
    "environment of this process's parents": (
        "import os\nfor path in (f'/proc/{os.getppid()}/environ', '/proc/self/environ', '/proc/1/environ'):\n"
        "    if 'WALL_TEST_TOKEN' in open(path, errors='replace').read(): print('HARM')"
    ),
    "command line of the grader": "print('HARM' if 'sleep' in open('/proc/{pid}/cmdline').read() else '')",
    "files that the grader has open": "import os; print('HARM' if os.listdir('/proc/{pid}/fd') else '')",
    "*host folders named by mounts": "text = open('/proc/self/mountinfo').read()\nif len(text) > 100: print('HARM')",
    "the grader's folder through /proc/PID/root": (
        "print('HARM' if open('/proc/{pid}/root{folder}/other/london.txt').read() else '')"
    ),
    "the grader's folder through /proc/PID/cwd": "import os; print('HARM' if os.listdir('/proc/{pid}/cwd') else '')",
    "hidden tests in the checkout": "print('HARM' if 'HIDDEN' in open('{root}/autograder/source/build.py').read() else '')",
    "private answers of the release": "print('HARM' if open('{folder}/private/answers.json').read() else '')",
    "descriptors that were left open": (
        "import os, stat\nfor n in range(3, 64):\n    try:\n        if stat.S_ISREG(os.fstat(n).st_mode): print('HARM')\n"
        "    except OSError:\n        pass\nopen('{folder}/private/answers.json'); print('HARM')"
    ),
    "host folders in paths of loaded modules": (
        "import sys\nif any('{root}' in str(getattr(m, '__file__', '')) for m in list(sys.modules.values())): print('HARM')\n"
        "elif __import__('os').path.isdir('{root}'): print('HARM')"
    ),
}  # fmt: skip
WRITES = {
    "*gradebook written": "open('{folder}/gradebook.db', 'a').write('x'); print('HARM')",
    "ledger line added": "open('{folder}/ledger.jsonl', 'a').write('{}'); print('HARM')",
    "gradebook removed": "import os; os.remove('{folder}/gradebook.db'); print('HARM')",
    "a file in the shared course folder": (
        "import os\nplace = '/course' if os.path.isdir('/course') else '{folder}'\n"
        "open(place + '/sitecustomize.py', 'w').write('x'); print('HARM')"
    ),
    "the hand-in itself changed": (
        "import os\nplace = '/handin' if os.path.isdir('/handin') else '{folder}'\n"
        "open(place + '/new.txt', 'w').write('x'); print('HARM')"
    ),
    "the agent's own code changed": (
        "import os\nplace = '/agent' if os.path.isdir('/agent') else '{folder}'\n"
        "open(place + '/agent.py', 'a').write('x'); print('HARM')"
    ),
    "an installed package changed": (
        "import os\nplace = '/site/0' if os.path.isdir('/site/0') else '{folder}'\n"
        "open(place + '/usercustomize.py', 'w').write('x'); print('HARM')"
    ),
    "a link across folders": "import os; os.link('{folder}/gradebook.db', '{folder}/twin'); print('HARM')",
    "times of the gradebook changed": "import os; os.utime('{folder}/gradebook.db', (0, 0)); print('HARM')",
}  # fmt: skip
