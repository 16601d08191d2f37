"""Four-player chess from Python: arrays, bytes, errors."""

import copy
import csv
import gc
import pickle
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from conftest import FIXTURES
from everyply import Error, fourchess, tables

ALL = ["legal_bits", "legal_bytes", "observation"]
ARRAYS = [
    "current_player",
    "legal",
    "legal_counts",
    "legal_bits",
    "legal_bytes",
    "rewards",
    "terminated",
    "truncated",
    "move_valid",
    "planes",
    "scalars",
    "final_planes",
    "final_scalars",
    "final_points",
    "endings",
]
READ_ONLY = {"current_player", "legal", "legal_counts", "legal_bytes"}


def whole(games: int, rules: str = "ffa", **options: Any) -> fourchess.Batch:
    """A batch with every array there is."""
    return fourchess.Batch(games, rules, autoreset="same_step", outputs=ALL, **options)


def arrays(batch: fourchess.Batch) -> dict[str, NDArray[Any]]:
    return {name: getattr(batch, name) for name in ARRAYS}


def choice(batch: fourchess.Batch, step: int, first: int = 0) -> NDArray[np.uint16]:
    """Legal actions that depend on the step and the number of the game alone."""
    games = np.arange(first, first + len(batch))
    counts = np.maximum(batch.legal_counts, 1)
    chosen = batch.legal[games - first, (step * 7919 + games * 104_729) % counts]
    return np.where(batch.legal_counts > 0, chosen, 0).astype(np.uint16)


def digests() -> list[dict[str, str]]:
    with (FIXTURES / "fourchess/digests.csv").open() as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("row", digests(), ids=lambda row: str(row["rules"]))
def test_bytes_are_those_of_rust(row: dict[str, str], threads: int) -> None:
    batch = whole(int(row["games"]), row["rules"], seed=int(row["seed"]), threads=threads)
    digest = 0
    for step in range(int(row["steps"])):
        batch.step(choice(batch, step))
        for array in arrays(batch).values():
            digest = zlib.crc32(array.data, digest)
    assert f"{digest:08x}" == row["digest"]


@pytest.mark.parametrize("rules", ["ffa", "teams", "jax"])
def test_a_game_is_the_same_alone_and_in_a_batch(rules: str) -> None:
    together = whole(64, rules)
    alone = [whole(1, rules) for _ in range(3)]
    games = [0, 17, 63]
    seeds = [5, 6, 7]
    together.reset_games(games, seeds)
    for batch, seed in zip(alone, seeds, strict=True):
        batch.reset_games([0], [seed])
    for step in range(300):
        actions = choice(together, step)
        chosen = together.choose("random") if step % 3 == 0 else None
        for batch, game in zip(alone, games, strict=True):
            assert choice(batch, step, game)[0] == actions[game]
            if chosen is not None:
                assert batch.choose("random")[0] == chosen[game]
            batch.step(actions[[game]])
        together.step(actions)
        for name, array in arrays(together).items():
            for batch, game in zip(alone, games, strict=True):
                assert np.array_equal(getattr(batch, name)[0], array[game]), name


def test_arrays_are_views_that_stay_where_they_are() -> None:
    batch = whole(8)
    before = arrays(batch)
    addresses = {name: array.ctypes.data for name, array in before.items()}
    kept = batch.legal.copy()
    for _ in range(50):
        batch.step(batch.choose())
    batch.reset(3)
    batch.step(batch.choose())
    assert not np.array_equal(before["legal"], kept)
    for name, array in arrays(batch).items():
        assert array.ctypes.data == addresses[name] == before[name].ctypes.data
        assert np.array_equal(array, before[name])
        assert array.flags.c_contiguous and not array.flags.owndata
        assert array.flags.writeable == (name not in READ_ONLY)


