"""Facts from PGN to files: how fast, on one thread and two, and whether others read the files.

Run by `cargo xtask bench facts-files`, which installs duckdb, pandas and pyarrow beside it. Times
are the CPU time of the command, best of five. Ends with an error if an answer is wrong.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import duckdb
import pandas

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
SAMPLE = os.path.join(ROOT, "fixtures", "chess", "pgn", "lichess_438_games.pgn")
EVERYPLY = os.path.join(ROOT, "target", "release", "everyply")
ROWS = 28976
REPEATS = 40


def facts(*arguments):
    """Runs the command; CPU and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([EVERYPLY, "chess", "facts", *arguments], check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def best(directory, games, columns, name, threads):
    target = os.path.join(directory, name)
    times = []
    for _ in range(5):
        remove(target)
        times.append(facts(games, "--facts", columns, "--threads", str(threads), "--out", target))
    return min(cpu for cpu, _ in times), min(wall for _, wall in times)


def remove(target):
    if os.path.isdir(target):
        shutil.rmtree(target)
    elif os.path.exists(target):
        os.remove(target)


def pair(directory, games, columns):
    """Wall seconds of two independent one-thread copies side by side, best of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        copies = []
        for copy in "ab":
            target = os.path.join(directory, copy)
            remove(target)
            words = [games, "--facts", columns, "--threads", "1", "--out", target]
            copies.append(subprocess.Popen([EVERYPLY, "chess", "facts", *words]))
        if any(copy.wait() for copy in copies):
            sys.exit("a copy failed")
        times.append(time.perf_counter() - start)
    return min(times)


def speed(directory):
    games = os.path.join(directory, "games.pgn")
    with open(SAMPLE, "rb") as sample, open(games, "wb") as out:
        text = sample.read()
        for _ in range(REPEATS):
            out.write(text)
    rows = ROWS * REPEATS
    print(f"{'PGN to facts of every ply':34} {'million plies/s of one core':>28}")
    for columns in ["lines", "everything", "everything,masks"]:
        cpu, _ = best(directory, games, columns, "parts", 1)
        print(f"{columns + ', Parquet':34} {rows / cpu / 1e6:28.2f}")
    cpu, _ = best(directory, games, "everything", "facts.jsonl", 1)
    print(f"{'everything, JSONL':34} {rows / cpu / 1e6:28.2f}")
    _, together = best(directory, games, "everything", "parts", 2)
    apart = pair(directory, games, "everything")
    # In the time `apart` one copy does the work once while another does the same beside it.
    print(f"two threads are {apart / together:.2f} times as fast as one with company")


def read_back(directory):
    target = os.path.join(directory, "facts")
    facts(SAMPLE, "--facts", "everything,masks,lists", "--part-rows", "10000", "--out", target)
    lines = os.path.join(directory, "facts.jsonl")
    facts(SAMPLE, "--facts", "everything,masks,lists", "--out", lines)
    with open(lines, encoding="utf-8") as text:
        expected = [json.loads(line) for line in text]
    pattern = os.path.join(target, "*.parquet")
    query = f"from read_parquet('{pattern}') order by game, ply"
    described = duckdb.sql(f"describe select * from read_parquet('{pattern}')").fetchall()
    types = {row[0]: row[1] for row in described}
    check("columns", list(types), list(expected[0]))
    for name, kind in {
        "source": "VARCHAR", "game": "UBIGINT", "ply": "UBIGINT", "fen": "VARCHAR",
        "zobrist": "UBIGINT", "white_pinned": "UTINYINT", "white_pinned_mask": "UBIGINT",
    }.items():
        check(f"type of {name}", types[name], kind)
    check("type of white_pins", types["white_pins"].replace('"', ""),
          "STRUCT(slider VARCHAR, front VARCHAR, back VARCHAR)[]")
    for name in types:
        values = [row[0] for row in duckdb.sql(f"select {name} {query}").fetchall()]
        wanted = [row[name] for row in expected]
        if name == "zobrist" or name.endswith("_mask"):
            wanted = [int(value, 16) for value in wanted]
        check(f"values of {name} in DuckDB", values, wanted)
    frame = pandas.read_parquet(target)
    check("rows in pandas", len(frame), ROWS)
    check("pins in pandas", int(frame.white_pinned.sum()), sum(r["white_pinned"] for r in expected))
    print(f"DuckDB {duckdb.__version__} reads {len(types)} columns of {ROWS} rows as they are, pandas too")


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def main():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "everyply"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as directory:
        read_back(directory)
        speed(directory)


main()
