"""Exact computation on board games and puzzles, every result an array or a table.

>>> import everyply
>>> everyply.chess.perft(3)
8902
>>> everyply.kenken.grade("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
'easy'

Each capability is a module: ``everyply.chess``, ``everyply.fourchess``, ``everyply.kalah``,
``everyply.kenken``, ``everyply.relations``, ``everyply.solver``, ``everyply.sql``, and with the extras ``envs`` and
``jax`` also ``everyply.envs`` and ``everyply.jax``. ``everyply.tables`` returns their results as tables. Invalid input raises an
``everyply.Error``, which is a ``ValueError``.
"""

from everyply import chess, fourchess, kalah, kenken, relations, solver, sql, tables
from everyply._everyply import Error, Table, __version__

__all__ = [
    "Error",
    "Table",
    "__version__",
    "chess",
    "fourchess",
    "kalah",
    "kenken",
    "relations",
    "solver",
    "sql",
    "tables",
]
