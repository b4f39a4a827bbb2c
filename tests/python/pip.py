# SPDX-License-Identifier: BSD-2-Clause
"""Claim: `pip install .` builds the Python package against an installed library, or a build tree, leaves nothing in the source, and the
package works in another folder; without a library it says so in one sentence.
usage: pip.py SOURCE BUILD PYTHON, in a folder of its own"""
import os
import pathlib
import shutil
import subprocess
import sys

source, build, python = sys.argv[1:]
here = pathlib.Path.cwd()
own = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PKG_CONFIG_PATH", "HALOGRAD_BUILD", "HALOGRAD_PREFIX")}
own["TMPDIR"] = str(here / "temporary")
own["CFLAGS"] = "-O0"  # it is compiled twice
PROGRAM = """import halograd as hg
decay = hg.Physics("physics decay { field u [m], rate [1/s]; u' = u - dt * rate * u; }")
model = hg.Model(decay, hg.Mesh((8, 8)), dt=0.5)
print(hg.__file__, model.run(model.input(u=1, rate=1), 2)["u"].max())
"""
for folder in ("venv", "installed", "moved", "temporary", "cache"):
    shutil.rmtree(here / folder, ignore_errors=True)
(here / "temporary").mkdir()


def run(*words, **more):
    return subprocess.run([str(w) for w in words], env={**own, **more}, text=True, capture_output=True)


def expect(condition, what, ran):
    if not condition:
        sys.exit(f"claim fails: {what}:\n{ran.stdout}\n{ran.stderr}")


def installs(what, **where):
    files = run("git", "-C", source, "status", "--short", "--ignored").stdout
    ran = run(here / "venv/bin/pip", "install", "--no-build-isolation", "--no-deps", "--force-reinstall", source, **where)
    expect(ran.returncode == 0, f"it is not installed against {what}", ran)
    expect(files == run("git", "-C", source, "status", "--short", "--ignored").stdout, "the source has changed", ran)
    ran = run(here / "venv/bin/python", "-c", PROGRAM, HALOGRAD_CACHE=str(here / "cache" / what))
    expect(ran.returncode == 0 and ran.stdout.startswith(str(here / "venv")) and ran.stdout.endswith(" 0.25\n"), f"it does not work against {what}", ran)


ran = run(python, "-m", "venv", "--system-site-packages", here / "venv")
expect(ran.returncode == 0, "there is no venv (Debian: python3-venv)", ran)
ran = run(here / "venv/bin/pip", "install", "--no-build-isolation", "--no-deps", source)
expect(ran.returncode and ran.stderr.count("halograd: pkg-config does not find the C library: install it") == 1, "what is missing is not said in a sentence", ran)
ran = run("cmake", "--install", build, "--prefix", here / "installed")
expect(ran.returncode == 0, "it is not installed", ran)
(here / "installed").rename(here / "moved")
(pc,) = (here / "moved").rglob("halograd.pc")
installs("an installation", PKG_CONFIG_PATH=f"{pc.parent}:{os.environ.get('PKG_CONFIG_PATH', '')}")
installs("a build tree", HALOGRAD_BUILD=build, PKG_CONFIG_PATH=os.environ.get("PKG_CONFIG_PATH", ""))
left = [path.name for path in (here / "temporary").iterdir() if path.name.startswith("halograd")]
if left:
    sys.exit(f"claim fails: {left} are left behind")
shutil.rmtree(here / "venv")
shutil.rmtree(here / "moved")
