"""A player of four-player chess that learns by playing against itself.

Proximal policy optimisation (PPO) in plain PyTorch. One network plays all seats, since every
position is seen from the edge of the player to move. On a GPU the games, the observations and the
network stay there: nothing crosses the bus but a line of progress.

    python train_fourchess.py train --device cuda --minutes 8 --out run
    python train_fourchess.py train --device cpu --games 64 --iterations 20 --out smoke
    python train_fourchess.py train --resume run/checkpoint.pt --minutes 4 --out run
    python train_fourchess.py export run/checkpoint.pt fourchess.safetensors
    python train_fourchess.py evaluate fourchess.safetensors greedy greedy greedy --games 4096

docs/learning.md describes the network, the figures, and what did not work.
"""

import argparse
import csv
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from everyply import fourchess

SQUARES, SEATS = 160, 4
# The features of a square. Pieces are numbered from 1 by the plane that shows them: six kinds of
# each of four seats, the mover's first, and 25 for a dead piece.
KINDS, WALL = 25, 26
RAYS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
MARKS = [25, 27, 28, 29]  # planes: promoted, rooks that may castle, passed squares, checked kings
CODES = 1 + 8 + 8 + len(MARKS)  # numbers a square
FEATURES = KINDS + 8 * 2 * KINDS + 8 * KINDS + len(MARKS)  # 629
COLUMNS = -(-FEATURES // 8) * 8  # what matrix units like
# Training looks at so many legal moves at most. The longest list of random games has 135.
LISTED = 128
# The logit of what is no move. Infinity would do, but its differences are not numbers.
NEVER = -1e9


def steps(files: int, ranks: int, times: int = 1) -> list[int]:
    """The square so many steps from each square, or 160 if it is off the board."""
    cells = {cell: square for square, cell in enumerate(fourchess.CELLS)}
    goals = []
    for cell in fourchess.CELLS:
        rank, file = cell // 14 + times * ranks, cell % 14 + times * files
        inside = 0 <= rank < 14 and 0 <= file < 14
        goals.append(cells.get(14 * rank + file, SQUARES) if inside else SQUARES)
    return goals


class Network(nn.Module):
    """A policy over the legal moves, and what each seat may expect.

    The first layer shows every square what stands on it, the nearest piece along each of the eight
    lines from it, whether that is adjacent, and the pieces a knight's jump away: so a square knows
    who attacks and who defends it. Few of these features are on, and the layer is a sum of rows of
    a table. Then all squares go through the same few layers, which also see the mean of all
    squares. A move is worth the product of a vector of its source and one of its destination.
    """

    jumps: Tensor
    rays: Tensor
    pairs: Tensor
    scales: Tensor
    starts: Tensor
    slots: Tensor
    kinds: Tensor

    def __init__(self, width: int = 64, blocks: int = 3) -> None:
        super().__init__()
        self.width, self.blocks = width, blocks
        tensor = torch.nn.Parameter
        self.stem = tensor(torch.randn(FEATURES, width) * (1 / 17) ** 0.5)
        self.place = tensor(torch.randn(SQUARES, width) * 0.1)
        self.scalars = nn.Linear(fourchess.SCALARS, width)
        self.inner = nn.ModuleList(nn.Linear(width, width) for _ in range(blocks))
        self.shared = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(blocks))
        self.outer = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(blocks))
        self.source, self.target = nn.Linear(width, width), nn.Linear(width, width)
        self.judge = nn.Linear(width, width)
        self.value = nn.Linear(width, SEATS)
        for layer in [*self.outer, self.value]:
            nn.init.zeros_(layer.weight)
        nn.init.normal_(self.source.weight, std=0.1 * width**-0.5)
        moves = fourchess.actions().astype(np.int64)
        rays = [[steps(*ray, times) for ray in RAYS] for times in (1, 1, 2, 4, 8)]
        sizes = [KINDS, *[2 * KINDS] * 8, *[KINDS] * 8, *[1] * len(MARKS)]
        slots = [slot for slot, size in enumerate(sizes) for _ in range(size)]
        kinds = [kind for size in sizes for kind in range(1, size + 1)]
        for name, constant in {
            "starts": torch.tensor([0, *np.cumsum(sizes)[:-1]]),
            "slots": functional.pad(torch.tensor(slots), (0, COLUMNS - FEATURES)),
            "kinds": functional.pad(torch.tensor(kinds), (0, COLUMNS - FEATURES), value=-1).to(
                torch.int8
            ),
            "jumps": torch.tensor([steps(*jump) for jump in JUMPS]).T,
            "rays": torch.tensor(rays).transpose(1, 2),
            "pairs": torch.from_numpy(SQUARES * moves[:, 0] + moves[:, 1]),
            "scales": torch.tensor(fourchess.SCALES),
        }.items():
            self.register_buffer(name, constant.contiguous(), persistent=False)

    def look(self, planes: Tensor) -> Tensor:
        """What each square sees: (games, 160, 21) numbers, 0 for nothing.

        First its own piece, then the nearest piece along each ray (25 more if it is not adjacent),
        then the pieces a knight's jump away, then marks.
        """
        shifts = torch.arange(32, device=planes.device, dtype=torch.int32)
        bits = (planes.unsqueeze(-1) >> shifts & 1).flatten(2)
        numbers = torch.arange(1, KINDS + 1, device=planes.device, dtype=torch.int32)
        here = (bits[:, :KINDS] * numbers[:, None]).sum(1, dtype=torch.int32)

        def at(codes: Tensor, goals: Tensor) -> Tensor:
            return functional.pad(codes, (0, 1), value=WALL)[:, goals]

        near = at(here, self.rays[0])
        nearest = near.unbind(2)
        # Each round looks twice as far: where nothing was found, what was found from there counts.
        for goals in self.rays[1:]:
            further = [at(codes, goals[:, ray]) for ray, codes in enumerate(nearest)]
            found = zip(nearest, further, strict=True)
            nearest = tuple(torch.where(codes == 0, more, codes) for codes, more in found)
        seen = torch.stack(nearest, 2)
        seen = torch.where(seen == WALL, 0, seen + KINDS * (near == 0))
        parts = [here.unsqueeze(2), seen, at(here, self.jumps) % WALL, bits[:, MARKS].mT]
        return torch.cat(parts, 2).to(torch.int8)

    def first(self, codes: Tensor, dtype: torch.dtype) -> Tensor:
        """The first layer: for each square the sum of the rows of its features."""
        if codes.is_cuda:
            # A product with zeros and ones, since the gradient of a product is a product.
            ones = (codes[:, :, self.slots] == self.kinds).to(dtype)
            return ones @ functional.pad(self.stem, (0, 0, 0, COLUMNS - FEATURES)).to(dtype)
        rows = torch.where(codes == 0, FEATURES, codes - 1 + self.starts)
        table = functional.pad(self.stem, (0, 0, 0, 1))
        sums = functional.embedding_bag(rows.flatten(0, 1), table, mode="sum")
        return sums.unflatten(0, (-1, SQUARES))

    def body(self, codes: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Vectors of sources and of destinations, and the expectations of the seats."""
        dtype = torch.bfloat16 if torch.is_autocast_enabled(codes.device.type) else torch.float32
        x = self.first(codes, dtype)
        x = x + (self.place + self.scalars(scalars / self.scales).unsqueeze(1)).to(dtype)
        for inner, shared, outer in zip(self.inner, self.shared, self.outer, strict=True):
            lit = x.relu()
            x = x + outer((inner(lit) + shared(lit.mean(1)).unsqueeze(1)).relu())
        lit = x.relu()
        values = self.value(self.judge(lit.mean(1)).relu())
        return self.source(lit), self.target(lit), values.float()

    def forward(self, codes: Tensor, scalars: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of the legal moves, as good as none beyond the list; the values of seats."""
        sources, targets, values = self.body(codes, scalars)
        pairs = (sources @ targets.mT).flatten(1)
        logits = pairs.gather(1, self.pairs[legal.clamp(min=0).long()]).float()
        return logits.masked_fill(legal < 0, NEVER), values


def best(network: Network, planes: Tensor, scalars: Tensor, legal: Tensor) -> Tensor:
    """The move with the highest logit; of equals the one with the lowest number."""
    logits, _ = network(network.look(planes), scalars, legal)
    is_best = logits == logits.amax(1, keepdim=True)
    return torch.where(is_best, legal.long(), fourchess.ACTIONS).amin(1)


def view(batch: Any, name: str) -> Tensor:
    """An array of a batch as a tensor that shares its memory."""
    array = getattr(batch, name)
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    signed = {"u2": np.int16, "u4": np.int32}.get(array.dtype.str[1:], array.dtype)
    with warnings.catch_warnings():
        # Some arrays are read-only, which tensors cannot be. Nobody writes to them here.
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(array.view(signed))


class Player:
    """A network as a player for `fourchess.evaluate`."""

    def __init__(self, network: Network, device: str) -> None:
        self.network, self.device = network.to(device).eval(), device

    @torch.no_grad()
    def __call__(self, batch: Any, games: Any) -> Tensor:
        counts, legal = view(batch, "legal_counts"), view(batch, "legal")
        games = torch.as_tensor(games, device=self.device)
        moves = []
        for part in games.split(2048):
            width = int(counts[part].max())
            seen = view(batch, "planes")[part], view(batch, "scalars")[part]
            moves.append(best(self.network, *seen, legal[part, :width]))
        return torch.cat(moves)


class Games:
    """Games that learners play against each other and against greedy players."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.games = options, options.games
        self.device = torch.device(options.device)
        self.batch: Any = fourchess.Batch(
            self.games,
            max_plies=options.max_plies,
            outputs=["observation"],
            autoreset="same_step",
            illegal="noop",
            seed=options.seed,
            device=options.device,
            threads=1 if options.device != "cpu" else torch.get_num_threads(),
        )
        names = ["planes", "scalars", "legal", "current_player", "terminated", "truncated"]
        names += ["rewards", "final_points"]
        self.views = {name: view(self.batch, name) for name in names}
        # How many seats of a game learn; greedy players have the others. Which differs by game.
        seats = torch.arange(SEATS).expand(self.games, SEATS)
        game = torch.arange(self.games).unsqueeze(1)
        learners = torch.tensor(options.learners)[game % len(options.learners)]
        turned = (seats + game // len(options.learners)) % SEATS
        self.learns = (turned < learners).to(self.device)
        self.is_alone = (learners == 1).to(self.device)
        self.all_learn = bool(self.learns.all())
        # Games of one learner against three greedy players that ended, and how many it won.
        self.ended = torch.zeros(2, device=self.device)
        self.mix_ages()

    def mix_ages(self) -> None:
        """Plays greedy plies and resets game after game, so that games have different ages."""
        part, plies = max(1, self.games // 16), max(1, self.options.max_plies // 32)
        for first in range(0, self.games, part):
            games = np.arange(first, min(first + part, self.games))
            self.batch.play(plies, "greedy")
            self.batch.reset_games(games, games + self.options.seed)

    def state(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        planes, scalars, legal, mover = [*self.views.values()][:4]
        return planes, scalars, legal[:, :LISTED], mover.long()

    def step(self, chosen: Tensor, mover: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Plays a ply, the learner's move or the greedy one: rewards, endings, who learns."""
        learns = self.learns.gather(1, mover.unsqueeze(1)).squeeze(1)
        if not self.all_learn:
            greedy = self.batch.choose("greedy")
            if isinstance(greedy, np.ndarray):
                greedy = torch.from_numpy(greedy.view(np.int16))
            chosen = torch.where(learns, chosen, torch.as_tensor(greedy, device=self.device))
        self.batch.step(chosen if chosen.is_cuda else chosen.numpy())
        done = self.views["terminated"] | self.views["truncated"]
        return self.rewards(done), done, learns

    def rewards(self, done: Tensor) -> Tensor:
        """Points more than the mean of the others, and at the end the first place."""
        points, final = self.views["rewards"], self.views["final_points"]
        ahead = (4 * points - points.sum(1, keepdim=True)) / 3 / self.options.points_scale
        is_first = (final == final.amax(1, keepdim=True)).float()
        share = is_first / is_first.sum(1, keepdim=True) * done.unsqueeze(1)
        won = (share * self.learns * self.is_alone).sum()
        self.ended += torch.stack([(done * self.is_alone.squeeze(1)).sum(), won])
        place = (4 * share - done.unsqueeze(1).float()) * self.options.place_reward
        rewards = ahead + place
        if self.options.shuffle:
            # What a learner without a signal reaches: rewards of other games.
            rewards = rewards[torch.randperm(self.games, device=self.device)]
        return rewards


def to_seats(values: Tensor, mover: Tensor) -> Tensor:
    """From seats counted from the mover to seats counted from Red."""
    seats = torch.arange(SEATS, device=values.device)
    return values.gather(1, (seats - mover.unsqueeze(1)) % SEATS)


class Learner:
    """The loop: play, compute advantages, improve."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.device = options, torch.device(options.device)
        torch.manual_seed(options.seed)
        self.network = Network(options.width, options.blocks).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=options.rate, betas=(0.9, 0.98), weight_decay=1e-4
        )
        self.iteration, self.samples, self.seconds = 0, 0, 0.0
        self.games = Games(options)
        is_gpu = self.device.type == "cuda"
        self.half = torch.autocast(self.device.type, torch.bfloat16, enabled=is_gpu)
        compiled = torch.compile if is_gpu and options.compile else (lambda function, **_: function)
        self.look = compiled(self.network.look)
        self.act = compiled(self.choose)
        self.loss = compiled(self.losses)
        self.allocate()

    def allocate(self) -> None:
        shape, device = (self.options.plies, self.options.games), self.device
        _, scalars, legal, _ = self.games.state()
        self.rollout = {
            "codes": torch.empty(*shape, SQUARES, CODES, dtype=torch.int8, device=device),
            "scalars": torch.empty(*shape, *scalars.shape[1:], dtype=scalars.dtype, device=device),
            "legal": torch.empty(*shape, LISTED, dtype=legal.dtype, device=device),
            "mover": torch.empty(shape, dtype=torch.int64, device=device),
            "index": torch.empty(shape, dtype=torch.int64, device=device),
            "chance": torch.empty(shape, device=device),
            "values": torch.empty(*shape, SEATS, device=device),
            "rewards": torch.empty(*shape, SEATS, device=device),
            "done": torch.empty(shape, dtype=torch.bool, device=device),
            "learns": torch.empty(shape, dtype=torch.bool, device=device),
        }

    def choose(self, codes: Tensor, scalars: Tensor, legal: Tensor) -> tuple[Tensor, ...]:
        """A move by its chance: where in the list, its logarithm, and the values of seats."""
        with self.half:
            logits, values = self.network(codes, scalars, legal)
        chances = logits.log_softmax(1)
        noise = -torch.log(-torch.log(torch.rand_like(logits).clamp(1e-20, 1 - 1e-7)))
        index = (chances + noise).argmax(1)
        return index, chances.gather(1, index.unsqueeze(1)).squeeze(1), values

    @torch.no_grad()
    def play(self) -> None:
        for ply in range(self.options.plies):
            planes, scalars, legal, mover = self.games.state()
            row = {name: column[ply] for name, column in self.rollout.items()}
            row["codes"].copy_(self.look(planes))
            row["scalars"].copy_(scalars)
            row["legal"].copy_(legal)
            index, chance, values = self.act(row["codes"], row["scalars"], row["legal"])
            chosen = row["legal"].gather(1, index.unsqueeze(1)).squeeze(1)
            row["mover"].copy_(mover)
            rewards, done, learns = self.games.step(chosen, mover)
            for name, value in {
                "index": index,
                "chance": chance,
                "values": to_seats(values, row["mover"]),
                "rewards": rewards,
                "done": done,
                "learns": learns,
            }.items():
                row[name].copy_(value)

    @torch.no_grad()
    def advantages(self) -> tuple[Tensor, Tensor]:
        """How much better than expected it went for each seat, by ply; and the returns of seats.

        Every position has a value for all four seats, also for those who are not to move or are
        out. So this is the usual generalised estimate, for four seats at once.
        """
        planes, scalars, legal, mover = self.games.state()
        _, _, ahead = self.act(self.look(planes), scalars.clone(), legal.contiguous())
        ahead = to_seats(ahead, mover)
        values, rewards = self.rollout["values"], self.rollout["rewards"]
        going = (~self.rollout["done"]).float().unsqueeze(2)
        gains, gain = torch.empty_like(values), torch.zeros_like(ahead)
        discount, smoothing = self.options.discount, self.options.smoothing
        for ply in reversed(range(self.options.plies)):
            error = rewards[ply] + discount * going[ply] * ahead - values[ply]
            gain = error + discount * smoothing * going[ply] * gain
            gains[ply], ahead = gain, values[ply]
        return gains, gains + values

    def losses(self, rows: dict[str, Tensor], entropy_weight: Tensor) -> tuple[Tensor, ...]:
        with self.half:
            logits, values = self.network(rows["codes"], rows["scalars"], rows["legal"])
        chances = logits.log_softmax(1)
        entropy = -(chances.exp() * chances).sum(1)
        chance = chances.gather(1, rows["index"].unsqueeze(1)).squeeze(1)
        # A single move that was next to impossible must not outweigh all others.
        ratio = (chance - rows["chance"]).clamp(-10, 10).exp()
        gain, clip = rows["gain"], self.options.clip
        policy = -torch.min(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).mean()
        value = functional.smooth_l1_loss(values, rows["returns"])
        loss = policy + self.options.value_weight * value - entropy_weight * entropy.mean()
        change = (ratio - 1 - ratio.log()).mean()
        return loss, policy, value, entropy.mean(), change

    def improve(self, progress: float) -> dict[str, float]:
        options = self.options
        gains, returns = self.advantages()
        flat = {name: column.flatten(0, 1) for name, column in self.rollout.items()}
        mover = flat["mover"].unsqueeze(1)
        flat["gain"] = gains.flatten(0, 1).gather(1, mover).squeeze(1)
        seats = (mover + torch.arange(SEATS, device=self.device)) % SEATS
        flat["returns"] = returns.flatten(0, 1).gather(1, seats)
        chosen = flat["learns"].nonzero().squeeze(1)
        gain = flat["gain"][chosen]
        flat["gain"] = (flat["gain"] - gain.mean()) / (gain.std() + 1e-6)
        rate = options.rate * min(1.0, (self.iteration + 1) / 20) * max(1 - progress, 0.05)
        entropy_weight = torch.tensor(
            options.entropy * (1 - progress) + options.last_entropy * progress, device=self.device
        )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        told, size = [], min(options.minibatch, len(chosen))
        names = ["codes", "scalars", "legal", "index", "chance", "gain", "returns"]
        for _ in range(options.epochs):
            order = chosen[torch.randperm(len(chosen), device=self.device)]
            for part in order.split(size):
                if len(part) < size:
                    continue  # another size would be compiled anew
                rows = {name: flat[name][part] for name in names}
                loss, *parts = self.loss(rows, entropy_weight)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                norm = nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
                for weights in self.network.parameters():
                    # After an overflow there is no number to step by.
                    weights.grad.nan_to_num_(0, 0, 0)
                self.optimizer.step()
                told.append(torch.stack([*(part.detach() for part in parts), norm]))
        self.samples += len(chosen)
        figures = torch.stack(told).mean(0).tolist()
        return dict(zip(["policy", "value", "entropy", "change", "norm"], figures, strict=True))

    def iterate(self, progress: float) -> dict[str, float]:
        """Plays and improves once; what is known of it."""
        start, samples = time.perf_counter(), self.samples
        self.play()
        synchronize(self.device)
        played = time.perf_counter()
        figures = self.improve(progress)
        synchronize(self.device)
        taken = time.perf_counter() - start
        self.iteration += 1
        ended, won = self.games.ended.tolist()
        self.games.ended.zero_()
        return {
            "iteration": self.iteration,
            "seconds": 0.0,
            "samples": self.samples,
            "samples_a_second": (self.samples - samples) / taken,
            "play_share": (played - start) / taken,
            **figures,
            "ended": ended,
            "won": won,
        }

    def save(self, path: Path) -> None:
        torch.save(
            {
                "options": {name: str(value) for name, value in vars(self.options).items()},
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "iteration": self.iteration,
                "samples": self.samples,
                "seconds": self.seconds,
            },
            path.with_suffix(".new"),
        )
        path.with_suffix(".new").replace(path)

    def resume(self, path: Path) -> None:
        saved = torch.load(path, map_location=self.device, weights_only=True)
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.iteration, self.samples = saved["iteration"], saved["samples"]
        self.seconds = saved["seconds"]


def trial(network: Network, options: argparse.Namespace) -> dict[str, float]:
    """A few games against built-in players, always with the best move."""
    copy = Network(network.width, network.blocks)
    copy.load_state_dict(network.state_dict())
    player, figures = Player(copy, options.device), {}
    for opponent in ["random", "greedy"]:
        result = fourchess.evaluate(
            [player, *[opponent] * 3],
            games=options.trial_games,
            seed=options.seed + 1,
            device=options.device,
            max_plies=800,
        )
        figures |= {f"first_{opponent}": result.first[0], f"points_{opponent}": result.points[0]}
    return figures


COLUMN_NAMES = """
iteration seconds samples samples_a_second play_share policy value entropy change norm ended won
first_random points_random first_greedy points_greedy
""".split()


def train(options: argparse.Namespace) -> None:
    begun = time.perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    learner = Learner(options)
    if options.resume:
        learner.resume(options.resume)
    earlier, first, tried, saved = learner.seconds, learner.iteration, 0.0, 0.0
    with (options.out / "curve.csv").open("a" if options.resume else "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMN_NAMES)
        if not options.resume:
            writer.writeheader()
        progress = 0.0
        while progress < 1:
            row = learner.iterate(progress)
            passed = time.perf_counter() - begun
            learner.seconds = earlier + passed
            by_time = passed / 60 / options.minutes if options.minutes else 0.0
            progress = by_time or (learner.iteration - first) / options.iterations
            row["seconds"] = learner.seconds
            is_due = passed - tried > options.trial_seconds or progress >= 1
            if is_due and options.trial_games:
                row |= trial(learner.network, options)
                tried = time.perf_counter() - begun
            writer.writerow(row)
            if learner.iteration % 10 == 1 or "first_greedy" in row:
                file.flush()
                print(" ".join(f"{name} {value:.4g}" for name, value in row.items()), flush=True)
            if passed - saved > 60:
                saved = passed
                learner.save(options.out / "checkpoint.pt")
    learner.save(options.out / "checkpoint.pt")
    export(learner.network, options.out / "weights.safetensors")


def export(network: Network, path: Path) -> None:
    """Writes the weights as safetensors, as floats of 16 bits."""
    about = {"format": "everyply.fourchess.network", "version": "1", "rules": "ffa"}
    header: dict[str, Any] = {"__metadata__": about}
    data = b""
    for name, tensor in network.state_dict().items():
        raw = tensor.detach().cpu().to(torch.float16).numpy().tobytes()
        places = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": "F16", "shape": [*tensor.shape], "data_offsets": places}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def load(path: Path) -> Network:
    """Reads weights that were exported, or those of a checkpoint."""
    if path.suffix == ".pt":
        weights = torch.load(path, map_location="cpu", weights_only=True)["network"]
    else:
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        header, data = json.loads(data[8 : 8 + size]), data[8 + size :]
        weights = {}
        for name, entry in header.items():
            if name != "__metadata__":
                first, end = entry["data_offsets"]
                numbers = np.frombuffer(data[first:end], np.float16).astype(np.float32)
                weights[name] = torch.from_numpy(numbers.reshape(entry["shape"]))
    width = weights["stem"].shape[1]
    network = Network(width, sum(name.startswith("outer.") for name in weights))
    network.load_state_dict(weights)
    return network


def evaluate(options: argparse.Namespace) -> None:
    names, players = [], []
    for name in options.players:
        is_built_in = name in ("random", "greedy")
        names.append(name if is_built_in else Path(name).stem)
        players.append(name if is_built_in else Player(load(Path(name)), options.device))
    keywords = {"games": options.games, "seed": options.seed, "device": options.device}
    print(result := fourchess.evaluate(players, names=names, **keywords))
    if "random" not in names:
        # Ratings need games against random players.
        mixed = [*dict(zip(names, players, strict=True)).items()][:3]
        mixed += [("random", "random")] * (SEATS - len(mixed))
        names, players = map(list, zip(*mixed, strict=True))
        more = [result, fourchess.evaluate(players, names=names, **keywords)]
    else:
        more = [result]
    for name, (rating, low, high) in fourchess.elo(more).items():
        print(f"{name}: Elo {rating:.0f} ({low:.0f} to {high:.0f})")


def synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="learn, from nothing or from a checkpoint")
    train.add_argument("--device", default="cuda")
    train.add_argument("--out", type=Path, default=Path("run"))
    train.add_argument("--resume", type=Path, help="a checkpoint to go on from")
    train.add_argument("--minutes", type=float, default=0, help="stop after so long")
    train.add_argument("--iterations", type=int, default=100, help="or after so many iterations")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--games", type=int, default=16384)
    train.add_argument("--plies", type=int, default=32, help="plies of each game an iteration")
    train.add_argument("--max-plies", type=int, default=480, help="cut games after so many")
    train.add_argument("--minibatch", type=int, default=16384)
    train.add_argument("--epochs", type=int, default=1)
    train.add_argument("--width", type=int, default=64)
    train.add_argument("--blocks", type=int, default=3)
    train.add_argument("--rate", type=float, default=2e-3)
    train.add_argument("--clip", type=float, default=0.2)
    train.add_argument("--entropy", type=float, default=0.01)
    train.add_argument("--last-entropy", type=float, default=0.001)
    train.add_argument("--value-weight", type=float, default=1.0)
    train.add_argument("--discount", type=float, default=0.997)
    train.add_argument("--smoothing", type=float, default=0.95)
    train.add_argument("--points-scale", type=float, default=20)
    train.add_argument("--place-reward", type=float, default=0.5)
    train.add_argument("--learners", type=int, nargs="+", default=[4, 4, 4, 4, 2, 1])
    train.add_argument("--trial-games", type=int, default=256, help="0 for no trials")
    train.add_argument("--trial-seconds", type=float, default=120)
    train.add_argument("--shuffle", action="store_true", help="rewards of other games: a control")
    train.add_argument("--no-compile", dest="compile", action="store_false")
    exporting = commands.add_parser("export", help="write the weights of a checkpoint")
    exporting.add_argument("checkpoint", type=Path)
    exporting.add_argument("weights", type=Path)
    evaluating = commands.add_parser("evaluate", help="play games between four players")
    evaluating.add_argument("players", nargs=4, help="random, greedy or a file of weights")
    evaluating.add_argument("--games", type=int, default=4096)
    evaluating.add_argument("--seed", type=int, default=1)
    evaluating.add_argument("--device", default="cpu")
    return parser.parse_args(words)


def main() -> None:
    options = arguments()
    if options.command == "train":
        train(options)
    elif options.command == "export":
        export(load(options.checkpoint), options.weights)
    else:
        evaluate(options)


if __name__ == "__main__":
    main()
