# SPDX-License-Identifier: BSD-2-Clause
# Claims about fwi, by the last argument:
#   bits     the same bits on 1 rank, and on 4 ranks in 1, 2 and 4 groups; each stage brings the speed nearer to the hidden one, and the sea
#            stays as it is; the derivatives are right
#   volume   with levels: the same bits on 1 rank and on 2 ranks in 1 and 2 groups, the derivatives are right, the speed comes nearer to the
#            hidden one, the sea stays as it is
#   table    a table of the places of -shots and -receivers gives its bits, and one in which shots name a wavelet those of -wavelet; shots
#            with wavelets and receivers of their own give the same bits in any groups, and others than without
#   encode   sums of all shots with random signs: the derivatives are right; one shot with a sign is that shot; of many sums the misfit is
#            about that of all shots; each stage brings the speed nearer to the hidden one; the same bits in any groups, and after a kill
#   light    -illumination: the same bits in any groups, and others than without; -progress 0 tells every shot
#   resume   killed twice, in the first stage and in the second, and resumed in other groups: the bits of a run that was never killed
#   recorded shots that a twin has saved and are read again give its bits, in any groups, with receivers that the files alone tell, and in sums;
#            in float32 they give J to its rounding; -shape finds the same of a louder wavelet; what was recorded and the wavelet pass through the same filter
#   wavelet  -seek_wavelet: the derivatives are right; of a wavelet that comes too late or is too slow what is found is nearer to the true one, and the
#            speed nearer than with the wrong one held; each stage goes on from the wavelet of the one before; the same bits on 1, 2, 4 and 6 ranks, in any groups, in a volume and in sums, and after a kill
#   prior    with few noisy readings -prior_deviation, -tv and -huber make what is found better, in any groups and cuts; with -precondition, too; around
#            a mean that is the truth it is found, with -precondition, too; a wavelet that is sought keeps its own weight; the derivatives are right
#   sure     -posterior: the same deviations and -samples in any groups and cuts, with the spread of the samples, of m before the data those of the prior; -evidence finds the noise, and counts the
#            numbers told as the eigenvalues do
#   ground   the speed that a run has found is the first guess of another one, in any groups; a ground of another size has its cells there
#   refusals what it cannot run is refused in one sentence, on every rank
# usage: fwi.py SOURCE_DIRECTORY fwi bits|volume|table|encode|light|resume|recorded|wavelet|prior|sure|ground|refusals, in a directory of its own; silent if the claim holds
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

import h5py
import numpy

source, fwi, what = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
import kills
SMALL = ["-nx", "60", "-ny", "40", "-shots", "4", "-receivers", "30", "-frequencies", "3,5", "-tolerance", "0", "-output", "out"]
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing


def fail(claim, said=""):
    sys.exit("claim fails: %s%s" % (claim, "; it said:\n" + said if said else ""))


def run(ranks, more):
    if "-resume" not in more:
        shutil.rmtree("out", ignore_errors=True)
    process = kills.start(source, ranks, [fwi] + SMALL + ["-digest"] + more)
    said, wrong = process.communicate()
    digests = re.findall(r"^J 0x.*$", said, re.M)
    if process.returncode or len(digests) != 1:
        fail("fwi %s on %d ranks ends with 0 and a line of digests" % (" ".join(more), ranks), said + wrong)
    return digests[0], said


def bits():
    few = ["-iterations", "4"]
    expected, said = run(1, few + ["-check"])
    errors = [float(number) for pair in re.findall(r"^error ([0-9.]+) -> ([0-9.]+)", said, re.M) for number in pair]
    if len(errors) != 4 or errors[0] != errors[2] or not errors[0] > errors[1] > errors[3]:
        fail("each stage brings the speed nearer: %s" % errors, said)
    with h5py.File("out/fwi.h5") as results:
        truth, first, found = (results[name][:] for name in ("speed_truth", "speed_first", "speed"))
    sea = truth == 1500
    if not sea[-3:].all() or (abs(found - truth)[sea] > 1e-9).any() or (found == first)[~sea].any():
        fail("the sea stays as it is, all below changes")
    apart = [numpy.linalg.norm(v - truth) / numpy.linalg.norm(truth) for v in (first, found)]
    if max(abs(apart[0] - errors[0]), abs(apart[1] - errors[3])) > 1e-4:
        fail("what is told of the error is that of the results: %s, %s" % (apart, errors))
    for groups in "1", "2", "4":
        now, _ = run(4, few + ["-groups", groups])
        if now != expected:
            fail("the same bits in %s groups: %s, on one rank %s" % (groups, now, expected))


