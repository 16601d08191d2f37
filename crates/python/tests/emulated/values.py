"""What JAX calls on a GPU, where the device is the processor: see test_jax.py.

JAX without a GPU never calls these handlers, so the frames of the calls are made by hand. Each
result is compared with that of the handler on the processor, which JAX does call.
"""

import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xla
from xla import HandlerError, aligned

from everyply import fourchess
from everyply import jax as pure

native: Any = importlib.import_module("everyply._everyply").jax
TARGETS: dict[str, Any] = native.cuda_targets()
GAMES = 24
VALUE: int = native.VALUE_BYTES
CHOICES: list[tuple[str, str, str]] = [
    ("ffa", "same_step", "noop"), ("ffa", "next_step", "lose"), ("ffa", "disabled", "lose"),
    ("teams", "same_step", "lose"), ("jax", "next_step", "noop"), ("jax", "disabled", "noop"),
]  # fmt: skip


def placed(array: Any) -> Any:
    room = aligned(np.shape(array), np.asarray(array).dtype)
    room[...] = array
    return room


def results(games: int) -> list[Any]:
    """Room for what a step returns."""
    shapes: list[tuple[tuple[int, ...], Any]] = [
        ((games, VALUE), np.uint8), ((games,), np.int32), ((games, 4), np.float32),
        ((games,), np.bool_), ((games,), np.bool_), ((games,), np.bool_), ((games,), np.int32),
    ]  # fmt: skip
    return [aligned(shape, dtype) for shape, dtype in shapes]


def run(name: str, arguments: list[Any], rooms: list[Any], config: str | None) -> list[Any]:
    xla.call(TARGETS[f"everyply_fourchess_{name}"], arguments, rooms, config)
    return rooms


def leaves(state: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(state)]


def same(found: list[Any], state: Any, place: str) -> None:
    for one, other in zip(found, leaves(state), strict=True):
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), place


def actions_of(state: Any, step: int) -> Any:
    """Legal actions, now and then an illegal one."""
    games = np.arange(GAMES)
    counts = np.asarray(state.legal_count)
    legal = np.asarray(state.legal_actions)
    actions = legal[games, (step * 7919 + games * 104_729) % np.maximum(counts, 1)]
    actions = np.where(counts > 0, actions, 0).astype(np.int32)
    actions[(games * 31 + step * 17) % 97 == 0] = -1
    return placed(actions)


def check_steps() -> None:
    for rules, autoreset, illegal in CHOICES:
        title = f"{rules} {autoreset} {illegal}"
        choices: dict[str, Any] = {"autoreset": autoreset, "illegal": illegal}
        saved = fourchess.Batch(GAMES, {"preset": rules, "max_plies": 90}, seed=5).save()
        state = pure.load(saved, {"preset": rules, "max_plies": 90}, **choices)
        found = run("load", [placed(saved)], results(GAMES), state.config)
        same(found, state, f"{title}: load")
        for step in range(200):
            actions = actions_of(state, step)
            state = pure.step(state, actions)
            if step % 2:
                # In place, as XLA does where nobody else needs the argument.
                run("step", [found[0], actions], found, state.config)
            else:
                found = run("step", [found[0], actions], results(GAMES), state.config)
            same(found, state, f"{title}: step {step}")
        check_views(found[0], state)


def check_views(values: Any, state: Any) -> None:
    config = state.config
    saved = run("save", [values], [aligned((GAMES, 2288), np.uint8)], config)[0]
    assert saved.tobytes() == np.asarray(pure.save(state)).tobytes()
    mask = run("mask", [values], [aligned((GAMES, 7192), np.bool_)], config)[0]
    assert np.array_equal(mask, state.legal_action_mask)
    rooms = [aligned((GAMES, 30, 5), np.uint32), aligned((GAMES, 10), np.int16)]
    planes, scalars = run("observe", [values], rooms, config)
    for one, other in zip((planes, scalars), state.planes, strict=True):
        assert np.array_equal(one, other)
    for dtype in [jnp.float32, jnp.float16, jnp.bfloat16, jnp.uint8]:
        room = aligned((GAMES, 40, 14, 14), np.dtype(dtype))
        run("expand", [planes, scalars], [room], None)
        assert room.tobytes() == np.asarray(pure.observe(state, dtype)).tobytes()


def check_broken() -> None:
    """Bytes that are no game break one game, and no other."""
    config = pure.init(jax.random.key(0)).config
    saved = placed(fourchess.Batch(3).save())
    saved[1, 40] = 77
    found = run("load", [saved], results(3), config)
    assert np.isnan(found[2][1]).all() and found[3].tolist() == [False, True, False]
    assert found[5].tolist() == [True, False, True]
    found[0][2, 100] ^= 1
    actions = placed(np.array([0, 0, 0], np.int32))
    found = run("step", [found[0], actions], results(3), config)
    assert np.isnan(found[2]).all(axis=1).tolist() == [False, True, True]
    assert found[3].tolist() == [True, True, True]  # the first by an illegal action
    saved = run("save", [found[0]], [aligned((3, 2288), np.uint8)], config)[0]
    assert saved.any(axis=1).tolist() == [True, False, False]


def check_errors() -> None:
    config = pure.init(jax.random.key(0)).config
    strict = pure.init(jax.random.key(0), illegal="error").config
    values, actions = aligned((2, VALUE), np.uint8), aligned((2,), np.int32)
    three = aligned((3,), np.int32)
    askew = aligned((3 * VALUE,), np.uint8)[8 : 8 + VALUE]
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: run("step", [], results(2), config), "argument 0 is missing"),
        (lambda: run("step", [values, three], results(2), config), "actions of 3 games, expected 2"),
        (lambda: run("step", [values, actions], results(3), config), "values of 3 games, expected 2"),
        (lambda: run("step", [values, actions], results(2)[:4], config), "result 4 is missing"),
        (lambda: run("step", [values, values], results(2), config), "expected int32"),
        (lambda: run("step", [values, actions], results(2), None), "attribute config is missing"),
        (lambda: run("step", [values, actions], results(2), "x"), "config: "),
        (lambda: run("save", [askew], results(1)[:1], config), "no multiple of 16 bytes"),
        (lambda: run("step", [values, actions], results(2), strict), "choose noop or lose"),
        (lambda: run("mask", [values], [aligned((3, 7192), np.bool_)], config), "masks of 3 games"),
    ]
    for work, words in cases:
        try:
            work()
        except HandlerError as error:
            assert words in str(error), f"{error}, expected {words}"
        else:
            raise AssertionError(f"no error, expected {words}")
    xla.has_stream = False
    try:
        run("step", [values, actions], results(2), config)
    except HandlerError as error:
        assert str(error) == "XLA names no stream: no stream here"
    xla.has_stream = True
    assert not xla.errors
    # No games are no work.
    run("step", [values[:0], actions[:0]], results(0), config)


assert len(TARGETS) == 6 and {xla.version(target) for target in TARGETS.values()} == {(0, 1)}
for check in [check_steps, check_broken, check_errors]:
    check()
print("all as on the processor")
