"""The environments pass the checks of PettingZoo and Gymnasium."""

import warnings
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pettingzoo.test import api_test, render_test, seed_test

from everyply import Error, fourchess
from everyply.envs import (
    FourChessEnv,
    FourChessSoloEnv,
    FourChessSoloVectorEnv,
    FourChessVectorEnv,
    env,
    raw_env,
)

RULES = ["ffa", "teams", "jax"]


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_accepts_the_environment(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Said of every environment with a mask that is not PettingZoo's own.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(FourChessEnv(rules), num_cycles=200)
        api_test(FourChessEnv(rules, eliminated="leave"), num_cycles=600)
        seed_test(lambda: FourChessEnv(rules), num_cycles=20)


def test_a_game_of_pettingzoo_ends_for_every_agent() -> None:
    env = FourChessEnv("jax", max_plies=40)
    env.reset(seed=3)
    steps = {agent: 0 for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        steps[agent] += 1
        env.step(None if over else int(observation["action_mask"].argmax()))
    assert not env.agents
    assert steps == dict.fromkeys(env.possible_agents, 11)


@pytest.mark.parametrize("rules", RULES)
def test_every_agent_sees_the_board_from_its_own_edge(rules: str) -> None:
    env = FourChessEnv(rules, seed=1)
    env.reset(seed=1)
    for _ in range(13):
        seen = env.last()[0]
        assert seen is not None
        env.step(int(env.action_space(env.agent_selection).sample(seen["action_mask"])))
    fen = env._batch.fen(0)
    asked = fourchess.Batch(1, rules, outputs=["observation"])
    for agent in env.possible_agents:
        # The same position with this agent to move; the text does not say how many plies it took.
        asked.reset_games([0], [0], [agent[0].upper() + fen[1:]])
        expected = asked.observation()[0, :-1]
        assert np.array_equal(env.observe(agent)["observation"][:-1], expected), agent
        mask = env.observe(agent)["action_mask"]
        assert mask.any() == (agent == env.agent_selection)


def test_illegal_actions_reach_pettingzoo_as_errors() -> None:
    env = FourChessEnv()
    env.reset()
    with pytest.raises(fourchess.IllegalAction):
        env.step(0)
    with pytest.raises(Error, match="goes on"):
        env.step(None)
    assert env.agent_selection == "red_0"
    env.reset(options={"fen": env._batch.fen(0).replace("R-", "Y-", 1)})
    assert env.agent_selection == "yellow_2"


class One(gymnasium.Env[Any, Any]):
    """The only game of a vector environment, so that Gymnasium's checker of single ones sees it."""

    metadata = {"render_modes": []}

    def __init__(self, compact: bool) -> None:
        mode = AutoresetMode.DISABLED
        # The checker samples any action.
        self.envs = FourChessVectorEnv(1, autoreset_mode=mode, illegal="noop", compact=compact)
        self.observation_space = self.envs.single_observation_space
        self.action_space = self.envs.single_action_space

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observations, infos = self.envs.reset(seed=seed)
        return self.first(observations), self.first(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        seen, rewards, ended, cut, infos = self.envs.step(np.array([action]))
        return self.first(seen), float(rewards[0]), bool(ended[0]), bool(cut[0]), self.first(infos)

    @staticmethod
    def first(arrays: dict[str, Any]) -> dict[str, Any]:
        return {name: array[0] for name, array in arrays.items()}


@pytest.mark.parametrize("compact", [False, True])
def test_gymnasium_accepts_a_game_of_the_vector(compact: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*does not have a spec|.*not having a spec")
        check_env(One(compact), skip_render_check=True)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("compact", [False, True])
def test_the_vector_keeps_its_promises(mode: AutoresetMode, compact: bool) -> None:
    options: dict[str, Any] = {"autoreset_mode": mode, "compact": compact}
    envs = gymnasium.make_vec("everyply/FourChess-v1", num_envs=3, **options)
    again = FourChessVectorEnv(3, **options)
    assert envs.metadata["autoreset_mode"] == mode
    assert envs.observation_space == gymnasium.vector.utils.batch_space(
        envs.single_observation_space, 3
    )
    first = envs.reset(seed=4)
    assert data_equivalence(first, again.reset(seed=[4, 5, 6]))
    for _ in range(20):
        assert first[0] in envs.observation_space
        kept = {name: array.copy() for name, array in first[0].items()}
        actions = legal(first[0]["action_mask"])
        assert actions in envs.action_space
        seen = envs.step(actions)
        assert data_equivalence(seen, again.step(actions))
        assert data_equivalence(kept, first[0]), "what was returned is written over"
        for array in seen[1:4]:
            assert isinstance(array, np.ndarray) and array.shape == (3,)
        assert (seen[1].dtype, seen[2].dtype, seen[3].dtype) == (np.float64, np.bool_, np.bool_)
        first = seen[0], seen[4]
    envs.close()
    envs.close()
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(again)
    wrapped.reset(seed=1)
    assert repr(envs) and wrapped.num_envs == 3


def legal(mask: NDArray[Any], step: int = 0) -> NDArray[np.int64]:
    """An action for each row of a mask, 0 where nothing is legal."""
    choose = [np.flatnonzero(row) for row in mask]
    return np.array([row[(7 * step) % len(row)] if len(row) else 0 for row in choose])


def played(envs: FourChessVectorEnv, steps: int) -> list[tuple[Any, ...]]:
    """What a few steps return, and what was seen before each."""
    seen, infos = envs.reset(seed=2)
    rows = []
    for step in range(steps):
        before = seen
        seen, rewards, terminated, truncated, infos = envs.step(legal(seen["action_mask"], step))
        rows.append((before, seen, rewards, terminated, truncated, infos))
    return rows


def test_next_step_shows_the_end_and_then_the_start() -> None:
    envs = FourChessVectorEnv(2, "jax", max_plies=6)
    start, _ = envs.reset(seed=2)
    rows = played(envs, 15)
    ends = [step for step, row in enumerate(rows) if row[4].any()]
    assert ends == [5, 12]
    for end in ends:
        _, seen, _, terminated, truncated, infos = rows[end]
        assert truncated.all() and not terminated.any() and "final_obs" not in infos
        assert seen["action_mask"].all()
        assert not np.array_equal(seen["observation"], start["observation"])
        before, seen, rewards, terminated, truncated, infos = rows[end + 1]
        assert not (rewards.any() or terminated.any() or truncated.any())
        assert data_equivalence(seen, start)
        assert infos["move_valid"].all()


def test_same_step_shows_the_start_and_keeps_the_end() -> None:
    for compact in [False, True]:
        envs = FourChessVectorEnv(2, "jax", max_plies=6, compact=compact, autoreset_mode="SameStep")
        other = FourChessVectorEnv(2, "jax", max_plies=6, compact=compact)
        start, _ = envs.reset(seed=2)
        shown = played(other, 6)[5]
        rows = played(envs, 15)
        assert [step for step, row in enumerate(rows) if row[4].any()] == [5, 11]
        _, seen, rewards, terminated, truncated, infos = rows[5]
        assert data_equivalence(seen, start)
        assert truncated.all() and not terminated.any()
        assert np.array_equal(rewards, shown[2])
        assert infos["_final_obs"].all() and infos["_final_info"].all()
        for game in range(2):
            expected = {name: array[game] for name, array in shown[1].items()}
            assert data_equivalence(infos["final_obs"][game], expected)
        ending = fourchess.ENDINGS.index("ply limit")
        assert infos["final_info"]["ending"].tolist() == [ending] * 2
        assert "final_obs" not in rows[6][5]


def test_disabled_waits_for_a_reset_of_chosen_games() -> None:
    mode = AutoresetMode.DISABLED
    envs = FourChessVectorEnv(3, "jax", max_plies=6, autoreset_mode=mode)
    start, _ = envs.reset(seed=2)
    seen = start
    for step in range(3):
        seen, *_ = envs.step(legal(seen["action_mask"], step))
    seen, _ = envs.reset(seed=2, options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(seen["observation"][1], start["observation"][1])
    assert not np.array_equal(seen["observation"][0], start["observation"][0])
    for step in range(3):
        seen, _, _, truncated, _ = envs.step(legal(seen["action_mask"], step))
    assert truncated.tolist() == [True, False, True]
    with pytest.raises(fourchess.BatchError, match="game 0 has ended and must be reset"):
        envs.step(legal(seen["action_mask"]))
    seen, _ = envs.reset(options={"reset_mask": truncated})
    seen, *_ = envs.step(legal(seen["action_mask"]))
    for mask, error in [
        ([True] * 3, TypeError),
        (np.ones(3, int), TypeError),
        (np.ones(2, bool), Error),
        (np.zeros(3, bool), Error),
    ]:
        with pytest.raises(error, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(Error, match="2 seeds, expected 3"):
        envs.reset(seed=[1, 2])


def test_views_are_shared_when_asked_for() -> None:
    envs = FourChessVectorEnv(2, compact=True, copy=False)
    first, _ = envs.reset(seed=1)
    second = envs.step(legal(first["action_mask"]))[0]
    for name, array in first.items():
        assert array.ctypes.data == second[name].ctypes.data


def test_the_reward_may_be_that_of_the_seat_that_moved() -> None:
    envs = FourChessVectorEnv(16, compact=True, rewards="mover")
    seen, infos = envs.reset(seed=9)
    random = np.random.default_rng(1)
    total = 0.0
    for _ in range(300):
        movers = infos["current_player"]
        mask = seen["action_mask"] * random.random(seen["action_mask"].shape)
        seen, rewards, _, _, infos = envs.step(mask.argmax(axis=1))
        assert np.array_equal(rewards, infos["rewards"][np.arange(16), movers])
        total += rewards.sum()
    assert total > 0


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("rules", RULES)
def test_recorded_episodes_add_up_to_the_game(rules: str, mode: AutoresetMode) -> None:
    inner = FourChessVectorEnv(8, rules, compact=True, autoreset_mode=mode, max_plies=300)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(inner)
    envs.reset(seed=3)
    episodes = 0
    for _ in range(650):
        *_, infos = envs.step(inner._batch.choose("greedy"))
        ended = infos.get("_episode", np.zeros(8, dtype=np.bool_))
        totals = inner._batch.final_points.sum(axis=1)
        if not ended.any():
            continue
        # A team wins what the other loses.
        expected = totals if rules != "teams" else 0 * totals
        assert np.array_equal(infos["episode"]["r"][ended], expected[ended])
        episodes += int(ended.sum())
    assert episodes >= 8


def test_eliminated_agents_may_leave_at_once() -> None:
    stays, leaves = FourChessEnv(seed=1), FourChessEnv(seed=1, eliminated="leave")
    early = 0
    for seed in range(6):
        for game in [stays, leaves]:
            game.reset(seed=seed)
        totals = [dict.fromkeys(stays.possible_agents, 0.0) for _ in range(2)]
        for agent in leaves.agent_iter():
            _, reward, terminated, truncated, info = leaves.last(observe=False)
            totals[1][agent] += float(reward)
            if terminated or truncated:
                early += info["status"] == "out" and len(leaves.agents) > 2
                leaves.step(None)
                assert agent not in leaves.agents
                continue
            assert agent == stays.agent_selection
            assert info == stays.infos[agent]
            action = int(leaves._batch.choose("greedy")[0])
            leaves.step(action)
            stays.step(action)
            for other, reward in stays.rewards.items():
                totals[0][other] += reward
            # Who is out is terminated, who plays or walks is not.
            for other in leaves.agents:
                is_out = stays.infos[other]["status"] == "out"
                over = stays.terminations[other] or stays.truncations[other]
                assert (leaves.terminations[other] or leaves.truncations[other]) == (is_out or over)
        assert not leaves.agents
        assert totals[1]["red_0"] <= totals[0]["red_0"]
    assert early > 0
    with pytest.raises(Error, match="eliminated: 'vanish' is not one of stay, leave"):
        FourChessEnv(eliminated=cast(Any, "vanish"))


def solo(**options: Any) -> FourChessSoloVectorEnv:
    return FourChessSoloVectorEnv(6, seat="blue", max_plies=60, **options)


class Lenient(FourChessSoloEnv):
    """Plays something legal: the checker samples actions before it resets."""

    def step(self, action: Any) -> Any:
        mask = self.action_masks()
        return super().step(action if mask[action] else int(mask.argmax()))


@pytest.mark.parametrize("rules", RULES)
def test_gymnasium_accepts_the_environment_of_one_learner(rules: str) -> None:
    made = gymnasium.make("everyply/FourChessSolo-v1", rules=rules, seat="green")
    assert isinstance(made.unwrapped, FourChessSoloEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space maximum and minimum.*")
        warnings.filterwarnings("ignore", message=".*not.*render.*")
        check_env(Lenient(rules, seat="green"), skip_render_check=True)


def test_pettingzoo_has_its_usual_functions() -> None:
    render_test(lambda render_mode=None: raw_env(render_mode=render_mode))
    wrapped = env("jax", max_plies=8)
    wrapped.reset(seed=1)
    for _ in wrapped.agent_iter():
        seen, _, terminated, truncated, info = wrapped.last()
        assert set(info) >= {"points", "status"}
        over = terminated or truncated
        wrapped.step(None if over else int(seen["action_mask"].argmax()))
    assert isinstance(raw_env(), FourChessEnv)


@pytest.mark.parametrize("opponents", ["random", "greedy", ["greedy", "random", "random"]])
def test_a_learner_gets_what_its_seat_gets(opponents: Any) -> None:
    """Against a batch of all seats that is played in the same way, ply by ply."""
    envs = solo(opponents=opponents, autoreset_mode="Disabled")
    envs.reset(seed=11)
    twin = fourchess.Batch(6, max_plies=60, autoreset="disabled", illegal="noop")
    twin.reset_games(np.arange(6), np.arange(11, 17))
    players = [opponents] * 3 if isinstance(opponents, str) else opponents
    seats: list[Any] = [players[(seat - 2) % 4] if seat != 1 else None for seat in range(4)]

    def reply() -> NDArray[Any]:
        earned = np.zeros(6)
        while True:
            going = (twin.current_player != 1) & (twin.legal_counts > 0) & (twin.status[:, 1] == 0)
            if not going.any():
                return earned
            twin.step(np.where(going, twin.choose(seats), fourchess.NO_ACTION))
            earned += twin.rewards[:, 1]

    reply()
    total = np.zeros(6)
    for _ in range(20):
        mask = envs.action_masks()
        assert np.array_equal(mask.sum(axis=1), twin.legal_counts)
        actions = mask.argmax(axis=1)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        twin.step(actions)
        expected = twin.rewards[:, 1].copy()
        expected += reply()
        assert np.array_equal(rewards, expected)
        assert np.array_equal(infos["points"], twin.points)
        total += rewards
        out = twin.status[:, 1] != 0
        assert np.array_equal(terminated, twin.terminated | out)
        assert np.array_equal(truncated, twin.truncated & ~terminated)
        if (terminated | truncated).any():
            break
        assert (infos["current_player"] == 1).all()
    assert np.array_equal(total, twin.points[:, 1])


def test_many_games_of_a_learner_are_like_single_ones() -> None:
    envs = solo(opponents="greedy", autoreset_mode="Disabled")
    singles = [FourChessSoloEnv(seat="blue", opponents="greedy", max_plies=60) for _ in range(6)]
    seen, _ = envs.reset(seed=21)
    for game, single in enumerate(singles):
        first, _ = single.reset(seed=21 + game)
        assert data_equivalence(first, {name: array[game] for name, array in seen.items()})
    while True:
        actions = envs.action_space.sample()
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        for game, single in enumerate(singles):
            one, reward, ended, cut, _ = single.step(actions[game])
            assert data_equivalence(one, {name: array[game] for name, array in seen.items()})
            assert (reward, ended, cut) == (rewards[game], terminated[game], truncated[game])
        if (terminated | truncated).any():
            return


def test_a_learner_starts_again_in_the_next_step() -> None:
    envs = FourChessSoloVectorEnv(4, max_plies=7, opponents="random")
    envs.reset(seed=1)
    for _ in range(2):
        *_, terminated, truncated, _ = envs.step(envs.action_space.sample())
    assert truncated.all() and not terminated.any()
    assert envs.action_masks().all()
    seen, rewards, terminated, truncated, infos = envs.step(np.zeros(4, dtype=np.int64))
    assert infos["plies"].tolist() == [0] * 4
    assert not rewards.any() and not (terminated | truncated).any()
    assert seen["action_mask"].sum(axis=1).tolist() == [20] * 4


def test_opponents_may_be_a_function() -> None:
    asked = []

    def first(batch: fourchess.Batch, games: NDArray[np.intp]) -> Any:
        asked.append(batch.current_player[games].tolist())
        return batch.legal[games, 0]

    envs = FourChessSoloVectorEnv(2, seat="yellow", opponents=first)
    envs.reset(seed=1)
    assert asked == [[0, 0], [1, 1]]
    with pytest.raises(fourchess.IllegalAction, match="action 7191 is not legal in game 0"):
        envs.step(np.array([7191, 7191]))
    envs.step(envs.action_space.sample())
    assert len(asked) == 5
    wrong = FourChessSoloVectorEnv(1, seat="blue", opponents=lambda batch, games: games * 0 + 7191)
    with pytest.raises(fourchess.IllegalAction, match="opponents: action 7191"):
        wrong.reset(seed=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seat": "purple"}, "seat: 'purple' is not one of red"),
        ({"opponents": "clever"}, "opponents: 'clever' is not one of random"),
        ({"opponents": ["random"]}, "opponents: 1 players, expected 3"),
        ({"render_mode": "human"}, "render_mode: 'human' is not one of ansi"),
        ({"autoreset_mode": "SameStep"}, "cannot reset in the same step"),
    ],
)
def test_a_learner_cannot_have_bad_choices(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Error, match=words):
        FourChessSoloVectorEnv(1, **options)


def test_boards_are_rendered() -> None:
    for mode in ["ansi", "rgb_array"]:
        single = FourChessSoloEnv(render_mode=mode)
        single.reset(seed=1)
        picture = single.render()
        if mode == "ansi":
            assert "y♚" in picture
        else:
            assert picture.shape[2] == 3 and picture.dtype == np.uint8 and picture.std() > 10


def test_outcomes_are_paid_when_the_game_ends() -> None:
    envs = FourChessSoloVectorEnv(8, "jax", reward="outcome", max_plies=200, opponents="greedy")
    envs.reset(seed=5)
    totals, going = np.zeros(8), np.ones(8, dtype=np.bool_)
    for _ in range(201):
        *_, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        totals += np.where(going, rewards, 0)
        going &= ~(terminated | truncated)
        if not going.any():
            break
    assert not going.any()
    assert (np.abs(totals) <= 1).all()
