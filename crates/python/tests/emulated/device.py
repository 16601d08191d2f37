"""Every method of a batch on a GPU, where the device is the processor: see test_device.py.

The driver is one that the tests of fourchess-cuda compile. Its memory is that of the process, so
arrays of NumPy stand for arrays of other libraries on the device.
"""

import ctypes
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from everyply import Error, fourchess

ALL: dict[str, Any] = {"outputs": ["legal_bits", "legal_bytes", "observation"], "seed": 3}
ARRAYS = [
    "current_player", "legal", "legal_counts", "legal_bits", "legal_bytes", "rewards",
    "terminated", "truncated", "move_valid", "planes", "scalars", "final_points", "endings",
]  # fmt: skip
GAMES = 16


class ByInterface:
    """An array that another library has on the device."""

    def __init__(self, array: Any, read_only: bool = False) -> None:
        self.array, self.read_only = array, read_only

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = None if self.array.flags.c_contiguous else self.array.strides
        return {
            "shape": self.array.shape,
            "typestr": self.array.dtype.str,
            "data": (self.array.ctypes.data, self.read_only),
            "strides": strides,
            "version": 3,
            "stream": 1,
        }


class ByDLPack:
    """The same, handed over by DLPack: a capsule of NumPy that names another device."""

    def __init__(self, array: Any, stream: int, device: int = 0) -> None:
        self.array, self.stream, self.device = array, stream, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device

    def __dlpack__(self, *, stream: int, max_version: tuple[int, int]) -> object:
        assert stream == self.stream
        capsule = self.array.__dlpack__(max_version=max_version)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        start = get(capsule, b"dltensor_versioned")
        # After the version, the context, the deleter, the flags and the address.
        ctypes.c_int32.from_address(start + 40).value = 2
        return capsule


def pair(**options: Any) -> tuple[Any, fourchess.Batch]:
    device = fourchess.Batch(GAMES, device="cuda", **(ALL | options))
    host = fourchess.Batch(GAMES, **(ALL | {"illegal": "noop"} | options))
    return device, host


def same(device: Any, host: fourchess.Batch) -> None:
    assert np.array_equal(device.digest(), host.digest())


