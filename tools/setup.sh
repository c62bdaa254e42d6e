#!/bin/sh
# Finds a Python that is new enough and hands over to tools/setup.py, which makes .venv.
# Kept apart, and in plain sh, because a machine's `python3` may be too old to read setup.py at all.
# 找一个够新的 Python，其余交给 tools/setup.py。PYTHON=/path/to/python 指定用哪一个 · chooses one.
set -eu
cd "$(dirname "$0")/.."

# What an activated environment or a shell profile leaves behind must not reach ours.
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV __PYVENV_LAUNCHER__

# The system's own first: an activated environment's Python may vanish with it, and one that lies in a
# home folder is out of reach for the unprivileged user that grading runs as.
if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
else
    set -- /usr/bin/python3 python3 /usr/bin/python3.13 /usr/bin/python3.12 /usr/bin/python3.11 \
        python3.13 python3.12 python3.11 python
fi

for candidate; do
    if "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        exec "$candidate" -I tools/setup.py
    fi
done

cat >&2 <<MESSAGE
✗ 找不到 Python 3.11 或更新的版本。试过 · No Python 3.11 or newer was found. Tried:
    $*
  装一个，再运行同样的命令；或用 PYTHON=/路径/python 指定。
  Install one and run the same command again, or name one with PYTHON=/path/to/python.
    Debian 12+, Ubuntu 24.04+:  sudo apt-get install python3 python3-venv
    Ubuntu 22.04:               sudo apt-get install python3.11 python3.11-venv
    conda:                      conda env create -f environment.yml
MESSAGE
exit 1