def volume():
    few = ["-nz", "12", "-nx", "36", "-ny", "20", "-receivers", "18", "-frequencies", "3", "-iterations", "3"]
    expected, said = run(1, few + ["-check"])
    errors = [float(number) for number in re.search(r"^error ([0-9.]+) -> ([0-9.]+)", said, re.M).groups()]
    if not errors[1] < 0.8 * errors[0]:
        fail("the speed comes nearer: %s" % errors, said)
    with h5py.File("out/fwi.h5") as results:
        truth, found = (results[name][:] for name in ("speed_truth", "speed"))
    sea = truth == 1500
    if truth.shape != (12, 20, 36) or not sea[-1].all() or sea[0].any() or (abs(found - truth)[sea] > 1e-9).any():
        fail("the sea lies above and stays as it is: %s" % (truth.shape,))
    for groups in "1", "2":
        now, _ = run(2, few + ["-groups", groups])
        if now != expected:
            fail("with levels the same bits in %s groups: %s, on one rank %s" % (groups, now, expected))


def write(name, lines):
    with open(name, "w") as file:
        file.write("\n".join(lines) + "\n")
    return name


def place(k, count):
    return "%.17g,30," % (150 + 4200 * (k / (count - 1)))


def write_pulse():
    os.makedirs("files", exist_ok=True)
    write("files/pulse.csv", ["time [s],wavelet [1]"] + ["%g,%g" % (0.01 * n, numpy.sin(0.1 * n) ** 3) for n in range(32)])


def table():
    few = ["-iterations", "2", "-frequencies", "5"]
    by_table = [word for word in SMALL if word not in ("-shots", "4", "-receivers", "30")] + few
    receivers = ["receiver," + place(k, 30) for k in range(30)]
    shots = ["shot," + place(e, 4) for e in range(4)]
    titles = ["# a survey", "kind,x [m],depth [m],wavelet"]
    write_pulse()
    write("files/lines.csv", titles + shots[:1] + receivers + shots[1:])
    write("files/pulses.csv", titles + [shots[0] + "pulse.csv"] + receivers + [shot + "pulse.csv" for shot in shots[1:]])
    write("files/own.csv", titles + [shots[0]] + receivers[:20] + [shots[1] + "pulse.csv"] + receivers[7:] + shots[2:])

    def bits_of(ranks, more, small=by_table):
        SMALL[:] = small
        return run(ranks, more)[0]

    by_lines = [word for word in SMALL] + few
    plain, pulsed = bits_of(2, [], by_lines), bits_of(2, ["-wavelet", "files/pulse.csv"], by_lines)
    if bits_of(2, ["-shots_table", "files/lines.csv"]) != plain:
        fail("a table of the places of -shots and -receivers gives its bits")
    if bits_of(2, ["-shots_table", "files/pulses.csv"]) != pulsed or pulsed == plain:
        fail("shots that all name a wavelet give the bits of -wavelet")
    own = {bits_of(ranks, ["-shots_table", "files/own.csv", "-groups", groups]) for ranks, groups in ((1, "1"), (4, "2"), (4, "4"))}
    if len(own) != 1 or own & {plain, pulsed}:
        fail("wavelets and receivers of their own: the same bits in any groups, and others: %s" % own)


def kept(stage):
    return len(glob.glob("out/evaluations/stage-%s/evaluation-*.txt" % stage))


def first_misfit(more):
    return float(re.search(r"^ +0 +(\S+)", run(2, more)[1], re.M).group(1))


def kill_within(stage, groups, long):
    """Killed when three evaluations of the stage are kept."""
    process = kills.start(source, 4, [fwi] + SMALL + long + ["-resume", "-groups", groups])
    until = time.time() + 120
    while kept(stage) < 3 and process.poll() is None and time.time() < until:
        time.sleep(0.002)
    said = kills.kill(process)
    if kept(stage) < 3 or "what it wrote" in said[0]:
        fail("it is killed within stage %s" % stage, "".join(said))