def aligned(shape: tuple[int, ...], dtype: Any) -> Any:
    """Memory that begins at a multiple of 16 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + 16, np.uint8)
    start = -room.ctypes.data % 16
    return room[start : start + size].view(dtype).reshape(shape)


def check_steps() -> None:
    kinds = itertools.cycle([np.int64, np.int32, np.uint16, np.int16])
    modes = ["next_step", "same_step", "disabled"]
    for autoreset, illegal in itertools.product(modes, ["noop", "error", "lose"]):
        device, host = pair(autoreset=autoreset, illegal=illegal)
        for step in range(200):
            player: Any = "greedy" if step % 5 == 0 else "random"
            chosen, actions = device.choose(player), host.choose(player)
            assert np.array_equal(chosen.numpy(), actions)
            if autoreset == "disabled" and illegal == "error" and not host.legal_counts.all():
                break
            given = actions.astype(next(kinds))
            ways = [chosen, given, ByInterface(given), ByDLPack(given, device.stream)]
            device.step(ways[step % 4])
            host.step(actions)
            same(device, host)
        for name in ARRAYS:
            seen, expected = getattr(device, name), getattr(host, name)
            assert seen.shape == expected.shape and len(seen) == GAMES
            assert seen.numpy().tobytes() == expected.tobytes(), name
        for name in ["points", "status", "plies", "quiet", "board"]:
            assert np.array_equal(getattr(device, name), getattr(host, name)), name
        assert device.fen(3) == host.fen(3) and device.moves(2) == host.moves(2)
        assert device.text(1) == host.text(1) and device.edges == host.edges
        assert np.array_equal(device.observation().numpy(), host.observation())


def check_states() -> None:
    device, host = pair()
    for batch in (device, host):
        batch.play(50, "greedy")
        batch.copy_games([0], [5])
        batch.resign([1], [2])
        batch.reset_games([3, 4], [7, 8])
        batch.reset_games([6], [7], [batch.fen(0)])
    same(device, host)
    saved = device.save()
    assert np.array_equal(saved, host.save())
    device.reset(9)
    host.reset(9)
    same(device, host)
    device.load(range(GAMES), saved)
    host.load(range(GAMES), saved)
    same(device, host)
    assert device.cpu([2]).fen(0) == host.fen(2)
    mask = np.arange(GAMES) % 2 == 0
    device.reset_where(ByInterface(mask))
    assert (device.plies[mask] == 0).all() and (device.plies[~mask] == host.plies[~mask]).all()
    seeds = np.arange(GAMES)
    device.reset_where(ByInterface(np.ones(GAMES, np.bool_)), ByInterface(seeds))
    host.reset_games(range(GAMES), seeds)
    same(device, host)


def check_out() -> None:
    device, host = pair()
    shapes: list[tuple[str, tuple[int, ...], Any]] = [
        ("rewards", (GAMES, 4), np.float32),
        ("legal_bytes", (GAMES, fourchess.ACTIONS), np.bool_),
        ("planes", (GAMES, 30, 5), np.uint32),
    ]
    out = {name: ByInterface(np.zeros(shape, dtype)) for name, shape, dtype in shapes}
    actions = host.choose()
    device.choose()
    device.step(ByInterface(actions), out=out)
    host.step(actions)
    for name, array in out.items():
        assert np.array_equal(array.array, getattr(host, name)), name
    mine = ByInterface(np.full(GAMES, 7, np.int16))
    assert device.choose([None, "random", "random", "random"], out=mine) is mine
    host_choice = host.choose([None, "random", "random", "random"])
    assert np.array_equal(mine.array, host_choice)
    for dtype in [np.float32, np.float16]:
        floats = ByInterface(aligned((GAMES, fourchess.FLOAT_PLANES, 14, 14), dtype))
        assert device.observation(out=floats) is floats
        assert np.array_equal(floats.array, host.observation().astype(dtype))
    assert device.observation(dtype="bfloat16").dtype == "bfloat16"
    assert device.observation(dtype=np.uint8).dtype == "uint8"


def check_protocols() -> None:
    device, _ = pair()
    rewards = device.rewards
    interface = rewards.__cuda_array_interface__
    assert interface["shape"] == (GAMES, 4) and interface["typestr"] == "<f4"
    assert interface["version"] == 3 and interface["stream"] == device.stream
    assert rewards.__dlpack_device__() == (2, 0) and rewards.nbytes == 16 * GAMES
    assert '"dltensor"' in repr(rewards.__dlpack__(stream=1))
    assert '"dltensor_versioned"' in repr(rewards.__dlpack__(max_version=(1, 0), copy=True))
    device.set_stream(0)
    assert device.stream == 0 and device.rewards.__cuda_array_interface__["stream"] == 1
    device.synchronize()
    assert device.stats()["illegal_actions"] == 0 and device.nbytes > 0


def check_errors() -> None:
    device, _ = pair()
    before = device.digest()
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: device.step(ByInterface(np.zeros(3, np.int64))), "shape (3,), expected (16,)"),
        (lambda: device.step(ByInterface(np.zeros(GAMES, np.float32))), "an array of float32"),
        (lambda: device.step(ByInterface(np.zeros(32, np.int64)[::2])), "C-contiguous"),
        (lambda: device.step(ByDLPack(np.zeros(GAMES, np.int64), device.stream, 1)), "cuda:1"),
        (lambda: device.step([1] * 3), "shape (3,), expected (16,)"),
        (lambda: device.step([-1] * GAMES), "actions[0]: -1"),
        (lambda: device.step(np.zeros(GAMES, np.int64), out={"reward": 1}), "no array reward"),
        (lambda: device.step(np.zeros(GAMES, np.int64), out={"rewards": 1}), "expected an array on"),
        (lambda: device.choose(out=np.zeros(GAMES, np.int16)), "expected an array on cuda:0"),
        (lambda: device.choose(out=ByInterface(np.zeros(GAMES))), "expected int16 or uint16"),
        (lambda: device.choose(out=ByInterface(np.zeros(GAMES, np.int16), True)), "read-only"),
        (lambda: device.observation(dtype="int8"), "dtype: int8, expected float32"),
        (lambda: np.asarray(device.rewards), "numpy() copies it"),
        (lambda: device.rewards.__dlpack__(stream=0), "stream: 0 is not allowed on CUDA"),
        (lambda: device.rewards.__dlpack__(dl_device=(1, 0)), "this array is on cuda:0"),
        (lambda: device.fen(99), "there is no game 99"),
        (lambda: device.final_planes, 'needs autoreset="same_step"'),
        (lambda: device.set_stream("x"), "stream: str, expected a stream of PyTorch or CuPy"),
        (lambda: device.load([0], np.zeros((1, 5), np.uint8)), "states: shape (1, 5)"),
        (lambda: fourchess.Batch(4, device="cuda:7"), "no CUDA device 7: the driver finds 1"),
        (lambda: fourchess.Batch(1 << 24, device="cuda", **ALL), "legal_bytes alone takes"),
        (lambda: pickle.dumps(device), "cannot pickle"),
    ]
    refused(cases)
    assert np.array_equal(device.digest(), before)
    strict: Any = fourchess.Batch(4, device="cuda", illegal="error")
    actions = np.full(4, 7000)
    refused(
        [
            (lambda: strict.legal_bits, "request it with outputs"),
            (lambda: strict.step(ByInterface(actions)), "action 7000 is not legal in game 0"),
            (lambda: strict.step([0] * 4), "action 0 is not legal in game 0"),
        ]
    )
    assert (strict.plies == 0).all()


def refused(cases: list[tuple[Callable[[], object], str]]) -> None:
    """Each call raises an error with these words."""
    for call, words in cases:
        try:
            call()
        except (Error, TypeError, MemoryError, BufferError) as error:
            assert words in str(error), f"{error}, expected {words}"
        else:
            raise AssertionError(f"no error, expected {words}")


assert fourchess.device("auto") == "cuda:0"
for check in [check_steps, check_states, check_out, check_protocols, check_errors]:
    check()
print("all as on the processor")
