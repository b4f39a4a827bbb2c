# SPDX-License-Identifier: BSD-2-Clause
"""A peer's side of bench/peers/peer_process.h: rounds on demand, then the fields that they gave.

    asked on stdin    answered on stdout
    (at the start)    ready
    run               J, or 0 where there is none, after one round
    fields            the fields as float64, one after the other, rows from south to north, of each its levels from below

Nobody else writes to stdout: what a library prints goes to stderr. While no line comes, no rank uses its core."""
import os
import sys
import time

import numpy as np

REAL = np.float32 if os.environ.get("PEERS_PRECISION") == "single" else np.float64


def receive(comm):
    """The next line that rank 0 reads; '' at its end. The other ranks sleep meanwhile: they look for it every millisecond."""
    if comm is None:
        return sys.stdin.readline().strip()
    if comm.rank > 0:
        while not comm.Iprobe(source=0):
            time.sleep(1e-3)
        return comm.recv(source=0)
    line = sys.stdin.readline().strip()
    for rank in range(1, comm.size):
        comm.send(line, dest=rank)
    return line


def strips(field, comm):
    """The field of all ranks, strip by strip, on rank 0."""
    yield field
    for rank in range(1, comm.size if comm else 1):
        yield comm.recv(source=rank)


def take_turns(run, fields, comm=None):
    """run(): one round, finished when it returns, and J or None; fields(): this rank's rows of the results, numpy arrays."""
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    root = comm is None or comm.rank == 0

    def answer(text):
        if root:
            stdout.write(f"{text}\n".encode())
            stdout.flush()

    answer("ready")
    while line := receive(comm):
        if line == "run":
            value = run()
            if comm is not None:
                comm.Barrier()
            answer(float(value or 0))
        elif line == "fields":
            for field in fields():
                field = np.ascontiguousarray(field, dtype=np.float64)
                if not root:
                    comm.send(field, dest=0)
                    continue
                for strip in strips(field, comm):
                    stdout.write(strip)
            if root:
                stdout.flush()
        else:
            sys.exit(f"asked for '{line}', expected 'run' or 'fields'")
