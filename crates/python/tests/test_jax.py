"""Four-player chess under JAX goes on exactly as in a batch."""

import os
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from everyply import Error, fourchess
from everyply import jax as pure

GAMES = 50


def batch_and_state(rules: Any, autoreset: Any, **options: Any) -> tuple[fourchess.Batch, Any]:
    """The same games twice."""
    outputs = ["legal_bytes", "observation"]
    choices: dict[str, Any] = {"autoreset": autoreset, "ended_mask": "ones", **options}
    batch = fourchess.Batch(GAMES, rules, outputs=outputs, seed=3, **choices)
    return batch, pure.load(batch.save(), batch.rule_values, **choices)


def digest(arrays: list[Any], before: int = 0) -> int:
    for array in arrays:
        before = zlib.crc32(np.ascontiguousarray(array).data, before)
    return before


def chosen(batch: fourchess.Batch, step: int) -> NDArray[np.int32]:
    """Legal actions, now and then an illegal one."""
    games = np.arange(len(batch))
    counts = np.maximum(batch.legal_counts, 1)
    actions = batch.legal[games, (step * 7919 + games * 104_729) % counts].astype(np.int32)
    actions[batch.legal_counts == 0] = 0
    actions[(games * 31 + step * 17) % 97 == 0] = 7191
    return actions


# The games that start anew play more than 100,000 plies: 3 x 2 x 350 steps of 50 games.
@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("rules", ["ffa", "teams", "jax"])
def test_scanned_steps_have_the_bytes_of_a_batch(rules: str, autoreset: str) -> None:
    batch, state = batch_and_state({"preset": rules, "max_plies": 90}, autoreset, illegal="noop")

    def ply(state: Any, actions: Any) -> Any:
        state = jax.vmap(pure.step)(state, actions)
        seen = (state.current_player, state.rewards, state.terminated, state.truncated)
        return state, (*seen, state.move_valid, jax.vmap(pure.save)(state), state.legal_actions)

    actions, expected = [], 0
    for step in range(350):
        actions.append(chosen(batch, step))
        batch.step(actions[-1].astype(np.uint16))
        seen = [batch.current_player.astype(np.int32), batch.rewards, batch.terminated]
        seen += [batch.truncated, batch.move_valid, batch.save(), batch.legal]
        expected = digest(seen, expected)
    state, rows = jax.jit(lambda *given: jax.lax.scan(ply, *given))(state, np.array(actions))
    found = 0
    for step in range(350):
        found = digest([row[step] for row in rows], found)
    assert found == expected
    assert np.array_equal(state.legal_action_mask, batch.legal_bytes)
    assert np.array_equal(state.observation, batch.observation())
    planes, scalars = state.planes
    assert np.array_equal(planes, batch.planes) and np.array_equal(scalars, batch.scalars)
    assert np.array_equal(state._step_count, batch.plies)
    assert np.array_equal(state.legal_count, batch.legal_counts)


def test_a_batch_goes_on_with_what_jax_has_played() -> None:
    state = pure.init(jax.random.key(4))
    for step in range(20):
        state = pure.step(state, pure.sample(state, jax.random.key(step)))
    batch = fourchess.Batch(1)
    batch.load([0], np.asarray(pure.save(state))[None])
    assert batch.plies[0] == 20
    assert np.array_equal(batch.legal[0], state.legal_actions)


def test_states_are_a_pytree_with_the_names_of_pgx() -> None:
    state = jax.vmap(pure.init)(jax.random.split(jax.random.key(0), 3))
    assert jax.tree.map(lambda leaf: leaf.shape[0], state).current_player == 3
    one = jax.tree.map(lambda leaf: leaf[1], state)
    assert (one.rewards.shape, one.legal_action_mask.shape) == ((4,), (7192,))
    assert (one.observation.shape, one.observation.dtype) == ((40, 14, 14), jnp.float32)
    assert one.terminated.dtype == one.truncated.dtype == one.legal_action_mask.dtype == bool
    assert int(one._step_count) == 0 and int(one.current_player) == 0
    assert bool(one.replace(terminated=jnp.array(True)).terminated)
    # Seeds differ, so streams of random numbers do.
    assert len({np.asarray(saved).tobytes() for saved in pure.save(state)}) == 3


