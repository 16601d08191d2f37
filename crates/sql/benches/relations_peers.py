"""The plan that counts the start position to depth 4, run by DuckDB and by Spark.

Run by `cargo xtask bench relations` after the bench in Rust, which writes the plan as SQL, the rules
as Parquet, and what it took itself. Every engine gets the same text, one thread, and CPU time is
told, planning included. Ends with an error if an answer is wrong.
"""

import json
import os
import time

import duckdb
from pyspark.sql import SparkSession

DIRECTORY = os.path.join(os.path.dirname(__file__), "..", "..", "..", "target", "relations")
TABLES = ["root", "paths", "checks", "alarms", "shields"]
NODES = 197281
ROUNDS = 5


def best(work):
    """The CPU seconds of the best round."""
    times = []
    for _ in range(ROUNDS):
        start = cpu()
        nodes = work()
        times.append(cpu() - start)
        assert nodes == NODES, nodes
    return min(times)


def cpu():
    return time.process_time()


def jvm_cpu(spark):
    """The CPU seconds of the process that Spark runs in."""
    pid = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def with_duckdb(text):
    connection = duckdb.connect(config={"threads": 1})
    for table in TABLES:
        path = os.path.join(DIRECTORY, f"{table}.parquet")
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{path}'")
    # What others call LEFT ANTI JOIN is ANTI JOIN here, and whole numbers are unsigned.
    text = text.replace("LEFT ANTI JOIN", "ANTI JOIN")
    return best(lambda: connection.execute(text).fetchone()[0])


def with_spark(text):
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        path = os.path.join(DIRECTORY, f"{table}.signed.parquet")
        frame = spark.read.parquet(path).cache()
        frame.count()
        frame.createOrReplaceTempView(table)
    # A text is planned anew each time; the machine that runs it is warm after the first.
    times = []
    for _ in range(ROUNDS):
        start = jvm_cpu(spark) + cpu()
        nodes = spark.sql(text).collect()[0][0]
        times.append(jvm_cpu(spark) + cpu() - start)
        assert nodes == NODES, nodes
    spark.stop()
    return min(times)


def main():
    with open(os.path.join(DIRECTORY, "perft.sql")) as file:
        text = file.read()
    with open(os.path.join(DIRECTORY, "ours.json")) as file:
        ours = json.load(file)["cpu"]
    print(f"start, depth 4, one thread, CPU time with planning, best of {ROUNDS}: ours {ours:.3f} s")
    for name, run in (("DuckDB", with_duckdb), ("Spark", with_spark)):
        seconds = run(text)
        print(f"{name} with the same plan: {seconds:.3f} s, {seconds / ours:.1f} times ours", flush=True)


if __name__ == "__main__":
    main()
