"""Every example in a docstring, in README.md and in the pages on Python runs as it is printed."""

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import everyply
from everyply import chess, envs, fourchess, jax, kalah, kenken, relations, solver, sql, tables

MODULES: list[ModuleType] = [
    everyply,
    chess,
    envs,
    fourchess,
    jax,
    kalah,
    kenken,
    relations,
    solver,
    sql,
    tables,
]
ROOT = Path(__file__).parents[3]


def documented() -> Iterator[tuple[str, Any]]:
    """Every public module, function, class and member, with its name."""
    for module in MODULES:
        yield module.__name__, module
        for name in module.__all__:
            item = getattr(module, name)
            if isinstance(item, (ModuleType, str, int, tuple)):
                continue
            yield f"{module.__name__}.{name}", item
            if inspect.isclass(item) and not issubclass(item, Exception):
                for member, value in vars(item).items():
                    if not member.startswith("_"):
                        yield f"{module.__name__}.{name}.{member}", value


def run(text: str, name: str) -> int:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.failed == 0, name
    return results.attempted


@pytest.mark.parametrize(("name", "item"), [pytest.param(*pair, id=pair[0]) for pair in documented()])
def test_it_is_documented_and_its_examples_run(name: str, item: Any) -> None:
    doc = inspect.getdoc(item)
    assert doc, name
    examples = run(doc, name)
    if inspect.isbuiltin(item):
        assert examples > 0, f"{name} has no example"


PAGES = [
    ("README.md", 3),
    ("docs/learning.md", 3),
    ("docs/python.md", 20),
    ("docs/python-tutorial.md", 20),
]


@pytest.mark.parametrize(("page", "least"), PAGES)
def test_a_page_runs_as_printed(
    page: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    examples = run((ROOT / page).read_text(), page)
    print(f"{examples} examples")
    assert examples > least


def counterparts() -> list[str]:
    """The names in the table of docs/python.md that says what does the same as a command."""
    page = (ROOT / "docs/python.md").read_text()
    section = page.split("## Commands\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`(\w+\.[\w.]+)`", row)]


def test_every_counterpart_of_a_command_exists() -> None:
    names = counterparts()
    assert len(names) > 50
    for name in names:
        item: Any = everyply
        for part in name.split("."):
            item = getattr(item, part)
        assert inspect.getdoc(item), name
