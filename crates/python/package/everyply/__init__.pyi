from everyply import (
    chess as chess,
    fourchess as fourchess,
    kalah as kalah,
    kenken as kenken,
    relations as relations,
    solver as solver,
    sql as sql,
    tables as tables,
)
from typing import final

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

__version__: str

class Error(ValueError): ...

@final
class Table:
    @property
    def num_rows(self) -> int: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
