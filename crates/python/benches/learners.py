"""Learners on four-player chess, as their tutorials begin: cargo xtask bench learners.

MaskablePPO of sb3-contrib, and a loop of PPO in the manner of CleanRL, play 10,000 steps each as
Red against three random players. Both must choose legal actions only, and end with finite numbers.
This measures that the environment fits them and how fast it is, not how well they play.
"""

import time
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch import nn

import everyply.envs
from everyply import fourchess

STEPS = 10_000
PLIES = 200


def with_maskable_ppo() -> tuple[float, float]:
    """Seconds, and the mean return of the last episodes."""
    env = gymnasium.make("everyply/FourChessSolo-v1", opponents="random", max_plies=PLIES)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=250, batch_size=125, n_epochs=1, seed=1)
    begun = time.perf_counter()
    model.learn(STEPS)
    taken = time.perf_counter() - begun
    assert model.num_timesteps >= STEPS
    assert all(weights.isfinite().all() for weights in model.policy.parameters())
    return taken, float(np.mean([episode["r"] for episode in model.ep_info_buffer]))


class Agent(nn.Module):
    """A policy over all actions, and a value."""

    def __init__(self) -> None:
        super().__init__()
        inputs = fourchess.FLOAT_PLANES * 14 * 14
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(inputs, 128), nn.Tanh())
        self.policy = nn.Linear(128, fourchess.ACTIONS)
        self.value = nn.Linear(128, 1)

    def forward(self, seen: Any, mask: Any) -> tuple[Any, Any]:
        hidden = self.body(seen)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e8)
        return torch.distributions.Categorical(logits=logits), self.value(hidden).squeeze(-1)


def rollout(envs: Any, agent: Agent, seen: Any, length: int) -> tuple[list[Any], Any]:
    """A few steps of all games."""
    rows = []
    for _ in range(length):
        state = torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"])
        with torch.no_grad():
            choice, value = agent(*state)
        action = choice.sample()
        seen, reward, terminated, truncated, _ = envs.step(action.numpy())
        done = torch.from_numpy(terminated | truncated).float()
        row = (*state, action, choice.log_prob(action), value, torch.from_numpy(reward).float())
        rows.append((*row, done))
    return rows, seen


def with_a_loop() -> tuple[float, float]:
    """The same for a loop in one file."""
    torch.manual_seed(1)
    games, length, discount, smoothing = 10, 50, 0.99, 0.95
    options = {"opponents": "random", "max_plies": PLIES}
    envs: Any = gymnasium.make_vec("everyply/FourChessSolo-v1", num_envs=games, **options)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
    seen, _ = envs.reset(seed=1)
    begun = time.perf_counter()
    for _ in range(STEPS // (games * length)):
        rows, seen = rollout(envs, agent, seen, length)
        columns = [torch.stack(column) for column in zip(*rows, strict=True)]
        _, _, _, _, values, rewards, dones = columns
        with torch.no_grad():
            following = torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"])
            ahead, advantage = agent(*following)[1], torch.zeros(games)
        advantages = torch.zeros_like(rewards)
        for step in reversed(range(length)):
            going = 1 - dones[step]
            error = rewards[step] + discount * ahead * going - values[step]
            advantage = error + discount * smoothing * going * advantage
            advantages[step], ahead = advantage, values[step]
        flat = [column.flatten(0, 1) for column in [*columns[:4], advantages, advantages + values]]
        for chosen in torch.randperm(games * length).split(125):
            states, masks, actions, before, gains, targets = (column[chosen] for column in flat)
            choice, value = agent(states, masks)
            ratio = (choice.log_prob(actions) - before).exp()
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
            clipped = torch.min(ratio * gains, ratio.clamp(0.8, 1.2) * gains)
            loss = -clipped.mean() + 0.5 * (value - targets).square().mean()
            loss = loss - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            assert loss.isfinite()
    return time.perf_counter() - begun, float(np.mean(envs.return_queue))


def main() -> None:
    print(f"everyply {everyply.__version__} from {everyply.__file__}", flush=True)
    assert everyply.envs.FourChessSoloEnv
    torch.set_num_threads(1)
    for name, learn in [("MaskablePPO", with_maskable_ppo), ("PPO in a loop", with_a_loop)]:
        seconds, gained = learn()
        rate = STEPS / seconds
        print(f"{name}: {STEPS} steps in {seconds:.0f} s, {rate:.0f} steps/s, {gained:.1f} points")


if __name__ == "__main__":
    main()
