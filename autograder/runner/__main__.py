"""`python -m autograder.runner`: serve jobs from standard input, reply on standard output.

Both are moved away before anything else happens, so that no print reaches the referee.
"""

from __future__ import annotations

import os
import signal
import sys

_FIRST = 200  # a learner's process has no descriptor that high but its own pipe


def main() -> None:
    jobs, replies = (os.dup2(standard, _FIRST + standard, inheritable=False) for standard in (0, 1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    # Python's own handler would let a SIGINT from inside reach process 1.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    from autograder.runner.supervisor import Supervisor

    Supervisor(jobs, replies, isolated=os.getpid() == 1 and "--isolated" in sys.argv).serve()


if __name__ == "__main__":
    main()
