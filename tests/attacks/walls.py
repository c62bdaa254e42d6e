"""Tries to read, write, escape or reach the network. Each calls `won(…)` with what it got if it succeeded.

They know SECRET, a file of the host that holds the marks; FOLDER, a folder of the host that anybody may write to; PORT,
where somebody listens on the host; NAME, an abstract Unix socket of the host; PID, a process of the host; and the
environment variable COURSE_SECRET that the host has set.
"""

from __future__ import annotations

from attacks import Break

LIBC = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    return libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) for each in arguments])
"""

# Looks in all the memory that it can read, page by page, for what the pattern WANTED matches (but does not say itself).
SEARCHES_ITS_MEMORY = (
    LIBC
    + """
import gc, re
libc.sbrk.restype = ctypes.c_void_p
way_out, way_in = os.pipe()
def readable(page):
    return libc.write(way_in, ctypes.c_void_p(page), 1) == 1 and os.read(way_out, 1) is not None
top = libc.sbrk(0) & ~4095
low = top
while readable(low - 4096): low -= 4096
pages = set(range(low, top, 4096))
tracked = gc.get_objects()
for each in {id(each) >> 20 for each in (*tracked, *gc.get_referents(*tracked))}:
    pages |= {page for page in range(each << 20, each + 1 << 20, 4096) if readable(page)}
found = [page for page in sorted(pages) if re.search(WANTED, ctypes.string_at(page, 4096))]
if found: won(len(found))
"""
)

READING = [
    Break("reads_the_marks", "won(open(SECRET).read())"),
    Break("reads_it_from_the_root_of_init", "won(open('/proc/1/root' + SECRET).read())", "won(open(SECRET).read())"),
    Break("finds_it_by_walking", "import glob\nif glob.glob(FOLDER + '/*'): won(glob.glob(FOLDER + '/*'))"),
    Break("reads_passwd", "won(open('/etc/passwd').read()[:9])"),
    Break("reads_the_environment", "import os\nif 'COURSE_SECRET' in os.environ: won(os.environ['COURSE_SECRET'])"),
    Break("reads_inits_environment", "won(open(f'/proc/{PID}/environ').read()[:9] or 'empty')"),
    Break("reads_process_maps", "won(open('/proc/self/maps').read()[:9])"),
    Break("lists_processes", "import os\nwon([each for each in os.listdir('/proc') if each.isdigit()])"),
    Break("reads_anothers_memory", "won(open(f'/proc/{PID}/mem', 'rb').seek(4096))"),
    Break("reads_the_kernels_log", "won(open('/dev/kmsg'))", ""),
    Break("reads_a_disk", "import glob\nif glob.glob('/dev/[svn][dv]*'): won(glob.glob('/dev/[svn][dv]*'))", ""),
    Break("imports_the_solutions", "import autograder.solutions\nwon(1)", ""),
    Break("imports_torch", "import torch\nwon(torch.__version__)"),
    Break(
        "finds_solutions_in_the_kit",
        """
import os
for root, _, files in os.walk("/opt/kit"):
    for file in files:
        text = open(os.path.join(root, file), errors="replace").read()
        if "BEGIN " + "SOLUTION" in text: won(file)
""",
        "",
    ),
    Break(
        "finds_the_engines_rule_in_compiled_files",
        """
import marshal, os, types
def walk(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType): yield from walk(each)
for root, _, files in os.walk("/opt/kit/minigrad"):
    for file in files:
        if file.endswith(".pyc"):
            for code in walk(marshal.loads(open(os.path.join(root, file), "rb").read()[16:])):
                if code.co_name == "relu_vjp" and "NotImplementedError" not in code.co_names: won(file)
