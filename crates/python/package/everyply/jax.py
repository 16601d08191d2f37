"""Four-player chess for JAX: pure functions under ``jit``, ``vmap`` and ``scan``, on the CPU and on
NVIDIA GPUs.

>>> import jax
>>> from everyply import jax as fourchess
>>> state = jax.vmap(fourchess.init)(jax.random.split(jax.random.key(1), 64))
>>> @jax.jit
... def play(state, keys):
...     def ply(state, key):
...         actions = jax.vmap(fourchess.sample)(state, jax.random.split(key, 64))
...         state = jax.vmap(fourchess.step)(state, actions)
...         return state, state.rewards
...     return jax.lax.scan(ply, state, keys)
>>> state, rewards = play(state, jax.random.split(jax.random.key(2), 100))
>>> rewards.shape
(100, 64, 4)

The names are those of Pgx. Rules, rewards and endings are those of ``everyply.fourchess.Batch``,
with the same bytes. Every function also takes states with leading axes, without ``vmap``.
It needs JAX (``pip install everyply[jax]``).

The games are where JAX computes. On a GPU they stay there, byte for byte as on the CPU, and nobody
waits for a step. So nothing can be refused there: ``illegal="error"`` raises at once, and bytes that
are no game become a broken one, whose rewards are NaN and which stays as it is.
"""

import dataclasses
from typing import Any

from everyply import Error, fourchess
from everyply._everyply import jax as _native

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
except ImportError as _missing:
    raise ImportError("everyply.jax needs JAX: pip install everyply[jax]") from _missing

__all__ = ["State", "init", "load", "observe", "sample", "save", "step"]

for _name, _capsule in _native.targets().items():
    jax.ffi.register_ffi_target(_name, _capsule, platform="cpu")
for _name, _capsule in _native.cuda_targets().items():
    jax.ffi.register_ffi_target(_name, _capsule, platform="CUDA")

# The bytes of a saved game that hold the state of its random numbers.
_SEED = slice(8, 16)


@dataclasses.dataclass(frozen=True)
class State:
    """A game, or many of them along leading axes: a pytree.

    ``legal_action_mask``, ``observation`` and the other properties are computed when they are
    asked for, so that what a program does not use costs nothing.
    """

    game: Any
    current_player: Any
    rewards: Any
    terminated: Any
    truncated: Any
    move_valid: Any
    _step_count: Any
    config: str

    @property
    def legal_action_mask(self) -> Any:
        """The legal actions, ``bool[ACTIONS]``. Of a game that has ended, all of them."""
        return _call("mask", self, [(fourchess.ACTIONS,)], [jnp.bool_])[0]

    @property
    def legal_actions(self) -> Any:
        """The list of legal actions, ``uint16[LEGAL_ROOM]``, with ``NO_ACTION`` after the last."""
        first = _native.LEGAL
        pairs = self.game[..., first : first + 2 * fourchess.LEGAL_ROOM]
        pairs = pairs.reshape(*pairs.shape[:-1], fourchess.LEGAL_ROOM, 2)
        return lax.bitcast_convert_type(pairs, jnp.uint16)

    @property
    def legal_count(self) -> Any:
        """How many legal actions there are, ``int32``; 0 if the game has ended."""
        first = _native.LEGAL_COUNT
        return lax.bitcast_convert_type(self.game[..., first : first + 4], jnp.int32)

    @property
    def planes(self) -> Any:
        """The bit planes and the scalars of the observation, as in a batch."""
        shapes = [(fourchess.PLANES, 5), (fourchess.SCALARS,)]
        return _call("observe", self, shapes, [jnp.uint32, jnp.int16])

    @property
    def observation(self) -> Any:
        """The observation of the player to move, ``float32[FLOAT_PLANES, 14, 14]``."""
        return observe(self)

    def replace(self, **changes: Any) -> "State":
        """The same state with other values in some fields."""
        return dataclasses.replace(self, **changes)


_LEAVES = [field.name for field in dataclasses.fields(State) if field.name != "config"]
jax.tree_util.register_dataclass(State, data_fields=_LEAVES, meta_fields=["config"])


