from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from everyply import Error, Table

__all__ = [
    "Book",
    "Count",
    "DrawingError",
    "Explanation",
    "Fault",
    "GenerateError",
    "Generated",
    "JsonError",
    "KeenError",
    "NotKeen",
    "Puzzle",
    "Step",
    "Unsettled",
    "book",
    "check",
    "count",
    "count_all",
    "explain",
    "generate",
    "generate_batch",
    "grade",
    "hint",
    "make_unique",
    "minimise",
    "solutions",
    "solve",
]

_Level: TypeAlias = Literal["easy", "normal", "hard", "extreme", "unreasonable"]
_Grade: TypeAlias = _Level | Literal["no solution", "many solutions", "unknown"]
_Digits: TypeAlias = NDArray[np.uint8]
_Grid: TypeAlias = Sequence[Sequence[int]] | NDArray[np.integer]
_PartialGrid: TypeAlias = str | Sequence[Sequence[int | Sequence[int] | None]] | NDArray[np.integer]

class KeenError(Error): ...
class JsonError(Error): ...
class DrawingError(Error): ...
class NotKeen(Error): ...
class GenerateError(Error): ...
class Fault(Error): ...
class Unsettled(Error): ...

@final
class Puzzle:
    def __new__(cls, text: str) -> Puzzle: ...
    @property
    def size(self) -> int: ...
    @property
    def cages(self) -> list[tuple[str, int, list[int]]]: ...
    @property
    def zero(self) -> bool: ...
    def game_id(self) -> str: ...
    def json(self) -> str: ...
    def drawing(self) -> str: ...
    def svg(self, grid: _PartialGrid | None = None) -> str: ...
    def png(self, grid: _PartialGrid | None = None, width: int = 640) -> bytes: ...
    def pdf(self, grid: _PartialGrid | None = None) -> bytes: ...
    def show(self, grid: _PartialGrid) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Puzzle], tuple[str]]: ...

@final
class Count:
    @property
    def solutions(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    @property
    def unique(self) -> bool | None: ...
    @property
    def first(self) -> _Digits | None: ...
    @property
    def nodes(self) -> int: ...

@final
class Generated:
    @property
    def puzzle(self) -> Puzzle: ...
    @property
    def solution(self) -> _Digits: ...
    @property
    def level(self) -> _Level | None: ...
    def _repr_svg_(self) -> str: ...

@final
class Book:
    @property
    def pages(self) -> list[str]: ...
    @property
    def puzzles(self) -> Table: ...
    def pdf(self) -> bytes: ...
    def png(self, dpi: float = 150.0) -> list[bytes]: ...
    def __len__(self) -> int: ...
    def _repr_svg_(self) -> str: ...

@final
class Step:
    @property
    def rule(self) -> str: ...
    @property
    def cage(self) -> int | None: ...
    @property
    def because(self) -> list[int]: ...
    @property
    def removed(self) -> list[tuple[int, list[int]]]: ...
    @property
    def placed(self) -> list[tuple[int, int]]: ...
    @property
    def text(self) -> str: ...
    @property
    def grid(self) -> str: ...

@final
class Explanation:
    @property
    def steps(self) -> list[Step]: ...
    @property
    def end(self) -> Literal["solved", "stuck", "contradiction", "unsettled"]: ...

def solve(
    puzzle: Puzzle | str, *, nodes: int | None = None, time_limit: float | None = 10.0
) -> _Digits | None: ...
def solutions(
    puzzle: Puzzle | str,
    most: int = 100,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> list[_Digits]: ...
def count(
    puzzle: Puzzle | str,
    most: int = 2,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Count: ...
def count_all(
    puzzles: Puzzle | str | Iterable[Puzzle | str],
    most: int = 2,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> list[Count]: ...
def grade(
    puzzle: Puzzle | str, *, nodes: int | None = None, time_limit: float | None = 10.0
) -> _Grade: ...
def check(puzzle: Puzzle | str, grid: _Grid) -> None: ...
def hint(
    puzzle: Puzzle | str,
    grid: _PartialGrid | None = None,
    *,
    level: _Level = "unreasonable",
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Step | None: ...
def explain(
    puzzle: Puzzle | str,
    grid: _PartialGrid | None = None,
    *,
    level: _Level = "unreasonable",
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Explanation: ...
def generate(
    size: int = 6,
    level: _Level | None = None,
    *,
    seed: int = 0,
    operators: str = "++---**//////",
    cages: Sequence[int] = (2, 50, 30, 12, 4),
    zero: bool = False,
    wide: bool = False,
) -> Generated: ...
def generate_batch(
    size: int,
    count: int,
    level: _Level | None = None,
    *,
    seed: int = 0,
    start: int = 0,
    operators: str = "++---**//////",
    cages: Sequence[int] = (2, 50, 30, 12, 4),
    zero: bool = False,
    wide: bool = False,
) -> list[Generated]: ...
def make_unique(
    layout: Puzzle | str, *, seed: int = 0, operators: str = "++---**//////"
) -> Generated: ...
def minimise(
    puzzle: Puzzle | str,
    what: Literal["operators", "clues"] = "operators",
    *,
    seed: int = 0,
    operators: str = "++---**//////",
    cages: Sequence[int] = (2, 50, 30, 12, 4),
) -> Puzzle | None: ...
def book(
    size: int = 6,
    count: int = 24,
    level: _Level | Iterable[_Level] | None = None,
    *,
    seed: int = 0,
    operators: str = "++---**//////",
    cages: Sequence[int] = (2, 50, 30, 12, 4),
    paper: Literal["a4", "letter"] = "a4",
    per_page: Literal[1, 2, 4, 6] = 4,
    solutions: Literal["end", "none", "facing"] = "end",
    title: str = "KenKen",
) -> Book: ...