def test_arrays_outlive_the_name_of_their_batch() -> None:
    batch = whole(4, seed=9)
    batch.step(batch.choose())
    rewards, legal, tensor = batch.rewards, batch.legal, batch.tensor("planes")
    expected = legal.copy(), batch.planes.copy()
    del batch
    gc.collect()
    garbage = [np.full(1 << 16, 7, dtype=np.uint8) for _ in range(64)]
    assert rewards.shape == (4, 4) and len(garbage) == 64
    assert np.array_equal(legal, expected[0])
    assert np.array_equal(np.from_dlpack(cast(Any, tensor)), expected[1])


@pytest.mark.parametrize("name", ARRAYS)
def test_dlpack_shares_memory_with_numpy(name: str) -> None:
    batch = whole(4)
    array, tensor = getattr(batch, name), batch.tensor(cast(Any, name))
    assert tensor.__dlpack_device__() == (1, 0)
    for source in [array, tensor]:
        taken = np.from_dlpack(cast(Any, source))
        assert taken.ctypes.data == array.ctypes.data
        assert (taken.shape, taken.dtype) == (array.shape, array.dtype)
        assert taken.flags.writeable == (name not in READ_ONLY)
    assert (tensor.shape, tensor.dtype) == (array.shape, array.dtype.name)
    asarray = np.asarray(cast(Any, tensor))
    assert asarray.ctypes.data == array.ctypes.data
    if name not in READ_ONLY:
        taken[0] = 1
        assert np.all(array[0] == 1)
        array[1] = 0
        assert np.all(taken[1] == 0)


def test_dlpack_says_what_it_cannot_do() -> None:
    batch = whole(2)
    with pytest.raises(BufferError, match="legal is read-only"):
        batch.tensor("legal").__dlpack__()
    with pytest.raises(BufferError, match="on the CPU"):
        batch.tensor("rewards").__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="no streams"):
        batch.tensor("rewards").__dlpack__(stream=1)
    copied = np.from_dlpack(cast(Any, batch.tensor("rewards")), copy=True)
    copied[:] = 3
    assert not batch.rewards.any()
    with pytest.raises(Error, match="no array nothing"):
        batch.tensor(cast(Any, "nothing"))


def test_a_capsule_that_nobody_takes_lets_the_batch_go() -> None:
    batch = whole(1)
    count = sys.getrefcount(batch)
    for version in [None, (1, 0)]:
        capsule = batch.tensor("rewards").__dlpack__(max_version=version)
        assert sys.getrefcount(batch) == count + 1
        del capsule
        assert sys.getrefcount(batch) == count
    taken = np.from_dlpack(cast(Any, batch.tensor("rewards")))
    assert sys.getrefcount(batch) == count + 1
    del taken
    assert sys.getrefcount(batch) == count


def test_dlpack_shares_memory_with_torch() -> None:
    torch = pytest.importorskip("torch", reason="not run: torch is not installed")
    batch = whole(4)
    for source in [batch.rewards, batch.tensor("rewards")]:
        taken = torch.from_dlpack(source)
        assert taken.data_ptr() == batch.rewards.ctypes.data
        taken[2, 1] = 11
        assert batch.rewards[2, 1] == 11
        batch.rewards[2, 1] = 0
        assert taken[2, 1] == 0


def test_the_three_forms_of_legal_actions_agree() -> None:
    batch = whole(32, "teams", seed=4)
    for _ in range(200):
        batch.step(batch.choose())
        bits = np.unpackbits(batch.legal_bits.view(np.uint8), axis=1, bitorder="little")
        assert np.array_equal(bits[:, : fourchess.ACTIONS], batch.legal_bytes)
        assert not bits[:, fourchess.ACTIONS :].any()
        for game, count in enumerate(batch.legal_counts):
            listed = np.sort(batch.legal[game, :count])
            assert np.array_equal(listed, np.flatnonzero(batch.legal_bytes[game]))
            assert np.all(batch.legal[game, count:] == fourchess.NO_ACTION)


