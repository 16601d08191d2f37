"""Chess games as tables, in SQL and in Python: cargo xtask bench games.

Every rate is of CPU time, of all threads and of the whole process for a statement, with one thread;
the best of five runs. python-chess reads the same file in the same script. Memory is the largest
resident size of a process that reads 2 GB of PGN. Ends with an error if an answer is wrong or the
memory passes its limit; the times are only printed.

EVERYPLY_COMMAND names a command that is built already.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

os.environ["POLARS_MAX_THREADS"] = "1"

import chess.pgn
import polars

import everyply.chess

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "fixtures/chess/pgn/lichess_438_games.pgn"
GAMES = 438
POSITIONS = 28_976
MATES_IN_ONE = 176
ROUNDS = 5
FILES = 20
COPIES = 6
LARGE = 2_000_000_000
MOST_MEMORY = 400_000_000
COLUMNS = ["game", "ply", "san", "uci", "fen"]


def main() -> None:
    command = os.environ.get("EVERYPLY_COMMAND") or built()
    with tempfile.TemporaryDirectory() as directory:
        files = pathlib.Path(directory, "files")
        files.mkdir()
        text = SAMPLE.read_bytes() + b"\n"
        for number in range(FILES):
            (files / f"{number:02}.pgn").write_bytes(text * COPIES)
        statements(command, files)
        report("mates in one of the sample", *mates(command), "s", 0.3)
        frames()
        large = pathlib.Path(directory, "large.pgn")
        with large.open("wb") as out:
            for _ in range(LARGE // len(text) + 1):
                out.write(text)
        memory(command, large)


def built() -> str:
    build = ["cargo", "build", "--release", "--quiet", "-p", "everyply"]
    subprocess.run(build, cwd=ROOT, check=True)
    return str(ROOT / "target/release/everyply")


def statements(command: str, files: pathlib.Path) -> None:
    copies = FILES * COPIES
    size = sum(path.stat().st_size for path in files.iterdir())
    rows = POSITIONS * copies
    print(f"{size:,} bytes, {rows:,} positions; CPU time of one thread, best of {ROUNDS}")
    positions, games = f"chess_positions('{files}')", f"chess_games('{files}')"
    seconds = asked(command, f"select count(*) as n from {positions}", rows)
    report("select count(*) of positions", seconds, rows / seconds / 1e6, "million plies/s", 6)
    seconds = asked(command, f"select count(fen) as n from {positions}", rows)
    report("FEN to Arrow, counted", seconds, rows / seconds / 1e6, "million plies/s", 2)
    elo, kept = strongest()
    condition = f"white_elo >= {elo}"
    print(f"{condition} keeps {kept} of {GAMES} games, {100 * kept / GAMES:.1f} %")
    for name, table, total in [("games", games, GAMES), ("positions", positions, POSITIONS)]:
        count = f"select count(*) as n from {table}"
        everything = asked(command, count, total * copies)
        wanted = kept * copies if table is games else None
        seconds = asked(command, f"{count} where {condition}", wanted)
        report(f"{name} with the condition", seconds, size / seconds / 1e6, "MB/s", 600)
        report(f"{name} without it", everything, everything / seconds, "times as long", 1.5)


def strongest() -> tuple[int, int]:
    """The rating of White that about one game in a hundred reaches, and how many do."""
    ratings = re.findall(r'^\[WhiteElo "(\d+)"\]', SAMPLE.read_text(), re.MULTILINE)
    ratings = sorted(map(int, ratings), reverse=True)
    elo = ratings[GAMES // 100]
    return elo, sum(rating >= elo for rating in ratings)


def mates(command: str) -> tuple[float, float]:
    statement = f"select count(*) as n from chess_positions('{SAMPLE}') where mover_mating_moves > 0"
    seconds = asked(command, statement, MATES_IN_ONE)
    return seconds, seconds


def asked(command: str, statement: str, expected: int | None) -> float:
    """Seconds of CPU time for a statement whose answer is a number."""
    words = [command, "sql", "--threads", "1", "--format", "json", statement]
    times = []
    for _ in range(ROUNDS):
        seconds, _, answer = finished(words)
        found = json.loads(answer)[0]["n"]
        check(statement, found, found if expected is None else expected)
        times.append(seconds)
    return min(times)


def finished(words: list[str]) -> tuple[float, int, str]:
    """CPU seconds, bytes of memory and the output of a process."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{words} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, output


def frames() -> None:
    """A polars frame of positions: ours, and a loop with python-chess."""
    us, ours = best(with_everyply)
    them, theirs = best(with_python_chess)
    if not ours.equals(theirs):
        sys.exit("the frames of everyply and python-chess differ")
    print(f"polars frames with {', '.join(COLUMNS)}: {ours.height:,} equal rows")
    print(f"{'  python-chess':<34} {them:9.3f} s")
    report("PGN to a polars frame", us, them / us, "times python-chess", 200)
    everything, _ = best(lambda: polars.DataFrame(everyply.chess.positions(SAMPLE, threads=1)))
    print(f"{'  all columns of chess.positions':<34} {everything:9.3f} s")


def with_everyply() -> polars.DataFrame:
    return polars.DataFrame(everyply.chess.positions(SAMPLE, columns=COLUMNS, threads=1))


def with_python_chess() -> polars.DataFrame:
    rows = []
    with SAMPLE.open() as text:
        number = 0
        while game := chess.pgn.read_game(text):
            number += 1
            board = game.board()
            ply = 0
            for move in game.mainline_moves():
                rows.append((number, ply, board.san(move), move.uci(), board.fen()))
                board.push(move)
                ply += 1
            rows.append((number, ply, None, None, board.fen()))
    types = [polars.UInt64, polars.UInt64, polars.String, polars.String, polars.String]
    return polars.DataFrame(rows, schema=dict(zip(COLUMNS, types)), orient="row")


def best(make) -> tuple[float, polars.DataFrame]:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        frame = make()
        times.append(time.process_time() - start)
    return min(times), frame


READ = """
import sys
from everyply import chess
rows = chess.positions(sys.argv[1], columns=["ply", "fen"])
print(sum(table.num_rows for table in rows))
"""


def memory(command: str, large: pathlib.Path) -> None:
    size = large.stat().st_size
    rows = size // (SAMPLE.stat().st_size + 1) * POSITIONS
    print(f"{size:,} bytes of PGN, two threads")
    statement = f"select count(*) as n, sum(length(fen)) as letters from chess_positions('{large}')"
    words = [command, "sql", "--threads", "2", "--format", "json", statement]
    seconds, peak, answer = finished(words)
    check("rows in SQL", json.loads(answer)[0]["n"], rows)
    report("every FEN in SQL, memory", seconds, peak / 1e6, "MB", MOST_MEMORY // 1_000_000)
    python = [sys.executable, "-c", READ, str(large)]
    seconds, peak_of_python, answer = finished(python)
    check("rows in Python", int(answer), rows)
    report("every FEN in Python, memory", seconds, peak_of_python / 1e6, "MB", 400)
    if max(peak, peak_of_python) > MOST_MEMORY:
        sys.exit(f"more than {MOST_MEMORY:,} bytes of memory")


def check(what: str, found: int, expected: int) -> None:
    if found != expected:
        sys.exit(f"{what}: {found} instead of {expected}")


def report(what: str, seconds: float, figure: float, unit: str, target: float) -> None:
    print(f"{'  ' + what:<34} {seconds:9.3f} s {figure:10.2f} {unit} (target {target})", flush=True)


main()
