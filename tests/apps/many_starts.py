"""Many starts of a program in one process of each rank (many_starts.c), and what a refusal among them must be."""
import os
import re
import shutil
import subprocess


def start_together(mpirun, program, ranks, starts, notes):
    """`program`: many_<name>; `starts`: (directory, arguments); `notes`: a directory to be made anew, with what each rank printed, said
    and ended with. Returns for each start that all ranks came back from (what they said, the exit status of each), and what was said in the
    end, "" if all is well."""
    shutil.rmtree(notes, ignore_errors=True)
    os.makedirs(notes)
    name = os.path.basename(program)[len("many_") :]
    with open(notes + "/starts", "w") as f:
        for directory, arguments in starts:
            f.write("\t".join([os.path.abspath(directory), name] + arguments) + "\n")
    done = subprocess.run([mpirun, "-n", str(ranks), program, "starts"], cwd=notes, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told = []
    for k in range(len(starts)):
        each = ["%s/%%s-%d.%d" % (notes, k, rank) for rank in range(ranks)]
        if not all(os.path.exists(note % "code") for note in each):
            return told, "exit status %d in the start with %s; it said: %s" % (done.returncode, " ".join(starts[k][1]), done.stderr[-2000:])
        told.append(("".join(open(note % "said", errors="replace").read() for note in each), [open(note % "code").read() for note in each]))
    return told, "exit status %d in the end; it said: %s" % (done.returncode, done.stderr[-2000:]) if done.returncode else ""


def printed_together(mpirun, program, ranks, starts, notes):
    """The same for starts that end well: what rank 0 has printed in each; a list that is shorter than `starts` if one did not, and why."""
    told, wrong = start_together(mpirun, program, ranks, starts, notes)
    printed = []
    for k, (said, codes) in enumerate(told):
        if codes != ["0"] * ranks:
            return printed, "the ranks ended with %s in the start with %s; they said: %s" % (" ".join(codes), " ".join(starts[k][1]), said)
        printed.append(open("%s/printed-%d.0" % (notes, k)).read())
    return printed, wrong


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
