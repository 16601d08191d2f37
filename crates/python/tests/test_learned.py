"""The player that learned, and how players are compared. None of it needs PyTorch."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from everyply import fourchess

CRATE = ROOT / "crates/fourchess-learned"
TRAINED = CRATE / "weights/ffa.safetensors"


def test_it_chooses_the_moves_of_pytorch_in_a_thousand_positions() -> None:
    with (CRATE / "tests/data/moves.csv").open() as file:
        expected = np.array([int(row["action"]) for row in csv.DictReader(file)]).reshape(10, 100)
    batch = fourchess.Batch(100, outputs=["observation"], autoreset="same_step", seed=11)
    network = fourchess.Network(TRAINED)
    for turn, moves in enumerate(expected):
        batch.play(23, "greedy" if turn % 2 else "random")
        assert batch.choose("learned").tolist() == moves.tolist()
        assert network.choose(batch).tolist() == moves.tolist()
        assert network.choose(batch, [7, 3]).tolist() == moves[[7, 3]].tolist()
        given: list[Any] = [TRAINED, str(TRAINED), TRAINED.read_bytes(), network]
        for weights in given:
            assert batch.choose("learned", weights=weights).tolist() == moves.tolist()


def test_it_plays_the_seats_that_it_is_given() -> None:
    one, other = (fourchess.Batch(40, seed=5, threads=threads) for threads in (1, 3))
    for _ in range(6):
        mixed = one.choose(["learned", None, "learned", None])
        both = other.choose("learned")
        learned = one.current_player % 2 == 0
        assert (mixed[learned] == both[learned]).all() and (mixed[~learned] == 0).all()
        for batch in (one, other):
            batch.step(batch.choose(["learned", "random", "learned", "greedy"]))
        assert (one.digest() == other.digest()).all()


def test_what_is_not_weights_is_refused(tmp_path: Path) -> None:
    batch = fourchess.Batch(1)
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(TRAINED.read_bytes()[:-1])
    with pytest.raises(fourchess.WeightsError, match=r"bad\.safetensors: not a safetensors file: "):
        batch.choose("learned", weights=bad)
    with pytest.raises(fourchess.WeightsError, match="^weights: not a safetensors file: "):
        fourchess.Network(b"nothing")
    with pytest.raises(FileNotFoundError, match="missing: "):
        fourchess.Network(tmp_path / "missing")
    with pytest.raises(ValueError, match="weights: no player is 'learned'"):
        batch.choose("greedy", weights=TRAINED)
    with pytest.raises(TypeError):
        fourchess.Network(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'learned' plays on the processor"):
        batch.play(3, "learned")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no game 9"):
        fourchess.Network().choose(batch, [9])


def first_legal(batch: Any, games: Any) -> Any:
    return batch.legal[games, 0]


def impossible(batch: Any, games: Any) -> Any:
    return np.full(len(games), 7191)


def test_an_evaluation_counts_every_game_once() -> None:
    players: list[Any] = ["greedy", "random", first_legal, "random"]
    result = fourchess.evaluate(players, games=40, seed=3)
    assert result.players == ("greedy", "random", "player", "random")
    assert result.games == 40 and sum(result.orders.values()) == 40
    assert np.allclose(result.places.sum(0), 40) and np.allclose(result.places.sum(1), 40)
    assert math.isclose(sum(result.first), 1)
    for share, (low, high) in zip(result.first, result.first_interval, strict=True):
        assert 0 <= low <= share <= high <= 1
    for mean, (low, high) in zip(result.points, result.points_interval, strict=True):
        assert low < mean < high
    assert "greedy: first " in str(result)
    again = fourchess.evaluate(players, games=40, seed=3, threads=2)
    assert again.orders == result.orders and again.points == result.points
    assert fourchess.evaluate(players, games=40, seed=4).points != result.points


def test_players_sit_on_every_seat_equally_often() -> None:
    seats: list[int] = []

    def spy(batch: Any, games: Any) -> Any:
        seats.extend(batch.current_player[games].tolist())
        return batch.legal[games, 0]

    fourchess.evaluate([spy, "random", "random", "random"], games=40, max_plies=4)
    assert sorted(seats) == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


def test_the_learned_player_wins() -> None:
    result = fourchess.evaluate(["learned", "greedy", "greedy", "greedy"], games=24, threads=2)
    assert result.first[0] > 0.75
    ratings = fourchess.elo([result], anchor="greedy")
    assert ratings["greedy"][0] == 0 and ratings["learned"][0] > 200


def test_games_that_are_cut_are_decided_by_points() -> None:
    result = fourchess.evaluate(["greedy", *["random"] * 3], games=8, max_plies=40)
    assert result.unfinished == 8 and result.plies == 40 and result.first[0] > 0.5


def test_bad_arguments_of_an_evaluation_are_refused() -> None:
    with pytest.raises(ValueError, match="players: 3, expected 4"):
        fourchess.evaluate(["random"] * 3)
    with pytest.raises(ValueError, match="games: 6, expected a multiple of 4"):
        fourchess.evaluate(["random"] * 4, games=6)
    with pytest.raises(ValueError, match="names: 1, expected 4"):
        fourchess.evaluate(["random"] * 4, games=4, names=["x"])
    with pytest.raises(fourchess.IllegalAction, match="chose action 7191 in game "):
        fourchess.evaluate([impossible, *["random"] * 3], games=4)
    with pytest.raises(ValueError, match="anchor: no games of random"):
        fourchess.elo([fourchess.evaluate(["greedy"] * 4, games=4)])


def counted(orders: dict[tuple[int, ...], int], players: tuple[str, ...]) -> fourchess.Evaluation:
    none = (0.0,) * 4
    return fourchess.Evaluation(
        players, sum(orders.values()), np.zeros((4, 4)), none, (), none, (), 0.0, 0, orders
    )


def test_ratings_are_those_of_the_model() -> None:
    # A player ten times as strong as the others is first in 10 of 13 games.
    orders: dict[tuple[int, ...], int]
    orders = {(0, 1, 2, 3): 10_000, (1, 0, 2, 3): 1000, (1, 2, 0, 3): 1000, (1, 2, 3, 0): 1000}
    players = ("strong", "random", "random", "random")
    found = fourchess.elo([counted(orders, players)], samples=50)
    # Whoever is second or third in these games tells the model more: in the last three kinds the
    # strong player is second, with a chance of 10 in 12.
    def chances(strength: float) -> float:
        first, second = strength / (strength + 3), strength / (strength + 2)
        return 10_000 * math.log(first) + 3000 * (math.log((1 - first) / 3) + math.log(second))

    best = max(np.linspace(1, 100, 9901), key=chances)
    assert found["random"] == (0.0, 0.0, 0.0)
    rating, low, high = found["strong"]
    assert abs(rating - 400 * math.log10(best)) < 1
    assert low < rating < high and high - low < 60
    # Players who tie are equally strong.
    tied = fourchess.elo([counted({(0, 0, 0, 0): 100}, ("a", "b", "random", "c"))], samples=20)
    assert all(abs(rating) < 1e-6 for rating, _, _ in tied.values())


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    from everyply._evaluate import wilson

    for successes, trials in [(0, 10), (10, 10), (3, 40), (999, 1000)]:
        low, high = wilson(successes, trials)
        share = successes / trials
        # The ends are the shares from which what was found is just as far as the interval says.
        for end in (low, high):
            if 1e-9 < end < 1 - 1e-9:
                far = abs(share - end) / math.sqrt(end * (1 - end) / trials)
                assert abs(far - 1.959964) < 1e-6
        assert low <= share + 1e-12 and share <= high + 1e-12
