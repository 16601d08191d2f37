"""Kalah(4,3) from nothing to SQLite to Parquet: how long it takes, and whether DuckDB reads it.

Run by `cargo xtask bench solver`, which installs duckdb beside it. Ends with an error if an answer
is wrong.
"""

import json
import os
import resource
import subprocess
import tempfile
import time

import duckdb

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
EVERYPLY = os.path.join(ROOT, "target", "release", "everyply")
COLUMNS = [
    ("position", "VARCHAR"),
    ("seeds_in_play", "UBIGINT"),
    ("steps", "UBIGINT"),
    ("own_seeds", "UBIGINT"),
    ("moves", "UBIGINT"),
    ("over", "BOOLEAN"),
    ("depth", "UBIGINT"),
    ("value", "BIGINT"),
    ("best", "UBIGINT"),
]


def kalah(*arguments):
    """Runs the command; its output, CPU and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([EVERYPLY, "kalah", *arguments], check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, cpu, wall


def main():
    subprocess.run(["cargo", "build", "--release", "--quiet"], check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as directory:
        database = os.path.join(directory, "kalah.sqlite")
        store = "sqlite:" + database
        size = ["--pits", "4", "--seeds", "3", "--store", store, "--format", "json"]
        runs = []
        for _ in range(5):
            if os.path.exists(database):
                os.remove(database)
            text, cpu, wall = kalah("solve", *size)
            solution = json.loads(text)
            assert (solution["value"], solution["positions"]) == (6, 849460), solution
            runs.append((cpu, wall))
        cpu, wall = min(cpu for cpu, _ in runs), min(wall for _, wall in runs)
        size = os.path.getsize(database) / 1e6
        print(f"Kalah(4,3) into SQLite: {cpu:.2f} s of CPU, {wall:.2f} s of wall-clock time, {size:.1f} MB")

        parquet = os.path.join(directory, "kalah.parquet")
        _, cpu, wall = kalah("export", "--store", store, "--out", parquet)
        size = os.path.getsize(parquet) / 1e6
        print(f"exported to Parquet: {cpu:.2f} s of CPU, {wall:.2f} s of wall-clock time, {size:.1f} MB")
        positions = duckdb.sql(f"SELECT * FROM '{parquet}'")
        found = [(name, str(kind)) for name, kind in zip(positions.columns, positions.types)]
        assert found == COLUMNS, found
        query = "SELECT count(*), count(*) FILTER (\"over\") FROM positions"
        [(count, over)] = duckdb.sql(query).fetchall()
        assert count == 849460, count
        start = "SELECT value, best, depth FROM positions WHERE position = '3,3,3,3/3,3,3,3'"
        assert duckdb.sql(start).fetchall() == [(6, 2, 0)]
        by_seeds = "SELECT seeds_in_play, count(*) FROM positions GROUP BY 1 ORDER BY 1"
        stats, _, _ = kalah("stats", "--store", store, "--format", "json")
        ours = [(row["seeds_in_play"], row["positions"]) for row in json.loads(stats)]
        assert duckdb.sql(by_seeds).fetchall() == ours
        print(f"DuckDB {duckdb.__version__} reads all {count} rows, {over} of them over, as documented")


if __name__ == "__main__":
    main()
