"""Python's other threads run while everyply works, and Ctrl-C is heard."""

import os
import signal
import sys
import threading
from collections.abc import Callable

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
