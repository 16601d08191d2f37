"""The learner of crates/python/examples, and the tree search of docs/python.md."""

import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conftest import ROOT, SLOW

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def learner() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    try:
        return importlib.import_module("learner")
    finally:
        sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def search() -> ModuleType:
    """The program of the page, which is one block of code."""
    page = (ROOT / "docs/python.md").read_text()
    _, rest = page.split('```python\n"""Monte Carlo tree search')
    module = ModuleType("search")
    exec(compile('"""' + rest.split("```")[0], "docs/python.md", "exec"), module.__dict__)
    return module


def taught(learner: ModuleType, batches: int, shuffles: bool) -> float:
    weights = learner.start()
    for seed in range(batches):
        learner.play(weights, 100 + seed, learns=True, shuffles=shuffles)
    return float(learner.play(weights, seed=1))


def test_a_linear_learner_learns_from_its_rewards_only(learner: ModuleType) -> None:
    before = learner.play(learner.start(), seed=1)
    assert 20 < before < 30
    assert taught(learner, 4, shuffles=False) > 80
    assert taught(learner, 4, shuffles=True) < 45


def test_a_minute_of_learning(learner: ModuleType) -> None:
    if not SLOW:
        print("not run")
        return
    for shuffles in [False, True]:
        weights, seed, start = learner.start(), 0, time.process_time()
        while time.process_time() - start < 60:
            learner.play(weights, 100 + seed, learns=True, shuffles=shuffles)
            seed += 1
        points = [learner.play(weights, seed=seed) for seed in range(4)]
        print(f"shuffled: {shuffles}, {seed} batches, {np.mean(points):.1f} points")
        assert np.mean(points) < 50 if shuffles else np.mean(points) >= 80


def test_the_search_of_the_page_plays(search: ModuleType) -> None:
    places = search.tournament(4, 24)
    assert places.shape == (4,) and set(places.tolist()) <= {1, 2, 3, 4}
    places = search.tournament(8, 120)
    assert (places == 1).sum() >= 5


def test_the_search_of_the_page_beats_greedy_players(search: ModuleType) -> None:
    if not SLOW:
        print("not run")
        return
    start = time.monotonic()
    places = search.tournament(200, 400)
    print(np.bincount(places, minlength=5)[1:], f"{time.monotonic() - start:.0f} s")
    assert (places == 1).mean() > 0.6
