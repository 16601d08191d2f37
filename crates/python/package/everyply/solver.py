"""Games of your own, defined by functions over NumPy arrays and solved completely."""

from everyply._everyply.solver import (
    Game,
    Move,
    Solution,
    SolveError,
    StoreError,
    UnknownPosition,
    open,
    solve,
)

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
