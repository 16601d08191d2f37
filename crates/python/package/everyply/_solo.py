"""Four-player chess for one learner, whose opponents move inside a step."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from everyply import Error, fourchess
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
        self.metadata = {"render_modes": RENDER_MODES, "autoreset_mode": mode}
        self.num_envs = num_envs
        self.render_mode = checked_render_mode(render_mode)
        self.single_observation_space = spaces.Dict(observation_spaces(compact))
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
        games = chosen_games(options.get("reset_mask"), self.num_envs)
        self._begin(games, seeds_of(self, seed)[games], options.get("fens"))
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
        return tuple(rendered(self._batch, game, self.render_mode) for game in range(self.num_envs))

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
        return observed(self._batch, self._compact, self._copy)

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
        return rendered(self._envs._batch, 0, self.render_mode)


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
