"""A linear learner for four-player chess, against three random players.

It learns what a move is worth: the points until its next turn, and half of what it expects then.
What a move is worth depends on what moves and on what it captures, with one weight for each such
pair. Nobody tells the learner the value of a piece: it learns that from its rewards.

    python learner.py
"""

import time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from everyply import fourchess

GAMES, PLIES = 256, 240
RATE, DISCOUNT, TEMPERATURE = 0.05, 0.5, 0.5
RULES: dict[str, str | int] = {"preset": "ffa", "max_plies": PLIES}
# The learner is Red.
OTHERS: list[Literal["random"] | None] = [None, "random", "random", "random"]
SOURCES, TARGETS, _ = fourchess.actions().T.astype(int)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def start() -> Floats:
    """Weights of a learner that knows nothing, and so moves at random."""
    return np.zeros(7 * 7)


def moves(batch: fourchess.Batch, games: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """For each legal action of each game the index of its weight, and where the list ends."""
    bits = np.unpackbits(batch.planes[games].view(np.uint8), axis=2, bitorder="little")
    boards = bits[:, :24].reshape(len(games), 4, 6, 160)
    kinds = np.einsum("gskq,k->gsq", boards, np.arange(1, 7))
    counts = batch.legal_counts[games]
    legal = batch.legal[games, : counts.max()].astype(int)
    exists = np.arange(legal.shape[1]) < counts[:, None]
    legal[~exists] = 0
    moved = np.take_along_axis(kinds[:, 0], SOURCES[legal], axis=1)
    captured = np.take_along_axis(kinds[:, 1:].sum(axis=1), TARGETS[legal], axis=1)
    return 7 * moved + captured, exists


def improve(weights: Floats, chosen: Integers, goals: Floats) -> None:
    """Moves the weights of chosen actions towards the mean of their goals."""
    errors, times = np.zeros_like(weights), np.bincount(chosen, minlength=len(weights))
    np.add.at(errors, chosen, goals - weights[chosen])
    weights += RATE * errors / np.maximum(times, 1)


def play(weights: Floats, seed: int, learns: bool = False, shuffles: bool = False) -> float:
    """Plays a batch of games, and returns the mean points of the learner."""
    random = np.random.default_rng(seed)
    batch = fourchess.Batch(
        GAMES, RULES, outputs=["observation"], autoreset="disabled", illegal="noop", seed=seed
    )
    earned, last = np.zeros(GAMES), np.full(GAMES, -1)
    for _ in range(PLIES):
        actions = batch.choose(OTHERS)
        mine = np.flatnonzero((batch.current_player == 0) & (batch.legal_counts > 0))
        if len(mine):
            indexes, exists = moves(batch, mine)
            worth = np.where(exists, weights[indexes], -np.inf)
            # The highest of numbers with this noise is a sample of their softmax.
            noise = random.gumbel(scale=TEMPERATURE, size=worth.shape)
            best = (worth + noise).argmax(axis=1)
            if learns:
                rewards = random.permutation(earned[mine]) if shuffles else earned[mine]
                known = last[mine] >= 0
                goals = rewards + DISCOUNT * worth.max(axis=1)
                improve(weights, last[mine][known], goals[known])
            last[mine], earned[mine] = indexes[np.arange(len(mine)), best], 0
            actions[mine] = batch.legal[mine, best]
        batch.step(actions)
        earned += batch.rewards[:, 0]
    return float(batch.points[:, 0].mean())


if __name__ == "__main__":
    weights, seed = start(), 0
    print(f"{time.process_time():5.1f} s: {play(weights, seed=1):6.1f} points")
    while time.process_time() < 60:
        for seed in range(seed + 1, seed + 11):
            play(weights, 1000 + seed, learns=True)
        print(f"{time.process_time():5.1f} s: {play(weights, seed=1):6.1f} points")
