# SPDX-License-Identifier: BSD-2-Clause
"""Claim: `halograd new NAME` writes an application that builds against the installed library without a warning, passes its checks, and
finds what it hid, in C and in Python; a name that is no name, or is there already, is refused in one sentence.
usage: new.py SOURCE BUILD PYTHON, in a folder of its own"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

source, build, python = sys.argv[1:]
failures = []
shutil.rmtree("wildfires_of_a_dry_summer", ignore_errors=True)


def run(*words, cwd="."):
    ran = subprocess.run([str(w) for w in words], cwd=cwd, text=True, capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr


def expect(condition, what, ran=("", "", "")):
    if not condition:
        failures.append(f"{what}: {ran[1]} {ran[2]}")


halograd, mpirun = pathlib.Path(os.getcwd(), "installed/bin/halograd"), pathlib.Path(source, "scripts/mpirun")
expect(run("cmake", "--install", build, "--prefix", "installed")[0] == 0, "it is installed")
ran = run(halograd, "new", "wildfires_of_a_dry_summer")
expect(ran[0] == 0 and sorted(os.listdir("wildfires_of_a_dry_summer")) == ["CMakeLists.txt", "wildfires_of_a_dry_summer.py", "wildfires_of_a_dry_summer.stencil", "wildfires_of_a_dry_summer_inverse.c"], "it writes four files", ran)
prefix = re.search(r'cmake -S . -B build (-DCMAKE_PREFIX_PATH)="(.+?)"', ran[1])
expect(prefix, "it tells how to configure it", ran)
for name in ("wildfires_of_a_dry_summer", "../wildfires_of_a_dry_summer", "Flame", "4", "", "a b", "a" * 41):
    status, _, said = run(halograd, "new", name)
    expect(status and said.count("halograd: ") == 1, f"'{name}' is refused in one sentence", (status, "", said))
ran = run(pathlib.Path(build, "bin/halograd"), "new", "ember")
expect(ran[0] == 0 and '="PREFIX"' in ran[1] and "PREFIX is where halograd is installed" in ran[1], "in a build tree it says what is missing", ran)
shutil.rmtree("ember")
expect(sorted(os.listdir(".")) == ["installed", "wildfires_of_a_dry_summer"], f"nothing else is written: {os.listdir('.')}")
flags = ["-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "=".join(prefix.groups())]
ran = run("cmake", "-S", "wildfires_of_a_dry_summer", "-B", "wildfires_of_a_dry_summer/build", *flags)
expect(ran[0] == 0, "it is configured", ran)
ran = run("cmake", "--build", "wildfires_of_a_dry_summer/build")
expect(ran[0] == 0, "it is built", ran)
ran = run(mpirun, "-n", "4", "build/wildfires_of_a_dry_summer_inverse", "-check", "-doctor", cwd="wildfires_of_a_dry_summer")
error = re.search(r"error [\d.]+ -> ([\d.]+)", ran[1])
expect(ran[0] == 0 and error and float(error[1]) < 0.05, "the C finds what it hid", ran)
ran = run(mpirun, "-n", "4", python, "wildfires_of_a_dry_summer.py", cwd="wildfires_of_a_dry_summer")
error = re.search(r"off by at most ([\d.]+)", ran[1])
expect(ran[0] == 0 and error and float(error[1]) < 3 and pathlib.Path("wildfires_of_a_dry_summer/wildfires_of_a_dry_summer.png").exists(), "the Python finds what it hid", ran)
shutil.rmtree("installed", ignore_errors=True)
for failure in failures:
    print(f"claim fails: {failure}")
sys.exit(bool(failures))
