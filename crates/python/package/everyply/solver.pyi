from collections.abc import Callable, Iterable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from everyply.kalah import SolveError as SolveError
from everyply.kalah import StoreError as StoreError
from everyply.kalah import UnknownPosition as UnknownPosition

__all__ = [
    "Game",
    "Move",
    "Solution",
    "SolveError",
    "StoreError",
    "UnknownPosition",
    "open",
    "solve",
]

_Keys = NDArray[np.uint64]
_Integers = NDArray[np.integer[Any]]
_Children = (
    tuple[_Integers, _Integers, _Integers]
    | tuple[_Integers, _Integers, _Integers, _Integers]
    | tuple[_Integers, _Integers, _Integers, _Integers, NDArray[np.bool_]]
)

@final
class Game:
    def __new__(
        cls,
        name: str,
        *,
        start: int,
        key_bits: int,
        children: Callable[[_Keys], _Children],
        ranks: Callable[[_Keys], _Integers | tuple[_Integers, _Integers]],
        values: Callable[[_Keys], _Integers],
    ) -> Game: ...
    @property
    def name(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def key_bits(self) -> int: ...

@final
class Move:
    @property
    def before(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def after(self) -> int: ...
    @property
    def gain(self) -> int: ...
    @property
    def again(self) -> bool: ...
    @property
    def value(self) -> int: ...
    @property
    def best(self) -> bool: ...
    @property
    def remoteness(self) -> int | None: ...

@final
class Solution:
    @property
    def game(self) -> Game: ...
    @property
    def value(self) -> int: ...
    @property
    def best(self) -> int | None: ...
    @property
    def remoteness(self) -> int | None: ...
    @property
    def positions(self) -> int: ...
    @property
    def store(self) -> str: ...
    def values(self, keys: _Integers | Iterable[int]) -> NDArray[np.int16]: ...
    def moves(self, key: int | None = None) -> list[Move]: ...
    def line(self, key: int | None = None) -> list[Move]: ...
    def verify(self, sample: int | None = None, *, seed: int = 0) -> int: ...

def solve(
    game: Game,
    store: str = "memory:",
    *,
    resume: bool = False,
    memory_limit: int = 1_073_741_824,
) -> Solution: ...
def open(game: Game, store: str) -> Solution: ...
