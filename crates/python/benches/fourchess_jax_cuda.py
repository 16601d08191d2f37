"""Four-player chess under JAX on a GPU, checked and timed: cargo xtask bench cuda.

The games are compared with a batch on the processor: what every step shows, saved games, and the
bytes of the state, which are those of JAX on the processor too. Then steps of jit(scan) are timed
beside those of a batch on the GPU, in turns, on games of mixed age with resets in the same step.
"""

import os
import statistics
import time
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from everyply import fourchess
from everyply import jax as pure

STEPS = 200
ROUNDS = 7
GOAL = 0.5


@jax.jit
def replayed(state: Any, actions: Any) -> Any:
    """Plays given actions; what is seen after each step."""

    def ply(state: Any, row: Any) -> tuple[Any, Any]:
        state = jax.vmap(pure.step)(state, row)
        seen = (state.current_player, state.rewards, state.terminated, state.truncated)
        return state, (*seen, state.move_valid, state.legal_count)

    return jax.lax.scan(ply, state, actions)


@partial(jax.jit, donate_argnums=0)
def stepped(state: Any, actions: Any) -> Any:
    """Plays given actions, and nothing else."""
    step = jax.vmap(pure.step)
    return jax.lax.scan(lambda state, row: (step(state, row), None), state, actions)[0]


@partial(jax.jit, donate_argnums=0)
def collected(state: Any, actions: Any) -> Any:
    """Plays given actions, and returns the rewards and flags of every step, as a learner does."""

    def ply(state: Any, row: Any) -> tuple[Any, Any]:
        state = pure.step(state, row)
        return state, (state.rewards, state.terminated)

    return jax.lax.scan(ply, state, actions)


@partial(jax.jit, donate_argnums=0)
def sampled(state: Any, keys: Any) -> Any:
    """Plays a sampled action in every game for every key; the actions."""

    def ply(state: Any, key: Any) -> tuple[Any, Any]:
        actions = pure.sample(state, key)
        return pure.step(state, actions), actions

    return jax.lax.scan(ply, state, keys)


def digest(arrays: Any) -> int:
    crc = 0
    for array in arrays:
        crc = zlib.crc32(np.ascontiguousarray(array).data, crc)
    return crc


def compare(rules: str, autoreset: Any, games: int = 2048, steps: int = 300) -> str:
    """The same games as in a batch on the processor, and the same bytes as with JAX there."""
    choices: dict[str, Any] = {"autoreset": autoreset, "illegal": "noop"}
    threads = os.cpu_count() or 1
    batch = fourchess.Batch(games, rules, seed=3, threads=threads, **choices)
    saved, rows, expected = batch.save(), [], []
    rng = np.random.default_rng(5)
    for _ in range(steps):
        drawn = rng.integers(0, 1 << 30, games) % np.maximum(batch.legal_counts, 1)
        row = batch.legal[np.arange(games), drawn].astype(np.int32)
        row[batch.legal_counts == 0] = 0
        row[rng.integers(0, games, 4)] = 7191
        batch.step(row.astype(np.uint16))
        seen = [batch.current_player.astype(np.int32), batch.rewards, batch.terminated]
        seen += [batch.truncated, batch.move_valid, batch.legal_counts.astype(np.int32)]
        rows.append(row)
        expected.append(digest(seen))
    state, seen = replayed(pure.load(saved, rules, **choices), np.array(rows))
    assert state.game.devices() == set(jax.devices()[:1])
    seen = [np.asarray(array) for array in seen]
    for step in range(steps):
        found = digest([array[step] for array in seen])
        assert found == expected[step], f"{rules} {autoreset}: step {step} differs"
    assert np.array_equal(pure.save(state), batch.save()), f"{rules} {autoreset}: saved games"
    bits = fourchess.Batch(games, rules, outputs=["legal_bytes", "observation"], **choices)
    bits.load(range(games), batch.save())
    masks = np.asarray(state.legal_action_mask)[batch.legal_counts > 0]
    assert np.array_equal(masks, bits.legal_bytes[batch.legal_counts > 0])
    assert np.array_equal(state.observation, bits.observation())
    few = min(games, 256)
    with jax.default_device(jax.devices("cpu")[0]):
        there, _ = replayed(pure.load(saved[:few], rules, **choices), np.array(rows)[:, :few])
    assert np.array_equal(state.game[:few], there.game), f"{rules} {autoreset}: bytes of states"
    return f"{rules} {autoreset}: {games * steps:,} plies, no difference"


def rate(games: int, work: Callable[[], Any]) -> float:
    """Million steps a second."""
    begun = time.perf_counter()
    work()
    return games * STEPS / (time.perf_counter() - begun) / 1e6


def measure(games: int) -> str:
    """Medians of rounds in which each way has its turn."""
    options: dict[str, Any] = {"outputs": ["legal_bits", "observation"], "seed": 1}
    batch: Any = fourchess.Batch(games, device="cuda", autoreset="same_step", **options)
    batch.play(300)
    state = pure.load(batch.save(), autoreset="same_step")
    jax.block_until_ready(state.game)

    def in_a_batch() -> None:
        for _ in range(STEPS):
            batch.step(batch.choose())
        batch.synchronize()

    rates: dict[str, list[float]] = {"batch": [], "sample": [], "step": [], "collect": []}
    for number in range(ROUNDS + 1):
        keys = jax.random.split(jax.random.key(number), STEPS)
        before, other = (
            jax.block_until_ready(jax.tree.map(lambda leaf: leaf.copy(), state)) for _ in range(2)
        )
        actions: Any = None

        def with_sample(keys: Any = keys) -> None:
            nonlocal state, actions
            state, actions = jax.block_until_ready(sampled(state, keys))

        found = {"batch": rate(games, in_a_batch), "sample": rate(games, with_sample)}
        again: Any = None

        def alone(before: Any = before, actions: Any = actions) -> None:
            nonlocal again
            again = jax.block_until_ready(stepped(before, actions))

        found["step"] = rate(games, alone)

        def with_rewards(before: Any = other, actions: Any = actions) -> None:
            jax.block_until_ready(collected(before, actions))

        found["collect"] = rate(games, with_rewards)
        # Compared on the device: a copy on the processor would be freed in the next round's time.
        assert bool((again.game == state.game).all())
        if number > 0:
            for name, value in found.items():
                rates[name].append(value)
    batch_rate, sample, step, collect = (statistics.median(rates[name]) for name in rates)
    goal = "" if min(sample, step, collect) >= GOAL * batch_rate else f", below {GOAL:.0%}"
    return (
        f"{games:,} games, million steps/s: batch with choose, bit mask and bit planes "
        f"{batch_rate:.1f}; jit(scan(step)) {step:.1f} ({step / batch_rate:.0%}), with sample "
        f"{sample:.1f} ({sample / batch_rate:.0%}), with rewards and flags of every step "
        f"{collect:.1f} ({collect / batch_rate:.0%}){goal}"
    )


def main() -> None:
    try:
        device = jax.devices("gpu")[0]
    except RuntimeError:
        print("not run: JAX finds no GPU")
        return
    print(f"{device.device_kind}, JAX {jax.__version__}", flush=True)
    for rules in ["ffa", "teams", "jax"]:
        for autoreset in ["next_step", "same_step", "disabled"]:
            print(compare(rules, autoreset), flush=True)
    for games in [8192, 32_768]:
        print(measure(games), flush=True)


if __name__ == "__main__":
    main()
