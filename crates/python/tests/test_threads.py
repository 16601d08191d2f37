"""Python's other threads run while everyply works, and Ctrl-C is heard."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import FIXTURES
from everyply import chess, fourchess, kalah, kenken, relations, sql

pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FENS = [START] * 100_000
GAMES = FIXTURES / "chess/pgn/lichess_438_games.pgn"
# A grid without clues: one cage of all cells.
OPEN = '{"n":6,"cages":[{"op":"+","target":126,"cells":%s}]}' % list(range(36))

BATCH = fourchess.Batch(4096, outputs=["legal_bytes", "observation"])

WORK: dict[str, Callable[[], object]] = {
    "perft": lambda: chess.perft(6),
    "facts": lambda: chess.facts(FENS),
    "games": lambda: chess.games(GAMES).read_all(),
    "count": lambda: kenken.count(OPEN, most=200_000),
    "generate": lambda: kenken.generate(16, "extreme", seed=2),
    "step": lambda: BATCH.step(BATCH.choose("greedy")),
    "solve": lambda: kalah.solve(4, 2),
    "generate_batch": lambda: kenken.generate_batch(7, 512, "hard"),
    "relations": lambda: relations.perft(4),
    "query": lambda: sql.query("select sum(x) from generate_series(1, 20000000) as t(x)"),
}


@pytest.mark.parametrize("name", WORK)
def test_work_lets_other_threads_run(name: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        try:
            WORK[name]()
        finally:
            ended.set()

    # With this interval no thread is made to give way, so this one goes on before the work has
    # ended only if the work lets go of the interpreter.
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        went_on = not ended.is_set()
    finally:
        sys.setswitchinterval(before)
    thread.join()
    assert went_on


ENDLESS = "with recursive t as (select 1 as n union all select n + 1 from t) select max(n) from t"


@pytest.mark.parametrize(
    "work", [lambda: chess.perft(8), lambda: relations.perft(9), lambda: sql.query(ENDLESS)]
)
def test_ctrl_c_is_heard(work: Callable[[], object]) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()


THREADED = fourchess.Batch(1024, threads=2, outputs=["observation"])
FORKED: dict[str, Callable[[], object]] = {
    "perft": lambda: chess.perft(4),
    "facts": lambda: chess.facts(FENS[:1000]),
    "games": lambda: chess.games(GAMES).read_all(),
    "count_all": lambda: kenken.count_all(["4:_a_7a4_a3,a4a5s1s1d2d2m4m6"] * 64),
    "generate_batch": lambda: kenken.generate_batch(4, 8),
    "solve": lambda: kalah.solve(3, 2),
    "step": lambda: THREADED.step(THREADED.choose("random")),
    "observation": lambda: THREADED.observation(),
    "relations.perft": lambda: relations.perft(2),
    "relations.legal_moves": lambda: relations.legal_moves(FENS[:3]),
    "relations.timeline": lambda: relations.timeline([START], 2),
    "query": lambda: sql.query("select sum(x) from generate_series(1, 1000000) as t(x)"),
    "query of a table": lambda: sql.query(
        "select count(*) from g", tables={"g": chess.games(GAMES).read_all()}
    ),
    "query of a file": lambda: sql.query(f"select count(*) from '{GAMES}'"),
}


# JAX warns of every fork once it is imported.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:os.fork:RuntimeWarning")
@pytest.mark.parametrize("name", FORKED)
def test_c6_a_forked_process_works_on_threads_of_its_own(name: str) -> None:
    FORKED[name]()  # The threads of this process have started.
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            FORKED[name]()
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# Root may start as many threads as it likes, nobody may not.
FEW = """
import os, resource, sys
from everyply import chess, kenken, sql
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
count = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
assert chess.perft(3) == 8902
assert chess.facts([START] * 1000).num_rows == 1000
assert len(list(kenken.generate_batch(4, 8))) == 8
# Games are read on threads of their own.
try:
    assert len(chess.games(sys.argv[2], threads=4).read_all()) == 438
except RuntimeError as error:
    assert "no thread to read" in str(error), error
try:
    sql.query("select 1", threads=4)
except sql.SqlError as error:
    told = ("the system started only", "the system cannot start a thread")
    assert str(error).startswith(told), error
else:
    assert count > 4, "there are too few threads"
"""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_c3_without_threads_work_goes_on_or_says_so(count: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        games = shutil.copy(GAMES, directory)
        command = [sys.executable, "-c", FEW, str(count), games]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
