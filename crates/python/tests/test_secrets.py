"""A secret that is planted wherever one can stand is shown by no exception and kept in no file."""

import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import FIXTURES
from everyply import chess, fourchess, kalah, kenken, relations, solver, sql, tables

SECRET = "hunter2"

# Every way to write a URL with the secret in it.
URLS = (FIXTURES / "secrets/urls.txt").read_text().splitlines()

VARIABLES = {
    "PGPASSWORD": SECRET,
    "AWS_ACCESS_KEY_ID": SECRET,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_SESSION_TOKEN": SECRET,
    "AWS_REGION": "us-east-1",
    "AWS_ENDPOINT_URL": f"http://me:{SECRET}@127.0.0.1:1",
    "STORAGE_EMULATOR_HOST": f"http://me:{SECRET}@127.0.0.1:1",
    "BIGTABLE_EMULATOR_HOST": f"me:{SECRET}@127.0.0.1:1",
}

POSITION = "1,1/1,1"

# Counts down from 1 to 0.
GAME = solver.Game(
    "down",
    start=1,
    key_bits=8,
    children=lambda keys: (np.flatnonzero(keys), np.zeros(0, np.int16), keys[keys > 0] - 1),
    ranks=lambda keys: keys.astype(np.int64),
    values=lambda keys: np.zeros(len(keys), np.int16),
)

# The types forbid some of these too.
untyped: Any = fourchess

CALLS: dict[str, Callable[[str], object]] = {
    "kalah.solve": lambda url: kalah.solve(2, 1, store=url),
    "kalah.solve, resumed": lambda url: kalah.solve(2, 1, store=url, resume=True),
    "kalah.value": lambda url: kalah.value(POSITION, url),
    "kalah.value, table": lambda url: kalah.value(POSITION, table=url),
    "kalah.value, position": lambda url: kalah.value(url),
    "kalah.values": lambda url: kalah.values([POSITION], url),
    "kalah.best": lambda url: kalah.best(POSITION, url),
    "kalah.line": lambda url: kalah.line(POSITION, url),
    "kalah.Game": kalah.Game,
    "kalah.Game, against": lambda url: kalah.Game(against=url),
    "solver.solve": lambda url: solver.solve(GAME, url),
    "solver.open": lambda url: solver.open(GAME, url),
    "tables.kalah_store": tables.kalah_store,
    "tables.kalah_stats_by_value": tables.kalah_stats_by_value,
    "sql.query": sql.query,
    "sql.query, from": lambda url: sql.query(f"select * from '{url}'"),
    "sql.query, quoted": lambda url: sql.query(f'select * from "{url}"'),
    "sql.query, kalah_store": lambda url: sql.query(f"select * from kalah_store('{url}')"),
    "sql.query, location": lambda url: sql.query(
        f"create external table t stored as csv location '{url}'"
    ),
    "sql.query, copy": lambda url: sql.query(f"copy (select 1) to '{url}'", writable=True),
    "sql.query, tables": lambda url: sql.query("select * from t", tables={"t": url}),
    "sql.query, root": lambda url: sql.query("select * from 'a.csv'", root=url),
    "relations.perft": lambda url: relations.perft(1, url),
    "chess.games": lambda url: chess.games(url).read_all(),
    "chess.games, where": lambda url: chess.games([], where=url).read_all(),
    "chess.moves": chess.moves,
    "fourchess.games": lambda url: fourchess.games(url).read_all(),
    "fourchess.Batch": lambda url: untyped.Batch(1, outputs=[url]),
    "kenken.solve": kenken.solve,
}


def shown_by(call: Callable[[str], object], url: str) -> str | None:
    """All that Python prints of the exception; None if there is none."""
    try:
        call(url)
    except BaseException as error:
        printed = traceback.format_exception(error)
        return "".join([*printed, repr(error), str(error), repr(error.args)])
    return None


def test_no_exception_shows_the_secret_of_a_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    cases = [(name, url) for name in CALLS for url in URLS]
    with (
        warnings.catch_warnings(record=True) as warned,
        # Most of the time is spent on waiting for servers that are not there.
        ThreadPoolExecutor(32) as pool,
    ):
        shown = list(pool.map(lambda case: shown_by(CALLS[case[0]], case[1]), cases))
    assert [case for case, text in zip(cases, shown) if text is None] == []
    assert [case for case, text in zip(cases, shown) if text and SECRET in text] == []
    assert [str(warning.message) for warning in warned] == []
    printed = capfd.readouterr()
    assert SECRET not in printed.out + printed.err
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []
