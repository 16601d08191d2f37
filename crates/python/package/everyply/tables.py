"""Results as tables: the tables of docs/formats.md, a function for each, with its name.

>>> from everyply import tables
>>> tables.chess_perft(2).metadata["everyply.schema"]
'chess.perft'

The table ``chess.facts`` is returned by ``everyply.chess.facts``, ``chess.games`` and
``chess.positions`` by the functions with these names, ``chess.patterns`` by
``everyply.relations.rules``, ``fourchess.pgn4_games`` and ``fourchess.pgn4_positions`` by
``everyply.fourchess.games`` and ``everyply.fourchess.positions``.
"""

from everyply._everyply.tables import (
    chess_divide,
    chess_moves,
    chess_perft,
    chess_play,
    fourchess_divide,
    fourchess_games,
    fourchess_moves,
    fourchess_perft,
    fourchess_plies,
    kalah_faults,
    kalah_line,
    kalah_moves,
    kalah_path,
    kalah_positions,
    kalah_review,
    kalah_search,
    kalah_solution,
    kalah_stats_by_depth,
    kalah_stats_by_moves,
    kalah_stats_by_rank,
    kalah_stats_by_seeds,
    kalah_stats_by_value,
    kalah_store,
    kalah_table,
    kalah_values,
    kenken_all_solutions,
    kenken_checks,
    kenken_counts,
    kenken_grades,
    kenken_hints,
    kenken_puzzles,
    kenken_solutions,
    kenken_steps,
)

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
