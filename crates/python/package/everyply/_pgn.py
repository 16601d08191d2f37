"""Games with variations and comments, as plain objects that can be edited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from everyply._everyply.chess import (
    PgnFiles,
    Position,
    comment_clock,
    comment_eval,
    ending,
    parse_pgn,
    pgn_start,
    write_pgn,
)

__all__ = ["Game", "Line", "Node"]

_CLOCK = re.compile(r"\[%clk [^]]*\] ?")


@dataclass
class Node:
    """A move of a game, with its annotation glyphs, its comments, and its alternatives.

    ``move`` is SAN after reading; UCI notation is accepted too. ``variations`` are lines that
    could have been played instead of this move.
    """

    move: str
    nags: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    @property
    def clock(self) -> float | None:
        """The seconds left on the player's clock, from ``[%clk ...]`` in a comment.

        Assigning a number writes that comment, assigning None removes it.
        """
        found = (comment_clock(comment) for comment in self.comments)
        return next((seconds for seconds in found if seconds is not None), None)

    @clock.setter
    def clock(self, seconds: float | None) -> None:
        comments = [_CLOCK.sub("", comment).strip() for comment in self.comments]
        self.comments = [comment for comment in comments if comment]
        if seconds is not None:
            self.comments.insert(0, f"[%clk {_hours(seconds)}]")

    @property
    def eval(self) -> str | None:
        """The evaluation from ``[%eval ...]`` in a comment, in pawns or as ``#3``."""
        found = (comment_eval(comment) for comment in self.comments)
        return next((text for text in found if text is not None), None)


def _hours(seconds: float) -> str:
    """Seconds as h:mm:ss, with tenths only if there are any."""
    tenths = round(seconds * 10)
    minutes, tenths = divmod(tenths, 600)
    whole, tenth = divmod(tenths, 10)
    text = f"{minutes // 60}:{minutes % 60:02}:{whole:02}"
    return f"{text}.{tenth}" if tenth else text


@dataclass
class Line:
    """A line of moves. ``comments`` are those before its first move."""

    moves: list[Node] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass
class Game:
    """A game with everything that its PGN says. All of it can be edited.

    >>> from everyply import chess
    >>> game = chess.Game.parse('[White "A"]\\n\\n1. e4 {[%clk 0:05:00] best} (1. d4 d5) e5 *')
    >>> game.tags["White"], game.moves, game.line.moves[0].clock
    ('A', ['e4', 'e5'], 300.0)
    >>> game.tags["Black"] = "B"
    >>> game.play(["Nf3", "b8c6"])
    >>> game.line.moves[1].nags.append(1)
    >>> game.result = "1/2-1/2"
    >>> print(game.pgn())
    [White "A"]
    [Black "B"]
    <BLANKLINE>
    1. e4 {[%clk 0:05:00] best} (1. d4 d5) 1... e5 $1 2. Nf3 Nc6 1/2-1/2
    <BLANKLINE>
    """

    tags: dict[str, str] = field(default_factory=dict)
    line: Line = field(default_factory=Line)
    result: str = "*"

    @staticmethod
    def parse(text: str) -> Game:
        """The only game of a text. Raises PgnError for the first thing that is wrong."""
        return _game(parse_pgn(text))

    @staticmethod
    def read(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Iterator[Game]:
        """The games of PGN files, plain or compressed with gzip or zstd, one by one.

        A bad game raises RecordError; the next step reads the game after it.
        """
        return map(_game, PgnFiles(paths))

    @staticmethod
    def from_position(position: Position) -> Game:
        """A game without moves that starts from a position."""
        return Game({"SetUp": "1", "FEN": position.fen} if position != Position() else {})

    def pgn(self) -> str:
        """The game as PGN. Raises SanError for the first move that is not legal, with its place."""
        return write_pgn(list(self.tags.items()), self.line, self.result)

    @property
    def start(self) -> Position:
        """The position that the game starts from: that of the tag ``FEN``, if there is one."""
        return pgn_start(list(self.tags.items()))

    @property
    def moves(self) -> list[str]:
        """The moves that were played, without variations, as they are written."""
        return [node.move for node in self.line.moves]

    def positions(self) -> list[Position]:
        """The positions of the game, one more than the moves."""
        found = [self.start]
        for node in self.line.moves:
            found.append(found[-1].play(node.move))
        return found

    @property
    def ending(self) -> str | None:
        """How the game has ended by the rules, repetitions included; None if it has not."""
        return ending(self.positions())

    def play(self, moves: str | Iterable[str]) -> None:
        """Adds a move, or several, in UCI notation or SAN. Raises SanError and adds nothing."""
        position = self.positions()[-1]
        added = []
        for move in [moves] if isinstance(moves, str) else moves:
            added.append(Node(position.san(move)))
            position = position.play(move)
        self.line.moves += added

    def __str__(self) -> str:
        return self.pgn()


def _game(told: Any) -> Game:
    tags, line, result = told
    found: dict[str, str] = {}
    for name, value in tags:
        found.setdefault(name, value)
    return Game(found, _line(line), result)


def _line(told: Any) -> Line:
    comments, moves = told
    return Line(
        [Node(san, nags, texts, [_line(one) for one in lines]) for san, nags, texts, lines in moves],
        comments,
    )


for _class in (Node, Line, Game):
    _class.__module__ = "everyply.chess"
