"""Steps of four-player chess from Python and from Rust, in turns: cargo xtask bench fourchess-python.

Both make the same thousand steps of 4,096 games with a mask of legal actions and the observation,
actions chosen at random, on one thread. Python looks at every array in every step. What the last
step left must be the same bytes.
"""

import subprocess
import time
import zlib

from everyply import fourchess

GAMES = 4096
STEPS = 1000
ROUNDS = 5
MASKS = ["legal_bits", "legal_bytes"]


def in_python(mask: str) -> tuple[float, str]:
    """A million steps in a second of CPU time, and the digest."""
    batch = fourchess.Batch(GAMES, outputs=[mask, "observation"])
    start = time.process_time()
    for _ in range(STEPS):
        batch.step(batch.choose("random"))
        seen = (getattr(batch, mask), batch.planes, batch.scalars, batch.rewards)
        ended = batch.terminated, batch.truncated, batch.current_player
        assert len(seen) + len(ended) == 7
    rate = GAMES * STEPS / (time.process_time() - start) / 1e6
    digest = 0
    for array in seen:
        digest = zlib.crc32(array.data, digest)
    return rate, f"{digest:08x}"


def in_rust() -> dict[str, tuple[float, str]]:
    """The same of every mask."""
    command = ["cargo", "bench", "--quiet", "-p", "everyply-fourchess-env", "--bench", "outputs"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    return {row[0]: (float(row[1]), row[2]) for row in rows if row and row[0] in MASKS}


def main() -> None:
    best: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        rust = in_rust()
        for mask in MASKS:
            rate, digest = in_python(mask)
            assert digest == rust[mask][1], f"{mask}: other bytes than from Rust"
            best["python", mask] = max(rate, best.get(("python", mask), 0.0))
            best["rust", mask] = max(rust[mask][0], best.get(("rust", mask), 0.0))
    print("million steps/s of CPU time, best of five, one thread, with a random choice")
    for mask in MASKS:
        ours, theirs = best["python", mask], best["rust", mask]
        print(f"observation and {mask}: Python {ours:.2f}, Rust {theirs:.2f}: {ours / theirs:.0%}")
    print("the same bytes")


main()
