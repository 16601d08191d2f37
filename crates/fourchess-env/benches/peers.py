"""Times random play with legal-action mask and observation: ours, Pgx chess and PettingZoo chess.

No other environment for four-player chess is quick enough to compare with, so the peers play chess
of two players on 64 squares. All times are CPU time of the whole process. Pgx steps a batch inside
one compiled loop that draws random legal actions and starts ended games again; PettingZoo plays one
game after the other. Ours is `cargo bench -p everyply-fourchess-env`, free for all.

Usage: peers.py [batch of Pgx, default 256]
"""

import os
import subprocess
import sys
import time
from pathlib import Path

# Before JAX starts.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import numpy as np
import pgx
from pettingzoo.classic import chess_v6
from pgx.experimental import auto_reset

ROOT = Path(__file__).resolve().parents[3]
STEPS = 100


def pgx_rate(games):
    """Steps of Pgx a CPU second, best of five, after games of mixed age have come about."""
    env = pgx.make("chess")
    init = jax.jit(jax.vmap(env.init))
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry, _):
        state, key = carry
        key, draw, restart = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(draw, logits, axis=1)
        state = step(state, action, jax.random.split(restart, games))
        return (state, key), state.observation.sum(axis=(1, 2, 3))

    run = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=STEPS))
    key = jax.random.PRNGKey(0)
    carry = (init(jax.random.split(key, games)), key)
    carry, _ = jax.block_until_ready(run(carry))
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        carry, seen = jax.block_until_ready(run(carry))
        best = min(best, time.process_time() - start)
        assert np.isfinite(np.asarray(seen)).all()
    return games * STEPS / best


def pettingzoo_rate(steps):
    """Steps of PettingZoo a CPU second, best of five."""
    draw = np.random.default_rng(0)
    best = float("inf")
    for _ in range(5):
        env = chess_v6.env()
        env.reset(seed=0)
        start = time.process_time()
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(draw.choice(np.flatnonzero(observation["action_mask"])))
        best = min(best, time.process_time() - start)
    return steps / best


def own_rates():
    """Our steps a CPU second with a random choice, by what is computed."""
    words = ["cargo", "bench", "--quiet", "-p", "everyply-fourchess-env", "--bench", "batch", "--", "ffa"]
    output = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines() if line.startswith("ffa")]
    return {" ".join(row[1:-2]): float(row[-1]) * 1e6 for row in rows}


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    own = own_rates()
    peers = {
        f"Pgx {pgx.__version__} chess, {games} games": pgx_rate(games),
        "PettingZoo chess_v6": pettingzoo_rate(500),
    }
    print("\nsteps a second of CPU time with a random choice, mask and observation; best of five")
    for name, rate in peers.items():
        print(f"{name:<36} {rate:>12,.0f}")
    for outputs, rate in own.items():
        ratios = ", ".join(f"{rate / peer:,.0f} times {name.split()[0]}" for name, peer in peers.items())
        print(f"everyply, {outputs:<26} {rate:>12,.0f}  {ratios}")


main()