def encode():
    alone = ["-shots", "1", "-frequencies", "5", "-iterations", "0"]
    one, signed = first_misfit(alone), first_misfit(alone + ["-encode", "1", "-redraw", "1"])
    if abs(one - signed) > 1e-6 * one:
        fail("one shot with a sign has the misfit of that shot: %s, %s" % (one, signed))
    all_shots, sums = (first_misfit(["-frequencies", "5", "-iterations", "0"] + more) for more in ([], ["-encode", "128"]))
    if abs(all_shots - sums) > 0.2 * all_shots:
        fail("128 sums have about the misfit of all shots: %s, %s" % (all_shots, sums))

    long = ["-encode", "2", "-redraw", "4", "-iterations", "11"]
    expected, said = run(1, long + ["-check"])
    errors = [float(number) for pair in re.findall(r"^error ([0-9.]+) -> ([0-9.]+)", said, re.M) for number in pair]
    if not errors[0] > 1.5 * errors[1] > 1.5 * errors[3] or len(re.findall(r"^signs . of 3: 2 sums of 4 shots$", said, re.M)) != 6:
        fail("each stage draws signs three times and brings the speed nearer: %s" % errors, said)
    now, _ = run(4, long + ["-groups", "2"])
    if now != expected:
        fail("sums: the same bits in 2 groups: %s, on one rank %s" % (now, expected))
    shutil.rmtree("out", ignore_errors=True)
    kill_within("1-3Hz-2", "1", long)
    found, said = run(2, long + ["-resume", "-groups", "2"])
    if len(re.findall(r"^resume: [1-9] evaluations found in out/evaluations/stage-", said, re.M)) < 2 or found != expected:
        fail("sums: killed and resumed, the same bits, %s, not %s" % (found, expected), said)


def light():
    few = ["-iterations", "2", "-frequencies", "5", "-progress", "0"]
    plain, said = run(2, few)
    shots = re.findall(r"^shots (\d) of 4 of evaluation (\d), \S+ s for each, ETA \d+ s, of the inversion about \d+ s$", said, re.M)
    if shots[:4] != [("2", "1"), ("4", "1"), ("2", "2"), ("4", "2")]:
        fail("-progress 0 tells every shot of each group, and its evaluation: %s" % shots, said)
    lit = {run(ranks, few + ["-illumination", "-groups", groups])[0] for ranks, groups in ((1, "1"), (4, "1"), (4, "4"))}
    if len(lit) != 1 or plain in lit:
        fail("-illumination: the same bits in any groups, and others than without: %s, %s" % (lit, plain))


def resume():
    long = ["-iterations", "16"]
    expected, _ = run(4, long)
    kill_within("1-3Hz", "4", long)
    kill_within("2-5Hz", "2", long)
    found, said = run(4, long + ["-resume", "-groups", "1"])
    taken = [int(n) for n in re.findall(r"^resume: (\d+) evaluations found in out/evaluations/stage-", said, re.M)]
    if len(taken) != 2 or taken[0] < 17 or not 3 <= taken[1]:
        fail("the first stage is whole and a part of the second: %s" % taken, said)
    if found != expected:
        fail("killed twice: the same bits, %s, not %s" % (found, expected), said)


def recorded():
    write_pulse()
    write("files/shots.csv", ["kind,x [m],depth [m],wavelet"] + ["shot," + place(e, 4) for e in range(4)])
    twin = ["-iterations", "2", "-wavelet", "files/pulse.csv"]
    expected, said = run(2, twin + ["-save_observations", "files/shot-%d.h5"])
    summed, _ = run(2, twin + ["-encode", "2"])
    near = ["kind,x [m],depth [m],wavelet", "shot,2000,30,"] + ["receiver,%d,30," % x for x in range(1900, 2110, 10)]
    lines = [word for word in SMALL if word not in ("-shots", "4", "-receivers", "30")]
    read = twin + ["-shots_table", "files/shots.csv", "-observations", "files/shot-%d.h5"]
    SMALL[:] = lines
    for ranks, groups in (1, "1"), (4, "1"), (4, "2"), (4, "4"):
        found, told = run(ranks, read + ["-groups", groups])
        if found != expected:
            fail("read again the bits of the twin in %s groups: %s, %s" % (groups, found, expected))
        if re.search("^error", told, re.M) or len(re.findall("^misfit / expectation", told, re.M)) != 2:
            fail("of recorded shots no error is known, but what the misfit should be", told)
    with h5py.File("out/fwi.h5") as results:
        if "speed_truth" in results or "speed" not in results:
            fail("of recorded shots no truth is known")
    if run(2, read + ["-encode", "2"])[0] != summed:
        fail("read again the bits of the twin in sums")

    # How loud the wavelet is makes no difference to shapes, but to squares.
    write("files/loud.csv", ["time [s],wavelet [1]"] + ["%g,%g" % (0.01 * n, 3 * numpy.sin(0.1 * n) ** 3) for n in range(32)])
    of = lambda line: float.fromhex(line.split()[1])
    shape, loud = read + ["-shape"], ["-wavelet", "files/loud.csv"]
    (told, _), (same, _), squares = run(2, shape), run(4, shape + ["-groups", "2"]), of(run(2, read + loud)[0])
    if told != same:
        fail("shapes have the same bits in any groups: %s, %s" % (told, same))
    louder = of(run(2, shape + loud)[0])
    if not abs(louder / of(told) - 1) < 1e-4 < 1 < squares / of(expected):
        fail("J of shapes %r, of a louder wavelet %r; of squares %r and %r" % (of(told), louder, of(expected), squares))

    deep = ["-nz", "12", "-nx", "36", "-ny", "20", "-frequencies", "3"] + twin
    write("files/deep.csv", ["kind,x [m],y [m],depth [m],wavelet", "shot,150,-525,30,", "shot,4350,525,30,"])
    expected_deep, _ = run(2, deep + ["-shots", "2", "-receivers", "18", "-save_observations", "files/deep-%d.h5"])
    if run(2, deep + ["-shots_table", "files/deep.csv", "-observations", "files/deep-%d.h5", "-groups", "1"])[0] != expected_deep:
        fail("with levels read again the bits of the twin")

    for e in range(4):
        with h5py.File("files/shot-%d.h5" % e, "r+") as shot:
            kept = {name: dict(shot[name].attrs) for name in ("p", "p_sigma")}
            for name, attributes in kept.items():
                values = shot[name][()].astype("f4")
                del shot[name]
                shot[name] = values
                shot[name].attrs["units"] = attributes["units"]
    now = of(run(2, read)[0])
    if not 0 < abs(now - of(expected)) < 1e-5 * of(expected):
        fail("in float32 J to its rounding: %r, %r" % (now, of(expected)))

    # So soon after the shot only the sea is heard, which is known: what remains is the noise.
    SMALL[:] = ["-nx", "120", "-ny", "60", "-frequencies", "10", "-iterations", "0", "-noise", "0.01", "-output", "out"]
    _, told = run(1, ["-shots_table", write("files/near.csv", near), "-wavelet", "files/pulse.csv", "-dt", "0.004", "-steps", "60"])
    ratio = float(re.search(r"^misfit / expectation (\S+)", told, re.M).group(1))
    if not 0.6 < ratio < 1.4:
        fail("what was recorded passes through the filter of the wavelet, and its noise: misfit / expectation %g" % ratio, told)


