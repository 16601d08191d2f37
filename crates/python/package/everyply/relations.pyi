from collections.abc import Iterable
from typing import Literal

from everyply import Error, Table
from everyply.chess import _ArrowArray, _ArrowStream

__all__ = [
    "RulesError",
    "legal_moves",
    "outcomes",
    "perft",
    "rules",
    "timeline",
]

_Positions = Iterable[str] | _ArrowArray | _ArrowStream
_Rows = _ArrowArray | _ArrowStream
_Variant = Literal["standard", "chess960", "crowned-knights"]

class RulesError(Error): ...

def rules(variant: _Variant = "chess960") -> Table: ...
def legal_moves(
    positions: _Positions,
    *,
    variant: _Variant = "chess960",
    patterns: _Rows | None = None,
    threads: int | None = None,
) -> Table: ...
def outcomes(
    positions: _Positions,
    *,
    variant: _Variant = "chess960",
    patterns: _Rows | None = None,
    threads: int | None = None,
) -> Table: ...
def timeline(
    positions: _Positions,
    plies: int,
    *,
    merge: bool = False,
    variant: _Variant = "chess960",
    patterns: _Rows | None = None,
    threads: int | None = None,
) -> Table: ...
def perft(
    depth: int,
    fen: str = "start",
    *,
    variant: _Variant = "chess960",
    patterns: _Rows | None = None,
    threads: int | None = None,
) -> int: ...