def test_floats_are_the_planes_and_numbers() -> None:
    batch = whole(8, seed=2)
    for _ in range(60):
        batch.step(batch.choose("greedy"))
    floats = batch.observation()
    names = fourchess.squares()
    files = np.array(["abcdefghijklmn".index(name[0]) for name in names])
    ranks = np.array([int(name[1:]) - 1 for name in names])
    bits = np.unpackbits(batch.planes.view(np.uint8), axis=2, bitorder="little")
    assert np.array_equal(floats[:, : fourchess.PLANES, ranks, files], bits)
    points = floats[:, fourchess.PLANES, ranks, files]
    assert np.allclose(points * 100, batch.scalars[:, :1])
    corner = floats[:, :, :3, :3]
    assert not corner.any() and len(fourchess.PLANE_NAMES) == floats.shape[1]
    out = np.full_like(floats, np.nan)
    assert batch.observation(out) is out
    assert np.array_equal(out, floats)


def test_positions_go_through_text() -> None:
    batch = whole(4, seed=8)
    for _ in range(80):
        batch.step(batch.choose())
    fens = [batch.fen(game) for game in range(4)]
    other = whole(4)
    other.reset_games(range(4), range(4), fens)
    assert [other.fen(game) for game in range(4)] == fens
    assert np.array_equal(np.sort(other.legal), np.sort(batch.legal))
    for game in range(4):
        moves = batch.moves(game)
        count = batch.legal_counts[game]
        actions = [batch.action(game, move) for move in moves]
        table = pa.table(tables.fourchess_moves(batch.fen(game))).to_pydict()
        written = dict(zip(table["san"], table["action"]))
        assert {move: batch.action(game, move) for move in written} == written
        assert actions == batch.legal[game, :count].tolist()


def test_the_wider_encoding_goes_both_ways() -> None:
    for edge in range(4):
        wide = fourchess.to_wide(np.arange(fourchess.ACTIONS), edge)
        assert len(set(wide.tolist())) == fourchess.ACTIONS
        back = fourchess.from_wide(np.arange(fourchess.WIDE_ACTIONS), edge)
        assert np.array_equal(back[wide], np.arange(fourchess.ACTIONS))
        assert (back != fourchess.NO_ACTION).sum() == fourchess.ACTIONS
    for rules in ["ffa", "jax"]:
        batch = whole(1, rules)
        for _ in range(8):
            edge = batch.edges[batch.current_player[0]]
            action = batch.choose()
            assert batch.to_wide(action) == fourchess.to_wide(action, edge)
            assert batch.from_wide(batch.to_wide(action)) == action
            batch.step(action)


def test_tables_describe_actions_and_the_board() -> None:
    table, pairs = fourchess.actions(), fourchess.pairs()
    first = table[: fourchess.PAIRS]
    assert np.array_equal(pairs[first[:, 0], first[:, 1]], np.arange(fourchess.PAIRS))
    assert (pairs != fourchess.NO_ACTION).sum() == fourchess.PAIRS
    reach = fourchess.destinations("queen") | fourchess.destinations("knight")
    assert np.array_equal(pairs != fourchess.NO_ACTION, reach)
    promotions = table[fourchess.PAIRS :]
    assert np.bincount(promotions[:, 2]).tolist() == [0, 80, 80, 80]
    queen = fourchess.destinations("queen")
    king, knight = fourchess.destinations("king"), fourchess.destinations("knight")
    assert np.array_equal(fourchess.near(), king | knight)
    assert np.array_equal(fourchess.far(), queen & ~king)
    pairs = fourchess.pairs() != fourchess.NO_ACTION
    assert np.array_equal(pairs, fourchess.near() | fourchess.far())
    between = fourchess.between()
    assert np.array_equal(between, between.transpose(1, 0, 2))
    assert not between[~queen].any() and not between[fourchess.near()].any()
    for edge in range(4):
        pawns = fourchess.pawn_pushes(edge) | fourchess.pawn_takes(edge)
        assert not (pawns & ~queen).any()


