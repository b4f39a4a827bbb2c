# SPDX-License-Identifier: BSD-2-Clause
"""Keeps the figures of the benchmarks: bench/figures.json holds them, bench/README.md shows them as a table.

usage: figures.py BENCH                         writes the table of BENCH/README.md from BENCH/figures.json
       figures.py BENCH --check                 fails if the table is not the one of the JSON file
       figures.py BENCH LINES MACHINE COMMAND   first puts the lines that benchmarks wrote to the file
                                                LINES (BENCH_LINES, see bench.c) into the JSON file

New figures of a row replace the row's earlier figures of the same machine.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- figures.py writes from here -->\n", "<!-- to here -->\n"


def machine_text():
    """The processor, its cores and caches, as Linux names them."""
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "a processor without a name")
    kib = [int(subprocess.run(["getconf", f"LEVEL{k}_CACHE_SIZE"], capture_output=True, check=True).stdout) // 1024 for k in (2, 3)]
    return f"{model}, {os.cpu_count()} cores, {kib[0]} KiB of L2 a core, {kib[1]} KiB of L3"


def add(results, lines, machine, command):
    new = [dict(json.loads(line), machine=machine, date=datetime.date.today().isoformat(), command=command,
                note=f"load {os.getloadavg()[2]:.0f}") for line in lines.read_text().splitlines()]
    rows = {figure["row"] for figure in new}
    kept = [f for f in results["figures"] if not (f["row"] in rows and f["machine"] == machine)]
    order = {row: k for k, row in reversed(list(enumerate([f["row"] for f in results["figures"] + new])))}
    results["figures"] = sorted(kept + new, key=lambda f: order[f["row"]])  # stable: in a row, as measured
    results["machines"].setdefault(machine, machine_text())


def number(x):
    return f"{x:.3g}"


def met(figure):
    """The ratio against the goal; of a range without a ratio its worse end."""
    sense, goal = figure["goal"].split()
    if sense == ">=":
        return (figure["ratio"] or figure["low"]) >= float(goal)
    return (figure["ratio"] or figure["high"]) <= float(goal)


def ratio(figure):
    """1.19 (1.02 .. 1.28, 6 runs)"""
    low, high, runs = figure["low"], figure["high"], figure.get("runs", 1)
    spread = f"{number(low)} .. {number(high)}" if low is not None and high is not None and low < high else ""
    times = f"{runs} runs" if runs > 1 else ""
    first, rest = (number(figure["ratio"]), [spread, times]) if figure["ratio"] else (spread, [times])
    return first + (f" ({', '.join(filter(None, rest))})" if any(rest) else "")


def table(results):
    lines = [f"- **{name}**: {text}." for name, text in results["machines"].items()] + [""]
    lines += ["| row | what ran | halograd | beside | ratio | goal | machine | date |", "|---|---|---|---|---|---|---|---|"]
    row = None
    for f in results["figures"]:
        goal = "" if not f["goal"] else f["goal"].replace(">=", "≥").replace("<=", "≤") + ("" if met(f) else ", missed")
        machine = f["machine"] + (f", {f['note']}" if f.get("note") else "")
        cells = ["" if f["row"] == row else f["row"], f["run"], f["halograd"], f["beside"], ratio(f), goal, machine, f["date"]]
        lines.append("| " + " | ".join(cells).replace("^2", "²").replace(" us", " µs") + " |")
        row = f["row"]
    return "\n".join(lines) + "\n"


def write(results, bench):
    """The JSON file, a figure in a line, and the table."""
    parts = ["{\n \"machines\": ", json.dumps(results["machines"], indent=2, ensure_ascii=False), ",\n \"figures\": [\n"]
    parts += ["  " + ",\n  ".join(json.dumps(f, ensure_ascii=False) for f in results["figures"]), "\n ]\n}\n"]
    (bench / "figures.json").write_text("".join(parts))
    (bench / "README.md").write_text(page(results, bench))


def page(results, bench):
    text = (bench / "README.md").read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{bench}/README.md: expected one line '{BEGIN.strip()}' and one line '{END.strip()}' around the table")
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(results) + END + rest.split(END)[1]


def main():
    if len(sys.argv) not in (2, 3, 5) or (len(sys.argv) == 3 and sys.argv[2] != "--check"):
        sys.exit(__doc__)
    bench = pathlib.Path(sys.argv[1])
    results = json.loads((bench / "figures.json").read_text())
    if len(sys.argv) == 3:
        if page(results, bench) != (bench / "README.md").read_text():
            sys.exit(f"{bench}/README.md does not show the figures of figures.json: run {bench}/figures.py {bench}")
        return
    if len(sys.argv) == 5:
        add(results, pathlib.Path(sys.argv[2]), *sys.argv[3:])
    write(results, bench)


if __name__ == "__main__":
    main()