""",
        "",
    ),
    Break(
        "finds_the_seed_of_another_student",
        "import gc\nfound = [d for d in gc.get_objects() if isinstance(d, dict) and d.get('student')]\nif found: won(found)",
        "",
    ),
]

WRITING = [
    Break("writes_beside_the_marks", "open(FOLDER + '/mine', 'w').write('100'); won(1)"),
    Break("changes_the_marks", "open(SECRET, 'a').write('100'); won(1)"),
    Break("writes_through_a_link", "import os\nos.symlink(SECRET, 'link')\nopen('link', 'a').write('100')\nwon(1)"),
    Break("hard_links_the_marks", "import os\nos.link(SECRET, FOLDER + '/hard')\nwon(1)"),
    Break("moves_the_marks", "import os\nos.rename(SECRET, SECRET + '.old')\nwon(1)"),
    Break("changes_the_runner", "open('/opt/kit/autograder/parts.py', 'a').write('#')\nwon(1)", ""),
    Break(
        "poisons_compiled_files",
        "import os\nos.makedirs('/opt/kit/autograder/checks/__pycache__/x')\nwon(1)",
        "",
    ),
    Break("makes_it_writable", "import os\nos.chmod('/opt/kit', 0o777)\nwon(1)", ""),
    Break("writes_shared_memory", "open('/dev/shm/door', 'w').write('x')\nwon(1)", ""),
    Break(
        "shared_memory_segment",
        "from multiprocessing import shared_memory\nm = shared_memory.SharedMemory(create=True, size=64)\nwon(m.name)\nm.unlink()",
        "from multiprocessing import shared_memory\nm = shared_memory.SharedMemory(create=True, size=64)\nm.unlink()\nwon(1)",
    ),
    Break("makes_a_device", "import os\nos.mknod('/tmp/disk', 0o60666, os.makedev(8, 0))\nwon(1)", ""),
]

ESCAPING = [
    Break(
        "user_namespace",
        LIBC + "if libc.unshare(0x10000000) == 0: won(1)",
        LIBC + "if libc.unshare(0x04000000) == 0: won(1)",  # UTS: harmless, and root's in any case
    ),
    Break("mount_namespace", LIBC + "if libc.unshare(0x00020000) == 0: won(1)"),
    Break("mounts", LIBC + "if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0: won(1)", ""),
    Break("unmounts", LIBC + "if libc.umount2(b'/opt/kit', 2) == 0: won(1)", ""),
    Break("pivots", LIBC + "if call(155, 0, 0) == 0: won(1)", ""),
    Break("chroots", "import os\nos.chroot('/')\nwon(1)"),
    Break("becomes_root", "import os\nos.setuid(0)\nwon(os.getuid())"),
    Break("has_capabilities", LIBC + "if libc.prctl(23, 21, 0, 0, 0) == 1: won(1)"),
    Break("gains_privileges_by_exec", LIBC + "if libc.prctl(39, 0, 0, 0, 0) == 0: won(1)"),
    Break("traces_init", LIBC + "if libc.ptrace(16, 1, 0, 0) == 0: won(1)", ""),
    Break("reads_by_process_vm_readv", LIBC + "if call(310, 1, 0, 0, 0, 0, 0) >= 0: won(1)"),
    Break(
        "takes_a_descriptor",
        LIBC + "fd = call(434, os.getppid(), 0)\nif fd >= 0 and call(438, fd, 0, 0) >= 0: won(1)",
        "",
    ),
    Break("signals_the_host", "import os\nos.kill(PID, 0)\nwon(1)"),
    Break("signals_everybody", "import os, signal\nif os.getpid() != 1: os.kill(1, signal.SIGKILL)", ""),
    Break("enters_inits_namespaces", LIBC + "fd = os.open('/proc/1/ns/mnt', 0)\nif libc.setns(fd, 0) == 0: won(1)", ""),
    Break(
        "open_descriptors",
        """
import os
for number in range(3, 4096):
    try:
        if os.read(number, 1) or True: won(number)
    except OSError:
        pass
""",
        "import os\nif os.listdir('/proc/self/fd'): won(1)",
    ),
    Break(
        "io_uring",
        LIBC + "import ctypes\nif call(425, 4, ctypes.addressof(ctypes.create_string_buffer(256))) >= 0: won(1)",
        "",
    ),
    Break("bpf", LIBC + "if call(321, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38): won(ctypes.get_errno())", ""),
    Break("keyring", LIBC + "if call(250, 0, -3, 1) >= 0: won(1)", ""),
    Break(
        "perf_events",
        LIBC + "if call(298, ctypes.addressof(ctypes.create_string_buffer(128)), 0, -1, -1, 0) >= 0: won(1)",
        "",
    ),
    Break(
        "memory_file_to_execute",
        LIBC + "fd = os.memfd_create('x')\nos.write(fd, b'#!/bin/sh')\nos.execve(fd, ['x'], {})",
        "",
    ),
    Break(
        "starts_a_shell", "import subprocess\nwon(subprocess.run(['/bin/sh', '-c', 'id'], capture_output=True).stdout)"
    ),
    Break("types_into_the_terminal", "import fcntl\nfcntl.ioctl(0, 0x5412, b'x')\nwon(1)", ""),
    Break("changes_the_clock", "import time\ntime.clock_settime(time.CLOCK_REALTIME, 0)\nwon(1)", ""),
    Break("takes_priority", "import os\nos.nice(-20)\nwon(1)", ""),
    Break("lifts_its_limits", "import resource as r\nr.setrlimit(r.RLIMIT_AS, (-1, -1))\nwon(1)"),
]

NETWORK = [
    Break("tcp", "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)\nwon(1)"),
    Break(
        "udp",
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('127.0.0.1', PORT))\nwon(1)",
    ),
    Break("ipv6", "import socket\ns = socket.socket(socket.AF_INET6)\nwon(1)"),
    Break("names", "import socket\nwon(socket.getaddrinfo('localhost', 80))"),
    Break("abstract_unix_socket", "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0' + NAME)\nwon(1)"),
    Break(
        "unix_socket_file", "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(FOLDER + '/socket')\nwon(1)"
    ),
    Break("netlink", "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\nwon(1)"),
    Break("raw_socket", "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nwon(1)", ""),
    Break("virtual_machine_socket", "import socket\nsocket.socket(socket.AF_VSOCK)\nwon(1)", ""),
    Break("web", "import urllib.request\nwon(urllib.request.urlopen('http://127.0.0.1:%d/' % PORT, timeout=1))", ""),
]

BREAKS = READING + WRITING + ESCAPING + NETWORK