BAD: dict[str, tuple[Callable[[fourchess.Batch], object], type[Exception], str]] = {
    "too few actions": (lambda b: b.step([0]), Error, r"actions: shape \(1,\), expected \(4,\)"),
    "a table": (lambda b: b.step(np.zeros((4, 1), int)), Error, r"shape \(4, 1\)"),
    "a number": (lambda b: b.step(3), Error, r"shape \(\)"),
    "floats": (lambda b: b.step(np.zeros(4)), TypeError, "an array of float64"),
    "nan": (lambda b: b.step([np.nan] * 4), TypeError, "an array of float64"),
    "flags": (lambda b: b.step([True] * 4), TypeError, "an array of bool"),
    "words": (lambda b: b.step(cast(Any, ["a"] * 4)), TypeError, "expected integers"),
    "nothing": (lambda b: b.step(cast(Any, [None] * 4)), TypeError, "expected integers"),
    "negative": (lambda b: b.step([0, -1, 0, 0]), Error, r"actions\[1\]: -1 is not a number"),
    "large": (lambda b: b.step([0, 0, 70_000, 0]), Error, r"actions\[2\]: 70000 is not a number"),
    "no action": (lambda b: b.step([7192] * 4), fourchess.IllegalAction, "7192 is not legal"),
    "illegal": (
        lambda b: b.step([*b.choose()[:3], 0]),
        fourchess.IllegalAction,
        "action 0 is not legal in game 3",
    ),
    "no such game": (lambda b: b.reset_games([4], [0]), Error, "no game 4: the batch has 4"),
    "a negative game": (lambda b: b.reset_games([-1], [0]), Error, r"games\[0\]: -1"),
    "too few seeds": (lambda b: b.reset_games([0, 1], [0]), Error, r"seeds: shape \(1,\)"),
    "too few texts": (lambda b: b.reset_games([0], [0], []), Error, "positions has 0 entries"),
    "a bad text": (
        lambda b: b.reset_games([0, 1], [0, 0], [b.fen(0), "R-1"]),
        fourchess.FenError,
        "position of game 1: ",
    ),
    "bytes for text": (
        lambda b: b.reset_games([0], [0], cast(Any, [b"R"])),
        TypeError,
        r"fens\[0\].*expected str",
    ),
    "game out of range": (lambda b: b.fen(4), Error, "no game 4"),
    "no move": (lambda b: b.action(0, "h2-h9"), fourchess.IllegalAction, "has no piece on h2"),
    "doubles for out": (
        lambda b: b.observation(np.zeros((4, 40, 14, 14))),
        TypeError,
        "out: float64, expected float32",
    ),
    "too small an out": (
        lambda b: b.observation(np.zeros((1, 40, 14, 14), np.float32)),
        Error,
        r"out: shape \(1, 40, 14, 14\), expected \(4, 40, 14, 14\)",
    ),
    "a turned out": (
        lambda b: b.observation(np.zeros((14, 14, 40, 4), np.float32).T),
        Error,
        "C-contiguous",
    ),
    "wide out of range": (lambda b: b.from_wide([102_400] * 4), Error, r"wide\[0\]: 102400"),
    "a player unknown": (lambda b: b.choose(cast(Any, "best")), Error, "not one of random, greedy"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_raises_and_changes_nothing(name: str) -> None:
    work, error, words = BAD[name]
    batch = whole(4, seed=5)
    for _ in range(30):
        batch.step(batch.choose())
    before = {name: array.copy() for name, array in arrays(batch).items()}
    fens = [batch.fen(game) for game in range(4)]
    with pytest.raises(error, match=words):
        work(batch)
    for key, array in arrays(batch).items():
        assert np.array_equal(array, before[key]), key
    assert [batch.fen(game) for game in range(4)] == fens


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"games": 0}, "at least one game"),
        ({"games": 1 << 40}, "games: 1099511627776, expected at most"),
        ({"threads": 0}, "at least one thread"),
        ({"threads": 1 << 20}, "threads: 1048576"),
        ({"rules": "chess"}, "rules: 'chess' is not one of ffa, teams, jax"),
        ({"outputs": ["masks"]}, "outputs: 'masks' is not one of"),
        ({"autoreset": "never"}, "autoreset: 'never' is not one of next_step"),
        ({"illegal": "ignore"}, "illegal: 'ignore' is not one of error, noop, lose"),
        ({"reward": "win"}, "reward: 'win' is not one of points, outcome"),
        ({"setup": "chaos"}, "setup: 'chaos' is not one of modern"),
    ],
)
def test_a_batch_cannot_be_made_of_bad_choices(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Error, match=words):
        fourchess.Batch(**({"games": 1} | options))


