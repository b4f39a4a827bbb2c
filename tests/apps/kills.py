"""Programs that are started on some ranks and killed, for tests."""
import os
import random
import signal
import subprocess
import time


def start(source, ranks, command):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    return subprocess.Popen(launch + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def runs(pid):
    """A zombie does not; whoever is its parent now may be slow to ask for it."""
    try:
        return " Z " not in open("/proc/%d/stat" % pid).read()
    except (FileNotFoundError, ProcessLookupError):
        return False


def ranks_of(process):
    """Their numbers; mpirun is the process itself."""
    return [int(p) for p in subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()]


def send(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


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
