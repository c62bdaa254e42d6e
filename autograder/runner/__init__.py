"""All of ours that runs inside the sandbox: `python -m autograder.runner`.

    supervisor   reads jobs, forks a learner's process for each, watches it, passes its frames on
    cells        executes the learner's cells, one by one, in one namespace
    checking     runs each check in a forked child of the process that executed the cells
    limits       what one of these processes may use

The supervisor never executes a learner's line. Everything below it does, so what comes out of it is
believed by nobody: the referee (outside, autograder/referee.py) compares it with torch's answers. Standard
library, NumPy and minigrad only; of autograder only what kit.SHOWN lists.
"""
