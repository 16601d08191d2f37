"""Plans that count positions, run by DuckDB and by Spark.

Run by `cargo xtask bench relations` after the bench in Rust, which writes the plans as SQL, the
rules as Parquet, and what it took itself. Every engine gets the same text, one thread, and CPU time
is told, planning included. Ends with an error if an answer is wrong. Names of engines as arguments
choose among them.
"""

import json
import os
import sys
import time

DIRECTORY = os.path.join(os.path.dirname(__file__), "..", "..", "..", "target", "relations")
RULES = ["paths", "checks", "alarms", "shields"]
NODES = {"start4": 197281, "start5": 4865609, "kiwipete4": 4085603, "position6": 3894594}
ROUNDS = 5


def best(work, clock, nodes):
    """The CPU seconds of the best round."""
    times = []
    for _ in range(ROUNDS):
        start = clock()
        found = work()
        times.append(clock() - start)
        assert found == nodes, found
    return min(times)


def cpu():
    return time.process_time()


def jvm_cpu(spark):
    """The CPU seconds of the process that Spark runs in."""
    pid = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def with_duckdb():
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    for table in [*RULES, *NODES]:
        path = os.path.join(DIRECTORY, f"{table}.parquet")
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{path}'")

    def count(name):
        # What others call LEFT ANTI JOIN is ANTI JOIN here, and whole numbers are unsigned.
        text = read(name).replace("LEFT ANTI JOIN", "ANTI JOIN")
        return best(lambda: connection.execute(text).fetchone()[0], cpu, NODES[name])

    return count


def with_spark():
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for table in [*RULES, *NODES]:
        path = os.path.join(DIRECTORY, f"{table}.signed.parquet")
        frame = spark.read.parquet(path).cache()
        frame.count()
        frame.createOrReplaceTempView(table)

    def count(name):
        # A text is planned anew each time; the machine that runs it is warm after the first.
        clock = lambda: jvm_cpu(spark) + cpu()
        return best(lambda: spark.sql(read(name)).collect()[0][0], clock, NODES[name])

    return count


def read(name):
    with open(os.path.join(DIRECTORY, f"{name}.sql")) as file:
        return file.read()


def main():
    with open(os.path.join(DIRECTORY, "ours.json")) as file:
        ours = json.load(file)
    print(f"one thread, CPU time with planning, best of {ROUNDS}")
    engines = {"DuckDB": with_duckdb, "Spark": with_spark}
    for engine in sys.argv[1:] or engines:
        count = engines[engine]()
        for name in NODES:
            seconds = count(name)
            times = seconds / ours[name]
            print(
                f"{name}: ours {ours[name]:.3f} s, {engine} with the same plan {seconds:.3f} s, "
                f"{times:.1f} times ours",
                flush=True,
            )


if __name__ == "__main__":
    main()
