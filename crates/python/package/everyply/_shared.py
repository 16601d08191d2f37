"""What the environments of PettingZoo and Gymnasium share: spaces, observations, seeds, pictures."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from everyply import Error, fourchess

Observation = dict[str, NDArray[Any]]

# Scalars of an observation have 16 bits. Most are divided by 100 or more, the others are small.
HIGHEST = 328.0

AUTORESETS: dict[AutoresetMode, Literal["next_step", "same_step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


RENDER_MODES = ["ansi", "rgb_array"]


def checked_render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise Error(f"render_mode: '{mode}' is not one of {', '.join(RENDER_MODES)}")
    return mode


def rendered(batch: fourchess.Batch, game: int, mode: str | None) -> Any:
    """A game as text or as pixels, `(height, width, 3)`."""
    if mode is None:
        return None
    return batch.text(game) if mode == "ansi" else batch.rgb(game)


def observed(batch: fourchess.Batch, compact: bool, copy: bool) -> Observation:
    """What the movers of all games observe."""
    mask = batch.legal_bytes.view(np.int8)
    if compact:
        seen: Observation = {"planes": batch.planes, "scalars": batch.scalars, "action_mask": mask}
        return {name: array.copy() for name, array in seen.items()} if copy else seen
    return {
        "observation": batch.observation(),
        "action_mask": mask.copy() if copy else mask,
    }


def seeds_of(envs: Any, seed: int | Sequence[int] | None) -> NDArray[np.uint64]:
    """A seed for each game: the next ones after a single seed, as Gymnasium does."""
    if seed is None:
        seeds: NDArray[np.uint64] = envs.np_random.integers(
            2**64, size=envs.num_envs, dtype=np.uint64
        )
        return seeds
    chosen = range(seed, seed + envs.num_envs) if isinstance(seed, int) else seed
    if len(chosen) != envs.num_envs:
        raise Error(f"seed: {len(chosen)} seeds, expected {envs.num_envs}")
    return np.array(chosen, dtype=np.uint64)


def observation_spaces(compact: bool = False) -> dict[str, spaces.Space[Any]]:
    mask = spaces.Box(0, 1, (fourchess.ACTIONS,), np.int8)
    if not compact:
        shape = (fourchess.FLOAT_PLANES, 14, 14)
        return {
            "observation": spaces.Box(-HIGHEST, HIGHEST, shape, np.float32),
            "action_mask": mask,
        }
    words, numbers = np.iinfo(np.uint32), np.iinfo(np.int16)
    return {
        "planes": spaces.Box(words.min, words.max, (fourchess.PLANES, 5), np.uint32),
        "scalars": spaces.Box(numbers.min, numbers.max, (fourchess.SCALARS,), np.int16),
        "action_mask": mask,
    }


def chosen_games(mask: NDArray[np.bool_] | None, games: int) -> NDArray[np.intp]:
    """The games of a mask; all games if there is no mask."""
    if mask is None:
        return np.arange(games)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError("options['reset_mask']: expected an array of bool")
    if mask.shape != (games,):
        raise Error(f"options['reset_mask']: shape {mask.shape}, expected ({games},)")
    if not mask.any():
        raise Error("options['reset_mask']: no game is chosen")
    return np.flatnonzero(mask)