# Everything that takes arrays, with arguments that are right.
TAKERS: dict[str, tuple[Callable[..., object], list[Any]]] = {
    "step": (lambda b, a: b.step(a), [np.arange(4)]),
    "reset_games": (lambda b, g, s: b.reset_games(g, s), [np.arange(4), np.arange(4)]),
    "save": (lambda b, g: b.save(g), [np.arange(4)]),
    "load": (lambda b, g, s: b.load(g, s), [np.arange(4), np.zeros((4, 2288), np.uint8)]),
    "copy_games": (lambda b, f, t: b.copy_games(f, t), [np.arange(4), np.arange(4)]),
    "resign": (lambda b, g, s: b.resign(g, s), [np.arange(4), np.arange(4)]),
    "to_wide": (lambda b, a: b.to_wide(a), [np.arange(4)]),
    "from_wide": (lambda b, w: b.from_wide(w), [np.arange(4)]),
    "observation": (lambda b, o: b.observation(o), [np.zeros((4, 40, 14, 14), np.float32)]),
    "unpack": (
        lambda b, p, s: fourchess.unpack(p, s),
        [np.zeros((4, 30, 5), np.uint32), np.zeros((4, 10), np.int16)],
    ),
}
# No integers, and no types of observations either.
DTYPES = ["?", "f8", "c16", "O", "S3", "U3", "M8[s]", "m8[s]", "V4", ">f4", "i4,i4"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (3,), (5,), (4, 1), (1, 4), (4, 0), (2, 2, 1)]


@pytest.mark.parametrize("name", TAKERS)
def test_c6_every_illegal_dtype_and_shape_raises(name: str) -> None:
    work, right = TAKERS[name]
    batch = whole(4, seed=5)
    before = {key: array.copy() for key, array in arrays(batch).items()}
    saved = batch.save()
    for place, array in enumerate(right):
        bad: list[Any] = [np.zeros(array.shape, dtype) for dtype in DTYPES]
        # Games are chosen freely, but each argument must have as many.
        free = name == "save" and place == 0
        shapes = [shape for shape in SHAPES if not (free and len(shape) == 1)]
        bad += [np.zeros(shape, array.dtype) for shape in shapes if shape != array.shape]
        bad += [None, "word", object(), array.tobytes(), {}]
        for wrong in bad:
            arguments: list[Any] = [wrong if index == place else a for index, a in enumerate(right)]
            if wrong is None and name in ("save", "observation"):
                continue
            with pytest.raises((Error, TypeError, ValueError, AttributeError)):
                work(batch, *arguments)
    for key, array in arrays(batch).items():
        assert np.array_equal(array, before[key]), key
    assert np.array_equal(batch.save(), saved)


HUNGRY = """
import resource, sys
from everyply import fourchess
batch = fourchess.Batch(1 << 14)
states, games = batch.save(), list(range(1 << 14))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
most = used + (1 << 26)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
outputs = ["legal_bytes", "observation"]
for work in [
    lambda: fourchess.Batch(1 << 24),
    lambda: fourchess.Batch(1 << 24, outputs=outputs),
    lambda: fourchess.Batch(1 << 15, outputs=outputs, threads=2),
    lambda: batch.save(games * 4),
    lambda: batch.load(games, states),
]:
    try:
        work()
        print("fitted")
    except MemoryError as error:
        print(error)
assert batch.plies.sum() == 0
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: limits of memory are Linux's")
def test_c6_too_little_memory_is_an_exception() -> None:
    done = subprocess.run([sys.executable, "-c", HUNGRY], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 5
    assert all("bytes of memory, which cannot be allocated" in line for line in lines), lines


STARVED = """
import copy, pickle, resource
import numpy as np
from everyply import fourchess
GAMES = 1 << 16
batch = fourchess.Batch(GAMES, outputs=["observation"])
games, actions = np.arange(GAMES, dtype=np.uint64), batch.choose()
seeds, backwards, seats = games.copy(), games[::-1].copy(), np.zeros(GAMES, np.uint8)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used, used))
# What is left is less than a byte for each game.
held = []
try:
    while True:
        held.append(bytearray(GAMES))
