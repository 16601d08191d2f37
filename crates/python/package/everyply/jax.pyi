from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from everyply.fourchess import _Rule

__all__ = ["State", "init", "load", "observe", "sample", "save", "step"]

_Rules = str | Mapping[str, _Rule]
_Autoreset = Literal["next_step", "same_step", "disabled"]
_Illegal = Literal["error", "noop", "lose"]
_Reward = Literal["points", "outcome"]
_EndedMask = Literal["zeros", "ones"]

@dataclass(frozen=True)
class State:
    game: Any
    current_player: Any
    rewards: Any
    terminated: Any
    truncated: Any
    move_valid: Any
    _step_count: Any
    config: str
    @property
    def legal_action_mask(self) -> Any: ...
    @property
    def legal_actions(self) -> Any: ...
    @property
    def legal_count(self) -> Any: ...
    @property
    def planes(self) -> Any: ...
    @property
    def observation(self) -> Any: ...
    def replace(self, **changes: Any) -> State: ...

def init(
    key: Any,
    rules: _Rules = "ffa",
    *,
    autoreset: _Autoreset = "disabled",
    illegal: _Illegal = "lose",
    reward: _Reward | None = None,
    ended_mask: _EndedMask = "ones",
) -> State: ...
def step(state: State, action: Any) -> State: ...
def sample(state: State, key: Any) -> Any: ...
def observe(state: State, dtype: Any = None) -> Any: ...
def save(state: State) -> Any: ...
def load(
    saved: Any,
    rules: _Rules = "ffa",
    *,
    autoreset: _Autoreset = "disabled",
    illegal: _Illegal = "lose",
    reward: _Reward | None = None,
    ended_mask: _EndedMask = "ones",
) -> State: ...