def init(
    key: Any,
    rules: str | dict[str, Any] = "ffa",
    *,
    autoreset: str = "disabled",
    illegal: str = "lose",
    reward: str | None = None,
    ended_mask: str = "ones",
) -> State:
    """The start of a game.

    ``rules`` and the keywords are those of ``everyply.fourchess.Batch``; the defaults are what Pgx
    does: a game that has ended stays as it is, and an illegal action loses. With ``next_step`` or
    ``same_step`` games start anew by themselves. ``illegal="error"`` raises where the result is
    used, and is not possible on a GPU.

    >>> import jax
    >>> from everyply import jax as fourchess
    >>> state = fourchess.init(jax.random.key(0), "teams", autoreset="same_step")
    >>> int(state.legal_count), int(state.legal_action_mask.sum())
    (20, 20)
    """
    config = _native.configuration(rules, autoreset, illegal, reward, ended_mask)
    start = jnp.asarray(_native.start(config))
    return _loaded(start.at[_SEED].set(jax.random.bits(key, (8,), jnp.uint8)), config)


def step(state: State, action: Any) -> State:
    """Plays an action.

    >>> import jax
    >>> from everyply import jax as fourchess
    >>> state = fourchess.init(jax.random.key(0))
    >>> state = jax.jit(fourchess.step)(state, state.legal_actions[3])
    >>> int(state.current_player), bool(state.terminated)
    (1, False)
    """
    action = jnp.asarray(action)
    if not jnp.issubdtype(action.dtype, jnp.integer):
        raise TypeError(f"action: {action.dtype}, expected integers")
    games = _games(state)
    if action.shape != games:
        raise Error(f"action: shape {action.shape}, expected {games}")
    is_action = (action >= 0) & (action < fourchess.ACTIONS)
    number = jnp.where(is_action, action, -1).astype(jnp.int32)
    call = jax.ffi.ffi_call(
        "everyply_fourchess_step",
        _results(games),
        vmap_method="broadcast_all",
        input_output_aliases={0: 0},
    )
    game, *seen = call(state.game, number, config=state.config)
    # On a GPU, XLA plays the step a second time where a loop collects what is seen of it, unless
    # something stands in between.
    return State(game, *lax.optimization_barrier(tuple(seen)), state.config)


def sample(state: State, key: Any) -> Any:
    """A legal action at random, from the list of legal actions; 0 if the game has ended.

    >>> import jax
    >>> from everyply import jax as fourchess
    >>> state = fourchess.init(jax.random.key(0))
    >>> bool(state.legal_action_mask[fourchess.sample(state, jax.random.key(1))])
    True
    """
    count = state.legal_count.astype(jnp.uint32)
    bits = jax.random.bits(key, count.shape, jnp.uint32)
    # The remainder of 32 bits is uneven by less than one in a million.
    chosen = lax.rem(bits, jnp.maximum(count, 1)).astype(jnp.int32)
    places = _native.LEGAL + 2 * chosen[..., None] + jnp.arange(2, dtype=jnp.int32)
    low, high = jnp.moveaxis(jnp.take_along_axis(state.game, places, -1), -1, 0)
    return jnp.where(count > 0, low.astype(jnp.int32) | high.astype(jnp.int32) << 8, 0)


def observe(state: State, dtype: Any = None) -> Any:
    """The observation of the player to move, ``[FLOAT_PLANES, 14, 14]``: ``float32`` by default,
    ``float16``, ``bfloat16`` or ``uint8``.

    >>> import jax, jax.numpy as jnp
    >>> from everyply import jax as fourchess
    >>> fourchess.observe(fourchess.init(jax.random.key(0)), jnp.bfloat16).shape
    (40, 14, 14)
    """
    return _expanded(*state.planes, dtype)


