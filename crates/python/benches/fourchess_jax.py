"""Steps of four-player chess under JAX and of a batch, in turns: cargo xtask bench fourchess-jax.

Both play 1,024 games with a random choice and resets in the same step. The rates are steps in a
second of CPU time, of all threads together, so they are those of one core. A run in JAX with the
actions of the batch must end in the same bytes.
"""

import time
from functools import partial
from typing import Any

import jax
import numpy as np

import everyply
from everyply import fourchess
from everyply import jax as pure

GAMES = 1024
STEPS = 1000
ROUNDS = 5
GOAL = 0.8


@partial(jax.jit, donate_argnums=0)
def sampled(state: Any, keys: Any) -> Any:
    """Plays a sampled action in every game for every key."""

    def ply(state: Any, key: Any) -> tuple[Any, Any]:
        actions = jax.vmap(pure.sample)(state, jax.random.split(key, GAMES))
        state = jax.vmap(pure.step)(state, actions)
        return state, state.terminated.sum()

    return jax.lax.scan(ply, state, keys)


@jax.jit
def replayed(state: Any, actions: Any) -> Any:
    """Plays given actions."""
    step = jax.vmap(pure.step)
    return jax.lax.scan(lambda state, row: (step(state, row), None), state, actions)[0]


def in_jax() -> float:
    """A million steps in a second of CPU time."""
    start = partial(pure.init, autoreset="same_step")
    state = jax.vmap(start)(jax.random.split(jax.random.key(1), GAMES))
    keys = jax.random.split(jax.random.key(2), STEPS)
    state, _ = jax.block_until_ready(sampled(state, keys))
    begun = time.process_time()
    jax.block_until_ready(sampled(state, keys))
    return GAMES * STEPS / (time.process_time() - begun) / 1e6


def in_a_batch() -> float:
    """The same in a batch."""
    batch = fourchess.Batch(GAMES, autoreset="same_step")
    begun = time.process_time()
    for _ in range(STEPS):
        batch.step(batch.choose("random"))
    return GAMES * STEPS / (time.process_time() - begun) / 1e6


def compare() -> None:
    """Refuses to measure what does not play the same games."""
    batch = fourchess.Batch(GAMES, autoreset="same_step", seed=5)
    state = pure.load(batch.save(), autoreset="same_step")
    rows = []
    for _ in range(100):
        rows.append(batch.choose("random"))
        batch.step(rows[-1])
    state = replayed(state, np.array(rows))
    # A choice takes a random number of the game, which JAX does not.
    played, expected = np.array(pure.save(state)), batch.save()
    played[:, 8:16] = expected[:, 8:16] = 0
    assert np.array_equal(played, expected), "other games than in a batch"


def main() -> None:
    print(f"everyply {everyply.__version__} from {everyply.__file__}", flush=True)
    compare()
    pairs = [(in_jax(), in_a_batch()) for _ in range(ROUNDS)]
    ours, theirs = (max(rates) for rates in zip(*pairs, strict=True))
    print(f"million steps/s of CPU time, best of {ROUNDS}, {GAMES} games, JAX {jax.__version__}")
    print(f"jit(scan(vmap)) with sample: {ours:.2f}; batch with choose: {theirs:.2f}")
    print("the same games" if ours >= GOAL else f"the same games, but below {GOAL}")


if __name__ == "__main__":
    main()
