"""How strong players of four-player chess are: games between them, and ratings of the results."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everyply._everyply.fourchess import SEATS, Batch, IllegalAction, Network

__all__ = ["Evaluation", "elo", "evaluate", "wilson"]

# A player: its name, or a function of a batch and of the games in it whose seat to
# move is the player's. It returns an action for each of these games.
Player = str | Callable[[Any, NDArray[np.int64]], Any]

# Two-sided, 95 %.
DEVIATIONS = 1.959964


@dataclass(frozen=True)
class Evaluation:
    """The results of games between four players. The first entry of each list is the first player's.

    `places` counts how often each player came first to last; players who tie share their places, so
    that counts may be fractions. `first` is the share of first places and `first_interval` its Wilson
    interval; `points` is the mean of the points and `points_interval` its interval; both of 95 %.
    `orders` counts the orders in which the players came in, as ranks in the order of the players.
    """

    players: tuple[str, ...]
    games: int
    places: NDArray[np.float64]
    first: tuple[float, ...]
    first_interval: tuple[tuple[float, float], ...]
    points: tuple[float, ...]
    points_interval: tuple[tuple[float, float], ...]
    plies: float
    unfinished: int
    orders: dict[tuple[int, ...], int] = field(repr=False)

    def __str__(self) -> str:
        lines = [f"{self.games} games, {self.plies:.0f} plies on average"]
        for index, name in enumerate(self.players):
            low, high = self.first_interval[index]
            fewest, most = self.points_interval[index]
            places = " ".join(f"{count:g}" for count in self.places[index])
            lines.append(
                f"{name}: first {self.first[index]:.1%} ({low:.1%} to {high:.1%}), "
                f"points {self.points[index]:.1f} ({fewest:.1f} to {most:.1f}), places {places}"
            )
        return "\n".join(lines)


def evaluate(
    players: Sequence[Player],
    *,
    games: int = 1024,
    names: Sequence[str] | None = None,
    rules: Any = "ffa",
    seed: int = 0,
    device: str = "cpu",
    threads: int = 1,
    max_plies: int = 4000,
) -> Evaluation:
    """Plays games between four players, who change their seats from game to game.

    A player is `random`, `greedy` or `learned`, a `Network`, or a function `player(batch, games)`
    that returns an action for each of these games of the batch, in which it is that player's turn.
    The batch is on `device` and has the output `observation`. The number of games must be a multiple of four: each
    player sits on each seat equally often. Games are cut after `max_plies`; then points decide. The
    same seed gives the same games on every device, if the players choose the same moves.

    >>> from everyply import fourchess
    >>> result = fourchess.evaluate(["greedy", "random", "random", "random"], games=40)
    >>> result.first[0] > 0.9
    True
    """
    if len(players) != len(SEATS):
        raise ValueError(f"players: {len(players)}, expected {len(SEATS)}")
    if games <= 0 or games % len(SEATS):
        raise ValueError(f"games: {games}, expected a multiple of {len(SEATS)}")
    told = names or [name if isinstance(name, str) else "player" for name in players]
    if len(told) != len(SEATS):
        raise ValueError(f"names: {len(told)}, expected {len(SEATS)}")
    batch = Batch(
        games,
        rules,
        outputs=["observation"],
        autoreset="disabled",
        # A game that has ended gets an action too, which is not legal.
        illegal="noop",
        reward="outcome",
        seed=seed,
        device=device,
        threads=threads,
        max_plies=max_plies,
    )
    # The player on each seat, and the seat of each player.
    turns = np.arange(games)[:, None]
    seated = (np.arange(len(SEATS)) - turns) % len(SEATS)
    seats = (np.arange(len(SEATS)) + turns) % len(SEATS)
    players = [Network() if player == "learned" else player for player in players]
    outcome, cut = _play(batch, players, seated)
    points = np.asarray(batch.points)
    scores = np.where(cut[:, None], points, outcome)
    return _summary(
        tuple(told),
        np.take_along_axis(scores, seats, 1),
        np.take_along_axis(points, seats, 1),
        np.asarray(batch.plies),
        int(cut.sum()),
    )


def _play(
    batch: Any, players: Sequence[Player], seated: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Plays all games to their end. The outcomes of the seats, and which games were cut."""
    outcome, cut = np.zeros(seated.shape), np.zeros(len(seated), bool)
    kinds = {player if isinstance(player, str) else index for index, player in enumerate(players)}
    while (live := _array(batch.legal_counts) > 0).any():
        mover = _array(batch.current_player)
        turn = seated[np.arange(len(seated)), mover]
        actions = np.zeros(len(seated), np.int64)
        for kind in sorted(kinds, key=str):
            if isinstance(kind, str):
                # The random numbers of a game go on even if another player is to move in it.
                theirs = [index for index, player in enumerate(players) if player == kind]
                games = np.flatnonzero(live & np.isin(turn, theirs))
                actions[games] = _array(batch.choose(kind))[games]
            elif len(games := np.flatnonzero(live & (turn == kind))):
                actions[games] = _array(players[kind](batch, games))
        batch.step(actions)
        refused = np.flatnonzero(live & ~_array(batch.move_valid))
        if len(refused):
            game = int(refused[0])
            chosen = f"{SEATS[int(mover[game])]} chose action {actions[game]}"
            raise IllegalAction(f"{chosen} in game {game}, which is not legal")
        ended = live & _array(batch.terminated)
        outcome[ended] = _array(batch.rewards)[ended]
        cut |= live & _array(batch.truncated)
    return outcome, cut