def save(state: State) -> Any:
    """The game as ``uint8[STATE_BYTES]``, in the form of ``everyply.fourchess.Batch.save``.

    >>> import jax
    >>> from everyply import jax as fourchess
    >>> from everyply.fourchess import Batch
    >>> batch = Batch(1)
    >>> batch.load([0], jax.device_get(fourchess.save(fourchess.init(jax.random.key(0))))[None])
    """
    return _call("save", state, [(fourchess.STATE_BYTES,)], [jnp.uint8])[0]


def load(
    saved: Any,
    rules: str | dict[str, Any] = "ffa",
    *,
    autoreset: str = "disabled",
    illegal: str = "lose",
    reward: str | None = None,
    ended_mask: str = "ones",
) -> State:
    """The states of saved games. Bytes that are no game of these rules raise: those of NumPy at
    once, others where the result is used. On a GPU the latter become broken games, whose rewards
    are NaN.

    >>> from everyply import jax as fourchess
    >>> from everyply.fourchess import Batch
    >>> fourchess.load(Batch(3).save()).current_player.tolist()
    [0, 0, 0]
    """
    config = _native.configuration(rules, autoreset, illegal, reward, ended_mask)
    given, saved = saved, jnp.asarray(saved)
    if saved.dtype != jnp.uint8:
        raise TypeError(f"saved: {saved.dtype}, expected uint8")
    if saved.shape[-1:] != (fourchess.STATE_BYTES,):
        expected = f"(..., {fourchess.STATE_BYTES})"
        raise Error(f"saved: shape {saved.shape}, expected {expected}")
    if isinstance(given, np.ndarray):
        _native.check(config, np.ascontiguousarray(given).reshape(-1, fourchess.STATE_BYTES))
    return _loaded(saved, config)


def _loaded(saved: Any, config: str) -> State:
    results = _results(saved.shape[:-1])
    call = jax.ffi.ffi_call("everyply_fourchess_load", results, vmap_method="broadcast_all")
    return State(*call(saved, config=config), config)


def _games(state: State) -> tuple[int, ...]:
    """The leading axes of a state."""
    game = state.game
    if game.dtype != jnp.uint8 or game.shape[-1:] != (_native.VALUE_BYTES,):
        expected = f"uint8 of shape (..., {_native.VALUE_BYTES})"
        raise Error(f"state.game: {game.dtype} of shape {game.shape}, expected {expected}")
    games: tuple[int, ...] = game.shape[:-1]
    return games


def _results(games: tuple[int, ...]) -> list[Any]:
    """What a step returns, in the order of the fields of a state."""
    shapes = [(_native.VALUE_BYTES,), (), (4,), (), (), (), ()]
    flags = [jnp.bool_] * 3
    dtypes = [jnp.uint8, jnp.int32, jnp.float32, *flags, jnp.int32]
    return _shaped(games, shapes, dtypes)


def _shaped(games: tuple[int, ...], shapes: list[tuple[int, ...]], dtypes: list[Any]) -> list[Any]:
    pairs = zip(shapes, dtypes, strict=True)
    return [jax.ShapeDtypeStruct((*games, *shape), dtype) for shape, dtype in pairs]


def _call(name: str, state: State, shapes: list[tuple[int, ...]], dtypes: list[Any]) -> Any:
    """What a handler computes from states alone."""
    results = _shaped(_games(state), shapes, dtypes)
    call = jax.ffi.ffi_call(f"everyply_fourchess_{name}", results, vmap_method="broadcast_all")
    return call(state.game, config=state.config)


def _expanded(planes: Any, scalars: Any, dtype: Any) -> Any:
    """Planes and scalars as numbers."""
    dtype = jnp.dtype(jnp.float32 if dtype is None else dtype)
    if dtype.name not in ("float32", "float16", "bfloat16", "uint8"):
        raise TypeError(f"dtype: {dtype}, expected float32, float16, bfloat16 or uint8")
    games = planes.shape[:-2]
    result = jax.ShapeDtypeStruct((*games, fourchess.FLOAT_PLANES, 14, 14), dtype)
    call = jax.ffi.ffi_call("everyply_fourchess_expand", result, vmap_method="broadcast_all")
    return call(planes, scalars)
