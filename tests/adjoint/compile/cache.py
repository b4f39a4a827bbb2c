# SPDX-License-Identifier: BSD-2-Clause
"""Claim: what HgPhysicsCompile() cannot do it refuses in one sentence on all ranks, and a cache that is damaged, read-only, open to others,
missing, of another processor, compiler or version, used by several runs at once, or left by a killed one changes nothing: the physics is compiled.
usage: cache.py PROGRAM FOLDER COMMAND...: COMMAND starts PROGRAM on its ranks"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

PROGRAM, FOLDER, LAUNCH = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
DECAY = "physics decay { field u [m], rate [1/s]; u' = u - dt * rate * u; }"
CACHE, TEMPORARY = FOLDER / "cache", FOLDER / "temporary"


def started(text, other=None, before=(), **environment):
    """A run that compiles `text`, on its last rank `other`."""
    files = []
    for n, one in enumerate([text] + [other] * (other is not None)):
        files.append(FOLDER / f"{n}.stencil")
        files[-1].write_text(one)
    own = {"HALOGRAD_CACHE": str(CACHE), "TMPDIR": str(TEMPORARY), **environment}
    return subprocess.Popen([*before, *LAUNCH, PROGRAM, *map(str, files)], env={**os.environ, **own}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process):
    out, err = process.communicate()
    return process.returncode, out, [line for line in err.splitlines() if line.startswith("halograd: ")]


def compiler(name, version, first=""):
    """One that says so of its version, and does `first` before it compiles."""
    path = FOLDER / name
    path.write_text(f"#!/bin/sh\n[ \"$1\" != --version ] || exec echo {version}\n{first}\nexec cc \"$@\"\n")
    path.chmod(0o700)
    return str(path)


def mounted(what):
    """Words before a command for which `what` is mounted, if this machine allows that."""
    words = ["unshare", "-rm", "sh", "-c", f'{what} && exec "$@"', "sh"]
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else None


def of_one_rank(test):
    """Of several ranks the first one reads and writes the cache for all: that all have what it finds, other tests show."""
    return unittest.skipIf(len(LAUNCH) > 1, "of one rank")(test)


class Cache(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        TEMPORARY.mkdir(parents=True)

    def compiles(self, process=None, name="decay", **environment):
        self.assertEqual(end(process or started(DECAY, **environment)), (0, f"{name}\n", []))
        self.assertEqual([path.name for path in TEMPORARY.glob("halograd*")], [])

    def refuses(self, sentence, *words, **environment):
        status, out, said = end(started(*words, **environment))
        self.assertNotEqual(status, 0)
        self.assertEqual((out, len(said)), ("", 1))
        self.assertIn(sentence, said[0])
        self.assertEqual([path.name for path in TEMPORARY.glob("halograd*")], [])

    def kept(self):
        return sorted(CACHE.glob("*.so"))

    def test_is_used(self):
        self.compiles()
        (kept,) = self.kept()
        first = kept.stat().st_ino
        self.compiles()
        self.assertEqual([path.stat().st_ino for path in self.kept()], [first])
        self.assertEqual(CACHE.stat().st_mode & 0o777, 0o700)

    @of_one_rank
    def test_keeps_texts_apart(self):
        self.compiles()
        self.compiles(started(DECAY.replace("decay", "loss")), "loss")
        self.compiles(started(DECAY.replace("u - dt", "u + dt")))
        self.assertEqual(len(self.kept()), 3)

    def test_what_is_damaged_is_made_anew(self):
        self.compiles()
        (kept,) = self.kept()
        whole = kept.read_bytes()
        for damaged in (b"", whole[:-1], whole[:100], whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]):
            kept.write_bytes(damaged)
            self.compiles()
            self.assertEqual(len(kept.read_bytes()), len(whole))

    def test_a_folder_that_cannot_be_used_is_not(self):
        for path in ("/proc/nowhere", "/dev/null/cache", "/dev/full"):
            self.compiles(HALOGRAD_CACHE=path)
        CACHE.mkdir()
        CACHE.chmod(0o777)
        self.compiles()
        self.assertEqual(self.kept(), [])
        self.compiles(HALOGRAD_CACHE="", XDG_CACHE_HOME="", HOME="")

    @of_one_rank
    def test_a_home_that_is_read_only(self):
        """Also if it has a cache, which is used."""
        home = FOLDER / "home"
        home.mkdir()
        before = mounted(f"mount --bind '{home}' '{home}' && mount -o remount,bind,ro '{home}'")
        if not before:
            self.skipTest("this machine mounts nothing for its users")
        own = {"HALOGRAD_CACHE": "", "XDG_CACHE_HOME": "", "HOME": str(home)}
        self.compiles(started(DECAY, before=before, **own))
        self.assertEqual(list(home.iterdir()), [])
        used = compiler("used", "1", f"case \"$*\" in *physics.so*) echo . >>'{FOLDER}/compiled';; esac")
        for where in ([], before, before):
            self.compiles(started(DECAY, before=where, HALOGRAD_CC=used, **own))
        self.assertEqual((FOLDER / "compiled").read_text().count("."), 1)

    @of_one_rank
    def test_of_another_compiler(self):
        for name, version, kept in (("one", "1", 1), ("one", "2", 2), ("one", "1", 2), ("other", "1", 3)):
            self.compiles(HALOGRAD_CC=compiler(name, version))
            self.assertEqual(len(self.kept()), kept, (name, version))

    @of_one_rank
    def test_of_another_version(self):
        """A generator, or a header, that has changed."""
        prefix = FOLDER / "installed"
        subprocess.run(["cmake", "--install", pathlib.Path(PROGRAM).parents[1], "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        (generator,), (header,) = prefix.rglob("generator/physics.py"), prefix.rglob("halograd/physics.h")
        for kept, (file, more) in enumerate(((generator, ""), (generator, "# changed\n"), (header, "/* changed */\n")), 1):
            with file.open("a") as open_file:
                open_file.write(more)
            for _ in range(2):
                self.compiles(HALOGRAD_PREFIX=str(prefix))
            self.assertEqual(len(self.kept()), kept, file)

    @of_one_rank
    def test_of_another_processor(self):
        other = FOLDER / "cpuinfo"
        other.write_text(re.sub(r"(?m)^(flags|Features)(\s*:).*", r"\1\2 fpu", pathlib.Path("/proc/cpuinfo").read_text()))
        before = mounted(f"mount --bind '{other}' /proc/cpuinfo")
        if not before:
            self.skipTest("this machine mounts nothing for its users")
        for kept, where in ((1, []), (2, before), (2, [])):
            self.compiles(started(DECAY, before=where))
            self.assertEqual(len(self.kept()), kept)

    def test_two_at_once(self):
        for process in [started(DECAY) for _ in range(3)]:
            self.compiles(process)
        self.assertEqual(len(self.kept()), 1)

    def test_a_run_that_is_killed_while_it_compiles_leaves_no_lock(self):
        compiling, begin = FOLDER / "compiling", time.time()
        killed = started(DECAY, HALOGRAD_CC=compiler("slow", "1", f"echo $$ >'{compiling}'; exec sleep 60"))
        while not compiling.exists() or not compiling.read_text():
            self.assertTrue(killed.poll() is None and time.time() < begin + 60)
            time.sleep(0.01)
        killed.kill()  # its compiler is still there
        killed.wait()
        shutil.rmtree(TEMPORARY)
        TEMPORARY.mkdir()
        self.compiles()
        self.assertLess(time.time(), begin + 50)
        os.kill(int(compiling.read_text()), signal.SIGKILL)
        killed.communicate()

    def test_errors_are_sentences(self):
        self.refuses("physics.stencil:1:", DECAY.replace("rate * u;", "rat * u;"))
        self.refuses("is used by no stencil", DECAY.replace("* rate", ""))
        self.refuses("expected one physics, found 2", DECAY + DECAY.replace("decay", "loss"))
        self.refuses("expected one physics, found 0", "stencil a { reads u; u' = u; }")
        self.refuses("physics.stencil:1:", "")
        self.refuses("another one than rank 0" if len(LAUNCH) > 1 else "physics.stencil", DECAY, DECAY + "# another" if len(LAUNCH) > 1 else "")

    def test_tools_that_are_missing(self):
        self.refuses("HALOGRAD_CC: '/nowhere/cc --version' does not run", DECAY, HALOGRAD_CC="/nowhere/cc")
        self.refuses("HALOGRAD_PREFIX: no ", DECAY, HALOGRAD_PREFIX="/nowhere")
        self.refuses("no folder can be made in '/nowhere'", DECAY, TMPDIR="/nowhere")
        self.refuses("cannot make the kernels", DECAY, HALOGRAD_CC="/bin/ls")

    @of_one_rank
    def test_a_full_disk(self):
        """Files may have so many bytes: too few for what hgstencil writes; for what the compiler does."""
        self.refuses("hgstencil: cannot write", DECAY, before=["prlimit", "--fsize=2000"])
        self.refuses("cannot make the kernels", DECAY, before=["prlimit", "--fsize=12000"])


if __name__ == "__main__":
    unittest.main(argv=["cache.py"])
