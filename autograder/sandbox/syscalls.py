"""System calls by name, with their numbers on x86_64 and aarch64 (``name:x86_64:aarch64``, ``-`` where there is none).

The calls that notebooks with numpy, torch and matplotlib need were recorded by running the solutions of all notebooks. A
call in no list fails as if the kernel did not have it (ENOSYS), so that libraries use an older one; a call that is refused
by name fails with EPERM.
"""

FILES_AND_FOLDERS = """
read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70
pwritev2:328:287 open:2:- openat:257:56 openat2:437:437 creat:85:- close:3:57 close_range:436:436
lseek:8:62 stat:4:- lstat:6:- fstat:5:80 newfstatat:262:79 statx:332:291 statfs:137:43 fstatfs:138:44 access:21:-
faccessat:269:48 faccessat2:439:439 readlink:89:- readlinkat:267:78 getdents:78:- getdents64:217:61 getcwd:79:17
chdir:80:49 fchdir:81:50 mkdir:83:- mkdirat:258:34 rmdir:84:- unlink:87:- unlinkat:263:35 rename:82:-
renameat:264:38 renameat2:316:276 link:86:- linkat:265:37 symlink:88:- symlinkat:266:36 chmod:90:- fchmod:91:52
fchmodat:268:53 fchmodat2:452:452 chown:92:- fchown:93:55 lchown:94:- fchownat:260:54 umask:95:166 utime:132:-
utimes:235:-
futimesat:261:- utimensat:280:88 truncate:76:45 ftruncate:77:46 fallocate:285:47 fsync:74:82 fdatasync:75:83
sync_file_range:277:84 dup:32:23 dup2:33:- dup3:292:24
pipe:22:- pipe2:293:59 sendfile:40:71 copy_file_range:326:285 getxattr:191:8 lgetxattr:192:9 fgetxattr:193:10
listxattr:194:11 llistxattr:195:12 flistxattr:196:13 mknod:133:- mknodat:259:33
"""
MEMORY = """
mprotect:10:226 munmap:11:215 mremap:25:216 brk:12:214 msync:26:227
"""
PROCESSES_AND_THREADS = """
fork:57:- vfork:58:- execve:59:221 execveat:322:281 exit:60:93 exit_group:231:94 wait4:61:260 waitid:247:95
kill:62:129 tkill:200:130 tgkill:234:131 getpid:39:172 getppid:110:173 gettid:186:178 getpgid:121:155
getpgrp:111:- setpgid:109:154 getsid:124:156 setsid:112:157 set_tid_address:218:96 set_robust_list:273:99
get_robust_list:274:100 futex:202:98 futex_waitv:449:449 futex_wake:454:454 futex_wait:455:455
futex_requeue:456:456 rseq:334:293 membarrier:324:283 sched_yield:24:124
sched_getaffinity:204:123 sched_setaffinity:203:122 sched_getparam:143:121 sched_getscheduler:145:120
sched_get_priority_max:146:125 sched_get_priority_min:147:126 sched_rr_get_interval:148:127 getpriority:140:141
setpriority:141:140 getcpu:309:168 prctl:157:167 arch_prctl:158:- prlimit64:302:261 getrlimit:97:163
setrlimit:160:164 getrusage:98:165 times:100:153 pidfd_open:434:434 pidfd_send_signal:424:424 capget:125:90
capset:126:91
"""
WHO_AND_WHERE = """
getuid:102:174 geteuid:107:175 getgid:104:176 getegid:108:177 getresuid:118:148 getresgid:120:150
getgroups:115:158 uname:63:160 getrandom:318:278
"""
SIGNALS = """
rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136 rt_sigtimedwait:128:137
rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240 rt_sigsuspend:130:133 sigaltstack:131:132
restart_syscall:219:128 pause:34:- alarm:37:- signalfd:282:- signalfd4:289:74
"""
TIME = """
time:201:- gettimeofday:96:169 clock_gettime:228:113 clock_getres:229:114 nanosleep:35:101 clock_nanosleep:230:115
getitimer:36:102 setitimer:38:103 timer_create:222:107 timer_settime:223:110 timer_gettime:224:108
timer_getoverrun:225:109 timer_delete:226:111 timerfd_create:283:85 timerfd_settime:286:86 timerfd_gettime:287:87
"""
WAITING = """
poll:7:- ppoll:271:73 select:23:- pselect6:270:72 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21
epoll_wait:232:- epoll_pwait:281:22 epoll_pwait2:441:441 eventfd:284:- eventfd2:290:19
"""
UNIX_SOCKETS = """
bind:49:200 connect:42:203 listen:50:201 accept:43:202 accept4:288:242 sendto:44:206 recvfrom:45:207
sendmsg:46:211 recvmsg:47:212 sendmmsg:307:269 recvmmsg:299:243 shutdown:48:210 getsockname:51:204
getpeername:52:205
"""

