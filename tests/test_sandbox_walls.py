"""What hostile cells can reach from inside a real sandbox: nothing. Each test is one kind of attempt."""

import os
import signal
import subprocess

import pytest
from sandbox_tools import QUICK, ask, run_cells

from autograder.kit import SHOWN
from autograder.sandbox import Sandbox

pytestmark = pytest.mark.sandbox


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────


def test_the_hosts_files_are_not_there(running, tmp_path):
    secret = tmp_path / "gradebook.db"
    secret.write_text("everybody's marks")
    paths = [str(secret), __file__, os.path.expanduser("~"), *"/etc/passwd /etc/shadow /root /home".split()]
    paths += "/proc /sys /run /usr /bin /var /srv /mnt".split()
    source = f"""
import os
found = [path for path in {paths!r} if os.path.lexists(path)]
answer((found, sorted(os.listdir("/")), sorted(os.listdir("/dev")), os.listdir("/tmp")))
"""
    found, root, devices, scratch = ask(running, source)
    assert found == []
    assert {"opt", "dev", "tmp"} <= set(root) <= {"opt", "dev", "tmp", "lib", "lib64"}
    assert devices == ["null", "urandom"]
    assert scratch == []


def test_no_answers_and_no_torch_are_there(running):
    source = """
import importlib, os
found = []
for name in ("torch", "autograder.oracle", "autograder.referee", "autograder.compare", "autograder.mistakes", "pip",
             "autograder.solutions", "autograder.records", "sklearn", "nbgrader"):
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
answer((found, sorted(os.listdir("/opt/kit/autograder")), sorted(os.listdir("/opt/site"))))
"""
    found, shown, site = ask(running, source)
    assert found == []
    assert set(shown) - {"__pycache__"} == set(SHOWN)
    assert set(site) <= {"numpy", "numpy.libs"}


def test_what_others_installed_into_python_is_not_there(running):
    source = """
import os
folder = os.path.dirname(os.__file__)
answer([each for name in ("site-packages", "dist-packages") if os.path.isdir(f"{folder}/{name}")
        for each in os.listdir(f"{folder}/{name}")])
"""
    assert ask(running, source) == []


def test_the_environment_tells_nothing(sandbox, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SECRET", "hunter2")
    with sandbox.start() as running:
        names, values = ask(running, "import os; answer((sorted(os.environ), ' '.join(os.environ.values())))")
    assert set(names) <= {
        *("HOME", "LANG", "LC_CTYPE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PWD"),
        *("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONPATH", "TMPDIR"),
    }
    assert "hunter2" not in values


def test_no_descriptor_leads_out(running):
    source = """
import os, stat
def kind(number):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        return None
    return "null" if stat.S_ISCHR(mode) and os.fstat(number).st_rdev == os.makedev(1, 3) else oct(stat.S_IFMT(mode))
answer({number: kind(number) for number in range(4096) if kind(number)})
"""
    found = ask(running, source)
    assert {found.pop(number) for number in range(3)} == {"null"}
    assert list(found.values()) == ["0o10000"]  # its own pipe to the supervisor, and that cannot be read:
    assert ask(running, f"import os; os.read({next(iter(found))}, 1)")[0] == "OSError"


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────


def test_only_the_scratch_can_be_written(running):
    source = """
import os
wrote = []
for folder in ("/", "/opt", "/opt/kit", "/opt/kit/autograder", "/opt/python", "/opt/site/numpy", "/opt/lib", "/dev"):
    for action in (lambda: open(folder + "/door", "w"), lambda: os.symlink("/etc", folder + "/link"),
                   lambda: os.chmod(folder, 0o777)):
        try:
            action()
            wrote.append(folder)
        except OSError:
            pass
open("/tmp/fine", "w").write("x")
answer((wrote, os.getcwd()))
"""
    assert ask(running, source) == ([], "/tmp")


def test_the_scratch_is_small(running):
    source = """
wrote = 0
try:
    for number in range(100):
        with open(f"/tmp/{number}", "wb", buffering=0) as file:
            for _ in range(8):
                wrote += file.write(bytes(1 << 20))
except OSError as full:
    answer((wrote, full.errno))
"""
    wrote, number = ask(running, source)
    assert (wrote <= QUICK.scratch, number) == (True, 28)  # ENOSPC


def test_one_file_is_bounded_too(running):
    source = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open("/tmp/large", "wb", buffering=0) as file:
    while True:
        file.write(bytes(1 << 20))
"""
    assert ask(running, source) == ("OSError", "[Errno 27] File too large")


# ── Escaping ─────────────────────────────────────────────────────────────────────────────────────


def test_it_is_nobody(running):
    source = """
import os
tried = []
for action in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.chroot("/tmp"),
               lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)), lambda: os.nice(-5),
               lambda: os.chown("/tmp", 0, 0), lambda: os.sethostname("x") if hasattr(os, "sethostname") else 1 / 0):
    try:
        action()
        tried.append("done")
    except (OSError, ZeroDivisionError):
        pass
