"""Writes what the tests compare the forward pass with: python vectors.py (needs PyTorch).

`small.safetensors` is a network of random weights. `small.csv` holds its values and logits, and
`moves.csv` the moves of the trained network, in positions of games of built-in players. `games.csv`
holds games of the trained network against itself. The tests play the same games again.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from everyply import fourchess

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "crates/python/examples"))
import train_fourchess as script  # noqa: E402

DATA = Path(__file__).parent / "data"
GAMES, ROUNDS, PLIES, SEED = 100, 10, 23, 11


def positions() -> Iterator[fourchess.Batch]:
    batch = fourchess.Batch(GAMES, outputs=["observation"], autoreset="same_step", seed=SEED)
    for turn in range(ROUNDS):
        batch.play(PLIES, "greedy" if turn % 2 else "random")
        yield batch


@torch.no_grad()
def main() -> None:
    torch.manual_seed(19)
    small = script.Network(8, 2)
    for weights in small.parameters():
        weights.normal_(std=0.3)
    script.export(small, DATA / "small.safetensors")
    small = script.load(DATA / "small.safetensors")
    trained = script.load(ROOT / "crates/fourchess-learned/weights/ffa.safetensors")
    with (DATA / "small.csv").open("w") as file, (DATA / "moves.csv").open("w") as moves:
        rows, chosen = csv.writer(file, lineterminator="\n"), csv.writer(moves, lineterminator="\n")
        rows.writerow(["round", "game", "mover", "next", "opposite", "previous", "logits"])
        chosen.writerow(["round", "game", "action"])
        for turn, batch in enumerate(positions()):
            planes, scalars = script.view(batch, "planes"), script.view(batch, "scalars")
            legal = script.view(batch, "legal")[:, : int(batch.legal_counts.max())]
            logits, values = small(small.look(planes), scalars, legal)
            for game in range(3):
                count = int(batch.legal_counts[game])
                text = " ".join(f"{logit:.6g}" for logit in logits[game, :count].tolist())
                seats = [f"{value:.6g}" for value in values[game].tolist()]
                rows.writerow([turn, game, *seats, text])
            best = script.best(trained, planes, scalars, legal).tolist()
            chosen.writerows([turn, game, action] for game, action in enumerate(best))
    play(trained)


def play(trained: script.Network) -> None:
    with (DATA / "games.csv").open("w") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["setup", "ply", "action"])
        player = script.Player(trained, "cpu")
        for setup in ["modern", "classic", "by", "byg", "rg"]:
            batch = fourchess.Batch(
                1, setup=setup, outputs=["observation"], autoreset="disabled", illegal="noop"
            )
            for ply in range(1, 301):
                if not batch.legal_counts[0]:
                    break
                action = int(player(batch, [0]))
                rows.writerow([setup, ply, action])
                batch.step([action])


if __name__ == "__main__":
    main()