# Done in words alone: they report success and change nothing. Sandboxes share the inodes of the course and of Python's
# packages, so that a lock, or a page taken out of memory, could be seen in another one. Inside, one submission is alone.
EMPTY = """
flock:73:32 fadvise64:221:223 readahead:187:213
"""

# Allowed or refused by their arguments; see seccomp.py.
EXAMINED = """
socket:41:198 socketpair:53:199 setsockopt:54:208 clone:56:220 mmap:9:222 fcntl:72:25 ioctl:16:29
preadv2:327:286 madvise:28:233 getsockopt:55:209
"""

# Kernel interfaces with a history of security holes, memory that is not counted, clocks, mounts, namespaces, other
# processes. statmount and listmount (Linux 6.8) would name the host's folders. inotify and mincore would show what other
# sandboxes open and read, sysinfo how much memory they take.
REFUSED = """
memfd_create:319:279 memfd_secret:447:447 keyctl:250:219 add_key:248:217 request_key:249:218 bpf:321:280
perf_event_open:298:241 userfaultfd:323:282 ptrace:101:117 process_vm_readv:310:270 process_vm_writev:311:271
process_madvise:440:440 process_mrelease:448:448 pidfd_getfd:438:438 kcmp:312:272 io_uring_setup:425:425
io_uring_enter:426:426 io_uring_register:427:427 shmget:29:194 shmat:30:196 shmctl:31:195 msgget:68:186
semget:64:190 mq_open:240:180 mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 open_tree:428:428
move_mount:429:429 fsopen:430:430 fsconfig:431:431 fsmount:432:432 fspick:433:433 mount_setattr:442:442
unshare:272:97 setns:308:268 name_to_handle_at:303:264 open_by_handle_at:304:265 fanotify_init:300:262
fanotify_mark:301:263 setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7 swapon:167:224 swapoff:168:225
init_module:175:105 finit_module:313:273 delete_module:176:106 kexec_load:246:104 kexec_file_load:320:294
reboot:169:142 sethostname:170:161 setdomainname:171:162 iopl:172:- ioperm:173:- acct:163:89 syslog:103:116
settimeofday:164:170 clock_settime:227:112 clock_adjtime:305:266 adjtimex:159:171 quotactl:179:60
personality:135:92 modify_ldt:154:- setuid:105:146 setgid:106:144 setreuid:113:145 setregid:114:143
setresuid:117:147 setresgid:119:149 setgroups:116:159 setfsuid:122:151 setfsgid:123:152 mlock:149:228
mlock2:325:284 mlockall:151:230 vmsplice:278:75 splice:275:76 tee:276:77 sync:162:81 syncfs:306:267
sched_setscheduler:144:119 sched_setattr:314:274 sched_setparam:142:118 ioprio_set:251:30 mbind:237:235
set_mempolicy:238:237 migrate_pages:256:238 move_pages:279:239 inotify_init:253:-
inotify_init1:294:26 inotify_add_watch:254:27 mincore:27:232 cachestat:451:451
lookup_dcookie:212:18 sysinfo:99:179
statmount:457:457 listmount:458:458
"""

COLUMNS = {"x86_64": 1, "aarch64": 2}


def numbers(listed: str, machine: str) -> dict[str, int]:
    """Name -> number of the calls in a list that this processor has."""
    rows = [entry.split(":") for entry in listed.split()]
    return {row[0]: int(row[COLUMNS[machine]]) for row in rows if row[COLUMNS[machine]] != "-"}


ALLOWED = " ".join(
    [FILES_AND_FOLDERS, MEMORY, PROCESSES_AND_THREADS, WHO_AND_WHERE, SIGNALS, TIME, WAITING, UNIX_SOCKETS]
)
