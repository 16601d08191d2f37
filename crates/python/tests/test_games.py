"""Games and positions from files: the rows of the command, whatever the files hold."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import COMMAND, FIXTURES, SLOW
from everyply import Error, Table, chess, relations, sql

GAMES = FIXTURES / "chess/pgn/lichess_438_games.pgn"
EPD = FIXTURES / "chess/perft/perftsuite.epd"
POSITIONS = 28_976
FACTS = "material,pinned,pins,hanging_see"

BAD = '[White "bad"]\n\n1. e4 e4 *\n\n'


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same games plain and compressed."""
    directory = tmp_path_factory.mktemp("packed")
    text = GAMES.read_bytes()
    with gzip.open(directory / "games.pgn.gz", "wb") as file:
        file.write(text)
    with pa.CompressedOutputStream(directory / "games.pgn.zst", "zstd") as file:
        file.write(text)
    return {
        "plain": GAMES,
        "gzip": directory / "games.pgn.gz",
        "zstd": directory / "games.pgn.zst",
    }


@cache
def command(*words: str, code: int = 0) -> tuple[pa.Table, list[str]]:
    """What the command prints: its rows, and what it says of bad records."""
    arguments = [str(COMMAND), "chess", *words, "--format", "arrow"]
    done = subprocess.run(arguments, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == code, done.stderr.decode()
    return pa.ipc.open_stream(done.stdout).read_all(), done.stderr.decode().splitlines()


def same(reader: chess.Reader, table: pa.Table) -> None:
    read = pa.table(reader)
    assert read.schema.equals(table.schema, check_metadata=True)
    assert read.schema.metadata == table.schema.metadata
    assert read.equals(table)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_rows_are_those_of_the_command(
    packed: dict[str, Path], packing: str, threads: int
) -> None:
    path = packed[packing]
    games, _ = command("games", str(path), "--text")
    assert games.num_rows == 438
    same(chess.games(path, threads=threads), games)
    positions, _ = command("games", str(path), "--positions")
    assert positions.num_rows == POSITIONS
    same(chess.positions(str(path), threads=threads), positions)
    facts, _ = command("facts", str(path), "--facts", FACTS)
    assert facts.num_rows == POSITIONS
    same(chess.positions([path], facts=FACTS, threads=threads), facts)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_columns_are_those_of_the_whole_tables(threads: int) -> None:
    whole = pa.table(chess.positions(GAMES))
    names = ["fen", "uci", "san", "ply", "game", "to", "spent", "captured"]
    chosen = chess.positions(GAMES, columns=names, threads=threads)
    assert chosen.column_names == names
    assert pa.table(chosen).equals(whole.select(names))
    games = pa.table(chess.games(GAMES))
    names = ["pgn", "white", "moves"]
    assert pa.table(chess.games(GAMES, columns=names, threads=threads)).equals(games.select(names))
    # Every column of SQL, in its order, tags and facts included.
    every = "select * from chess_positions(?, 29) order by game, ply"
    rows = pa.table(sql.query(every.replace("?", f"'{GAMES}'")))
    chosen = chess.positions(GAMES, columns=rows.column_names, every=29, threads=threads)
    read = pa.table(chosen)
    assert read.column_names == rows.column_names
    for name in rows.column_names:
        assert read[name].combine_chunks().equals(rows[name].combine_chunks()), name


def test_columns_are_of_positions_without_a_game_too() -> None:
    names = ["game", "fen", "white_elo", "mover_mating_moves"]
    read = pa.table(chess.positions(EPD, columns=names)).to_pylist()
    rows = sql.query(f"select {', '.join(names)} from '{EPD}' order by game")
    assert read == pa.table(rows).to_pylist()
    assert {row["white_elo"] for row in read} == {None}


@pytest.mark.parametrize(
    ("columns", "cause"),
    [
        (["fen", "elo"], "columns: there is no column 'elo'"),
        (["fen", "fen"], "columns: 'fen' is there twice"),
        ([], "columns: none is named"),
    ],
)
def test_columns_that_are_not_there_are_refused(columns: list[str], cause: str) -> None:
    for make in (chess.games, chess.positions):
        with pytest.raises(ValueError, match=cause) as raised:
            make(GAMES, columns=columns)
        assert isinstance(raised.value, Error)
    with pytest.raises(TypeError, match="columns: one str, expected many"):
        chess.positions(GAMES, columns="fen")
    with pytest.raises(ValueError, match="columns and facts"):
        chess.positions(GAMES, columns=["fen"], facts="pins")


def test_several_files_are_read_in_their_order(packed: dict[str, Path]) -> None:
    paths = [packed["gzip"], EPD, packed["plain"]]
    words = ["facts", *map(str, paths), "--facts", FACTS, "--definitions", "literal"]
    facts, _ = command(*words)
    assert facts.num_rows == 2 * POSITIONS + len(EPD.read_text().splitlines())
    same(chess.positions(iter(paths), facts=FACTS.split(","), definitions="literal"), facts)


@pytest.mark.parametrize("threads", [1, 5])
def test_conditions_and_steps_select_as_those_of_the_command(threads: int) -> None:
    conditions = ["white_elo >= 1500", "eco ~ b", "ply < 40"]
    words = [word for condition in conditions for word in ["--where", *condition.split()]]
    facts, _ = command("facts", str(GAMES), "--facts", "pinned", "--every", "3", *words)
    assert 0 < facts.num_rows < POSITIONS / 3
    read = chess.positions(GAMES, facts="pinned", where=conditions, every=3, threads=threads)
    same(read, facts)
    positions = chess.positions(GAMES, where=conditions, every=3, threads=threads)
    keys = ["source", "game", "ply", "fen", "zobrist"]
    assert pa.table(positions).select(keys).equals(facts.select(keys).cast(POSITION_KEYS))
    games = pa.table(chess.games(GAMES, where=conditions[:2], threads=threads))
    assert games["game"].to_pylist() == facts["game"].unique().to_pylist()
    every, _ = command("games", str(GAMES), "--text")
    drawn = [row for row in every.to_pylist() if row["result"] == "1/2-1/2"]
    assert pa.table(chess.games(GAMES, where="result = 1/2-1/2")).to_pylist() == drawn


# Keys of facts are never null, those of positions are not marked so.
POSITION_KEYS = pa.schema(chess.positions(GAMES)).remove_metadata()
POSITION_KEYS = pa.schema([POSITION_KEYS.field(index) for index in range(5)])


def test_arrow_libraries_take_a_reader_more_than_once() -> None:
    games = chess.games(GAMES, where="white_elo >= 2000")
    rows = pa.table(games)
    assert 0 < rows.num_rows < 438
    frame = pl.DataFrame(games)
    assert frame["game"].to_list() == rows["game"].to_pylist()
    assert pd.DataFrame.from_arrow(games)["white"].tolist() == rows["white"].to_pylist()
    assert games.read_all().num_rows == rows.num_rows
    batches = pa.RecordBatchReader.from_stream(games)
    assert sum(batch.num_rows for batch in batches) == rows.num_rows
    counted = duckdb.execute("select count(*), sum(plies)::bigint from games").fetchall()
    assert counted == [(rows.num_rows, sum(rows["plies"].to_pylist()))]
    joined = duckdb.execute("select count(*) from games a join games b using (game)").fetchall()
    assert joined == [(rows.num_rows,)]


def test_functions_of_everyply_take_a_reader(damaged: Path) -> None:
    games = chess.games(damaged)
    found = sql.query("select sum(plies) as plies from games", tables={"games": games})
    assert pa.table(found)["plies"].to_pylist() == [POSITIONS - 438]
    assert games.bad_count == 1
    start = chess.positions(GAMES, every=1000, where="white_elo >= 2000")
    outcomes = pa.table(relations.outcomes(start))
    assert set(outcomes["legal_moves"].to_pylist()) == {20}
    with pytest.raises(chess.RecordError, match=r"damaged\.pgn: game 201"):
        sql.query("select 1 from games", tables={"games": chess.games(damaged, on_bad="raise")})


def test_a_loop_yields_tables_of_some_thousand_rows() -> None:
    positions = chess.positions(GAMES)
    assert positions.column_names[:3] == ["source", "game", "ply"]
    assert positions.metadata["everyply.schema"] == "chess.positions"
    tables = list(positions)
    assert all(isinstance(table, Table) and len(table) > 8_000 for table in tables[:-1])
    assert len(tables) > 2
    assert sum(map(len, tables)) == POSITIONS
    assert repr(positions) == "Reader(chess.positions, 1 files, 21 columns)"


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """The games with a bad one after the 200th."""
    lines = GAMES.read_text().splitlines(keepends=True)
    starts = [index for index, line in enumerate(lines) if line.startswith("[Event ")]
    lines.insert(starts[200], BAD)
    path = tmp_path / "damaged.pgn"
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_bad_game_in_the_middle_is_skipped_and_listed(damaged: Path, threads: int) -> None:
    for words, reader in {
        ("games", str(damaged), "--text"): chess.games(damaged, threads=threads),
        ("games", str(damaged), "--positions"): chess.positions(damaged, threads=threads),
        ("facts", str(damaged), "--facts", "pinned"): chess.positions(
            damaged, facts="pinned", threads=threads
        ),
    }.items():
        rows, said = command(*words, code=1)
        assert reader.bad == []
        same(reader, rows)
        assert len(set(rows["game"].to_pylist())) == 438
        [bad] = reader.bad
        assert reader.bad_count == 1
        assert (bad.source, bad.game) == (str(damaged), 201)
        assert damaged.read_text().splitlines()[(bad.line or 0) - 1] == "1. e4 e4 *"
        assert bad.cause == "e4 is not a legal move here (move 1 of black)"
        assert any(line.endswith(str(bad)) for line in said), said
        assert repr(bad) == f"BadRecord(game 201, line {bad.line}: {bad.cause})"


@pytest.mark.parametrize("threads", [1, 5])
def test_a_bad_game_raises_after_the_rows_before_it(damaged: Path, threads: int) -> None:
    reader = chess.games(damaged, threads=threads, on_bad="raise")
    games: list[int] = []
    words = r"damaged\.pgn: game 201, line \d+: e4 is not a legal move here"
    with pytest.raises(chess.RecordError, match=words):
        for table in reader:
            games += pa.table(table)["game"].to_pylist()
    assert games == list(range(1, 201))
    with pytest.raises(chess.RecordError, match=words):
        reader.read_all()
    with pytest.raises(pa.ArrowInvalid, match=words):
        pa.table(reader)
    assert len(chess.games(GAMES, on_bad="raise").read_all()) == 438


def test_a_cut_file_gives_the_rows_before_the_cut(packed: dict[str, Path], tmp_path: Path) -> None:
    whole = packed["gzip"].read_bytes()
    cut = tmp_path / "cut.pgn.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    rows, said = command("games", str(cut), "--text", code=1)
    reader = chess.games([cut, GAMES])
    games = pa.table(reader)
    assert games.slice(0, rows.num_rows).equals(rows)
    assert games.num_rows == rows.num_rows + 438, "the next file is read"
    assert 100 < rows.num_rows < 300
    [bad] = reader.bad
    assert (bad.source, bad.game, bad.line) == (str(cut), None, None)
    assert bad.cause.startswith("truncated gzip") and str(len(whole) // 2) in bad.cause
    assert any(line.endswith(str(bad)) for line in said), said


def test_a_path_that_cannot_be_opened_raises_at_once(tmp_path: Path) -> None:
    with pytest.raises(chess.RecordError, match=r"none\.pgn: no such file"):
        chess.games([GAMES, tmp_path / "none.pgn"])
    with pytest.raises(chess.RecordError, match="is a directory, expected a file"):
        chess.positions(tmp_path)
    with pytest.raises(Error, match="paths: no file"):
        chess.games(sorted(tmp_path.glob("*.pgn")))
    with pytest.raises(TypeError, match=r"paths\[1\]: <class 'int'>, expected a path"):
        chess.games([GAMES, 7])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        chess.games(7)  # type: ignore[arg-type]


def test_files_of_another_kind_are_listed_as_bad(tmp_path: Path) -> None:
    (tmp_path / "empty.pgn").touch()
    (tmp_path / "rows.pgn").write_text('{"a": 1}\n')
    (tmp_path / "binary.pgn").write_bytes(bytes(range(8)) * 64)
    (tmp_path / "latin.pgn").write_bytes('[White "Müller"]\n\n1. e4 *\n'.encode("latin-1"))
    paths = [*sorted(tmp_path.iterdir()), EPD]
    rows, said = command("games", *map(str, paths), "--text", code=1)
    games = chess.games(paths)
    same(games, rows)
    assert rows["white"].to_pylist() == ["Müller"]
    causes = [(Path(bad.source).name, bad.cause) for bad in games.bad]
    assert causes == [
        ("binary.pgn", "it is binary, not PGN"),
        ("empty.pgn", "it is empty"),
        ("rows.pgn", "it is JSON, not PGN"),
        ("perftsuite.epd", "it holds positions, not games"),
    ]
    assert all(str(bad) in line for bad, line in zip(games.bad, said))


def test_bad_lines_are_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "bad.fen"
    path.write_text("x\n" * 20_001 + "8/8/8/8/8/4k3/8/4K3 w - - 7 40\n")
    reader = chess.positions(path, facts="material")
    assert pa.table(reader)["game"].to_pylist() == [20_002]
    assert reader.bad_count == 20_001
    assert [bad.line for bad in reader.bad] == list(range(1, 10_001))


def test_bad_arguments_are_refused_in_the_words_of_python(tmp_path: Path) -> None:
    refused: dict[str, Callable[[], object]] = {
        "where: 'elo' is not a key": lambda: chess.games(GAMES, where="elo > 2"),
        r"where: 'ply < 9' is a condition on positions": lambda: chess.games(GAMES, where="ply < 9"),
        "where: 'eco' is not a condition": lambda: chess.positions(GAMES, where=["eco"]),
        "every 0, expected at least 1": lambda: chess.positions(GAMES, every=0),
        "threads 0, expected 1 to 4096": lambda: chess.games(GAMES, threads=0),
        "on_bad 'stop', expected skip or raise": lambda: chess.games(
            GAMES,
            on_bad="stop",  # type: ignore[arg-type]
        ),
        "definitions: expected std or literal": lambda: chess.positions(
            GAMES,
            definitions="mine",  # type: ignore[arg-type]
        ),
        "facts: 'pin' is neither a fact nor one of": lambda: chess.positions(GAMES, facts="pin"),
    }
    for words, call in refused.items():
        with pytest.raises(Error, match=words) as raised:
            call()
        assert "--" not in str(raised.value)


def test_standard_input_is_read_once() -> None:
    program = (
        "from everyply import Error, chess\n"
        "games = chess.games('-')\n"
        "print(len(games.read_all()))\n"
        "try: games.read_all()\n"
        "except Error as error: print(error)"
    )
    with GAMES.open("rb") as file:
        printed = subprocess.check_output([sys.executable, "-c", program], stdin=file, text=True)
    assert printed.splitlines() == ["438", "standard input can be read only once"]


COPIES = 2000 if SLOW else 100


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    print(f"{COPIES} MB" + ("" if SLOW else "; 2000 MB not run (EVERYPLY_SLOW=1)"))
    path = tmp_path / "many.pgn"
    text = GAMES.read_bytes() + b"\n"
    with path.open("wb") as file:
        for _ in range(COPIES):
            file.write(text)
    program = (
        "import resource, sys, pyarrow\n"
        "from everyply import chess\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "read = lambda path: pyarrow.RecordBatchReader.from_stream(chess.positions(path))\n"
        "rows = sum(batch.num_rows for batch in read(sys.argv[1]))\n"
        "before = peak()\n"
        "size = 0\n"
        "for batch in read(sys.argv[2]):\n"
        "    rows += batch.num_rows\n"
        "    size += batch.nbytes\n"
        "print(rows, size >> 20, (peak() - before) >> 10)"
    )
    words = [sys.executable, "-c", program, str(GAMES), str(path)]
    rows, size, grown = map(int, subprocess.check_output(words, text=True).split())
    print(f"{rows} rows, {size} MiB of Arrow data, memory grew by {grown} MiB")
    assert rows == (COPIES + 1) * POSITIONS
    assert size > 2 * 64
    assert grown < 64


@contextmanager
def endless(directory: Path, text: bytes) -> Iterator[Path]:
    """A pipe into which text is written as long as somebody reads it."""
    path = directory / "endless.pgn"
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as pipe:
                while text:
                    pipe.write(text)
                stopped.wait()  # Nothing comes, and the end does not come either.
        except BrokenPipeError:
            pass

    stopped = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        stopped.set()
        # It ends when the reader has closed its end, which is what stopping means.
        writer.join()


def test_whoever_stops_half_way_stops_the_reading(tmp_path: Path) -> None:
    with endless(tmp_path, GAMES.read_bytes() + b"\n") as path:
        batches = iter(chess.positions(path, threads=3))
        assert len(next(batches)) > 8_000
        while reading_threads() != 4:  # One hands over what the three others make.
            time.sleep(0.01)
        del batches
    with endless(make(tmp_path / "arrow"), GAMES.read_bytes() + b"\n") as path:
        stream = pa.RecordBatchReader.from_stream(chess.games(path, threads=3))
        assert stream.read_next_batch().num_rows > 8_000
        del stream
    # Threads that have been told to end do so, soon or late.
    while reading_threads():
        time.sleep(0.01)


def reading_threads() -> int:
    names = []
    for path in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            names.append((path / "comm").read_text())
    return names.count("everyply games\n")


def make(directory: Path) -> Path:
    directory.mkdir()
    return directory


def exhaust(batches: Any) -> None:
    for _ in batches:
        pass


def to_arrow(reader: chess.Reader) -> None:
    # The library raises an error of its own, and Python its KeyboardInterrupt right after it.
    try:
        exhaust(pa.RecordBatchReader.from_stream(reader))
    except OSError as error:
        assert "interrupted" in str(error)
        while True:
            time.sleep(0.01)


@pytest.mark.parametrize("text", [GAMES.read_bytes() + b"\n", b""], ids=["busy", "waiting"])
@pytest.mark.parametrize("use", [exhaust, to_arrow])
def test_ctrl_c_is_heard(tmp_path: Path, use: Callable[[chess.Reader], None], text: bytes) -> None:
    with endless(tmp_path, text) as path:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            use(chess.positions(path))
        timer.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_read_does_not_go_on_in_a_forked_process() -> None:
    batches = iter(chess.positions(GAMES))
    next(batches)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            next(batches)
        except Error as error:
            os._exit(0 if "forked" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sum(map(len, batches)) > 0