def write_ricker(name, peak, late):
    t = 0.005 * numpy.arange(120)
    a = (numpy.pi * peak * (t - late)) ** 2
    return write("files/" + name, ["time [s],wavelet [1]"] + ["%.9g,%.9g" % pair for pair in zip(t, (1 - 2 * a) * numpy.exp(-a))])


def misfits_of_stages(said):
    """Of all iterates, a list for each stage."""
    return [[float(number) for number in re.findall(r"^ +\d+ +\S+ +(\S+)", part, re.M)] for part in re.split("^stage ", said, flags=re.M)[1:]]


def wavelet():
    os.makedirs("files", exist_ok=True)
    true = write_ricker("true.csv", 5, 0.22)
    write("files/shots.csv", ["kind,x [m],depth [m],wavelet"] + ["shot," + place(e, 4) for e in range(4)])
    few, seek = ["-iterations", "12"], ["-seek_wavelet"]
    run(1, ["-iterations", "0", "-wavelet", true, "-save_observations", "files/shot-%d.h5"])
    with h5py.File("out/fwi.h5") as results:
        speed = results["speed_truth"][:]
    lines = [word for word in SMALL]
    SMALL[:] = [word for word in SMALL if word not in ("-shots", "4", "-receivers", "30")]
    read = ["-shots_table", "files/shots.csv", "-observations", "files/shot-%d.h5"]

    def found(more, ranks=1):
        digests, said = run(ranks, read + more)
        with h5py.File("out/fwi.h5") as results:
            numbers = [results[name][:] for name in ("wavelet_first", "wavelet")] if "-seek_wavelet" in more else None
            return numpy.linalg.norm(results["speed"][:] - speed), numbers, said, digests

    expected = found(["-wavelet", true, "-iterations", "0"] + seek)[1][0]  # as the last stage filters it
    best = found(few + ["-wavelet", true])[0]
    apart = lambda w: numpy.linalg.norm(w - expected) / numpy.linalg.norm(expected)
    for wrong in write_ricker("late.csv", 5, 0.25), write_ricker("slow.csv", 4, 0.22):
        held, _, said_held, _ = found(few + ["-wavelet", wrong])
        sought, (at_first, at_end), said, whole = found(few + ["-wavelet", wrong, "-check"] + seek)
        if len(re.findall("^check .* ok$", said, re.M)) != 4:
            fail("the derivatives by c and the wavelet are right", said)
        if not apart(at_end) < 0.3 * apart(at_first) or not apart(at_first) > 0.4:
            fail("%s: the wavelet is found: %g, at first %g" % (wrong, apart(at_end), apart(at_first)), said)
        if not best < sought < 0.9 * held:
            fail("%s: the speed is off by %g, with the wrong wavelet held by %g, with the true one by %g" % (wrong, sought, held, best))
    cuts = (1, "1"), (2, "2"), (4, "2"), (6, "1")
    bits = {found(["-iterations", "1", "-wavelet", wrong, "-groups", groups] + seek, ranks)[3] for ranks, groups in cuts}
    if len(bits) != 1:
        fail("a wavelet that is sought: the same bits on any ranks in any groups: %s" % bits)

    same = found(["-iterations", "6", "-frequencies", "5,5", "-wavelet", wrong] + seek)[2]
    ends, begins = [stage[at] for stage, at in zip(misfits_of_stages(same), (-1, 0))]
    if abs(begins - ends) > 1e-5 * ends:
        fail("a stage goes on from the wavelet that the one before has found: misfit %g, then %g" % (ends, begins), same)
    begins, anew = (misfits_of_stages(text)[1][0] for text in (said, said_held))
    if not begins < 0.3 * anew:
        fail("also where its filter is another one: the second stage begins with a misfit of %g, with the first guess of %g" % (begins, anew))

    long = read + few + ["-wavelet", wrong] + seek
    shutil.rmtree("out", ignore_errors=True)
    kill_within("2-5Hz", "4", long)
    again, said = run(1, long + ["-resume"])
    if again != whole or not re.search(r"^resume: (\d+) evaluations found", said, re.M):
        fail("killed and resumed with a wavelet that is sought: %s, %s" % (again, whole), said)
    sums = {run(ranks, long + ["-encode", "2", "-iterations", "2", "-groups", groups])[0] for ranks, groups in ((1, "1"), (4, "2"))}
    SMALL[:] = lines
    deep = ["-nz", "12", "-nx", "36", "-ny", "20", "-receivers", "18", "-frequencies", "3", "-iterations", "2"]
    volumes = {run(ranks, deep + seek + ["-groups", groups])[0] for ranks, groups in ((1, "1"), (2, "2"))}
    if len(sums) != 1 or len(volumes) != 1:
        fail("the wavelet of sums, and of a volume: the same bits in any groups: %s, %s" % (sums, volumes))


