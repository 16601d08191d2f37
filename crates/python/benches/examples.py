"""The learner and the tree search of the pages, measured: cargo xtask bench learners.

The learner of `examples/learner.py` learns for a minute of CPU time against three random players,
once from its rewards and once from rewards that were shuffled. The search of docs/python.md plays
200 games against three greedy players.
"""

import importlib.util
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import everyply

ROOT = Path(__file__).parents[3]
SECONDS = 60
GAMES, PLIES = 200, 400


def learner() -> Any:
    path = ROOT / "crates/python/examples/learner.py"
    spec = importlib.util.spec_from_file_location("learner", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def search() -> Any:
    """The program of the page, which is one block of code."""
    page = (ROOT / "docs/python.md").read_text()
    _, rest = page.split('```python\n"""Monte Carlo tree search')
    module = ModuleType("search")
    exec(compile('"""' + rest.split("```")[0], "docs/python.md", "exec"), module.__dict__)
    return module


def learn(shuffles: bool) -> None:
    program = learner()
    weights, batches = program.start(), 0
    before = np.mean([program.play(weights, seed=seed) for seed in range(4)])
    begun = time.process_time()
    while time.process_time() - begun < SECONDS:
        program.play(weights, 100 + batches, learns=True, shuffles=shuffles)
        batches += 1
    after = np.mean([program.play(weights, seed=seed) for seed in range(4)])
    kind = "shuffled rewards" if shuffles else "its rewards"
    print(
        f"linear learner, {kind}: {before:.1f} points before, {after:.1f} after {SECONDS} CPU-seconds",
        flush=True,
    )


def main() -> None:
    print(f"everyply {everyply.__version__} from {Path(everyply.__file__).parent}", flush=True)
    learn(shuffles=False)
    learn(shuffles=True)
    begun = time.monotonic()
    places = search().tournament(GAMES, PLIES)
    taken, used = time.monotonic() - begun, np.bincount(places, minlength=5)[1:]
    print(f"tree search: places 1 to 4 in {used} of {GAMES} games, {taken:.0f} s")


if __name__ == "__main__":
    main()
