"""The rules of chess as rows: legal moves and timelines of many positions as one query plan."""

from everyply._everyply.relations import (
    RulesError,
    legal_moves,
    outcomes,
    perft,
    rules,
    timeline,
)

__all__ = [
    "RulesError",
    "legal_moves",
    "outcomes",
    "perft",
    "rules",
    "timeline",
]
