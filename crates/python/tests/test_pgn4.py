"""Games of PGN4 files as tables, and self-play by other rules and from other positions."""

import gzip
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from conftest import COMMAND, ROOT
from everyply import fourchess, sql, tables

PLAYED = ROOT / "crates/fourchess/tests/played.pgn4"
BAD = """[Variant "FFA"]

1. h2-h3 .. b7-c7

[Variant "FFA"]

1. h2-h9

[Variant "Teams"]

1. h2-h3
"""


@pytest.fixture
def some(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn4"
    path.write_text(BAD)
    return path


def rows_of(reader: fourchess.Reader) -> pa.Table:
    return pa.table(reader)


@pytest.mark.parametrize("positions", [False, True])
def test_rows_are_those_of_the_command(positions: bool) -> None:
    words = [str(COMMAND), "fourchess", "games", str(PLAYED), "--format", "arrow"]
    words += ["--positions"] if positions else []
    written = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    expected = pa.ipc.open_stream(written).read_all()
    read = fourchess.positions(PLAYED) if positions else fourchess.games(PLAYED)
    assert rows_of(read).equals(expected)
    assert read.bad_count == 0 and expected.num_rows > 1


def test_actions_of_recorded_games_play_them_again() -> None:
    rows = rows_of(fourchess.positions(PLAYED)).to_pylist()
    ends = {row["game"]: row for row in rows_of(fourchess.games(PLAYED)).to_pylist()}
    played = 0
    for number, end in ends.items():
        plies = [row for row in rows if row["game"] == number]
        if any(row["san"] in ("R", "T") for row in plies):
            continue
        batch = fourchess.Batch(1, end["rules"].split()[0])
        batch.reset_games([0], [0], [plies[0]["fen"]])
        for row in plies[:-1]:
            assert batch.fen(0) == row["fen"]
            assert batch.action(0, row["san"]) == row["action"]
            assert batch.legal_counts[0] == row["choices"]
            batch.step([row["action"]])
        assert batch.fen(0) == plies[-1]["fen"] == end["fen"]
        assert plies[-1]["san"] is None
        assert batch.points[0].tolist() == [end[f"{seat}_points"] for seat in fourchess.SEATS]
        played += 1
    assert played > 0


def test_bad_games_are_skipped_and_named(some: Path) -> None:
    reader = fourchess.games([some, some])
    assert rows_of(reader)["game"].to_pylist() == [1, 3, 1, 3]
    assert reader.bad_count == 2
    bad = reader.bad[0]
    assert (bad.source, bad.game, bad.line) == (str(some), 2, 7)
    assert bad.cause == "h2-h9 is not a legal move here (move 1 of Red)"
    with pytest.raises(fourchess.RecordError, match="games.pgn4: game 2, line 7: h2-h9 is not"):
        fourchess.games(some, on_bad="raise").read_all()
    with pytest.raises(fourchess.RecordError, match="no such file"):
        fourchess.games(some.with_name("missing"))
    with pytest.raises(ValueError, match="expected skip or raise"):
        fourchess.games(some, on_bad="ignore")  # type: ignore[arg-type]
    empty = some.with_name("empty.pgn4")
    empty.write_text("")
    reader = fourchess.games(empty)
    assert rows_of(reader).num_rows == 0 and reader.bad[0].cause == "it is empty"


def test_compressed_files_and_loops_and_sql(some: Path) -> None:
    packed = some.with_suffix(".pgn4.gz")
    packed.write_bytes(gzip.compress(PLAYED.read_bytes() * 60))
    reader = fourchess.positions(packed)
    tables_of = list(reader)
    assert len(tables_of) > 1
    assert sum(len(table) for table in tables_of) == 60 * len(fourchess.positions(PLAYED).read_all())
    counted = sql.query("select count(*) as n from games", tables={"games": fourchess.games(packed)})
    assert pa.table(counted)["n"].to_pylist() == [60 * len(fourchess.games(PLAYED).read_all())]


def test_self_play_takes_rules_and_positions() -> None:
    rules = {"max_plies": 12, "claim_lead": 21}
    games = pa.table(tables.fourchess_games(2, rules=rules, setup="classic")).to_pylist()
    assert {row["rules"] for row in games} == {"ffa max_plies=12 claim_lead=21"}
    assert {row["ending"] for row in games} == {"ply limit"}
    batch = fourchess.Batch(1)
    batch.step(batch.choose())
    plies = pa.table(tables.fourchess_plies(1, fen=batch.fen(0), max_plies=4)).to_pylist()
    assert [row["seat"] for row in plies] == ["blue", "yellow", "green", "red"]
    with pytest.raises(fourchess.FenError, match="fen: "):
        tables.fourchess_games(1, fen="R-0")
    with pytest.raises(ValueError, match="claim_lead cannot be"):
        tables.fourchess_moves(rules={"claim_lead": -1})


def test_a_game_is_drawn_as_moving_pictures(tmp_path: Path) -> None:
    game = rows_of(fourchess.positions(PLAYED)).filter(pc.field("game") == 1).slice(0, 9)
    fens = game["fen"].to_pylist()
    svg = fourchess.animated_svg(fens, rules="teams")
    pgn = tmp_path / "start.pgn4"
    pgn.write_text(PLAYED.read_text().split("\n\n")[0] + "\n\n" + "\n".join(
        PLAYED.read_text().split("\n\n")[1].splitlines()[:2]))
    words = [str(COMMAND), "fourchess", "animate", str(pgn), "--svg", "-"]
    assert subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.decode() == svg
    gif = fourchess.animated_gif(fens, rules="teams", width=148)
    assert gif.startswith(b"GIF89a") and gif.endswith(b"\x3b")
    with pytest.raises(fourchess.FenError, match=r"fens\[1\]: "):
        fourchess.animated_svg([fens[0], "R-0"])
    with pytest.raises(ValueError, match="no position"):
        fourchess.animated_gif([])
    with pytest.raises(ValueError, match="expected 0.02 to 60"):
        fourchess.animated_svg(fens, seconds=0)


def test_a_won_game_can_be_claimed() -> None:
    fen = "R-0,0,1,1-0,0,0,0-0,0,0,0-40,5,20,8-0-14/14/14/14/14/14/14/bK,bP,12/14/14/14/14/3,rP,10/7,rK,6"
    games = pa.table(tables.fourchess_games(1, rules={"claim_lead": 21}, fen=fen)).to_pylist()
    assert (games[0]["ending"], games[0]["red_place"], games[0]["blue_points"]) == ("claim", 1, 25)
    assert "claim" in fourchess.ENDINGS
