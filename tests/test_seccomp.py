"""The filter on system calls, run here by a small interpreter of its language: every row of the table, both machines.

That the kernel obeys it is shown in test_sandbox_walls.py.
"""

import errno
import re
import struct
from pathlib import Path

import pytest

from autograder import seccomp

ALLOW, KILL = "allow", "kill"
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
MACHINES = list(seccomp.ARCHITECTURES)


def judge(machine, number, *arguments, architecture=None):
    """What the filter says to a system call: "allow", "kill" or the name of an error."""
    words = struct.pack(
        "=IIQ6Q", number, architecture or seccomp.ARCHITECTURES[machine][0], 0, *(arguments + (0,) * 6)[:6]
    )
    program = list(struct.iter_unpack("=HBBI", seccomp.program(machine)))
    at, accumulator = 0, 0
    while True:
        code, then, otherwise, operand = program[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", words, operand)
        elif code == 0x06:
            names = {0x7FFF0000: ALLOW, 0x80000000: KILL}
            return names.get(operand) or errno.errorcode[operand & 0xFFFF]
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: accumulator & operand != 0,
            }[code]
            at += then if holds else otherwise


@pytest.mark.parametrize("machine", MACHINES)
def test_every_row_is_refused_and_the_rest_allowed(machine):
    _, column = seccomp.ARCHITECTURES[machine]
    refused = {row[column] for row in seccomp.DENIED.values()} - {None}
    special = {row[column] for row in (seccomp.CLONE, seccomp.CLONE3, seccomp.PRLIMIT64, seccomp.IOCTL, seccomp.MMAP)}
    for number in range(500):
        if number not in special:
            known = "EPERM" if number in refused else ALLOW
            assert judge(machine, number) == (known if number < seccomp.UNKNOWN else "ENOSYS"), number


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_that_depend_on_an_argument(machine):
    _, column = seccomp.ARCHITECTURES[machine]
    clone, prlimit, ioctl = seccomp.CLONE[column], seccomp.PRLIMIT64[column], seccomp.IOCTL[column]
    assert judge(machine, clone, 17) == ALLOW  # fork
    assert judge(machine, clone, 0x3D0F00) == ALLOW  # a thread
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(machine, clone, space | 17) == "EPERM"
    assert judge(machine, seccomp.CLONE3[column]) == "ENOSYS"
    assert (judge(machine, prlimit, 0), judge(machine, prlimit, 1)) == (ALLOW, "EPERM")
    assert [judge(machine, ioctl, 0, k) for k in (0x5401, 0x5412, 0x541C)] == [ALLOW, "EPERM", "EPERM"]
    private, of_a_file, shared, validated = 0x22, 0x01, 0x21, 0x23
    for flags in (private, of_a_file):
        assert judge(machine, seccomp.MMAP[column], 0, 4096, 3, flags) == ALLOW
    for flags in (shared, validated, shared | 0x8000):
        assert judge(machine, seccomp.MMAP[column], 0, 4096, 3, flags) == "EPERM"


@pytest.mark.parametrize("machine", MACHINES)
def test_other_calling_conventions_are_refused(machine):
    assert judge(machine, 39, architecture=0x40000003) == KILL  # 32-bit x86
    for number in (0x40000000, 0x40000029, 0xFFFFFFFF):  # x32's numbers
        assert judge(machine, number) == "ENOSYS"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_the_kernels(machine):
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip(f"the kernel's headers are not installed ({header})")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    kernel = {name: int(number) for name, number in found}
    _, column = seccomp.ARCHITECTURES[machine]
    table = {
        **seccomp.DENIED,
        "clone": seccomp.CLONE,
        "clone3": seccomp.CLONE3,
        "prlimit64": seccomp.PRLIMIT64,
    }
    ours = {name: row[column] for name, row in table.items()}
    assert ours | {"ioctl": seccomp.IOCTL[column]} == {name: kernel.get(name) for name in [*ours, "ioctl"]}


def test_an_unknown_machine_is_refused():
    with pytest.raises(KeyError):
        seccomp.program("pdp11")
