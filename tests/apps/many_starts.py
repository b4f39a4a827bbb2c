# SPDX-License-Identifier: BSD-2-Clause
"""What scripts claim: require(holds, what, values) for each thing, end(title) at their end. Many starts of a program in one process of each
rank (many_starts.c), and what a refusal among them must be."""
import os
import re
import shutil
import subprocess
import sys

problems = []


def require(holds, what, *values):
    if not holds:
        problems.append(what + (": " + ", ".join(str(v) for v in values) if values else ""))


def end(title):
    if problems:
        sys.exit("claim fails: " + title + ": " + "; ".join(problems[:10]))


class Start:
    """What came of one start: what rank 0 `printed`, what all ranks `said` on stderr, the exit status of each."""

    def __init__(self, printed, said, codes):
        self.printed, self.said, self.codes = printed, said, codes


def start_together(mpirun, program, ranks, starts, notes):
    """`program`: many_<name>; `starts`: (directory, arguments); `notes`: a directory to be made anew, with what each rank printed, said
    and ended with. Returns a Start for each that all ranks came back from, and what was said in the end, "" if all is well."""
    shutil.rmtree(notes, ignore_errors=True)
    os.makedirs(notes)
    name = os.path.basename(program)[len("many_") :]
    with open(notes + "/starts", "w") as f:
        for directory, arguments in starts:
            f.write("\t".join([os.path.abspath(directory), name] + arguments) + "\n")
    launch = [mpirun, "-n", str(ranks)] if ranks > 1 else [os.path.dirname(mpirun) + "/../tests/one_rank"]
    done = subprocess.run(launch + [program, "starts"], cwd=notes, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told = []
    for k in range(len(starts)):
        each = ["%s/%%s-%d.%d" % (notes, k, rank) for rank in range(ranks)]
        if not all(os.path.exists(note % "code") for note in each):
            return told, "exit status %d in the start with %s; it said: %s" % (done.returncode, " ".join(starts[k][1]), done.stderr[-2000:])
        read = lambda kind, note: open(note % kind, errors="replace").read()
        told.append(Start(read("printed", each[0]), "".join(read("said", note) for note in each), [read("code", note) for note in each]))
    return told, "exit status %d in the end; it said: %s" % (done.returncode, done.stderr[-2000:]) if done.returncode else ""


def printed_together(mpirun, program, ranks, starts, notes):
    """The same for starts that end well: what rank 0 has printed in each; a list that is shorter than `starts` if one did not, and why."""
    told, wrong = start_together(mpirun, program, ranks, starts, notes)
    for k, start in enumerate(told):
        if start.codes != ["0"] * ranks:
            why = "the ranks ended with %s in the start with %s; they said: %s" % (" ".join(start.codes), " ".join(starts[k][1]), start.said)
            return [s.printed for s in told[:k]], why
    return [start.printed for start in told], wrong


class Refusals:
    """Starts that must end in one sentence, gathered, then made together: (words of the sentence, arguments) by program and ranks.
    `where`: the directory of many_<name>."""

    def __init__(self, mpirun, where):
        self.mpirun, self.where, self.cases = mpirun, where, {}

    def add(self, words, arguments, program, ranks):
        self.cases.setdefault((program, ranks), []).append((words, arguments))

    def wrong(self, directory="."):
        """Of all that were gathered, started in `directory`: a list of sentences."""
        problems = []
        for (program, ranks), cases in self.cases.items():
            starts = [(directory, arguments) for _, arguments in cases]
            told, end = start_together(self.mpirun, self.where + "/many_" + program, ranks, starts, os.path.abspath("notes"))
            for (words, arguments), start in zip(cases, told):
                found = not_refused(words, ranks, start.said, start.codes)
                problems += ["%s %s on %d ranks: %s" % (program, " ".join(arguments), ranks, "; ".join(found))] if found else []
            problems += ["%s on %d ranks goes on after a refusal: %s" % (program, ranks, end)] if end else []
        self.cases = {}
        return problems


def not_refused(words, ranks, told, codes):
    """What is wrong with a refusal: a list of sentences."""
    problems = []
    sentences = re.findall("^halograd: .*", told, re.M)
    if codes != ["1"] * ranks:
        problems.append("claim: every rank ends with 1; they ended with %s" % " ".join(codes))
    if len(sentences) != 1 or not re.match("halograd: .*(%s)" % words, sentences[0]):
        problems.append("claim: one sentence has '%s'; it said: %s" % (words, told[:500]))
    if re.search("PETSC ERROR|HDF5-DIAG|ERROR: [A-Za-z]*Sanitizer|runtime error:", told):
        problems.append("claim: there is no traceback; it said: %s" % told[:500])
    return problems