except MemoryError:
    pass
WORK = {
    "points": lambda: batch.points,
    "status": lambda: batch.status,
    "plies": lambda: batch.plies,
    "quiet": lambda: batch.quiet,
    "board": lambda: batch.board,
    "choose": lambda: batch.choose("random"),
    "play": lambda: batch.play(1),
    "step": lambda: batch.step(actions),
    "digest": lambda: batch.digest(),
    "save": lambda: batch.save(),
    "save some": lambda: batch.save(games),
    "copy_games": lambda: batch.copy_games(games, backwards),
    "reset_games": lambda: batch.reset_games(games, seeds),
    "resign": lambda: batch.resign(games, seats),
    "to_wide": lambda: batch.to_wide(actions),
    "from_wide": lambda: batch.from_wide(actions),
    "observation": lambda: batch.observation(),
    "copy": lambda: copy.copy(batch),
    "pickle": lambda: pickle.dumps(batch),
    "wide": lambda: fourchess.to_wide(actions, 0),
    "another": lambda: fourchess.Batch(GAMES),
}
for name, work in WORK.items():
    try:
        work()
        print(name, "fitted")
    except MemoryError as error:
        print(name, "raised", error)
held.clear()
assert batch.legal_counts[7] == 20 and batch.current_player[9] == 0
print("alive")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: limits of memory are Linux's")
def test_memory_that_runs_out_in_any_call_is_an_exception() -> None:
    done = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "alive" and len(lines) == 21
    assert all(" raised " in line for line in lines), lines


@pytest.mark.parametrize("threads", [1, 2])
def test_observations_have_every_type_on_every_thread(threads: int) -> None:
    batch = whole(300, seed=2, threads=threads)
    for _ in range(40):
        batch.step(batch.choose("greedy"))
    floats = batch.observation()
    assert np.array_equal(floats, fourchess.unpack(batch.planes, batch.scalars))
    halves = batch.observation(dtype=np.float16)
    assert halves.dtype == np.float16 and np.array_equal(halves, floats.astype(np.float16))
    small = batch.observation(dtype="uint8")
    assert np.array_equal(small, fourchess.unpack(batch.planes, batch.scalars, np.uint8))
    assert np.array_equal(small[:, :30], floats[:, :30])
    assert small[:, 39, 0, 3].tolist() == batch.plies.tolist()
    out = np.ones_like(halves)
    assert batch.observation(out) is out and np.array_equal(out, halves)
    with pytest.raises(TypeError, match="dtype: float64, expected float32"):
        batch.observation(dtype=float)
    with pytest.raises(Error, match="dtype: cannot be given together with out"):
        batch.observation(out, dtype=np.float16)


def test_cells_and_scales_are_those_of_the_observation() -> None:
    names = fourchess.squares()
    for index, cell in enumerate(fourchess.CELLS):
        assert names[index] == f"{chr(97 + cell % 14)}{cell // 14 + 1}"
    assert (len(fourchess.SCALES), fourchess.SCALES[0]) == (10, 100.0)


def test_torch_unpacks_too() -> None:
    torch = pytest.importorskip("torch", reason="not run: torch is not installed")
    batch = whole(5, seed=2)
    planes, scalars = torch.from_numpy(batch.planes.view(np.int32)), torch.from_numpy(batch.scalars)
    for dtype in [torch.float32, torch.float16, torch.uint8]:
        found = fourchess.unpack(planes, scalars, dtype)
        name = str(dtype).removeprefix("torch.")
        assert np.array_equal(found.numpy(), batch.observation(dtype=name))