answer((os.getresuid(), os.getresgid(), os.getgroups(), tried))
"""
    uids, gids, groups, done = ask(running, source)
    assert len(set(uids)) == len(set(gids)) == 1 and uids[0] > 60_000 and gids[0] > 60_000
    assert set(groups) <= {gids[0], 65534}
    assert done == []


def test_two_sandboxes_have_two_uids(sandbox):
    if os.geteuid() != 0:
        pytest.skip("as an ordinary user every sandbox has a user namespace of its own instead")
    with sandbox.start() as one, sandbox.start() as other:
        assert ask(one, "import os; answer(os.getuid())") != ask(other, "import os; answer(os.getuid())")


CALLS = """
import ctypes, errno, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) for each in arguments])
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
"""


def test_the_kernels_wide_doors_are_shut(running):
    from autograder import seccomp

    _, column = seccomp.ARCHITECTURES[os.uname().machine]
    numbers = {name: row[column] for name, row in seccomp.DENIED.items() if row[column] is not None}
    source = f"answer([n for n, number in {numbers!r}.items() if call(number, 0, 0, 0, 0, 0, 0) != 'EPERM'])"
    assert ask(running, CALLS + source) == []
    assert ask(running, CALLS + f"answer(call({_GETPID[column]}) == 'done')") is True  # the others can be made


_GETPID = (39, 172)


def test_no_new_namespace_by_clone(running):
    from autograder import seccomp

    _, column = seccomp.ARCHITECTURES[os.uname().machine]
    flags = [0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x08000000, 0x04000000, 0x02000000]
    source = CALLS + f"answer(([call({seccomp.CLONE[column]}, f | 17, 0, 0, 0, 0) for f in {flags}], call(435, 0, 0)))"
    assert ask(running, source) == (["EPERM"] * len(flags), "ENOSYS")


def test_no_other_process_can_be_bounded(running):
    """prlimit on process 1 would starve the next job of a shared sandbox."""
    source = "import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))"
    assert ask(running, source)[0] == "PermissionError"
    assert ask(running, "import resource; answer(resource.prlimit(0, resource.RLIMIT_CORE))") == (0, 0)


def test_no_memory_is_shared_without_a_file(running):
    """Let go by MADV_DONTNEED, its pages stay, and count for no process: gigabytes of them, once."""
    assert ask(running, "import mmap; mmap.mmap(-1, 4096)")[0] == "PermissionError"
    source = "import mmap; answer(len(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)))"
    assert ask(running, source) == 4096


def test_nothing_of_the_host_can_be_locked(running):
    assert ask(running, "import fcntl; fcntl.flock(open('/dev/null'), fcntl.LOCK_EX)")[0] == "PermissionError"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="32-bit calls beside the 64-bit ones are an x86 matter")
def test_the_32_bit_door_is_no_way_round(running):
    source = """
import ctypes, mmap, os
def knock(code):
    child = os.fork()
    if child == 0:
        page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
        page.write(code)
        found = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
        os._exit(0 if found >= 0 else -found)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
getpid = b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3"  # mov eax, 20; int 0x80; ret
x32_getpid = b"\\xb8\\x27\\x00\\x00\\x40\\x0f\\x05\\xc3"  # mov eax, 0x40000027; syscall; ret
native = b"\\xb8\\x27\\x00\\x00\\x00\\x0f\\x05\\xc3"
answer((knock(native), knock(getpid), knock(x32_getpid)))
"""
    native, old, x32 = ask(running, source)
    assert (native, old) == (0, -signal.SIGSYS)
    assert x32 == 38  # ENOSYS


def test_there_is_no_network(running):
    source = """
import socket
tried = []
for action in (lambda: socket.create_connection(("127.0.0.1", 80), 0.2), lambda: socket.getaddrinfo("example.com", 80),
               lambda: socket.socket(socket.AF_UNIX), lambda: socket.socketpair(),
               lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM), lambda: socket.socket(socket.AF_NETLINK, 3)):
    try:
        action()
        tried.append("done")
    except OSError:
        pass
answer(tried)
"""
    assert ask(running, source) == []


def test_the_network_is_empty_even_without_the_filter(kit):
    """Two walls: with the filter left out, the name space alone shows no device but a loopback that is down."""
    command = Sandbox(kit, QUICK).command(99, "-c", _SEES_NETWORK)
    at = command.index("--seccomp")
    found = subprocess.run(command[:at] + command[at + 2 :], capture_output=True, text=True, env={})
    assert found.stdout.split() == ["lo", "refused"], found.stderr


_SEES_NETWORK = """
import socket
print(*[name for _, name in socket.if_nameindex()])
try:
    socket.create_connection(("1.1.1.1", 80), 0.5)
except OSError as error:
    print("refused" if error.errno == 101 else error)
"""


def test_the_supervisor_cannot_be_signalled(running):
    source = """
import os, signal
for number in set(signal.Signals) - {signal.SIGCHLD}:
    try:
        os.kill(1, number)
    except OSError:
        pass
answer(os.getppid())
"""
    assert run_cells(running, source, "answer('still here')") == [1, "still here"]
    assert running.alive