def prior():
    noisy = ["-frequencies", "3", "-iterations", "22", "-noise", "1"]
    SMALL[SMALL.index("-receivers") + 1] = "10"
    error = lambda said: float(re.search(r"^error \S+ -> (\S+)", said, re.M).group(1))
    believed = ["-prior_deviation", "1e6", "-prior_length", "400"]
    without = error(run(1, noisy)[1])
    for more in believed, believed + ["-precondition"], ["-tv", "1e-8", "-tv_epsilon", "300"]:
        said = run(1, noisy + more + (["-check"] if more == believed else []))[1]
        if not error(said) < 0.8 * without:
            fail("%s: the error is %g, without %g" % (" ".join(more), error(said), without), said)
        cuts = (1, "1"), ((6, "1") if more == believed else (4, "2"))
        bits = {run(ranks, noisy + more + ["-iterations", "3", "-groups", groups])[0] for ranks, groups in cuts}
        if len(bits) != 1:
            fail("%s: the same bits on any ranks: %s" % (" ".join(more), bits))
    outliers = [run(1, noisy + believed + ["-iterations", "2"] + more)[0] for more in ([], ["-huber", "1"], ["-relative", "0.5"], ["-correlation", "0.1"])]
    if len(set(outliers)) != 4:
        fail("the noise is that of the options: %s" % outliers)
    with h5py.File("out/fwi.h5") as results, h5py.File("mean.h5", "w", libver="v110") as mean:
        mean["m"] = results["speed_truth"][()] ** 2
        mean["m"].attrs["units"] = numpy.bytes_("m^2/s^2")
    known, first = (error(run(1, noisy + ["-tikhonov", "4e-12"] + more)[1]) for more in (["-prior_mean", "mean.h5"], []))
    if not known < 0.3 * first:
        fail("around the truth the error is %g, around the first guess %g" % (known, first))
    known = error(run(1, noisy + ["-prior_deviation", "3e5", "-prior_length", "400", "-prior_mean", "mean.h5", "-precondition"])[1])
    if not known < 0.5 * first:
        fail("a mean far from the first guess can be preconditioned, too: the error is %g" % known)
    sought = ["-seek_wavelet", "-wavelet_h1", "1e8", "-iterations", "2"]
    regularised = [re.findall(r"^ +2 +\S+ +\S+ +(\S+)", run(1, noisy + sought + more)[1], re.M) for more in ([], ["-prior_deviation", "1e12", "-prior_length", "400"])]
    if not regularised[0] or abs(float(regularised[1][0]) / float(regularised[0][0]) - 1) > 1e-3:
        fail("a prior of the speed leaves the weight of the wavelet as it is: %s" % regularised)


