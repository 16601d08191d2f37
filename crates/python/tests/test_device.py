"""Batches on a GPU: what can be said of them without one. The rest is benches/fourchess_cuda.py."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everyply import Error, envs, fourchess

HAS_GPU = fourchess.device("auto") != "cpu"
NO_DRIVER = "there is no NVIDIA driver on this machine: the library libcuda was not found"
without_gpu = pytest.mark.skipif(HAS_GPU, reason="not run: this machine has a GPU")


@without_gpu
@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:3"])
def test_a_missing_driver_is_one_sentence(name: str) -> None:
    with pytest.raises(fourchess.DeviceError) as caught:
        fourchess.Batch(8, device=name)
    assert str(caught.value) == NO_DRIVER
    assert isinstance(caught.value, Error)


@without_gpu
def test_auto_takes_the_processor_and_says_so() -> None:
    batch = fourchess.Batch(8, device="auto")
    assert isinstance(batch, fourchess.Batch)
    assert batch.device == fourchess.device() == fourchess.device("auto") == "cpu"


def test_devices_have_names() -> None:
    assert fourchess.Batch(1).device == fourchess.Batch(1, device="cpu").device == "cpu"
    assert fourchess.device("cuda") == "cuda:0"
    assert fourchess.device("cuda:12") == "cuda:12"
    for name in ["", "gpu", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cpu:0"]:
        with pytest.raises(Error, match="is not one of cpu, cuda, cuda:N, auto"):
            fourchess.Batch(1, device=name)
        with pytest.raises(Error, match="is not one of cpu, cuda, cuda:N, auto"):
            fourchess.device(name)


def test_the_processor_has_no_streams() -> None:
    with pytest.raises(Error, match="stream: a batch on the processor has none"):
        fourchess.Batch(1, stream=0)


def test_illegal_actions_on_the_processor_are_errors_by_default() -> None:
    with pytest.raises(fourchess.IllegalAction):
        fourchess.Batch(1).step([0])
    fourchess.Batch(1, illegal="noop").step([0])


@pytest.mark.parametrize("player", ["random", "greedy", ["random", "greedy"] * 2, None])
def test_playing_is_choosing_and_stepping(player: Any) -> None:
    outputs = ["legal_bits", "legal_bytes", "observation"]
    one, other = (fourchess.Batch(16, outputs=outputs, seed=3) for _ in range(2))
    assert np.array_equal(one.digest(), other.digest())
    one.play(40, player)
    for _ in range(40):
        other.step(other.choose(player))
    assert np.array_equal(one.digest(), other.digest())
    assert np.array_equal(one.save(), other.save())
    other.step(other.choose())
    assert not (one.digest() == other.digest()).any()


def test_a_digest_covers_what_is_asked_for() -> None:
    few = fourchess.Batch(4, seed=3)
    many = fourchess.Batch(4, outputs=["legal_bytes"], seed=3)
    assert few.digest().dtype == np.uint64
    assert not (few.digest() == many.digest()).any()
    many.rewards[2, 1] = 1
    other = fourchess.Batch(4, outputs=["legal_bytes"], seed=3)
    assert np.flatnonzero(many.digest() != other.digest()).tolist() == [2]


def test_every_seat_needs_a_player() -> None:
    with pytest.raises(Error, match="expected a player for each of the four seats"):
        fourchess.Batch(1).play(1, ["random", None, "random", "random"])  # type: ignore[list-item]


def test_the_vector_environment_has_devices_too() -> None:
    assert type(envs.FourChessVectorEnv(2, device="cpu")) is envs.FourChessVectorEnv
    with pytest.raises(Error, match="is not one of cpu, cuda, cuda:N, auto"):
        envs.FourChessVectorEnv(2, device="gpu")


@without_gpu
def test_the_vector_environment_does_not_fall_back() -> None:
    with pytest.raises(Error, match="PyTorch, which is not installed|no NVIDIA driver|CUDA"):
        envs.FourChessVectorEnv(2, device="cuda")
    assert type(envs.FourChessVectorEnv(2, device="auto")) is envs.FourChessVectorEnv


def test_on_a_driver_whose_device_is_the_processor(tmp_path: Path) -> None:
    """All of a batch on a GPU, on the kernels compiled for the processor."""
    libraries = os.environ.get("EVERYPLY_DRIVER")
    if not libraries:
        pytest.skip("not run: EVERYPLY_DRIVER names no directory with such a driver")
    script = Path(__file__).parent / "emulated" / "device.py"
    environment = os.environ | {"LD_LIBRARY_PATH": libraries, "HOME": str(tmp_path)}
    environment.pop("XDG_CACHE_HOME", None)
    command = [sys.executable, str(script)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("all as on the processor\n")
