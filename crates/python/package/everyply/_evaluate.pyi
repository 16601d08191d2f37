from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Evaluation", "elo", "evaluate", "wilson"]

_Player = str | Callable[[Any, NDArray[np.int64]], Any]

@dataclass(frozen=True)
class Evaluation:
    players: tuple[str, ...]
    games: int
    places: NDArray[np.float64]
    first: tuple[float, ...]
    first_interval: tuple[tuple[float, float], ...]
    points: tuple[float, ...]
    points_interval: tuple[tuple[float, float], ...]
    plies: float
    unfinished: int
    orders: dict[tuple[int, ...], int]

def evaluate(
    players: Sequence[_Player],
    *,
    games: int = 1024,
    names: Sequence[str] | None = None,
    rules: str | Mapping[str, Any] = "ffa",
    seed: int = 0,
    device: str = "cpu",
    threads: int = 1,
    max_plies: int = 4000,
) -> Evaluation: ...
def wilson(successes: float, trials: int) -> tuple[float, float]: ...
def elo(
    evaluations: Iterable[Evaluation],
    *,
    anchor: str = "random",
    samples: int = 200,
    seed: int = 0,
) -> dict[str, tuple[float, float, float]]: ...
