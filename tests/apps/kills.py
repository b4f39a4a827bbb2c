# SPDX-License-Identifier: BSD-2-Clause
"""Programs that are started on some ranks and killed, for tests."""
import ctypes
import os
import random
import signal
import subprocess
import time


def start(source, ranks, command):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    return subprocess.Popen(launch + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(pid, file):
    """What the kernel tells of a process, "" if there is none."""
    try:
        return open("/proc/%d/%s" % (pid, file)).read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def state(pid):
    """ "R" runs, "S" sleeps, "T" is stopped, "Z" has ended and nobody has asked for it; "" there is none."""
    return "".join(told(pid, "stat").rpartition(")")[2].split()[:1])


def runs(pid):
    """A zombie does not; whoever is its parent now may be slow to ask for it."""
    return state(pid) not in ("", "Z")


def pending(pid, what):
    """Has the signal come to a process that has not looked yet?"""
    masks = [line.split()[1] for line in told(pid, "status").splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
    return any(int(mask, 16) >> (what - 1) & 1 for mask in masks)


def ranks_of(process):
    """Their numbers; mpirun is the process itself."""
    return [int(p) for p in subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()]


def send(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


def send_to_stopped(pid, what):
    """To its main thread, which takes signals while it runs; when a stopped process goes on, any thread may take it, sooner or later."""
    ctypes.CDLL(None).tgkill(pid, pid, what)


def kill(process, draw=random):
    """SIGKILL for mpirun and its ranks, which have process groups of their own; the ranks in random order."""
    ranks = ranks_of(process)
    draw.shuffle(ranks)
    for pid in ranks + [process.pid]:
        send(pid, signal.SIGKILL)
    said = process.communicate()
    for pid in ranks:
        while runs(pid):
            time.sleep(0.02)
    return said
