"""The system calls that a sandboxed program may not make, as a filter in the kernel's own little language
(BPF).

One table, one row a call: its number on x86-64 and on 64-bit ARM. What the table leaves out is allowed, but for calls
that are newer than it is (UNKNOWN). Namespaces, an unprivileged uid and an empty file system already close the doors;
this filter closes the kernel behind them, and whatever could reach from one job of a shared sandbox into the next.
bubblewrap loads it (`--seccomp`).
"""

from __future__ import annotations

import errno
import platform
import struct

__all__ = ["ARCHITECTURES", "DENIED", "program"]

# name: (what the kernel calls this machine in seccomp_data.arch, column of the table)
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# fmt: off
DENIED: dict[str, tuple[int | None, int | None]] = {
    # network (the network namespace is empty as well)
    "socket": (41, 198), "socketpair": (53, 199),
    # namespaces, mounts, roots
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225), "sysfs": (139, None),
    # other processes' memory, descriptors and scheduling: the runner's own is one of them
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    # what would outlive a job: System V and POSIX message queues, keys, memory that no limit counts
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    # a pipe keeps the pages that are spliced into it, whole huge ones, whoever lets them go
    "vmsplice": (278, 75), "splice": (275, 76), "tee": (276, 77),
    # what the whole machine has but so much of, and locks on its files
    "io_setup": (206, 0), "flock": (73, 32),
    # wide doors into the kernel
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282), "seccomp": (317, 277), "personality": (135, 92),
    "fanotify_init": (300, 262), "remap_file_pages": (216, 234), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "modify_ldt": (154, None), "uselib": (134, None), "vhangup": (153, 58), "lookup_dcookie": (212, 18),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142), "syslog": (103, 116),
    "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None),
    "ioperm": (173, None),
}
# fmt: on
CLONE = (56, 220)
CLONE3 = (435, 435)  # its flags lie in memory, where a filter cannot look: "not there" makes libc use clone
PRLIMIT64 = (302, 261)
IOCTL = (16, 29)
MMAP = (9, 222)
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
NEW_NAMESPACES = 0x0002_0000 | 0x7E00_0000  # CLONE_NEWNS, CLONE_NEW{CGROUP,UTS,IPC,USER,PID,NET}
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into the terminal of whoever started us
UNKNOWN = 450  # of Linux 5.17 and later: "not there", as on an older kernel, for which libc has other ways

# The machine: an accumulator, loads from `struct seccomp_data`, jumps that count instructions, and a verdict.
_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in seccomp_data
_ALLOW, _KILL = 0x7FFF_0000, 0x8000_0000


def program(machine: str | None = None) -> bytes:
    """The filter for `machine` (this one by default), ready for bubblewrap's --seccomp.

    KeyError for a machine that the table does not know.
    """
    architecture, column = ARCHITECTURES[machine or platform.machine()]
    lines = [
        _line(_LOAD, _ARCHITECTURE),
        _line(_JUMP_EQ, architecture, then=1),
        _line(_RETURN, _KILL),  # 32-bit calls have other numbers: no door beside the door
        _line(_LOAD, _NUMBER),
        _line(_JUMP_GE, UNKNOWN, otherwise=1),  # and all of x32's, whose numbers are these with a bit of their own
        _deny(errno.ENOSYS),
    ]
    for numbers in DENIED.values():
        if (number := numbers[column]) is not None:
            lines += [_line(_JUMP_EQ, number, otherwise=1), _deny(errno.EPERM)]
    lines += [_line(_JUMP_EQ, CLONE3[column], otherwise=1), _deny(errno.ENOSYS)]
    lines += _when(CLONE[column], 0, [_line(_JUMP_ANY_BIT, NEW_NAMESPACES, otherwise=1), _deny(errno.EPERM)])
    # Another process's limits: any pid but "myself".
    lines += _when(PRLIMIT64[column], 0, [_line(_JUMP_EQ, 0, then=1), _deny(errno.EPERM)])
    steal = [each for k in TERMINAL_INJECTION for each in (_line(_JUMP_EQ, k, otherwise=1), _deny(errno.EPERM))]
    lines += _when(IOCTL[column], 1, steal)
    # Memory that its process can let go without giving it back: then no count shows it (footprint.py).
    both = [_line(_JUMP_ANY_BIT, MAP_SHARED, otherwise=2), _line(_JUMP_ANY_BIT, MAP_ANONYMOUS, otherwise=1)]
    lines += _when(MMAP[column], 3, [*both, _deny(errno.EPERM)])
    lines.append(_line(_RETURN, _ALLOW))
    return b"".join(lines)


def _line(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, operand)


def _deny(number: int) -> bytes:
    return _line(_RETURN, 0x0005_0000 | number)


def _when(call: int, argument: int, body: list[bytes]) -> list[bytes]:
    """`body` sees the low word of `argument` (little-endian on both machines); what it lets pass is allowed."""
    load = _line(_LOAD, _ARGUMENTS + 8 * argument)
    return [_line(_JUMP_EQ, call, otherwise=len(body) + 2), load, *body, _line(_RETURN, _ALLOW)]
