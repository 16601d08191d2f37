"""Four-player chess as environments of PettingZoo and Gymnasium.

Both wrap an ``everyply.fourchess.Batch`` and accept its keyword arguments. They need the extra
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

from collections.abc import Callable, Sequence
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

__all__ = [
    "FourChessEnv",
    "FourChessSoloEnv",
    "FourChessSoloVectorEnv",
    "FourChessVectorEnv",
    "env",
    "raw_env",
]

Observation = dict[str, NDArray[Any]]

# Scalars of an observation have 16 bits. Most are divided by 100 or more, the others are small.
_HIGHEST = 328.0


class FourChessEnv(AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """A PettingZoo environment of one game with the agents red_0, blue_1, yellow_2 and green_3.

    ``rules`` and the other keyword arguments are those of ``everyply.fourchess.Batch``. An
    observation has two entries: ``observation``, the planes of ``everyply.fourchess.PLANE_NAMES``
    in the frame of the agent, and ``action_mask``, which is all zeros unless the agent is to move.
    Rewards are those of the batch.

    All agents stay until the game is over, even those that are eliminated, because the final
    ranking, and under some rules the points, still affect them. They are never selected again.

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
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode if render_mode == "human" else _render_mode(render_mode)
        outputs = ["legal_bytes", "observation"]
        self._batch = fourchess.Batch(1, rules, autoreset="disabled", outputs=outputs, **options)
        self.possible_agents = [f"{name}_{seat}" for seat, name in enumerate(fourchess.SEATS)]
        self.agents: list[str] = []
        space = spaces.Dict(_observation_spaces())
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
        rewards = self._batch.rewards[0].tolist()
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._look()
        if self.render_mode == "human":
            self.render()

    def _look(self) -> None:
        """Updates who moves and whether the game is over."""
        terminated, truncated = bool(self._batch.terminated[0]), bool(self._batch.truncated[0])
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.possible_agents[int(self._batch.current_player[0])]
        points, status = self._batch.points[0].tolist(), self._batch.status[0].tolist()
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"points": points[seat], "status": _STATUS[status[seat]]}
            for seat, agent in enumerate(self.possible_agents)
            if agent in self.agents
        }

    def render(self) -> Any:
        """The board, as ``render_mode`` says; ``human`` prints it, after every step too."""
        if self.render_mode == "human":
            print(self._batch.text(0))
            return None
        return _rendered(self._batch, 0, self.render_mode)

    def close(self) -> None:
        """There is nothing to close."""


class FourChessVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """A Gymnasium vector environment. A step plays one action in each game, for the seat to move.

    ``rules`` and the other keyword arguments are those of ``everyply.fourchess.Batch``. An
    observation has ``action_mask`` and ``observation``, the planes as floats. With
    ``compact=True`` it has ``planes`` and ``scalars`` as in the batch instead, which is much
    cheaper. The reward is that of the seat that moved. ``infos`` has the ``rewards`` of all seats,
    the ``current_player`` and ``move_valid``.

    The masks of a game that has ended are all ones, so that a softmax over them stays finite; with
    ``ended_mask="zeros"`` they are all zeros. With ``copy=False`` observations are views of the batch, which the next step overwrites.

    ``autoreset_mode`` is one of Gymnasium's modes. A game that ends is reset in the next step, or
    in the same step with ``final_obs`` and ``final_info`` in ``infos``, or only by
    ``reset(options={"reset_mask": ...})``. ``reset`` accepts positions with
    ``options={"fens": ...}``.

    >>> import gymnasium
    >>> import everyply.envs
    >>> envs = gymnasium.make_vec("everyply/FourChess-v1", num_envs=3, compact=True)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = observations["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> infos["current_player"].tolist()
    [1, 1, 1]
    """

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
        **options: Any,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        outputs = ["legal_bytes", "observation"]
        self._batch = fourchess.Batch(
            num_envs,
            rules,
            autoreset=_AUTORESETS[mode],
            outputs=outputs,
            ended_mask=ended_mask,
            **options,
        )
        self._compact, self._copy = compact, copy
        self.metadata = {"render_modes": _RENDER_MODES, "autoreset_mode": mode}
        self.num_envs = num_envs
        self.render_mode = _render_mode(render_mode)
        self._final_mask = np.full(fourchess.ACTIONS, ended_mask == "ones", dtype=np.int8)
        self.single_observation_space = spaces.Dict(_observation_spaces(compact))
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
        games = _chosen(options.get("reset_mask"), self.num_envs)
        seeds = _seeds(self, seed)[games]
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
        rewards = batch.rewards[np.arange(self.num_envs), movers].astype(np.float64)
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        infos = self._infos()
        ended = terminated | truncated
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            self._add_finals(infos, ended)
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """The boards, as ``render_mode`` says."""
        return tuple(_rendered(self._batch, game, self.render_mode) for game in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """There is nothing to close."""

    def _observations(self) -> Observation:
        return _seen(self._batch, self._compact, self._copy)

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


_STATUS = ["plays", "walks", "out"]

_Policy = Callable[[fourchess.Batch, NDArray[np.intp]], NDArray[Any]]


class FourChessSoloVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Many games of one learner against three opponents who move inside ``step``.

    ``seat`` is the learner's. ``opponents`` is ``"random"`` or ``"greedy"``, or three of them in
    the order in which they move after the learner, or a function: it takes the batch and the
    numbers of the games in which an opponent is to move, and returns an action for each of them.
    ``rules`` and the other keywords are those of ``everyply.fourchess.Batch``.

    A step plays the learner's action and then the opponents', until the learner is to move again.
    Its reward is the sum of the learner's rewards on the way. An episode ends when the game ends
    or the learner is out; with ``reward="outcome"`` the opponents then finish the game, because
    only its end decides the places.

    ``action_space.sample()`` samples legal actions, and ``action_masks()`` is the mask that
    MaskablePPO asks for. Observations, ``compact``, ``copy`` and ``autoreset_mode`` are those of
    ``FourChessVectorEnv``; resets in the same step are not supported.

    >>> import gymnasium
    >>> import everyply.envs
    >>> envs = gymnasium.make_vec("everyply/FourChessSolo-v1", num_envs=3, opponents="greedy")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
    >>> infos["current_player"].tolist()
    [0, 0, 0]
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | dict[str, Any] = "ffa",
        *,
        seat: str = "red",
        opponents: str | Sequence[str] | _Policy = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compact: bool = False,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        if mode == AutoresetMode.SAME_STEP:
            raise Error("autoreset_mode: this environment cannot reset in the same step")
        if seat not in fourchess.SEATS:
            raise Error(f"seat: '{seat}' is not one of {', '.join(fourchess.SEATS)}")
        # An action that is no action lets a game wait for the others.
        self._batch = fourchess.Batch(
            num_envs,
            rules,
            autoreset="disabled",
            illegal="noop",
            ended_mask="ones",
            outputs=["legal_bytes", "observation"],
            **options,
        )
        self.seat = fourchess.SEATS.index(seat)
        self._players, self._policy = _opponents(opponents, self.seat)
        self._plays_out = options.get("reward") == "outcome" or (
            "reward" not in options and self._batch.rule_values["sides"] == "pairs"
        )
        self._compact, self._copy = compact, copy
        self.metadata = {"render_modes": _RENDER_MODES, "autoreset_mode": mode}
        self.num_envs = num_envs
        self.render_mode = _render_mode(render_mode)
        self.single_observation_space = spaces.Dict(_observation_spaces(compact))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(fourchess.ACTIONS)
        self.action_space = _LegalActions(self._batch)
        self._ended = np.zeros(num_envs, dtype=np.bool_)
        self._earned = np.zeros(num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts all games, or those of the options' ``reset_mask``."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        options = options or {}
        games = _chosen(options.get("reset_mask"), self.num_envs)
        self._begin(games, _seeds(self, seed)[games], options.get("fens"))
        return self._observations(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays the learner's action in every game, and those of its opponents."""
        again = np.flatnonzero(self._ended)
        if again.size and self.metadata["autoreset_mode"] == AutoresetMode.DISABLED:
            raise Error(f"game {again[0]} has ended and must be reset before it is stepped")
        going = ~self._ended
        self._play(self._checked(actions, going))
        self._reply()
        rewards = np.where(going, self._earned, 0.0)
        self._earned[:] = 0.0
        if again.size:
            self._begin(again, self.np_random.integers(2**64, size=again.size, dtype=np.uint64))
        terminated = going & (self._batch.terminated | self._is_out())
        truncated = going & self._batch.truncated & ~terminated
        self._ended = terminated | truncated
        return self._observations(), rewards, terminated, truncated, self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of every game, ``(num_envs, ACTIONS)``; all of them where one has ended."""
        mask: NDArray[np.bool_] = self._batch.legal_bytes.astype(np.bool_)
        mask[self._ended] = True
        return mask

    def render(self) -> tuple[Any, ...] | None:
        """The boards, as ``render_mode`` says."""
        return tuple(_rendered(self._batch, game, self.render_mode) for game in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """There is nothing to close."""

    def _begin(
        self, games: NDArray[np.intp], seeds: NDArray[np.uint64], fens: Sequence[str] | None = None
    ) -> None:
        if fens is None:
            self._batch.reset_games(games, seeds)
        else:
            self._batch.reset_games(games, seeds, fens)
        self._ended[games] = False
        self._earned[games] = 0.0
        self._reply()
        over = self._batch.terminated | self._batch.truncated | self._is_out()
        if over[games].any():
            raise Error(f"game {games[over[games]][0]} is over before the learner's first turn")

    def _checked(self, actions: NDArray[Any], going: NDArray[np.bool_]) -> NDArray[np.uint16]:
        """The learner's actions, all of them legal."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise Error(f"actions: expected {self.num_envs} integers")
        chosen = np.where(going, given, 0)
        inside = (chosen >= 0) & (chosen < fourchess.ACTIONS)
        legal = self._batch.legal_bytes[np.arange(self.num_envs), np.where(inside, chosen, 0)]
        wrong = np.flatnonzero(going & ~(inside & (legal == 1)))
        if wrong.size:
            game = wrong[0]
            raise fourchess.IllegalAction(f"action {given[game]} is not legal in game {game}")
        return np.where(going, chosen, fourchess.NO_ACTION).astype(np.uint16)

    def _play(self, actions: NDArray[np.uint16]) -> None:
        self._batch.step(actions)
        self._earned += self._batch.rewards[:, self.seat]

    def _reply(self) -> None:
        """Lets the opponents move until the learner is to move or its game is over."""
        batch = self._batch
        while True:
            waiting = (batch.current_player != self.seat) & (batch.legal_counts > 0)
            if not self._plays_out:
                waiting &= ~self._is_out()
            waiting &= ~self._ended
            games = np.flatnonzero(waiting)
            if not games.size:
                return
            if self._policy is None:
                actions = batch.choose(self._players)
            else:
                actions = np.zeros(self.num_envs, dtype=np.uint16)
                actions[games] = self._policy(batch, games)
                legal = batch.legal_bytes[games, np.minimum(actions[games], fourchess.ACTIONS - 1)]
                if (legal == 0).any():
                    game = games[np.flatnonzero(legal == 0)[0]]
                    raise fourchess.IllegalAction(
                        f"opponents: action {actions[game]} is not legal in game {game}"
                    )
            self._play(np.where(waiting, actions, fourchess.NO_ACTION).astype(np.uint16))

    def _is_out(self) -> NDArray[np.bool_]:
        out: NDArray[np.bool_] = self._batch.status[:, self.seat] != 0
        return out

    def _observations(self) -> Observation:
        return _seen(self._batch, self._compact, self._copy)

    def _infos(self) -> dict[str, Any]:
        batch = self._batch
        infos: dict[str, Any] = {
            "points": batch.points,
            "plies": batch.plies,
            "current_player": batch.current_player.copy(),
        }
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return infos | {f"_{name}": everywhere.copy() for name in infos}


class FourChessSoloEnv(gymnasium.Env[Observation, np.int64]):
    """One game of one learner against three opponents; see ``FourChessSoloVectorEnv``.

    >>> import gymnasium
    >>> import everyply.envs
    >>> env = gymnasium.make("everyply/FourChessSolo-v1", seat="red", opponents="greedy")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> terminated
    False
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        rules: str | dict[str, Any] = "ffa",
        *,
        seat: str = "red",
        opponents: str | Sequence[str] | _Policy = "random",
        compact: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._envs = FourChessSoloVectorEnv(
            1,
            rules,
            seat=seat,
            opponents=opponents,
            autoreset_mode=AutoresetMode.DISABLED,
            compact=compact,
            render_mode=render_mode,
            **options,
        )
        self.render_mode = render_mode
        self.observation_space = self._envs.single_observation_space
        self.action_space = _LegalAction(self._envs._batch)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a game, from a position in FEN4 if the options have ``fen``."""
        super().reset(seed=seed)
        options = options or {}
        fens = {"fens": [options["fen"]]} if "fen" in options else {}
        game = int(self.np_random.integers(2**63)) if seed is None else seed
        observations, infos = self._envs.reset(seed=[game], options=fens)
        return _first(observations), _info(infos)

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action, and those of its opponents."""
        seen, rewards, terminated, truncated, infos = self._envs.step(np.array([action]))
        over = bool(terminated[0]), bool(truncated[0])
        return _first(seen), float(rewards[0]), *over, _info(infos)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, all of them when the game is over."""
        mask: NDArray[np.bool_] = self._envs.action_masks()[0]
        return mask

    def render(self) -> Any:
        """The board, as ``render_mode`` says."""
        return _rendered(self._envs._batch, 0, self.render_mode)


def raw_env(rules: str | dict[str, Any] = "ffa", **options: Any) -> FourChessEnv:
    """The environment of PettingZoo without wrappers."""
    return FourChessEnv(rules, **options)


def env(rules: str | dict[str, Any] = "ffa", **options: Any) -> Any:
    """The environment of PettingZoo with its usual wrappers: the order of calls is enforced, and an
    illegal action ends the game as PettingZoo does it."""
    return wrappers.OrderEnforcingWrapper(raw_env(rules, **options))


class _LegalAction(spaces.Discrete):
    """Actions of which legal ones are sampled."""

    def __init__(self, batch: fourchess.Batch) -> None:
        super().__init__(fourchess.ACTIONS)
        self._batch = batch

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        count = int(self._batch.legal_counts[0])
        if mask is not None or probability is not None or not count:
            return np.int64(super().sample(mask, probability))
        return np.int64(self._batch.legal[0, self.np_random.integers(count)])


class _LegalActions(spaces.MultiDiscrete):
    """An action of each game, of which legal ones are sampled."""

    def __init__(self, batch: fourchess.Batch) -> None:
        super().__init__(np.full(len(batch), fourchess.ACTIONS))
        self._batch = batch

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[Any]:
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        counts = self._batch.legal_counts
        chosen = (self.np_random.random(len(counts)) * counts).astype(np.intp)
        actions = self._batch.legal[np.arange(len(counts)), chosen]
        return np.where(counts > 0, actions, 0).astype(self.dtype)


_RENDER_MODES = ["ansi", "rgb_array"]


def _render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in _RENDER_MODES:
        raise Error(f"render_mode: '{mode}' is not one of {', '.join(_RENDER_MODES)}")
    return mode


def _rendered(batch: fourchess.Batch, game: int, mode: str | None) -> Any:
    """A game as text or as pixels, `(height, width, 3)`."""
    if mode is None:
        return None
    return batch.text(game) if mode == "ansi" else batch.rgb(game)


def _opponents(
    opponents: str | Sequence[str] | _Policy, seat: int
) -> tuple[list[Any], _Policy | None]:
    """A player for each seat, or a function for all of them."""
    if callable(opponents):
        return [None] * 4, opponents
    three = [opponents] * 3 if isinstance(opponents, str) else list(opponents)
    if len(three) != 3:
        raise Error(f"opponents: {len(three)} players, expected 3")
    players: list[Any] = [None] * 4
    for turn, player in enumerate(three, 1):
        if player not in ("random", "greedy"):
            raise Error(f"opponents: '{player}' is not one of random, greedy")
        players[(seat + turn) % 4] = player
    return players, None


def _first(observations: Observation) -> Observation:
    return {name: array[0] for name, array in observations.items()}


def _info(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: value[0] for name, value in infos.items() if not name.startswith("_")}


def _seen(batch: fourchess.Batch, compact: bool, copy: bool) -> Observation:
    """What the movers of all games observe."""
    mask = batch.legal_bytes.view(np.int8)
    if compact:
        seen: Observation = {"planes": batch.planes, "scalars": batch.scalars, "action_mask": mask}
        return {name: array.copy() for name, array in seen.items()} if copy else seen
    return {
        "observation": batch.observation(),
        "action_mask": mask.copy() if copy else mask,
    }


def _seeds(envs: Any, seed: int | Sequence[int] | None) -> NDArray[np.uint64]:
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


_AUTORESETS: dict[AutoresetMode, Literal["next_step", "same_step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


def _observation_spaces(compact: bool = False) -> dict[str, spaces.Space[Any]]:
    mask = spaces.Box(0, 1, (fourchess.ACTIONS,), np.int8)
    if not compact:
        shape = (fourchess.FLOAT_PLANES, 14, 14)
        return {
            "observation": spaces.Box(-_HIGHEST, _HIGHEST, shape, np.float32),
            "action_mask": mask,
        }
    words, numbers = np.iinfo(np.uint32), np.iinfo(np.int16)
    return {
        "planes": spaces.Box(words.min, words.max, (fourchess.PLANES, 5), np.uint32),
        "scalars": spaces.Box(numbers.min, numbers.max, (fourchess.SCALARS,), np.int16),
        "action_mask": mask,
    }


def _turned(floats: NDArray[np.float32], seats: int, edges: int) -> NDArray[np.float32]:
    """An observation from the view of another player, ``seats`` and ``edges`` further."""
    turned: NDArray[np.float32] = np.rot90(floats, -edges, axes=(1, 2)).copy()
    # Six piece planes of each seat, the points of each, and the status of each.
    for first, each in [(0, 6), (fourchess.PLANES, 1), (fourchess.PLANES + 4, 1)]:
        block = turned[first : first + 4 * each]
        block[:] = np.roll(block, -seats * each, axis=0)
    return turned


def _chosen(mask: NDArray[np.bool_] | None, games: int) -> NDArray[np.intp]:
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


gymnasium.register(
    id="everyply/FourChessSolo-v1",
    entry_point="everyply.envs:FourChessSoloEnv",
    vector_entry_point="everyply.envs:FourChessSoloVectorEnv",
)
gymnasium.register(
    id="everyply/FourChess-v1", vector_entry_point="everyply.envs:FourChessVectorEnv"
)