def _array(values: Any) -> NDArray[Any]:
    """An array of NumPy, wherever it was."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return values.numpy() if hasattr(values, "numpy") else np.asarray(values)


def _summary(
    names: tuple[str, ...],
    scores: NDArray[np.float64],
    points: NDArray[Any],
    plies: NDArray[Any],
    unfinished: int,
) -> Evaluation:
    games = len(scores)
    better = (scores[:, None, :] > scores[:, :, None]).sum(2)
    equal = (scores[:, None, :] == scores[:, :, None]).sum(2)
    places = np.zeros((len(SEATS), len(SEATS)))
    for place in range(len(SEATS)):
        shares = ((better <= place) & (place < better + equal)) / equal
        places[:, place] = shares.sum(0)
    spread = points.std(0, ddof=1) / math.sqrt(games) if games > 1 else np.zeros(len(SEATS))
    means = points.mean(0)
    return Evaluation(
        players=names,
        games=games,
        places=places,
        first=tuple(float(count / games) for count in places[:, 0]),
        first_interval=tuple(wilson(float(count), games) for count in places[:, 0]),
        points=tuple(float(mean) for mean in means),
        points_interval=tuple(
            (float(mean - DEVIATIONS * error), float(mean + DEVIATIONS * error))
            for mean, error in zip(means, spread, strict=True)
        ),
        plies=float(plies.mean()),
        unfinished=unfinished,
        orders=dict(Counter(tuple(int(rank) for rank in ranks) for ranks in better)),
    )


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """The Wilson interval of 95 % of a share.

    >>> [round(limit, 3) for limit in wilson(50, 100)]
    [0.404, 0.596]
    """
    share, square = successes / trials, DEVIATIONS**2 / trials
    middle = share + square / 2
    half = DEVIATIONS * math.sqrt((share * (1 - share) + square / 4) / trials)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def elo(
    evaluations: Iterable[Evaluation], *, anchor: str = "random", samples: int = 200, seed: int = 0
) -> dict[str, tuple[float, float, float]]:
    """Ratings of all players of some evaluations: the rating, and an interval of 95 %.

    The model is that of Plackett and Luce: the first place goes to each player with a chance in
    proportion to a strength, the next place to each of the others likewise, and so on. A rating is
    400 times the decimal logarithm of the strength, and that of `anchor` is 0. An order with ties
    counts as all orders without them, in equal parts. The interval is that of games drawn anew.

    >>> from everyply import fourchess
    >>> result = fourchess.evaluate(["greedy", "random", "random", "random"], games=40)
    >>> ratings = fourchess.elo([result])
    >>> ratings["random"], ratings["greedy"][0] > 300
    ((0.0, 0.0, 0.0), True)
    """
    games: Counter[tuple[tuple[int, ...], tuple[str, ...]]] = Counter()
    for evaluation in evaluations:
        for ranks, count in evaluation.orders.items():
            games[ranks, evaluation.players] += count
    names = sorted({name for _, players in games for name in players})
    if anchor not in names:
        raise ValueError(f"anchor: no games of {anchor}")
    stages, parts = _stages([*games], names)
    counts = np.array([*games.values()], float)
    strengths = _fit(stages, parts, counts, len(names))
    random = np.random.default_rng(seed)
    total = int(counts.sum())
    drawn = random.multinomial(total, counts / total, size=samples).astype(float)
    spread = np.array([_fit(stages, parts, row, len(names), strengths) for row in drawn])
    ratings = _ratings(strengths[None], names.index(anchor))[0]
    spread = np.quantile(_ratings(spread, names.index(anchor)), [0.025, 0.975], axis=0)
    found = zip(names, ratings, *spread, strict=True)
    return {name: (float(rating), float(low), float(high)) for name, rating, low, high in found}


def _ratings(strengths: NDArray[np.float64], anchor: int) -> NDArray[np.float64]:
    return 400 * np.log10(strengths / strengths[:, [anchor]])


def _stages(
    games: list[tuple[tuple[int, ...], tuple[str, ...]]], names: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The choices of which orders consist: who is left (counts by name), and who was chosen.

    Two arrays of (choices, names) for each kind of game: `left` and `chosen` with their weights, as
    (games, choices, names).
    """
    rows = []
    for ranks, players in games:
        choices = []
        pairs = [*zip(ranks, players, strict=True)]
        groups = [[name for rank, name in pairs if rank == place] for place in sorted(set(ranks))]
        orders = [*product(*(permutations(group) for group in groups))]
        for order in orders:
            line = [names.index(name) for group in order for name in group]
            for place in range(len(line) - 1):
                left = np.bincount(line[place:], minlength=len(names))
                choices.append((left, line[place], 1 / len(orders)))
        rows.append(choices)
    longest = max(map(len, rows))
    left = np.zeros((len(rows), longest, len(names)))
    chosen = np.zeros((len(rows), longest, len(names)))
    for row, choices in enumerate(rows):
        for index, (others, winner, weight) in enumerate(choices):
            left[row, index] = others
            chosen[row, index, winner] = weight
    return left, chosen


def _fit(
    left: NDArray[np.float64],
    chosen: NDArray[np.float64],
    counts: NDArray[np.float64],
    names: int,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The most likely strengths, by the minorisation of Hunter (2004). Half a game in which everybody
    is chosen equally often keeps a player who always wins from an infinite strength."""
    strengths = np.ones(names) if start is None else start.copy()
    wins = (counts[:, None, None] * chosen).sum((0, 1)) + 0.5 / names
    weights = counts[:, None] * chosen.sum(2)
    for _ in range(1000):
        totals = left @ strengths
        shares = np.where(totals > 0, weights / np.maximum(totals, 1e-300), 0)
        needed = (shares[:, :, None] * left).sum((0, 1)) + 0.5 / strengths.sum()
        following = wins / needed
        following /= following.sum()
        if np.abs(following / strengths - 1).max() < 1e-10:
            return following
        strengths = following
    return strengths