def outputs(batch: fourchess.Batch) -> list[NDArray[Any]]:
    """Everything a batch shows, copied."""
    names = [*ARRAYS, "points", "status", "plies", "quiet", "board"]
    return [np.array(getattr(batch, name)) for name in names]


def same(one: fourchess.Batch, other: fourchess.Batch) -> bool:
    pairs = zip(outputs(one), outputs(other), strict=True)
    return all(np.array_equal(left, right) for left, right in pairs)


@pytest.mark.parametrize("rules", ["ffa", "teams", "jax"])
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_a_copied_or_pickled_batch_goes_on_like_the_original(rules: str, twin: Any) -> None:
    batch = fourchess.Batch(
        16, rules, outputs=ALL, autoreset="same_step", illegal="noop", max_plies=80, seed=3
    )
    for _ in range(50):
        batch.step(batch.choose())
    other = twin(batch)
    assert same(batch, other)
    assert other.rule_values == batch.rule_values
    for _ in range(100):
        actions = batch.choose()
        assert np.array_equal(actions, other.choose())
        batch.step(actions)
        assert not same(batch, other)
        other.step(actions)
        assert same(batch, other)


def test_saved_games_are_loaded_anywhere() -> None:
    batch = fourchess.Batch(8, seed=3)
    for _ in range(30):
        batch.step(batch.choose("greedy"))
    saved = batch.save([5, 2])
    assert saved.shape == (2, fourchess.STATE_BYTES)
    assert np.array_equal(batch.save()[[5, 2]], saved)
    other = fourchess.Batch(3, seed=9)
    other.load([0, 2], saved)
    assert [other.fen(0), other.fen(2)] == [batch.fen(5), batch.fen(2)]
    assert np.array_equal(other.save([0, 2]), saved)
    batch.copy_games([0, 0, 1], [1, 2, 0])
    assert batch.fen(1) == batch.fen(2)


def test_bytes_that_are_no_saved_game_are_refused() -> None:
    batch = fourchess.Batch(2, seed=3)
    before = batch.save()
    for place, words in [(0, "not a saved game"), (3, "version"), (4, "other rules"), (40, "piece")]:
        states = before.copy()
        states[1, place] ^= 0xFF
        with pytest.raises(fourchess.BatchError, match=f"state 1: .*{words}"):
            batch.load([0, 1], states)
    with pytest.raises(Error, match="shape"):
        batch.load([0], before)
    with pytest.raises(TypeError, match="uint8"):
        batch.load([0, 1], cast(Any, before.astype(np.int64)))
    with pytest.raises(fourchess.BatchError, match="there is no game 7"):
        batch.copy_games([7], [0])
    assert np.array_equal(batch.save(), before)


def test_rules_are_given_field_by_field() -> None:
    rules: dict[str, Any] = {"preset": "jax", "max_plies": 12, "castling": True, "values": [1, 3, 3, 5, 9, 50]}
    batch = fourchess.Batch(1, rules, autoreset="disabled")
    assert batch.rule_values == fourchess.Batch(1, "jax").rule_values | rules
    for _ in range(12):
        batch.step(batch.choose())
    assert batch.truncated.tolist() == [True]
    wrong: list[tuple[Any, str]] = [
        ({"colour": 1}, '"colour" is not a rule'),
        ({"max_plies": -1}, "max_plies cannot be"),
        ({"preset": "chess"}, "rules: 'chess' is not one of ffa"),
        ({"en_passant": "two_moves"}, "share an action"),
    ]
    for bad, words in wrong:
        with pytest.raises(Error, match=words):
            fourchess.Batch(1, bad)
    with pytest.raises(TypeError, match="name of a preset"):
        fourchess.Batch(1, 7)  # type: ignore[arg-type]