def test_a_step_leaves_its_argument_as_it_was() -> None:
    """The handler writes in place where XLA lets it, which nobody may see."""
    state = pure.init(jax.random.key(0))
    before = np.array(state.game)
    steps = [pure.step, jax.jit(pure.step)]
    after = [step(state, state.legal_actions[index]) for step in steps for index in range(20)]
    assert np.array_equal(state.game, before)
    assert len({np.asarray(one.game).tobytes() for one in after}) == 20

    def twice(state: Any) -> Any:
        one = pure.step(state, state.legal_actions[0])
        other = pure.step(state, state.legal_actions[1])
        return one, other, state

    one, other, same = jax.jit(twice)(state)
    assert np.array_equal(one.game, after[0].game) and np.array_equal(other.game, after[1].game)
    assert np.array_equal(same.game, before)
    many = jax.vmap(pure.step, in_axes=(None, 0))(state, state.legal_actions[:20])
    assert np.array_equal(many.game, np.stack([one.game for one in after[:20]]))


def test_samples_are_legal_and_even() -> None:
    state = pure.init(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), 4000)
    actions = jax.jit(jax.vmap(partial(pure.sample, state)))(keys)
    found, counts = np.unique(np.asarray(actions), return_counts=True)
    assert sorted(found) == sorted(np.asarray(state.legal_actions)[:20])
    assert counts.min() > 130 and counts.max() < 280
    many = jax.vmap(pure.init)(jax.random.split(jax.random.key(0), 7))
    assert pure.sample(many, jax.random.key(2)).shape == (7,)


def test_ended_games_stay_or_start_anew() -> None:
    modes: list[tuple[Any, list[int]]]
    modes = [("disabled", [6, 6]), ("next_step", [6, 0]), ("same_step", [0, 1])]
    for autoreset, plies in modes:
        start = partial(pure.init, rules={"preset": "jax", "max_plies": 6}, autoreset=autoreset)
        state = start(jax.random.key(0))
        for step in range(6):
            state = pure.step(state, pure.sample(state, jax.random.key(step)))
        assert bool(state.truncated) and not bool(state.terminated)
        assert int(state._step_count) == plies[0]
        assert int(state.legal_action_mask.sum()) == (20 if autoreset == "same_step" else 7192)
        state = pure.step(state, pure.sample(state, jax.random.key(9)))
        assert int(state._step_count) == plies[1]


