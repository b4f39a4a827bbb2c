# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the site builds without a warning, and a browser shows its title, navigation, a formula, a code block and a picture, at the width of
a desk and of a phone, without an error on the console.
usage: site.py SOURCE BUILD NOTEBOOKS, the pages that tests/python/notebooks.py has made     silent if the claim holds; exit status 77, with a sentence, if sphinx, the browser or the Python package is
absent"""
import functools
import html
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

root, build, notebooks = (pathlib.Path(path) for path in sys.argv[1:])
packages = "'scripts/packages --install docs' installs it"
browser = shutil.which("chromium")
has_sphinx = any(shutil.which(python) and not subprocess.run([python, "-c", "import sphinx, myst_parser, breathe, furo, matplotlib, cffi, mpi4py, scipy"], stderr=subprocess.DEVNULL).returncode
                 for python in ("python3", "/usr/bin/python3"))
for tool, there in (("sphinx", has_sphinx), ("doxygen", shutil.which("doxygen")), ("chromium", browser), ("the Python package", (build / "python/_halograd.abi3.so").exists())):
    if not there:
        print(f"skipped: {tool} is absent; {packages}")
        sys.exit(77)

failures = []
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder) / "halograd"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("build*", "output*", ".git", "__pycache__"))
    built = subprocess.run([copy / "scripts/docs"], env={**os.environ, "HALOGRAD_BUILD": str(build), "HALOGRAD_NOTEBOOKS": str(notebooks)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode or "warning" in built.stdout.lower():
        sys.exit(f"claim: the site builds without a warning; scripts/docs ended with status {built.returncode}:\n{built.stdout}")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(copy / "build-docs/html")))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    claims = (
        ("index.html", "a title", r"<title>halograd"),
        ("index.html", "navigation", r'class="[^"]*sidebar-tree[\s\S]*docs/tutorial\.html'),
        ("index.html", "a search", r'class="[^"]*sidebar-search'),
        ("index.html", "a picture", r'<img [^>]*src="_images/heat_inverse'),
        ("docs/theory.html", "a formula", r'class="MathJax_SVG"[^>]*><svg'),
        ("docs/tutorial.html", "a code block", r'<div class="highlight-c[ "][\s\S]*<span class="n">Hg'),
        ("reference/mesh.html", "a function with its text", r"HgMeshCreate[\s\S]*Creates a mesh over all ranks"),
        ("docs/notebooks/tsunami.html", "what a notebook prints", r"variance reduction 0\.9\d"),
        ("docs/notebooks/tsunami.html", "what a notebook draws", r'<img [^>]*src="[^"]*_images/tsunami'),
        ("plots.html", "a plot", r'<img [^>]*src="_images/speed'),
    )
    # One start of the browser for all: each page in a frame of that width; then the documents that it made of them, once their scripts have run.
    frames = [(path, width) for path in dict.fromkeys(path for path, _, _ in claims) for width in (1280, 390)]
    (copy / "build-docs/html/frames.html").write_text("<body>" + "".join(f'<iframe src="{path}" width="{width}" height="900"></iframe>' for path, width in frames) + """<script>
      setTimeout(() => {
        const texts = [...document.querySelectorAll("iframe")].map(frame => frame.contentDocument.documentElement.outerHTML);
        document.body.replaceChildren(...texts.map(text => Object.assign(document.createElement("pre"), {textContent: text})));
      }, 15000);
    </script>""")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}/browser", "--enable-logging=stderr",
               "--window-size=1300,900", "--virtual-time-budget=20000", "--dump-dom", f"http://127.0.0.1:{server.server_port}/frames.html"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    failures.extend(f"the console says {line}" for line in shown.stderr.splitlines() if "CONSOLE" in line)
    pages = dict(zip(frames, map(html.unescape, re.findall(r"<pre>([\s\S]*?)</pre>", shown.stdout))))
    for path, what, pattern in claims:
        for width in (1280, 390):
            if not re.search(pattern, pages.get((path, width), "")):
                failures.append(f"{path} at {width} px has not {what}")
    server.shutdown()
for failure in failures:
    print(f"claim: a browser shows the site; {failure}")
sys.exit(bool(failures))
