"""Four-player chess on a GPU from Python, checked and timed: cargo xtask bench cuda.

It needs a GPU, and PyTorch for most parts; CuPy and JAX are tried where they are installed. Each
row of the table says what was compared or measured. What cannot be tried here says "not run".
"""

import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from everyply import Error, fourchess

GAMES = 32_768
ALL = ["legal_bits", "legal_bytes", "observation"]
ARRAYS = [
    "current_player", "legal", "legal_counts", "legal_bits", "legal_bytes", "rewards",
    "terminated", "truncated", "move_valid", "planes", "scalars", "final_points", "endings",
]  # fmt: skip


class NotRun(Exception):
    """Why a part cannot be tried here."""


def library(name: str) -> Any:
    """A library that a part needs."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise NotRun(f"there is no {name}") from missing


def same(device: Any, host: fourchess.Batch, when: object) -> None:
    """The games of two batches are equal."""
    wrong = np.flatnonzero(device.digest() != host.digest())
    if wrong.size:
        game = int(wrong[0])
        raise AssertionError(f"{when}: game {game}: {device.fen(game)} and {host.fen(game)}")


def check_equality() -> Iterator[str]:
    """The same games as on the processor, under all rules and ways of a step."""
    games, threads = 4096, os.cpu_count() or 1
    for rules in ["ffa", "teams", "jax"]:
        for autoreset in ["next_step", "same_step"]:
            keywords: dict[str, Any] = {"outputs": ALL, "autoreset": autoreset, "seed": 5}
            device = fourchess.Batch(games, rules, device="cuda", illegal="noop", **keywords)
            host = fourchess.Batch(games, rules, illegal="noop", threads=threads, **keywords)
            for step in range(400):
                player = "greedy" if step % 16 == 15 else "random"
                device.step(device.choose(player))
                host.step(host.choose(player))
                if step % 20 == 0:
                    same(device, host, f"{rules} {autoreset} step {step}")
            device.play(100)
            host.play(100)
            same(device, host, f"{rules} {autoreset} at the end")
            for name in ARRAYS:
                ours, theirs = getattr(device, name).numpy(), getattr(host, name)
                assert ours.tobytes() == theirs.tobytes(), name
            assert np.array_equal(device.observation().numpy(), host.observation())
            yield f"{rules} {autoreset}: {games * 500:,} plies, no difference"


def check_states() -> str:
    """Saving, loading, copying and resetting."""
    device = fourchess.Batch(512, device="cuda", outputs=ALL, seed=1)
    host = fourchess.Batch(512, outputs=ALL, illegal="noop", seed=1)
    for batch in (device, host):
        batch.play(60)
        batch.copy_games([0, 1], [2, 3])
        batch.resign([4], [2])
        batch.reset_games([5, 6], [7, 8])
        batch.reset_games([7], [9], [batch.fen(0)])
    same(device, host, "copies and resets")
    saved = device.save()
    assert np.array_equal(saved, host.save())
    for batch in (device, host):
        batch.play(20)
        batch.load(range(512), saved)
    same(device, host, "loading")
    torch = library("torch")
    mask = torch.arange(512, device="cuda") % 2 == 0
    device.reset_where(mask)
    assert (device.plies[::2] == 0).all() and (device.plies[1::2] == host.plies[1::2]).all()
    return "512 games"


def check_torch_actions() -> str:
    """Actions of every type, rewards in a buffer."""
    torch = library("torch")
    device = fourchess.Batch(256, device="cuda", outputs=ALL, seed=2)
    host = fourchess.Batch(256, outputs=ALL, illegal="noop", seed=2)
    rewards = torch.zeros((12, 256, 4), device="cuda")
    masks = torch.zeros((12, 256, fourchess.ACTIONS), dtype=torch.bool, device="cuda")
    kinds = [torch.int64, torch.int32, torch.int16, torch.uint16]
    for step in range(12):
        chosen = host.choose()
        device.choose()
        actions = torch.from_numpy(chosen.astype(np.int64)).to("cuda").to(kinds[step % 4])
        device.step(actions, out={"rewards": rewards[step], "legal_bytes": masks[step]})
        host.step(chosen)
        same(device, host, kinds[step % 4])
        assert np.array_equal(rewards[step].cpu().numpy(), host.rewards)
        assert np.array_equal(masks[step].cpu().numpy(), host.legal_bytes)
    for kind in [torch.float32, torch.bfloat16, torch.float16, torch.uint8]:
        out = torch.empty((256, fourchess.FLOAT_PLANES, 14, 14), dtype=kind, device="cuda")
        device.observation(out=out)
        if kind != torch.uint8:
            expected = torch.from_numpy(host.observation()).to(kind)
            assert torch.equal(out.cpu(), expected), kind
    return "int64, int32, int16, uint16; out= of rewards, masks and observations"


def check_dlpack(take: Callable[[Any], Any], back: Callable[[Any], Any]) -> str:
    """Every array, taken by another library without copying."""
    batch = fourchess.Batch(64, device="cuda", outputs=ALL, seed=4)
    batch.play(30)
    for array in ARRAYS:
        seen = getattr(batch, array)
        theirs = back(take(seen))
        assert theirs.tobytes() == seen.numpy().tobytes(), array
    return f"{len(ARRAYS)} arrays"


def dlpack_torch() -> str:
    torch = library("torch")
    result = check_dlpack(torch.from_dlpack, lambda tensor: tensor.cpu().numpy())
    batch = fourchess.Batch(64, device="cuda")
    rewards = torch.from_dlpack(batch.rewards)
    assert rewards.data_ptr() == batch.rewards.__cuda_array_interface__["data"][0]
    view = torch.as_tensor(batch.rewards, device="cuda")
    assert view.data_ptr() == rewards.data_ptr()
    return f"{result}, at the same address, also by __cuda_array_interface__"


def dlpack_cupy() -> str:
    cupy = library("cupy")
    result = check_dlpack(cupy.from_dlpack, cupy.asnumpy)
    batch = fourchess.Batch(64, device="cuda", illegal="error", seed=1)
    batch.step(cupy.asarray(batch.choose()))
    return f"{result}; a step with actions of CuPy"


def dlpack_jax() -> str:
    jax = library("jax")
    if not any(device.platform == "gpu" for device in jax.devices()):
        raise NotRun("this JAX has no GPU")
    # Without it JAX has no integers of 64 bits, and legal_bits has them.
    jax.config.update("jax_enable_x64", True)
    result = check_dlpack(jax.dlpack.from_dlpack, np.asarray)
    batch = fourchess.Batch(64, device="cuda", illegal="error", seed=1)
    chosen = jax.dlpack.from_dlpack(batch.choose()).astype("int32")
    batch.step(chosen)
    return f"{result}; a step with actions of JAX"


def check_environment() -> Iterator[str]:
    """The vector environment with tensors, beside the one on the processor."""
    torch = library("torch")
    for needed in ["gymnasium", "pettingzoo"]:
        library(needed)
    envs = library("everyply.envs")
    for mode in ["NextStep", "SameStep"]:
        for compact in [False, True]:
            keywords = {"autoreset_mode": mode, "compact": compact, "max_plies": 40}
            device = envs.FourChessVectorEnv(64, device="cuda", **keywords)
            host = envs.FourChessVectorEnv(64, illegal="noop", **keywords)
            pairs = [(device.reset(seed=3), host.reset(seed=3))]
            ended = 0
            for _ in range(120):
                actions = pairs[-1][1][0]["action_mask"].argmax(axis=1)
                tensor = torch.from_numpy(actions).to("cuda")
                ours, theirs = device.step(tensor), host.step(actions)
                for mine, other in zip(ours[1:4], theirs[1:4], strict=True):
                    assert np.array_equal(mine.cpu().numpy(), other)
                pairs.append(((ours[0], ours[4]), (theirs[0], theirs[4])))
                ended += int(theirs[3].sum() + theirs[2].sum())
            for (seen, infos), (expected, told) in pairs:
                for name, array in expected.items():
                    assert seen[name].cpu().numpy().tobytes() == array.tobytes(), name
                for name in ["rewards", "current_player", "move_valid"]:
                    assert np.array_equal(infos[name].cpu().numpy(), told[name]), name
                check_finals(infos, told)
            assert ended > 0
            yield f"{mode}{' compact' if compact else ''}: 120 steps of 64 games, {ended} ended"


def check_finals(infos: dict[str, Any], told: dict[str, Any]) -> None:
    """The final observations of games that were reset in the same step."""
    if "final_obs" not in told:
        return
    assert np.array_equal(infos["_final_obs"].cpu().numpy(), told["_final_obs"])
    for game in np.flatnonzero(told["_final_obs"]):
        for name, array in told["final_obs"][game].items():
            mine = infos["final_obs"][name][game].cpu().numpy()
            assert mine.tobytes() == array.tobytes(), name
    for name in ["rewards", "points", "ending"]:
        mine = infos["final_info"][name].cpu().numpy()
        assert np.array_equal(mine, told["final_info"][name]), name


def check_graph() -> str:
    """Choosing and stepping in a CUDA graph."""
    torch = library("torch")
    stream = torch.cuda.Stream()
    device = fourchess.Batch(1024, device="cuda", outputs=ALL, seed=6, stream=stream)
    host = fourchess.Batch(1024, outputs=ALL, illegal="noop", seed=6)
    same(device, host, "start")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        device.step(device.choose("random"))
    with torch.cuda.stream(stream):
        for _ in range(100):
            graph.replay()
    torch.cuda.synchronize()
    for _ in range(100):
        host.step(host.choose("random"))
    same(device, host, "after 100 replays")
    return "100 replays of choose and step, no difference"


def check_memory() -> str:
    """The memory of the device stays the same over many steps."""
    torch = library("torch")
    batch = fourchess.Batch(1024, device="cuda", outputs=ALL, seed=7)
    legal, counts = torch.from_dlpack(batch.legal), torch.from_dlpack(batch.legal_counts)
    choose = chooser(torch, legal, counts)
    for _ in range(100):
        batch.step(choose())
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    start = time.perf_counter()
    for _ in range(100_000):
        batch.step(choose())
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    after = torch.cuda.mem_get_info()[0]
    assert before == after, f"{before} bytes were free, then {after}"
    return f"100,000 steps, {before:,} bytes free before and after, {seconds * 10:.1f} us a step"


def check_errors() -> str:
    """Bad arguments are errors with words, and change nothing."""
    torch = library("torch")
    batch = fourchess.Batch(8, device="cuda", outputs=ALL)
    strict = fourchess.Batch(8, device="cuda", illegal="error")
    before = batch.digest(), strict.digest()
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: batch.step(torch.zeros(3, dtype=torch.int64, device="cuda")), "shape (3,)"),
        (lambda: batch.step(torch.zeros(8, device="cuda")), "an array of float32"),
        (lambda: batch.step(torch.zeros(16, dtype=torch.int64, device="cuda")[::2]), "contiguous"),
        (lambda: batch.step(torch.zeros(8)), "an array of float32"),
        (lambda: batch.choose(out=torch.zeros(8, dtype=torch.int16)), "expected an array on cuda:0"),
        (lambda: batch.observation(out=torch.zeros(8, device="cuda")), "out: shape (8,)"),
        (lambda: strict.step(torch.full((8,), 7191, device="cuda")), "action 7191 is not legal"),
        (lambda: strict.step(torch.full((8,), -1, device="cuda")), "is not legal in game 0"),
        (lambda: strict.step(torch.full((8,), 2**40, device="cuda")), "is not legal in game 0"),
        (lambda: strict.legal_bits, "request it with outputs"),
        (lambda: fourchess.Batch(8, device="cuda:99"), "there is no CUDA device 99"),
        (lambda: fourchess.Batch(2**24, device="cuda", outputs=ALL), "legal_bytes alone takes"),
        (lambda: batch.load([0], np.zeros((1, 3), np.uint8)), "states: shape"),
    ]
    for call, words in cases:
        try:
            call()
        except (Error, TypeError, MemoryError) as error:
            assert words in str(error), f"{error}, expected {words}"
        else:
            raise AssertionError(f"no error, expected {words}")
    assert (batch.digest() == before[0]).all() and (strict.digest() == before[1]).all()
    batch.step(torch.full((8,), 7191, device="cuda"))
    assert batch.stats()["illegal_actions"] == 8
    assert not torch.from_dlpack(batch.move_valid).any()
    return f"{len(cases)} cases"


def chooser(torch: Any, legal: Any, counts: Any) -> Callable[[], Any]:
    """A random legal action of every game, chosen by PyTorch from the list."""

    def choose() -> Any:
        picked = (torch.rand(len(counts), device="cuda") * counts).long()
        return legal.gather(1, picked.unsqueeze(1)).squeeze(1)

    return choose


def per_second(work: Callable[[], object], plies: int) -> float:
    """Million steps a second: the median of 20, by events of the device."""
    torch = library("torch")
    work()
    torch.cuda.synchronize()
    times = []
    for _ in range(20):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return GAMES * plies / statistics.median(times) / 1e6


def measure(outputs: list[str]) -> Iterator[str]:
    """Steps a second: by the kernel alone, and from Python with PyTorch's choice."""
    torch = library("torch")
    stream = torch.cuda.current_stream()
    batch = fourchess.Batch(GAMES, device="cuda", outputs=outputs, seed=8, stream=stream)
    batch.play(200)
    legal, counts = torch.from_dlpack(batch.legal), torch.from_dlpack(batch.legal_counts)
    choose = chooser(torch, legal, counts)

    def repeat(once: Callable[[], object]) -> Callable[[], None]:
        def work() -> None:
            for _ in range(50):
                once()

        return work

    fixed = torch.zeros(GAMES, dtype=torch.int64, device="cuda")
    kernel = per_second(repeat(lambda: batch.step(batch.choose())), 50)
    yield f"choose and step of the batch: {kernel:.1f} M steps/s"
    loop = per_second(repeat(lambda: batch.step(choose())), 50)
    yield f"PyTorch chooses from the list: {loop:.1f} M steps/s, {loop / kernel:.0%} of that"
    played = per_second(lambda: batch.play(50), 50)
    yield f"play(50): {played:.1f} M steps/s; PyTorch's loop has {loop / played:.0%} of it"
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    batch.set_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(side):
        choose()
    with torch.cuda.graph(graph, stream=side):
        for _ in range(10):
            batch.step(choose())
    torch.cuda.synchronize()
    captured = per_second(repeat(graph.replay), 500)
    yield f"PyTorch chooses, in a CUDA graph: {captured:.1f} M steps/s, {captured / kernel:.0%}"
    del fixed


