"""Steps of Pgx's chess on a GPU, the peer of four-player chess there: `cargo xtask bench cuda`.

A step plays a random legal action in every game, with the mask, the observation and the reset of
games that ended, as Pgx's own guide does it.
"""

import statistics
import time

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental.wrappers import auto_reset

STEPS = 64
ROUNDS = 20


def rate(games: int) -> float:
    """A million steps in a second, the median of twenty runs."""
    env = pgx.make("chess")
    step = jax.vmap(auto_reset(env.step, env.init))

    def ply(carried, _):
        state, key = carried
        key, chosen, fresh = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(chosen, logits, axis=-1)
        state = step(state, action, jax.random.split(fresh, games))
        return (state, key), state.observation[:, 0, 0, 0].sum()

    run = jax.jit(lambda state, key: jax.lax.scan(ply, (state, key), None, length=STEPS))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), games))
    key = jax.random.PRNGKey(2)
    (state, key), seen = jax.block_until_ready(run(state, key))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        (state, key), seen = jax.block_until_ready(run(state, key))
        times.append(time.perf_counter() - start)
    return games * STEPS / statistics.median(times) / 1e6


def main() -> None:
    if jax.default_backend() != "gpu":
        print("Pgx chess: not run, because JAX finds no GPU")
        return
    version = getattr(pgx, "__version__", "of unknown version")
    print(f"Pgx {version} chess on {jax.devices()[0].device_kind}, two players, 8x8")
    for games in (1024, 8192, 32768):
        print(f"{games:>6} games: {rate(games):.2f} M steps/s", flush=True)


main()
