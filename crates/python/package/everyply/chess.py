"""Chess: legal moves, and everything true of a position."""

from everyply._everyply.chess import (
    EpdError,
    FenError,
    SanError,
    UnknownFact,
    divide,
    facts,
    moves,
    perft,
    play,
)

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
