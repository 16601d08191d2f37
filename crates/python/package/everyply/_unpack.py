"""Compact observations as the numbers that networks take, in the library of the caller's arrays."""

import sys
from typing import Any

import numpy as np

from everyply._everyply import Error
from everyply._everyply.fourchess import CELLS, FLOAT_PLANES, PLANES, SCALARS, SCALES

_SQUARES = len(CELLS)
_WORDS = _SQUARES // 32

# The square of each cell of a plane; corners have the one after the last, which is always empty.
_SQUARE_OF = np.full(14 * 14, _SQUARES, dtype=np.int32)
_SQUARE_OF[list(CELLS)] = np.arange(_SQUARES)


def unpack(planes: Any, scalars: Any, dtype: Any = None) -> Any:
    """The observation ``(..., FLOAT_PLANES, 14, 14)`` of bit planes and scalars.

    ``planes`` and ``scalars`` are those of a batch, of an environment with ``compact=True`` or of
    ``everyply.jax``, with any leading axes: arrays of NumPy, JAX or PyTorch, on any device. The
    result is what ``Batch.observation`` returns, as an array of the same library and device.
    ``dtype`` is one of its types, a float of 32 bits by default; as bytes, scalars are not divided
    by their ``SCALES``, and at most 255.

    >>> import numpy
    >>> from everyply import fourchess
    >>> batch = fourchess.Batch(2, outputs=["observation"])
    >>> unpacked = fourchess.unpack(batch.planes, batch.scalars)
    >>> bool((unpacked == batch.observation()).all())
    True
    """
    library = _library(planes)
    if tuple(planes.shape[-2:]) != (PLANES, _WORDS):
        raise Error(f"planes: shape {tuple(planes.shape)}, expected (..., {PLANES}, {_WORDS})")
    games = tuple(planes.shape[:-2])
    if tuple(scalars.shape) != (*games, SCALARS):
        raise Error(f"scalars: shape {tuple(scalars.shape)}, expected {(*games, SCALARS)}")
    for name, array in [("planes", planes), ("scalars", scalars)]:
        if "int" not in str(array.dtype):
            raise TypeError(f"{name}: {array.dtype}, expected integers")
    if library == "torch":
        return _with_torch(planes, scalars, games, dtype)
    xp: Any = np if library == "numpy" else sys.modules["jax"].numpy
    dtype = xp.dtype(xp.float32 if dtype is None else dtype)
    bits = planes.astype(xp.uint32)[..., None] >> xp.arange(32, dtype=xp.uint32) & xp.uint32(1)
    cells = _cells(xp, bits.reshape(*games, PLANES, _SQUARES), games, xp.uint8).astype(dtype)
    if dtype == xp.uint8:
        numbers = xp.clip(scalars, 0, 255).astype(dtype)
    else:
        numbers = (scalars.astype(xp.float32) / xp.asarray(SCALES, dtype=xp.float32)).astype(dtype)
    board = xp.asarray(_SQUARE_OF < _SQUARES)
    filled = xp.where(board, numbers[..., None], xp.zeros((), dtype))
    whole = xp.concatenate([cells, filled], axis=-2)
    return whole.reshape(*games, FLOAT_PLANES, 14, 14)


def _library(planes: Any) -> str:
    """Whose array it is. A library that is not loaded has made none."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(planes, torch.Tensor):
        return "torch"
    if jax is not None and isinstance(planes, jax.Array):
        return "jax"
    if isinstance(planes, np.ndarray):
        return "numpy"
    raise TypeError(f"planes: {type(planes).__name__}, expected an array of NumPy, JAX or PyTorch")


def _cells(xp: Any, bits: Any, games: tuple[int, ...], dtype: Any) -> Any:
    """Bits by square as planes by cell."""
    corner = xp.zeros((*games, PLANES, 1), dtype)
    return xp.concatenate([bits.astype(dtype), corner], axis=-1)[..., _SQUARE_OF]


def _with_torch(planes: Any, scalars: Any, games: tuple[int, ...], dtype: Any) -> Any:
    torch = sys.modules["torch"]
    at = {"device": planes.device}
    dtype = torch.float32 if dtype is None else dtype
    # PyTorch shifts signed integers only; the lowest bit is the same.
    words = planes.view(torch.int32) if planes.element_size() == 4 else planes.to(torch.int64)
    shifts = torch.arange(32, dtype=words.dtype, **at)
    bits = (words[..., None] >> shifts & 1).reshape(*games, PLANES, _SQUARES).to(dtype)
    corner = torch.zeros((*games, PLANES, 1), dtype=dtype, **at)
    cells = torch.cat([bits, corner], dim=-1)[..., torch.as_tensor(_SQUARE_OF, **at).long()]
    if dtype == torch.uint8:
        numbers = scalars.clamp(0, 255).to(dtype)
    else:
        numbers = (scalars.float() / torch.tensor(SCALES, **at)).to(dtype)
    board = torch.as_tensor(_SQUARE_OF < _SQUARES, **at)
    filled = numbers[..., None] * board.to(dtype)
    return torch.cat([cells, filled], dim=-2).reshape(*games, FLOAT_PLANES, 14, 14)