def test_an_illegal_action_loses_is_ignored_or_raises() -> None:
    state = pure.init(jax.random.key(0))
    assert pure.step(state, 0).rewards.tolist() == [-1, 0, 0, 0]
    assert bool(pure.step(state, 0).terminated)
    state = pure.init(jax.random.key(0), illegal="noop")
    for action in [0, -1, 7192, 70_000, 2**31 - 1]:
        after = pure.step(state, action)
        assert not bool(after.move_valid) and int(after._step_count) == 0
    state = pure.init(jax.random.key(0), illegal="error")
    with pytest.raises(Exception, match="action 0 is not legal in game 0"):
        jax.block_until_ready(pure.step(state, 0))
    assert int(pure.step(state, state.legal_actions[0]).current_player) == 1


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "uint8"])
def test_observations_have_every_type(dtype: str) -> None:
    batch, state = batch_and_state("ffa", "next_step")
    for step in range(60):
        actions = batch.choose("greedy")
        state = pure.step(state, actions)
        batch.step(actions)
    found = pure.observe(state, dtype)
    assert found.dtype == dtype
    whole = batch.observation()
    assert np.array_equal(batch.observation(dtype=dtype), found)
    if dtype != "uint8":
        assert np.array_equal(found, whole.astype(found.dtype))
    else:
        scales = np.array(fourchess.SCALES)[:, None, None]
        assert np.array_equal(found[:, :30], whole[:, :30])
        assert np.allclose(found[:, 30:], np.clip(whole[:, 30:] * scales, 0, 255))
    unpacked = jax.jit(partial(fourchess.unpack, dtype=dtype))(*state.planes)
    assert unpacked.dtype == dtype
    assert np.allclose(unpacked.astype(np.float32), found.astype(np.float32), rtol=1e-2)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "floats": (lambda s: pure.step(s, 1.5), TypeError, "action: float"),
    "too many actions": (lambda s: pure.step(s, [1, 2]), Error, r"action: shape \(2,\)"),
    "another type": (
        lambda s: pure.step(s.replace(game=s.game.astype(jnp.int32)), 1),
        Error,
        "state.game: int32",
    ),
    "too few bytes": (lambda s: pure.step(s.replace(game=s.game[:9]), 1), Error, r"shape \(9,\)"),
    "a mask of nothing": (
        lambda s: s.replace(game=s.game[:9]).legal_action_mask,
        Error,
        r"shape \(9,\)",
    ),
    "rules unknown": (lambda s: pure.init(jax.random.key(0), "go"), Error, "'go' is not one of"),
    "a rule unknown": (lambda s: pure.init(jax.random.key(0), {"x": 1}), Error, "rules: "),
    "rules without actions": (
        lambda s: pure.init(jax.random.key(0), {"en_passant": "two-moves"}),
        Error,
        "rules|actions",
    ),
    "no such reset": (
        lambda s: pure.init(jax.random.key(0), autoreset=cast(Any, "never")),
        Error,
        "autoreset: 'never'",
    ),
    "no such type": (lambda s: pure.observe(s, jnp.int32), TypeError, "dtype: int32"),
    "saved as another type": (lambda s: pure.load(np.zeros(2288)), TypeError, "saved: float"),
    "saved too short": (lambda s: pure.load(np.zeros(9, np.uint8)), Error, r"saved: shape \(9,\)"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_raise(name: str) -> None:
    work, error, words = BAD[name]
    with pytest.raises(error, match=words):
        work(pure.init(jax.random.key(0)))


def test_bytes_that_are_no_game_raise() -> None:
    state = pure.init(jax.random.key(0))
    changed = state.replace(game=state.game.at[100].add(1))
    empty = state.replace(game=jnp.zeros_like(state.game))
    other = pure.init(jax.random.key(0), "teams")
    for bad, words in [
        (changed, "state 0: these bytes are no game"),
        (empty, "state 0: saved under other rules"),
        (state.replace(config=other.config), "state 0: saved under other rules"),
        (state.replace(config="nonsense"), "config: "),
    ]:
        for work in [lambda bad: pure.step(bad, 0), pure.save, pure.observe]:
            with pytest.raises(Exception, match=words):
                jax.block_until_ready(work(bad))
    with pytest.raises(Exception, match="these bytes are not a saved game"):
        jax.block_until_ready(pure.load(np.zeros(fourchess.STATE_BYTES, np.uint8)))


# What JAX itself would never pass on.
CALLS: list[tuple[str, list[Any], list[Any], str]] = [
    ("step", [], [], "argument 0 is missing"),
    ("step", [np.zeros(4048, np.int32), np.int32(0)], [], "argument 0: .* expected uint8"),
    ("step", [np.zeros(40, np.uint8), np.int32(0)], [], r"argument 0: shape \[40\]"),
    ("save", [np.zeros(4048, np.uint8)], [((9,), np.uint8)], r"result 0: shape \[9\]"),
    ("mask", [np.zeros((2, 4048), np.uint8)], [((3, 7192), np.bool_)], "masks has 21576 entries"),
    (
        "expand",
        [np.zeros((2, 30, 5), np.uint32), np.zeros((3, 10), np.int16)],
        [((2, 40, 14, 14), np.float32)],
        "planes of 2 games and scalars of 3",
    ),
    (
        "expand",
        [np.zeros((30, 5), np.uint32), np.zeros(10, np.int16)],
        [((40, 14, 14), np.int32)],
        "result 0: .* expected float32",
    ),
]


@pytest.mark.parametrize(("name", "arguments", "results", "words"), CALLS)
def test_handlers_refuse_buffers_that_do_not_fit(
    name: str, arguments: list[Any], results: list[Any], words: str
) -> None:
    config = pure.init(jax.random.key(0)).config
    shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
    shapes = shapes or [jax.ShapeDtypeStruct((4048,), np.uint8)]
    call = jax.ffi.ffi_call(f"everyply_fourchess_{name}", shapes)
    with pytest.raises(Exception, match=words):
        jax.block_until_ready(call(*arguments, config=config))
    if name == "step":
        with pytest.raises(Exception, match="the attribute config is missing"):
            jax.block_until_ready(call(*arguments))


def test_on_a_driver_whose_device_is_the_processor(tmp_path: Path) -> None:
    """What JAX calls on a GPU, on the kernels compiled for the processor."""
    libraries = os.environ.get("EVERYPLY_DRIVER")
    if not libraries:
        pytest.skip("not run: EVERYPLY_DRIVER names no directory with such a driver")
    script = Path(__file__).parent / "emulated" / "values.py"
    environment = os.environ | {"LD_LIBRARY_PATH": libraries, "HOME": str(tmp_path)}
    environment.pop("XDG_CACHE_HOME", None)
    command = [sys.executable, str(script)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("all as on the processor\n")


def test_saved_games_of_numpy_are_refused_at_once() -> None:
    saved = fourchess.Batch(3).save()
    saved[1, 40] = 77
    with pytest.raises(Error, match="state 1: byte 77 on"):
        pure.load(saved)
    with pytest.raises(Error, match="saved under other rules"):
        jax.jit(lambda: pure.load(fourchess.Batch(3, "teams").save()))()


def test_everything_else_works_without_jax() -> None:
    program = (
        "import sys; sys.modules['jax'] = None\n"
        "import everyply\n"
        "everyply.fourchess.Batch(1).step([everyply.fourchess.Batch(1).legal[0, 0]])\n"
        "try:\n    import everyply.jax\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "everyply.jax needs JAX: pip install everyply[jax]\n", done.stderr
