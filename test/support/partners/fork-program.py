"""Runs Python programs as forks of this process, which has imported what they import.

A line of standard input is `{ at, file, args, env, cwd }`. Outputs go to the files `at`.out and `at`.err. A line of standard
output is `at` and the exit code, negative for a signal.
"""

import argparse, email.utils, json, os, random, runpy, signal, sqlite3, ssl, sys, typing, urllib.request  # noqa


def next_job():
    """Returns in the process of a program only."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        if os.fork() > 0:
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            return job
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(1, f"{job['at']} {code}\n".encode())
        os._exit(0)
    os._exit(0)


job = next_job()
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
for number, name in ((1, "out"), (2, "err")):
    os.dup2(os.open(f"{job['at']}.{name}", os.O_WRONLY | os.O_CREAT), number)
os.environ.clear()
os.environ.update(job["env"])
os.chdir(job["cwd"])
sys.argv = [job["file"], *job["args"]]
sys.path[0] = os.path.dirname(job["file"])
runpy.run_path(job["file"], run_name="__main__")
