from collections.abc import Iterable
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from everyply import Error
from everyply.chess import _ArrowArray, _ArrowStream

__all__ = [
    "ACTIONS",
    "ENDINGS",
    "FLOAT_PLANES",
    "LEGAL_ROOM",
    "LEGAL_WORDS",
    "NO_ACTION",
    "PAIRS",
    "PLANES",
    "PLANE_NAMES",
    "SCALARS",
    "SEATS",
    "WIDE_ACTIONS",
    "Batch",
    "BatchError",
    "FenError",
    "IllegalAction",
    "Tensor",
    "actions",
    "between",
    "destinations",
    "far",
    "from_wide",
    "near",
    "pairs",
    "pawn_pushes",
    "pawn_takes",
    "squares",
    "to_wide",
    "version",
]

ACTIONS: int
ENDINGS: tuple[str, ...]
FLOAT_PLANES: int
LEGAL_ROOM: int
LEGAL_WORDS: int
NO_ACTION: int
PAIRS: int
PLANES: int
PLANE_NAMES: tuple[str, ...]
SCALARS: int
SEATS: tuple[str, str, str, str]
WIDE_ACTIONS: int
version: str

class BatchError(Error): ...
class FenError(Error): ...
class IllegalAction(BatchError): ...

_Texts = Iterable[str] | _ArrowArray | _ArrowStream
_Array = Literal[
    "current_player",
    "legal",
    "legal_counts",
    "legal_bits",
    "legal_bytes",
    "rewards",
    "terminated",
    "truncated",
    "move_valid",
    "planes",
    "scalars",
    "final_planes",
    "final_scalars",
    "final_points",
    "endings",
]

@final
class Batch:
    def __new__(
        cls,
        games: int,
        rules: str = "ffa",
        *,
        outputs: _Texts | None = None,
        autoreset: Literal["next_step", "same_step", "disabled"] = "next_step",
        illegal: Literal["error", "noop", "lose"] = "error",
        reward: Literal["points", "outcome"] | None = None,
        seed: int = 0,
        threads: int = 1,
        setup: Literal["modern", "classic", "by", "byg", "rg"] | None = None,
        max_plies: int | None = None,
        repetitions: int | None = None,
        quiet_limit: int | None = None,
    ) -> Batch: ...
    def reset(self, seed: int = 0) -> None: ...
    def reset_games(
        self, games: ArrayLike, seeds: ArrayLike, fens: _Texts | None = None
    ) -> None: ...
    def step(self, actions: ArrayLike) -> None: ...
    def choose(self, player: Literal["random", "greedy"] = "random") -> NDArray[np.uint16]: ...
    def observation(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]: ...
    def final_observation(
        self, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]: ...
    def fen(self, game: int) -> str: ...
    def moves(self, game: int) -> list[str]: ...
    def action(self, game: int, move: str) -> int: ...
    def to_wide(self, actions: ArrayLike) -> NDArray[np.uint32]: ...
    def from_wide(self, wide: ArrayLike) -> NDArray[np.uint16]: ...
    def tensor(self, name: _Array) -> Tensor: ...
    def __len__(self) -> int: ...
    @property
    def rules(self) -> str: ...
    @property
    def edges(self) -> list[int]: ...
    @property
    def current_player(self) -> NDArray[np.uint8]: ...
    @property
    def legal(self) -> NDArray[np.uint16]: ...
    @property
    def legal_counts(self) -> NDArray[np.uint16]: ...
    @property
    def legal_bits(self) -> NDArray[np.uint64]: ...
    @property
    def legal_bytes(self) -> NDArray[np.uint8]: ...
    @property
    def rewards(self) -> NDArray[np.float32]: ...
    @property
    def terminated(self) -> NDArray[np.bool_]: ...
    @property
    def truncated(self) -> NDArray[np.bool_]: ...
    @property
    def move_valid(self) -> NDArray[np.bool_]: ...
    @property
    def planes(self) -> NDArray[np.uint32]: ...
    @property
    def scalars(self) -> NDArray[np.int16]: ...
    @property
    def final_planes(self) -> NDArray[np.uint32]: ...
    @property
    def final_scalars(self) -> NDArray[np.int16]: ...
    @property
    def final_points(self) -> NDArray[np.int16]: ...
    @property
    def endings(self) -> NDArray[np.uint8]: ...

@final
class Tensor:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    def __dlpack__(
        self,
        *,
        stream: object | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...

def actions() -> NDArray[np.uint8]: ...
def pairs() -> NDArray[np.uint16]: ...
def to_wide(actions: ArrayLike, edge: int) -> NDArray[np.uint32]: ...
def from_wide(wide: ArrayLike, edge: int) -> NDArray[np.uint16]: ...
def squares() -> list[str]: ...
def destinations(
    kind: Literal["knight", "bishop", "rook", "queen", "king"],
) -> NDArray[np.bool_]: ...
def near() -> NDArray[np.bool_]: ...
def far() -> NDArray[np.bool_]: ...
def between() -> NDArray[np.bool_]: ...
def pawn_pushes(edge: int) -> NDArray[np.bool_]: ...
def pawn_takes(edge: int) -> NDArray[np.bool_]: ...
