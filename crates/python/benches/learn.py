"""Whether something is learned from rewards: cargo xtask bench learn --device cpu.

A small network learns four-player chess for a few minutes, once with its rewards and once with the
rewards of other games, which is all that differs. Then both play against three random players. Only
the first may beat them.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from everyply import fourchess

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import train_fourchess as script  # noqa: E402

GAMES = 200
SMALL = """--games 120 --plies 16 --minibatch 256 --epochs 2 --width 48 --blocks 2 --max-plies 300
--rate 0.004 --trial-games 0 --iterations 50""".split()


def learned(device: str, out: Path, *more: str) -> fourchess.Evaluation:
    """Learns, and plays against three random players."""
    begun = time.perf_counter()
    options = script.arguments(["train", "--device", device, "--out", str(out), *SMALL, *more])
    script.train(options)
    player = script.Player(script.load(out / "weights.safetensors"), device)
    result = fourchess.evaluate([player, *["random"] * 3], games=GAMES, device=device)
    low, high = result.first_interval[0]
    print(
        f"{' '.join(more) or 'own rewards'}: first in {result.first[0]:.1%} of {GAMES} games "
        f"({low:.1%} to {high:.1%}), {result.points[0]:.1f} points, "
        f"{time.perf_counter() - begun:.0f} s"
    )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args().device
    with tempfile.TemporaryDirectory() as directory:
        own = learned(device, Path(directory, "own"))
        shuffled = learned(device, Path(directory, "shuffled"), "--shuffle")
    # What training with the rewards of other games reaches is no more than chance.
    assert own.first_interval[0][0] > shuffled.first_interval[0][1] + 0.25
    assert own.points_interval[0][0] > shuffled.points_interval[0][1] + 20


main()