# The evidence counts by a coin what the eigenvalues add up to; of a linear function of m the deviation before the data is the prior's own.
def sure():
    noisy = ["-nx", "30", "-ny", "20", "-receivers", "10", "-frequencies", "2", "-iterations", "12", "-noise", "1", "-prior_length", "500", "-posterior", "50"]
    found = set()
    for ranks, groups in (1, "1"), (6, "2"):
        _, said = run(ranks, noisy + ["-prior_deviation", "1e6", "-groups", groups, "-samples", "200"])
        with h5py.File("out/fwi.h5") as results, h5py.File("out/fwi_samples.h5") as samples:
            speed, before, after = (results[name][:] for name in ("speed", "speed_deviation_prior", "speed_deviation"))
            drawn = {name: samples[name][:] for name in ("c_prior", "c_posterior", "m_prior", "m_posterior")}
        found.add((before.tobytes(), after.tobytes(), *(s.tobytes() for s in drawn.values()), re.search("^posterior.*$", said, re.M).group()))
    for side, expected in ("prior", before), ("posterior", after):
        spread = math.sqrt(numpy.sqrt(drawn["m_" + side]).var(axis=0, ddof=1).mean() / (expected**2).mean())
        if not 0.85 < spread < 1.15:
            fail("the speed of samples has %g of the deviation of the %s" % (spread, side), said)
    below = before > 0
    deviation = numpy.sqrt(numpy.mean((2 * speed * before)[below][::7] ** 2))
    if len(found) != 1:
        fail("the deviations have the same bits in any groups", said)
    if not (0.9e6 < deviation < 1.3e6 and (after <= before).all() and (after ** 2).sum() < 0.7 * (before ** 2).sum()):
        fail("the deviation of m before the data is %g, expected about 1e6, and less after it" % deviation, said)
    _, said = run(1, noisy + ["-prior_deviation", "1.2e6", "-evidence"])
    with open("out/run.json") as file:
        report = json.load(file)
    told, ratio = numpy.array(report["posterior"]["eigenvalues"]), report["noise_ratio"]
    told = (told / (1 + told)).sum()
    if not (abs(report["numbers_told"] / told - 1) < 0.15 and abs(ratio - 1) < 0.05):
        fail("the evidence counts %g numbers and noise of %g, the eigenvalues say %g" % (report["numbers_told"], ratio, told), said)


def ground():
    misfits = lambda said: [float(number) for number in re.findall(r"^ +\d+ +(\S+)", said, re.M)]
    few = ["-frequencies", "3", "-iterations", "3"]
    _, said = run(2, few)
    os.replace("out/fwi.h5", "found.h5")
    again, told = run(1, few + ["-first", "found.h5"])
    if abs(misfits(told)[0] - misfits(said)[-1]) > 1e-6 * misfits(said)[-1] or misfits(told)[-1] > 0.7 * misfits(told)[0]:
        fail("what was found is the first guess, and gets better: %s, %s" % (misfits(said), misfits(told)))
    with h5py.File("found.h5") as found, h5py.File("out/fwi.h5") as results:
        if abs(results["speed_first"][()] - found["speed"][()]).max() > 1e-9:
            fail("the first guess is what the file has")
        sea = found["speed"][()] <= 1500 * (1 + 1e-7)
        if not sea[-1].all() or abs(results["speed"][()][sea] - 1500).max() > 1e-9:
            fail("the sea stays as it is")
    if run(4, few + ["-first", "found.h5", "-groups", "2"])[0] != again:
        fail("a first guess from a file: the same bits in 2 groups")
    _, told = run(2, few + ["-width", "6000", "-depth", "2000", "-water", "1480", "-fastest", "5000", "-listen", "2.6"])
    with h5py.File("out/fwi.h5") as results:
        x, y, speed = (results[name][()] for name in ("x", "y", "speed"))
    if abs(x - 100 * (numpy.arange(60) + 0.5)).max() > 1e-9 or abs(y + 2000 - 50 * (numpy.arange(40) + 0.5)).max() > 1e-9:
        fail("a ground of another size: cells are at %s, %s" % (x, y))
    if abs(speed[-1] - 1480).max() > 1e-9 or misfits(told)[-1] > 0.3 * misfits(told)[0]:
        fail("another sea stays as it is, and the misfit falls: %s" % misfits(told), told)


