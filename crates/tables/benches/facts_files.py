"""Facts from PGN to files: how fast, on one thread and two, and whether others read the files.

Run by `cargo xtask bench facts-files`, which installs the readers beside it; Spark needs Java. Times
are the CPU time of the command, best of five. Ends with an error if an answer is wrong.
"""

import decimal
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import duckdb
import numpy
import pandas
import polars
import pyspark.sql

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
        written = sum(entry.stat().st_size for entry in os.scandir(os.path.join(directory, "parts")))
        print(f"{columns + ', Parquet':34} {rows / cpu / 1e6:28.2f} {written:12,} bytes", flush=True)
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
        rows = [json.loads(line) for line in text]
    check("rows", len(rows), ROWS)
    expected = {name: [row[name] for row in rows] for name in rows[0]}
    for name in expected:
        if name == "zobrist" or name.endswith("_mask"):
            expected[name] = [int(value, 16) for value in expected[name]]
    for engine, read in {
        f"DuckDB {duckdb.__version__}": in_duckdb,
        f"pandas {pandas.__version__}": in_pandas,
        f"polars {polars.__version__}": in_polars,
        f"Spark {pyspark.__version__}": in_spark,
    }.items():
        columns = read(target)
        check(f"columns in {engine}", list(columns), list(expected))
        for name, values in columns.items():
            check(f"values of {name} in {engine}", plain(values), expected[name])
        print(f"{engine} reads {len(columns)} columns of {ROWS} rows as they are", flush=True)


def in_duckdb(target):
    pattern = os.path.join(target, "*.parquet")
    described = duckdb.sql(f"describe select * from read_parquet('{pattern}')").fetchall()
    types = {row[0]: row[1] for row in described}
    for name, kind in {
        "source": "VARCHAR", "game": "UBIGINT", "ply": "UBIGINT", "fen": "VARCHAR",
        "zobrist": "UBIGINT", "white_pinned": "UTINYINT", "white_pinned_mask": "UBIGINT",
    }.items():
        check(f"type of {name}", types[name], kind)
    check("type of white_pins", types["white_pins"].replace('"', ""),
          "STRUCT(slider VARCHAR, front VARCHAR, back VARCHAR)[]")
    query = f"from read_parquet('{pattern}') order by game, ply"
    column = lambda name: [row[0] for row in duckdb.sql(f'select "{name}" {query}').fetchall()]
    return {name: column(name) for name in types}


def in_pandas(target):
    frame = pandas.read_parquet(target).sort_values(["game", "ply"])
    return {name: frame[name].tolist() for name in frame.columns}


def in_polars(target):
    frame = polars.read_parquet(os.path.join(target, "*.parquet")).sort("game", "ply")
    return {name: frame[name].to_list() for name in frame.columns}


def in_spark(target):
    session = (
        pyspark.sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    # Numbers of 64 bits without a sign are decimals there.
    frame = session.read.parquet(os.path.join(target, "*.parquet")).orderBy("game", "ply")
    rows = frame.collect()
    columns = {name: [row[at] for row in rows] for at, name in enumerate(frame.columns)}
    session.stop()
    return columns


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, (list, numpy.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, pyspark.sql.Row):
        value = value.asDict()
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (decimal.Decimal, numpy.integer)):
        return int(value)
    # A column of pandas with NULLs has floats for numbers.
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    return value


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def main():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "everyply"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as directory:
        read_back(directory)
        speed(directory)


main()
