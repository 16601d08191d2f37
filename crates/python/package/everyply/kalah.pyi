from collections.abc import Iterable
from os import PathLike
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from everyply import Error
from everyply.chess import _ArrowArray, _ArrowStream

__all__ = [
    "Game",
    "Move",
    "ParseOpponentError",
    "ParsePositionError",
    "ParseRulesError",
    "RecordError",
    "SheetsError",
    "SizeError",
    "Solution",
    "SolveError",
    "Step",
    "StoreError",
    "TableError",
    "UnknownPosition",
    "best",
    "build_table",
    "line",
    "path",
    "solve",
    "value",
    "values",
]

_Rules = Literal["std_either", "empty_either", "std_mover", "empty_mover"]

class ParseOpponentError(Error): ...
class ParsePositionError(Error): ...
class ParseRulesError(Error): ...
class RecordError(Error): ...
class SheetsError(Error): ...
class SizeError(Error): ...
class SolveError(Error): ...
class StoreError(Error): ...
class TableError(Error): ...
class UnknownPosition(Error): ...

@final
class Solution:
    @property
    def value(self) -> int: ...
    @property
    def best(self) -> int | None: ...
    @property
    def positions(self) -> int: ...
    @property
    def start(self) -> str: ...
    @property
    def rules(self) -> _Rules: ...
    @property
    def store(self) -> str: ...

@final
class Move:
    @property
    def pit(self) -> int: ...
    @property
    def value(self) -> int | None: ...
    @property
    def best(self) -> bool: ...
    @property
    def remoteness(self) -> int | None: ...
    @property
    def gain(self) -> int: ...
    @property
    def captured(self) -> int: ...
    @property
    def again(self) -> bool: ...
    @property
    def position(self) -> str: ...
    @property
    def why(self) -> str: ...

@final
class Step:
    @property
    def player(self) -> Literal[1, 2]: ...
    @property
    def position(self) -> str: ...
    @property
    def pit(self) -> int: ...
    @property
    def value(self) -> int: ...
    @property
    def remoteness(self) -> int | None: ...
    @property
    def stores(self) -> tuple[int, int]: ...
    @property
    def why(self) -> str: ...

@final
class Game:
    def __new__(
        cls,
        start: str = "6x4",
        rules: _Rules = "std_either",
        *,
        against: str = "perfect",
        seed: int = 0,
        time_limit: float | None = 60.0,
        cache: str | PathLike[str] | None = None,
    ) -> Game: ...
    @property
    def player(self) -> Literal[1, 2]: ...
    @property
    def position(self) -> str: ...
    @property
    def legal(self) -> list[int]: ...
    @property
    def over(self) -> bool: ...
    @property
    def totals(self) -> tuple[int, int] | None: ...
    @property
    def result(self) -> str | None: ...
    @property
    def record(self) -> str: ...
    def play(self, pit: int) -> None: ...
    def reply(self) -> int | None: ...
    def undo(self) -> bool: ...
    def _repr_svg_(self) -> str: ...

def solve(
    pits: int,
    seeds: int,
    rules: _Rules = "std_either",
    store: str = "memory:",
    *,
    resume: bool = False,
    memory_limit: int = 1_073_741_824,
) -> Solution: ...
def build_table(
    pits: int,
    max_seeds: int,
    directory: str | PathLike[str],
    rules: _Rules = "std_either",
    *,
    memory_limit: int = 1_073_741_824,
) -> int: ...
def best(
    position: str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> list[Move]: ...
def value(
    position: str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> int: ...
def values(
    positions: Iterable[str] | _ArrowArray | _ArrowStream,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> NDArray[np.int16]: ...
def line(
    position: str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> list[Step]: ...
def path(
    position: str,
    seeds: int | None = None,
    rules: _Rules = "std_either",
    *,
    limit: int = 3_000_000,
) -> list[int]: ...