def damaged(name, change):
    """-observations with a shot in which something was changed."""
    with h5py.File("tables/%s-0.h5" % name, "w", libver="v110") as shot:
        n = numpy.arange(200)
        values = {"time": 0.005 * n, "x": [600.0, 900.0], "y": [-30.0, -30.0], "p": numpy.ones((200, 2)), "p_sigma": 0.1}
        values.update(change)
        units = {"time": "s", "x": "m", "y": "m", "p": "Pa", "p_sigma": "Pa"}
        for key, numbers in values.items():
            shot[key] = numpy.asarray(numbers, "f4" if key == "p" else "f8")
            shot[key].attrs["units"] = numpy.bytes_(units[key])
        shot.attrs["observed"] = numpy.bytes_("p")
    return ["-shots_table", "tables/one.csv", "-wavelet", "tables/pulse.csv", "-observations", "tables/%s-%%d.h5" % name]


def refusals():
    titles, shot, receiver = "kind,x [m],depth [m],wavelet", "shot,600,30,", "receiver,900,30,"
    tables = {
        "titles": ([titles.replace("depth", "z")], "line 1: .* expected the titles 'kind,x .m.,depth .m.,wavelet'"),
        "kind": ([titles, "source,600,30,"], "line 2: 'source', expected a shot or a receiver"),
        "place": ([titles, "shot,4600,30,"], "line 2: x .m. is '4600', expected a decimal number from 0 to 4500"),
        "cells": ([titles, "shot,600,30"], "line 2: expected 4 cells"),
        "early": ([titles, receiver], "line 2: a receiver before the first shot"),
        "deaf": ([titles, shot, shot, receiver], "line 3: the shot before this one has no receivers"),
        "silent": ([titles, shot], "1 shots and no receivers"),
        "listens": ([titles, shot, receiver + "pulse.csv"], "line 3: a receiver with the wavelet 'pulse.csv'"),
        "lost": ([titles, shot + "none.csv", receiver], "none.csv"),
        "short": ([titles, shot + "short.csv", receiver], "'tables/short.csv': 1 lines that are no comments, expected titles and at least 2 rows"),
        "late": ([titles, shot + "late.csv", receiver], "'tables/late.csv', line 3: time 0 s does not come after 0 s"),
    }
    os.makedirs("tables", exist_ok=True)
    write("tables/short.csv", ["time [s],wavelet [1]"])
    write("tables/late.csv", ["time [s],wavelet [1]", "0,1", "0,2"])
    write("tables/calm.csv", ["time [s],wavelet [1]", "3,0", "4,1"])
    write("tables/good.csv", [titles, shot, receiver])
    write("tables/one.csv", [titles, shot])
    write("tables/pulse.csv", ["time [s],wavelet [1]", "0,0", "0.1,1", "0.2,0"])
    with h5py.File("fast.h5", "w", libver="v110") as first:
        first["speed"] = numpy.full((40, 60), 4500.0)
        first["speed"].attrs["units"] = numpy.bytes_("m/s")
    nan = numpy.ones((200, 2))
    nan[7, 1] = numpy.nan
    read = ["-shots_table", "tables/one.csv", "-observations", "none-%d.h5"]
    write("tables/own.csv", [titles, shot, receiver, shot, receiver])
    write("tables/two.csv", [titles, shot, receiver, shot + "pulse.csv"])
    for name, (lines, _) in tables.items():
        write("tables/%s.table" % name, lines)
    cases = [(1, words, ["-shots_table", "tables/%s.table" % name]) for name, (_, words) in tables.items()]
    by_lines = ["-shots", "4", "-receivers", "30"]
    for ranks, words, more in cases + [
        (1, "option -shots: given with -shots_table", ["-shots_table", "tables/good.csv"] + by_lines),
        (1, "'tables/good.csv', line 1: .* expected the titles 'kind,x .m.,y .m.,depth .m.,wavelet'", ["-shots_table", "tables/good.csv", "-nz", "12", "-nx", "36", "-ny", "20", "-frequencies", "3"]),
        (1, "'tables/good.csv', line 1: .* expected the titles 'time .s.,wavelet .1.'", ["-wavelet", "tables/good.csv"] + by_lines),
        (2, "option -frequencies: a wave of 5 Hz is 300 m long in water, expected at least 500 m", ["-nz", "12", "-nx", "36"] + by_lines),
        (2, "the receivers of shot 1 hear nothing for 2.3 s", ["-wavelet", "tables/calm.csv"]),
        (1, "option -encode: 1 of 2 shots have receivers or a wavelet of their own", ["-shots_table", "tables/own.csv", "-encode", "1"]),
        (4, "1 experiments on 4 ranks cannot be dealt evenly to 2 groups", ["-encode", "1", "-groups", "2"]),
        (1, "option -seek_wavelet: 1 of 2 shots have a wavelet of their own", ["-shots_table", "tables/two.csv", "-seek_wavelet"]),
        (1, "option -wavelet_h1: given without -seek_wavelet", ["-wavelet_h1", "1"]),
        (1, "option -prior_deviation: given without -prior_length", ["-prior_deviation", "1e6"]),
        (2, "regularisation of 'm': .*length", ["-prior_deviation", "1e6", "-prior_length", "10"]),
        (1, "option -posterior: nothing says how large the speed is", ["-posterior", "5"]),
        (1, "option -samples: given without -posterior", ["-samples", "5"]),
        (1, "-next_sensors", ["-posterior", "5", "-tikhonov", "1", "-samples", "5", "-next_sensors", "1"]),
        (1, "option -redraw: given without -encode, where it changes nothing", ["-redraw", "2"]),
        (2, "file 'fast.h5': speed is up to 4500 m/s, expected less than 4000 m/s", ["-first", "fast.h5"]),
        (2, "option -fastest: the first guess is up to 3125.* m/s, expected less than 3000 m/s", ["-fastest", "3000"]),
        (1, "file 'fast.h5': dataset 'speed' has the shape 40 x 60", ["-first", "fast.h5", "-nx", "61"]),
        (1, "option -progress .*'-1'", ["-progress", "-1"]),
        (4, "option -shots .*'0'", ["-shots", "0"]),
        (4, "4 experiments on 4 ranks cannot be dealt evenly to 8 groups, expected .*: 1, 2, 4", ["-groups", "8"]),
        (4, "6 experiments on 4 ranks cannot be dealt evenly to 4 groups, expected .*: 1, 2", ["-shots", "6", "-groups", "4"]),
        (1, "option -frequencies: a wave of 9 Hz is 166.667 m long in water, expected at least 300 m", ["-frequencies", "4,9"]),
        (1, "option -frequencies: .*four cells; use more cells or at most 5 Hz$", ["-frequencies", "4,9"]),
        (1, "option -frequencies: .*four cells; use more cells$", ["-nx", "9"]),
        (1, "option -frequencies .*0", ["-frequencies", "4,0"]),
        (1, "option -noise .*0", ["-noise", "0"]),
        (1, "option -across: given without -nz, where it changes nothing", ["-across", "2e3"]),
        (1, "option -receivers .*0", ["-receivers", "0"]),
        (1, "option -observations: 'data.h5' is one file for all experiments", ["-observations", "data.h5"]),
        (1, "option -observations: given without -shots_table", ["-observations", "shot-%d.h5"]),
        (1, "option -noise: given with -observations", ["-observations", "shot-%d.h5", "-noise", "0.1"]),
        (1, "option -observations: shot 0 has Ricker's wavelet", read),
        (1, "option -save_observations: shot 0 has Ricker's wavelet", ["-save_observations", "shot-%d.h5"]),
        (4, "none-0.h5", read + ["-wavelet", "tables/pulse.csv"]),
        (2, "'tables/nan-0.h5': dataset 'p' at .7, 1. is nan, expected a finite number", damaged("nan", {"p": nan})),
        (1, "'tables/shape-0.h5': dataset 'p' has the shape 100 x 2", damaged("shape", {"p": numpy.ones((100, 2))})),
        (2, "sensor 1 .of 'tables/out-0.h5'. is at x = 4700 m, expected inside the domain", damaged("out", {"x": [600, 4700]})),
        (1, "shot 0 .of 'tables/coarse-0.h5'.: readings are 0.1 s apart, expected at most 0.0374781 s for 5 Hz", damaged("coarse", {"time": 0.1 * numpy.arange(200)})),
        (1, "shot 0 .of 'tables/uneven-0.h5'.: time.1. is 0.004", damaged("uneven", {"time": 0.005 * numpy.arange(200) - 0.001 * (numpy.arange(200) == 1)})),
        (1, "shot 0 .of 'tables/brief-0.h5'.: recorded from 0 to 0.199 s, expected more than 0.312318 s", damaged("brief", {"time": 0.001 * numpy.arange(200)})),
    ]:
        small = SMALL[:4] + SMALL[8:] if "-shots_table" in more else SMALL
        command = [source + "/tests/expect_refusal", "-t", "60", "^halograd: .*(%s)" % words]
        command += ([source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []) + [fwi] + small + more
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if told.returncode:
            fail("fwi %s on %d ranks: %s" % (" ".join(more), ranks, told.stdout))


{"bits": bits, "volume": volume, "table": table, "encode": encode, "light": light, "resume": resume, "recorded": recorded, "wavelet": wavelet, "prior": prior, "sure": sure, "ground": ground, "refusals": refusals}[what]()
