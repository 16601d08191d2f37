from collections.abc import Iterable
from typing import Literal, Protocol

from everyply import Error, Table

__all__ = [
    "EpdError",
    "FenError",
    "SanError",
    "UnknownFact",
    "divide",
    "facts",
    "moves",
    "perft",
    "play",
]

class _ArrowArray(Protocol):
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class FenError(Error): ...
class EpdError(Error): ...
class SanError(Error): ...
class UnknownFact(Error): ...

def facts(
    fens: Iterable[str] | _ArrowArray | _ArrowStream,
    facts: str | Iterable[str] | None = None,
    *,
    definitions: Literal["std", "literal"] = "std",
) -> Table: ...
def moves(fen: str = "start", *, notation: Literal["uci", "san"] = "uci") -> list[str]: ...
def play(fen: str, moves: Iterable[str]) -> str: ...
def perft(depth: int, fen: str = "start") -> int: ...
def divide(depth: int, fen: str = "start") -> dict[str, int]: ...
