from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Literal, TypeAlias

from everyply import Table
from everyply.chess import _ArrowArray, _ArrowStream
from everyply.kalah import Game, Solution, _Rules
from everyply.kenken import Puzzle, _Level, _PartialGrid

__all__ = [
    "chess_divide",
    "chess_moves",
    "chess_perft",
    "chess_play",
    "fourchess_divide",
    "fourchess_games",
    "fourchess_moves",
    "fourchess_perft",
    "fourchess_plies",
    "kalah_faults",
    "kalah_line",
    "kalah_moves",
    "kalah_path",
    "kalah_positions",
    "kalah_review",
    "kalah_search",
    "kalah_solution",
    "kalah_stats_by_depth",
    "kalah_stats_by_moves",
    "kalah_stats_by_rank",
    "kalah_stats_by_seeds",
    "kalah_stats_by_value",
    "kalah_store",
    "kalah_table",
    "kalah_values",
    "kenken_all_solutions",
    "kenken_checks",
    "kenken_counts",
    "kenken_grades",
    "kenken_hints",
    "kenken_puzzles",
    "kenken_solutions",
    "kenken_steps",
]

_Player: TypeAlias = Literal["random", "greedy"]
_Preset: TypeAlias = Literal["ffa", "teams", "jax"] | Mapping[str, object]
_Setup: TypeAlias = Literal["modern", "classic", "by", "byg", "rg"]
_Puzzles: TypeAlias = Puzzle | str | Iterable[Puzzle | str]

def chess_divide(depth: int, fen: str = "start", *, hash: int | None = None) -> Table: ...
def chess_moves(fen: str = "start") -> Table: ...
def chess_perft(depth: int, fen: str = "start", *, hash: int | None = None) -> Table: ...
def chess_play(fen: str, moves: Iterable[str] | _ArrowArray | _ArrowStream) -> Table: ...
def fourchess_divide(
    depth: int,
    fen: str = "start",
    *,
    rules: _Preset = "ffa",
    setup: _Setup | None = None,
) -> Table: ...
def fourchess_games(
    games: int = 1,
    *,
    seed: int = 0,
    players: _Player | Sequence[_Player] = "random",
    rules: _Preset = "ffa",
    max_plies: int = 10_000,
    fen: str = "start",
    setup: _Setup | None = None,
) -> Table: ...
def fourchess_moves(
    fen: str = "start",
    *,
    rules: _Preset = "ffa",
    setup: _Setup | None = None,
) -> Table: ...
def fourchess_perft(
    depth: int,
    fen: str = "start",
    *,
    rules: _Preset = "ffa",
    setup: _Setup | None = None,
) -> Table: ...
def fourchess_plies(
    games: int = 1,
    *,
    seed: int = 0,
    players: _Player | Sequence[_Player] = "random",
    rules: _Preset = "ffa",
    max_plies: int = 10_000,
    fen: str = "start",
    setup: _Setup | None = None,
) -> Table: ...
def kalah_faults(
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    sample: int | None = None,
    seed: int = 0,
    memory_limit: int = 1_073_741_824,
) -> Table: ...
def kalah_line(
    position: str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> Table: ...
def kalah_moves(
    position: str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> Table: ...
def kalah_path(
    position: str,
    seeds: int | None = None,
    rules: _Rules = "std_either",
    *,
    limit: int = 3_000_000,
) -> Table: ...
def kalah_positions(
    store: Solution | str, *, seeds: int | None = None, depth: int | None = None
) -> Table: ...
def kalah_review(
    record: Game | str,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> Table: ...
def kalah_search(
    position: str,
    table: str | PathLike[str],
    *,
    rules: _Rules | None = None,
    memory_limit: int = 2_147_483_648,
) -> Table: ...
def kalah_solution(solution: Solution, *, pie: bool = False) -> Table: ...
def kalah_stats_by_depth(store: Solution | str) -> Table: ...
def kalah_stats_by_moves(store: Solution | str) -> Table: ...
def kalah_stats_by_rank(store: Solution | str) -> Table: ...
def kalah_stats_by_seeds(store: Solution | str) -> Table: ...
def kalah_stats_by_value(store: Solution | str) -> Table: ...
def kalah_store(store: Solution | str) -> Table: ...
def kalah_table(
    pits: int,
    max_seeds: int,
    directory: str | PathLike[str],
    rules: _Rules = "std_either",
    *,
    memory_limit: int = 1_073_741_824,
) -> Table: ...
def kalah_values(
    positions: Iterable[str] | _ArrowArray | _ArrowStream,
    store: Solution | str | None = None,
    *,
    table: str | PathLike[str] | None = None,
    rules: _Rules | None = None,
    time_limit: float | None = None,
    cache: str | PathLike[str] | None = None,
) -> Table: ...
def kenken_all_solutions(
    puzzles: _Puzzles,
    most: int = 100,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_checks(
    puzzles: _Puzzles,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_counts(
    puzzles: _Puzzles,
    most: int = 2,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_grades(
    puzzles: _Puzzles,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_hints(
    puzzle: Puzzle | str,
    grid: _PartialGrid | None = None,
    *,
    steps: int | None = None,
    level: _Level = "unreasonable",
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_puzzles(
    size: int = 6,
    count: int = 1,
    level: _Level | None = None,
    *,
    seed: int = 0,
    start: int = 0,
    operators: str = "++---**//////",
    cages: Sequence[int] = (2, 50, 30, 12, 4),
    zero: bool = False,
    wide: bool = False,
) -> Table: ...
def kenken_solutions(
    puzzles: _Puzzles,
    *,
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
def kenken_steps(
    puzzles: _Puzzles,
    *,
    level: _Level = "unreasonable",
    nodes: int | None = None,
    time_limit: float | None = 10.0,
) -> Table: ...
