"""The vector environment on a GPU, whose observations and rewards are tensors of PyTorch."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from everyply import Error, fourchess
from everyply._shared import chosen_games, seeds_of
from everyply.envs import FourChessVectorEnv


def _pytorch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as missing:
        words = "device: environments on a GPU return tensors of PyTorch, which is not installed"
        raise Error(words) from missing


class FourChessTensorVectorEnv(FourChessVectorEnv):
    """``FourChessVectorEnv`` with games and tensors on a GPU; made by its ``device``.

    Everything is a tensor on the device, and nothing is copied from it: actions may be a tensor of
    16, 32 or 64-bit integers, observations are those of the environment on the processor, rewards
    are ``float32``. The games work in the stream that is PyTorch's current one when the environment
    is made. With resets in the same step, ``final_obs`` and ``final_info`` are always there, with a
    row for each game; the mask ``_final_obs`` says which rows are of games that ended.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | dict[str, Any] = "ffa",
        *,
        device: str = "cuda",
        **options: Any,
    ) -> None:
        torch = self._torch = _pytorch()
        self.device = torch.device(fourchess.device(device))
        if not torch.cuda.is_available():
            # A batch says what is missing better than PyTorch does.
            fourchess.Batch(1, device=str(self.device))
            raise Error("device: this PyTorch was built without CUDA, or finds no GPU")
        options.setdefault("stream", torch.cuda.current_stream(self.device))
        super().__init__(num_envs, rules, device=str(self.device), **options)
        self._batch: Any
        names = ["legal_bytes", "planes", "scalars", "rewards", "current_player"]
        names += ["terminated", "truncated", "move_valid", "final_points", "endings"]
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            names += ["final_planes", "final_scalars"]
        self._seen = {name: torch.from_dlpack(getattr(self._batch, name)) for name in names}
        self._everywhere = torch.ones(num_envs, dtype=torch.bool, device=self.device)
        self._ended_mask = torch.from_numpy(self._final_mask).to(self.device)
        self._floats = None if self._copy or self._compact else self._room()

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Resets all games, or those in the ``reset_mask`` of ``options``: a tensor on the device,
        or an array of NumPy."""
        VectorEnv.reset(self, seed=seed if isinstance(seed, int) else None)
        torch, options = self._torch, options or {}
        mask, fens = options.get("reset_mask"), options.get("fens")
        seeds = seeds_of(self, seed)
        if isinstance(mask, torch.Tensor) and mask.is_cuda and fens is None:
            on_device = torch.from_numpy(seeds.view(np.int64)).to(self.device)
            self._batch.reset_where(mask, on_device)
            return self._observations(), self._infos()
        if isinstance(mask, torch.Tensor):
            mask = mask.cpu().numpy()
        games = chosen_games(mask, self.num_envs)
        if fens is None:
            self._batch.reset_games(games, seeds[games])
        else:
            self._batch.reset_games(games, seeds[games], fens)
        return self._observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Plays an action in every game."""
        seen = self._seen
        movers = seen["current_player"].long()
        self._batch.step(actions)
        if self._all_rewards:
            rewards = seen["rewards"].sum(dim=1)
        else:
            rewards = seen["rewards"].gather(1, movers.unsqueeze(1)).squeeze(1)
        terminated, truncated = seen["terminated"].clone(), seen["truncated"].clone()
        infos = self._infos()
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            self._add_finals(infos, terminated | truncated)
        return self._observations(), rewards, terminated, truncated, infos

    def _room(self) -> Any:
        torch, shape = self._torch, (self.num_envs, fourchess.FLOAT_PLANES, 14, 14)
        return torch.empty(shape, dtype=torch.float32, device=self.device)

    def _kept(self, tensor: Any) -> Any:
        return tensor.clone() if self._copy else tensor

    def _observations(self) -> Any:
        mask = self._kept(self._seen["legal_bytes"].view(self._torch.int8))
        if self._compact:
            planes, scalars = self._kept(self._seen["planes"]), self._kept(self._seen["scalars"])
            return {"planes": planes, "scalars": scalars, "action_mask": mask}
        floats = self._room() if self._floats is None else self._floats
        return {"observation": self._batch.observation(out=floats), "action_mask": mask}

    def _infos(self) -> dict[str, Any]:
        names = ["rewards", "current_player", "move_valid"]
        infos = {name: self._seen[name].clone() for name in names}
        return infos | {f"_{name}": self._everywhere.clone() for name in names}

    def _add_finals(self, infos: dict[str, Any], ended: Any) -> None:
        torch, seen = self._torch, self._seen
        if self._compact:
            final = {
                "planes": seen["final_planes"].clone(),
                "scalars": seen["final_scalars"].clone(),
            }
        else:
            final = {"observation": self._batch.final_observation(out=self._room())}
        final["action_mask"] = self._ended_mask.expand(self.num_envs, -1)
        infos["final_obs"], infos["_final_obs"] = final, ended
        row = ended.unsqueeze(1)
        infos["final_info"] = {
            "rewards": torch.where(row, seen["rewards"], 0.0),
            "_rewards": ended,
            "points": torch.where(row, seen["final_points"], 0),
            "_points": ended,
            "ending": torch.where(ended, seen["endings"], 0),
            "_ending": ended,
        }
        infos["_final_info"] = ended