def measure_mask() -> Iterator[str]:
    """The same with a byte mask, from which PyTorch chooses."""
    yield from measure(["legal_bytes", "observation"])
    torch = library("torch")
    batch = fourchess.Batch(GAMES, device="cuda", outputs=["legal_bytes", "observation"], seed=8)
    batch.play(200)
    mask = torch.from_dlpack(batch.legal_bytes)
    out = torch.empty((GAMES, fourchess.FLOAT_PLANES, 14, 14), dtype=torch.bfloat16, device="cuda")
    chosen = per_second(lambda: batch.step(torch.multinomial(mask.float(), 1).squeeze(1)), 1)
    yield f"PyTorch draws from the mask by multinomial: {chosen:.2f} M steps/s"
    expanded = per_second(lambda: batch.observation(out=out), 1)
    yield f"observations to bfloat16: {expanded:.1f} M games/s"


PARTS: list[tuple[str, Callable[[], Any]]] = [
    ("equal to the CPU", check_equality),
    ("save, load, copy, reset", check_states),
    ("actions and buffers of PyTorch", check_torch_actions),
    ("DLPack: PyTorch", dlpack_torch),
    ("DLPack: CuPy", dlpack_cupy),
    ("DLPack: JAX", dlpack_jax),
    ("vector environment", check_environment),
    ("CUDA graph", check_graph),
    ("memory", check_memory),
    ("errors", check_errors),
    (f"speed of {GAMES:,}: bit mask, planes", lambda: measure(["legal_bits", "observation"])),
    (f"speed of {GAMES:,}: byte mask, planes", measure_mask),
]


def row(part: str, outcome: str, detail: str) -> None:
    print(f"{part:<34} {outcome:<8} {detail}", flush=True)


def main() -> int:
    try:
        fourchess.Batch(1, device="cuda")
    except Error as missing:
        print(f"not run: {missing}")
        return 0
    wanted = sys.argv[1:]
    failures = 0
    row("part", "outcome", "detail")
    for name, part in PARTS:
        if wanted and not any(word in name for word in wanted):
            continue
        try:
            found = part()
            for detail in [found] if isinstance(found, str) else found:
                row(name, "passed", detail)
        except NotRun as reason:
            row(name, "not run", str(reason))
        except Exception as failure:  # noqa: BLE001
            failures += 1
            row(name, "FAILED", f"{type(failure).__name__}: {failure}")
    return 1 if failures else 0


sys.exit(main())
