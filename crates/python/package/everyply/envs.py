"""Four-player chess as environments of PettingZoo and Gymnasium.

All wrap an ``everyply.fourchess.Batch`` and accept its keyword arguments. They need the extra
``envs`` (``pip install everyply[envs]``).

>>> from everyply.envs import FourChessEnv
>>> env = FourChessEnv()
>>> env.reset(seed=1)
>>> for agent in env.agent_iter(max_iter=8):
...     observation, reward, terminated, truncated, info = env.last()
...     env.step(env.action_space(agent).sample(observation["action_mask"]))
>>> env.agent_selection
'red_0'
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from everyply import Error, fourchess

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as _missing:
    raise ImportError("everyply.envs needs more: pip install everyply[envs]") from _missing

from everyply._shared import (
    AUTORESETS,
    RENDER_MODES,
    Observation,
    checked_render_mode,
    chosen_games,
    observation_spaces,
    observed,
    rendered,
    seeds_of,
)
from everyply._solo import FourChessSoloEnv, FourChessSoloVectorEnv

__all__ = [
    "FourChessEnv",
    "FourChessSoloEnv",
    "FourChessSoloVectorEnv",
    "FourChessVectorEnv",
    "env",
    "raw_env",
]

_STATUS = ["plays", "walks", "out"]


class FourChessEnv(AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """A PettingZoo environment of one game with the agents red_0, blue_1, yellow_2 and green_3.

    ``rules`` and the other keyword arguments are those of ``everyply.fourchess.Batch``. An
    observation has two entries: ``observation``, the planes of ``everyply.fourchess.PLANE_NAMES``
    in the frame of the agent, and ``action_mask``, which is all zeros unless the agent is to move.
    Rewards are those of the batch.

    With ``eliminated="stay"`` all agents stay until the game is over, even those that are out,
    because the final ranking, and under some rules the points, still affect them. They are never
    selected again. With ``eliminated="leave"`` an agent that is out is terminated at once, with the
    rewards it has by then.

    ``reset`` accepts a position with ``options={"fen": ...}``.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "fourchess_v1",
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | dict[str, Any] = "ffa",
        *,
        eliminated: Literal["stay", "leave"] = "stay",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if eliminated not in ("stay", "leave"):
            raise Error(f"eliminated: '{eliminated}' is not one of stay, leave")
        self._leave = eliminated == "leave"
        self.render_mode = render_mode if render_mode == "human" else checked_render_mode(render_mode)
        outputs = ["legal_bytes", "observation"]
        self._batch = fourchess.Batch(1, rules, autoreset="disabled", outputs=outputs, **options)
        self.possible_agents = [f"{name}_{seat}" for seat, name in enumerate(fourchess.SEATS)]
        self.agents: list[str] = []
        space = spaces.Dict(observation_spaces())
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(fourchess.ACTIONS) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game, from a position in FEN4 if ``options`` has one."""
        self._batch.reset(seed or 0)
        if options and "fen" in options:
            self._batch.reset_games([0], [seed or 0], [options["fen"]])
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._look()

    def observe(self, agent: str) -> Observation:
        """The observation of an agent."""
        seat = self.possible_agents.index(agent)
        mover = int(self._batch.current_player[0])
        edges = self._batch.edges
        floats = _turned(self._batch.observation()[0], seat - mover, edges[seat] - edges[mover])
        mask = self._batch.legal_bytes[0].astype(np.int8)
        if seat != mover:
            mask[:] = 0
        return {"observation": floats, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent; None if the game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise Error(f"action: None, but the game of {agent} goes on")
        self._batch.step([action])
        rewards = dict(zip(self.possible_agents, self._batch.rewards[0].tolist(), strict=True))
        self.rewards = {agent: rewards[agent] for agent in self.agents}
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._look()
        if self.render_mode == "human":
            self.render()

    def _look(self) -> None:
        """Updates who moves, who has left and whether the game is over."""
        batch = self._batch
        terminated, truncated = bool(batch.terminated[0]), bool(batch.truncated[0])
        points, status = batch.points[0].tolist(), batch.status[0].tolist()
        seats = {agent: self.possible_agents.index(agent) for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"points": points[seat], "status": _STATUS[status[seat]]}
            for agent, seat in seats.items()
        }
        out = {agent for agent in seats if self._leave and self.infos[agent]["status"] == "out"}
        self.terminations = {agent: terminated or agent in out for agent in self.agents}
        self.truncations = {agent: truncated and agent not in out for agent in self.agents}
        self.agent_selection = self.possible_agents[int(batch.current_player[0])]
        if self._leave:
            self._deads_step_first()

    def render(self) -> Any:
        """The board, as ``render_mode`` says; ``human`` prints it, after every step too."""
        if self.render_mode == "human":
            print(self._batch.text(0))
            return None
        return rendered(self._batch, 0, self.render_mode)

    def close(self) -> None:
        """There is nothing to close."""


class FourChessVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """A Gymnasium vector environment. A step plays one action in each game, for the seat to move.

    ``rules`` and the other keyword arguments are those of ``everyply.fourchess.Batch``. An
    observation has ``action_mask`` and ``observation``, the planes as floats. With
    ``compact=True`` it has ``planes`` and ``scalars`` as in the batch instead, which is much
    cheaper. ``infos`` has the ``rewards`` of each seat, the ``current_player`` and ``move_valid``.

    Gymnasium has one reward for each game: the sum of all seats' rewards, so that the rewards of an
    episode add up to the game, or with ``rewards="mover"`` that of the seat that moved. A learner
    needs the ``rewards`` of ``infos``, because a move may give points to others.

    The masks of a game that has ended are all ones, so that a softmax over them stays finite; with
    ``ended_mask="zeros"`` they are all zeros. With ``copy=False`` observations are views of the
    batch, which the next step overwrites.

    ``autoreset_mode`` is one of Gymnasium's modes. A game that ends is reset in the next step, or
    in the same step with ``final_obs`` and ``final_info`` in ``infos``, or only by
    ``reset(options={"reset_mask": ...})``. ``reset`` accepts positions with
    ``options={"fens": ...}``.

    With ``device="cuda"`` the games are on a GPU, and everything that is returned is a tensor of
    PyTorch there; actions may be one.

    >>> import gymnasium
    >>> import everyply.envs
    >>> envs = gymnasium.make_vec("everyply/FourChess-v1", num_envs=3, compact=True)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = observations["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> infos["current_player"].tolist()
    [1, 1, 1]
    """

    def __new__(cls, *arguments: Any, **options: Any) -> "FourChessVectorEnv":
        """On a GPU the environment is one of tensors."""
        if cls is FourChessVectorEnv and fourchess.device(options.get("device", "cpu")) != "cpu":
            from everyply._device import FourChessTensorVectorEnv

            return super().__new__(FourChessTensorVectorEnv)
        return super().__new__(cls)

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | dict[str, Any] = "ffa",
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compact: bool = False,
        copy: bool = True,
        render_mode: str | None = None,
        ended_mask: Literal["zeros", "ones"] = "ones",
        rewards: Literal["all", "mover"] = "all",
        **options: Any,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        if rewards not in ("all", "mover"):
            raise Error(f"rewards: '{rewards}' is not one of all, mover")
        self._all_rewards = rewards == "all"
        outputs = ["legal_bytes", "observation"]
        self._batch = fourchess.Batch(
            num_envs,
            rules,
            autoreset=AUTORESETS[mode],
            outputs=outputs,
            ended_mask=ended_mask,
            **options,
        )
        self._compact, self._copy = compact, copy
        self.metadata = {"render_modes": RENDER_MODES, "autoreset_mode": mode}
        self.num_envs = num_envs
        self.render_mode = checked_render_mode(render_mode)
        self._final_mask = np.full(fourchess.ACTIONS, ended_mask == "ones", dtype=np.int8)
        self.single_observation_space = spaces.Dict(observation_spaces(compact))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(fourchess.ACTIONS)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Resets all games, or those in the ``reset_mask`` of ``options``."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        options = options or {}
        games = chosen_games(options.get("reset_mask"), self.num_envs)
        seeds = seeds_of(self, seed)[games]
        fens = options.get("fens")
        if fens is None:
            self._batch.reset_games(games, seeds)
        else:
            self._batch.reset_games(games, seeds, fens)
        return self._observations(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays an action in every game."""
        batch = self._batch
        movers = batch.current_player.astype(np.intp)
        batch.step(actions)
        if self._all_rewards:
            rewards = batch.rewards.sum(axis=1, dtype=np.float64)
        else:
            rewards = batch.rewards[np.arange(self.num_envs), movers].astype(np.float64)
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        infos = self._infos()
        ended = terminated | truncated
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            self._add_finals(infos, ended)
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """The boards, as ``render_mode`` says."""
        return tuple(rendered(self._batch, game, self.render_mode) for game in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """There is nothing to close."""

    def _observations(self) -> Observation:
        return observed(self._batch, self._compact, self._copy)

    def _infos(self) -> dict[str, Any]:
        batch = self._batch
        infos: dict[str, Any] = {
            "rewards": batch.rewards.copy(),
            "current_player": batch.current_player.copy(),
            "move_valid": batch.move_valid.copy(),
        }
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return infos | {f"_{name}": everywhere.copy() for name in infos}

    def _add_finals(self, infos: dict[str, Any], ended: NDArray[np.bool_]) -> None:
        """Adds the final observations of games that were reset in the same step."""
        batch = self._batch
        seen: Observation
        if self._compact:
            seen = {"planes": batch.final_planes, "scalars": batch.final_scalars}
        else:
            seen = {"observation": batch.final_observation()}
        observations = np.full(self.num_envs, None, dtype=object)
        for game in np.flatnonzero(ended):
            final = {name: array[game].copy() for name, array in seen.items()}
            final["action_mask"] = self._final_mask.copy()
            observations[game] = final
        infos["final_obs"], infos["_final_obs"] = observations, ended.copy()
        infos["final_info"] = {
            "rewards": np.where(ended[:, None], batch.rewards, 0),
            "_rewards": ended.copy(),
            "points": np.where(ended[:, None], batch.final_points, 0),
            "_points": ended.copy(),
            "ending": np.where(ended, batch.endings, 0),
            "_ending": ended.copy(),
        }
        infos["_final_info"] = ended.copy()


def raw_env(rules: str | dict[str, Any] = "ffa", **options: Any) -> FourChessEnv:
    """The environment of PettingZoo without wrappers."""
    return FourChessEnv(rules, **options)


def env(rules: str | dict[str, Any] = "ffa", **options: Any) -> Any:
    """The environment of PettingZoo with its usual wrappers: the order of calls is enforced, and an
    illegal action ends the game as PettingZoo does it."""
    return wrappers.OrderEnforcingWrapper(raw_env(rules, **options))


def _turned(floats: NDArray[np.float32], seats: int, edges: int) -> NDArray[np.float32]:
    """An observation from the view of another player, ``seats`` and ``edges`` further."""
    turned: NDArray[np.float32] = np.rot90(floats, -edges, axes=(1, 2)).copy()
    # Six piece planes of each seat, the points of each, and the status of each.
    for first, each in [(0, 6), (fourchess.PLANES, 1), (fourchess.PLANES + 4, 1)]:
        block = turned[first : first + 4 * each]
        block[:] = np.roll(block, -seats * each, axis=0)
    return turned


gymnasium.register(
    id="everyply/FourChessSolo-v1",
    entry_point="everyply.envs:FourChessSoloEnv",
    vector_entry_point="everyply.envs:FourChessSoloVectorEnv",
)
gymnasium.register(
    id="everyply/FourChess-v1", vector_entry_point="everyply.envs:FourChessVectorEnv"
)
