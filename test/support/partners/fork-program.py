"""Runs programs in Python, each in a fork of this process, which has started and imported what they import.

A line of standard input is `{ at, file, args, env, cwd }`. The outputs of a program are the Unix sockets `at`.stdout and
`at`.stderr. `at`.exit gets the number of its process, and at its end its exit code, negative for a signal, each in a line.
`start-program.ts` starts this.
"""

import argparse
import csv
import email.utils
import http.server
import json
import os
import random
import signal
import socket
import sqlite3
import ssl
import sys
import types
import typing
import urllib.request


def connect(job, name):
    end = socket.socket(socket.AF_UNIX)
    end.connect(f"{job['at']}.{name}")
    return end


def jobs():
    text = b""
    while part := os.read(0, 1 << 16):
        *lines, text = (text + part).split(b"\n")
        yield from map(json.loads, lines)
    os._exit(0)


def next_job():
    """Returns in the process of a program only."""
    for job in jobs():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # of what waits, which nobody waits for
        if os.fork() > 0:
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        pid = os.fork()
        if pid == 0:
            os.setsid()  # a group of its own, so that what it started ends with it
            return job
        with connect(job, "exit") as end:
            end.sendall(f"{pid}\n".encode())
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            end.sendall(f"{code}\n".encode())
        os._exit(0)


def begin(job):
    for number, name in ((1, "stdout"), (2, "stderr")):
        with connect(job, name) as end:
            os.dup2(end.fileno(), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    file = job["file"]
    sys.argv = [file, *job["args"]]
    sys.path[0] = os.path.dirname(file)
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    main.__file__ = file
    with open(file, "rb") as text:
        return compile(text.read(), file, "exec"), main.__dict__


exec(*begin(next_job()))
