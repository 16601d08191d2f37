from everyply.chess import Game as Game, Line as Line, Node as Node

__all__ = ["Game", "Line", "Node"]
