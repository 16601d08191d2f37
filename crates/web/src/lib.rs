//! The page of everyply: a server for this machine, and what a browser shows of every game.
