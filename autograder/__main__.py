"""`python -m autograder` is the command line (cli.py)."""

import sys

from autograder.cli import main

if __name__ == "__main__":
    sys.exit(main())