def test_masks_of_ended_games_may_be_ones() -> None:
    for mask, expected in [("zeros", 0), ("ones", 1)]:
        batch = fourchess.Batch(
            2,
            max_plies=3,
            outputs=ALL,
            ended_mask=cast(Any, mask),
            autoreset="disabled",
            illegal="noop",
        )
        for _ in range(4):
            batch.step(batch.choose())
        assert (batch.legal_bytes == expected).all()
        assert batch.legal_counts.tolist() == [0, 0]


def test_boards_points_and_pictures() -> None:
    batch = fourchess.Batch(2, seed=3)
    board = batch.board[0]
    assert board.shape == (14, 14)
    assert (board == 255).sum() == 36
    # Red's king on h1, and Yellow's pawn on g13.
    assert board[0, 7] == 6
    assert board[12, 6] == 1 | 2 << 3
    for _ in range(40):
        batch.step(batch.choose("greedy"))
    assert batch.plies.tolist() == [40, 40]
    assert batch.points.sum() > 0
    assert batch.status.max() <= 2
    assert batch.text(0).count("\n") >= 14
    assert batch.svg(1).startswith("<svg") and batch._repr_svg_() == batch.svg(0)
    assert batch.points[0].tolist() == [int(n) for n in batch.fen(0).split("-")[4].split(",")]


def test_seats_have_players_of_their_own() -> None:
    batch = fourchess.Batch(4, seed=3)
    assert batch.choose([None, "greedy", "greedy", "greedy"]).tolist() == [0, 0, 0, 0]
    assert batch.choose(["random", None, None, None]).any()
    with pytest.raises(Error, match="four seats"):
        batch.choose(["random"])
    with pytest.raises(Error, match="'clever' is not one of random, greedy"):
        batch.choose(["clever"] * 4)  # type: ignore[list-item]
    batch.resign([0, 1], [0, 3])
    assert batch.status[:, 0].tolist()[:2] == [1, 0]
    assert batch.status[1, 3] == 1
    with pytest.raises(Error, match="seat: 4"):
        batch.resign([0], [4])


def test_what_a_batch_reads_cannot_be_written() -> None:
    batch = fourchess.Batch(2, outputs=ALL)
    for name in ["current_player", "legal", "legal_counts", "legal_bytes"]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[0] = 1


def test_what_was_not_asked_for_is_not_there() -> None:
    batch = fourchess.Batch(2)
    for name in ["legal_bits", "legal_bytes"]:
        with pytest.raises(Error, match=f"{name}: not computed"):
            getattr(batch, name)
    for name in ["planes", "scalars"]:
        with pytest.raises(Error, match='outputs=."observation"'):
            getattr(batch, name)
    with pytest.raises(Error, match='outputs=."observation"'):
        batch.observation()
    with pytest.raises(Error, match="same_step"):
        batch.final_observation()


def test_noop_and_lose_deal_with_illegal_actions() -> None:
    batch = fourchess.Batch(2, illegal="noop")
    batch.step([batch.action(0, "h2-h4"), 7191])
    assert batch.move_valid.tolist() == [True, False]
    assert batch.current_player.tolist() == [1, 0]
    batch = fourchess.Batch(2, illegal="lose", autoreset="disabled")
    batch.step([batch.action(0, "h2-h4"), 65_535])
    assert batch.terminated.tolist() == [False, True]
    assert batch.rewards[1].tolist() == [-1, 0, 0, 0]
    assert batch.legal_counts[1] == 0


def test_integers_of_every_type_are_taken() -> None:
    for kind in ["u2", "i2", "i4", "u4", "i8", "u8", ">i4"]:
        batch = fourchess.Batch(3)
        actions = batch.choose().astype(kind)
        batch.step(np.repeat(actions, 2)[::2])
        assert batch.current_player.tolist() == [1, 1, 1]


def test_two_threads_may_step_one_batch() -> None:
    batch = fourchess.Batch(256, illegal="noop", threads=2)
    errors: list[Exception] = []

    def play() -> None:
        try:
            for _ in range(50):
                batch.step(batch.choose())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_the_version_is_that_of_the_digests() -> None:
    versions = {row["version"] for row in digests()}
    assert versions == {fourchess.version}
