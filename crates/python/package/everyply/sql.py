"""SQL over files, directories, Arrow tables and positions, with functions for chess."""

from everyply._everyply.sql import SqlError, query

__all__ = ["SqlError", "query"]
