from collections.abc import Mapping
from os import PathLike

from everyply import Error, Table
from everyply.relations import _Rows, _Variant

__all__ = ["SqlError", "query"]

class SqlError(Error): ...

def query(
    statement: str,
    *,
    tables: Mapping[str, _Rows | str | PathLike[str]] | None = None,
    variant: _Variant = "chess960",
    patterns: _Rows | None = None,
    memory_limit: int | None = None,
    spill_dir: str | PathLike[str] | None = None,
    spill_limit: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    writable: bool = False,
    root: str | PathLike[str] | None = None,
    network: bool = True,
) -> Table: ...
