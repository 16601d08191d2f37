// The kernels: what the host launches, with a group of lanes a game.

// An action of an array whose entries have so many bytes. What is no action becomes NO_ACTION.
FN u32 action_at(const void *actions, u32 size, u64 game) {
  if (size == 2)
    return ((const u16 *)actions)[game];
  u64 action = size == 4 ? ((const u32 *)actions)[game] : ((const u64 *)actions)[game];
  return action < NO_ACTION ? action : NO_ACTION;
}

// Plays an action of every game.
KERNEL step(Params p, const void *actions, u32 size) {
  FOR_GAMES(game, w, p.games) {
    u32 action = action_at(actions, size, game);
    load(p, w, game);
    bool changed = step_game(p, w, game, action, false);
    SYNC();
    if (changed)
      show_step(p, w, game);
    store(p, w, game);
  }
}

// The first game whose action is not possible goes to `stats`; nothing else changes.
KERNEL find_refused(Params p, const void *actions, u32 size) {
  FOR_THREADS(game, p.games) {
    u32 action = action_at(actions, size, game);
    bool refused = p.counts[game] == 0 && O_AUTORESET != NEXT_STEP;
    if (p.counts[game]) {
      refused = true;
      for (i32 i = 0; i < p.counts[game]; i++)
        refused &= p.legal[game * ROOM + i] != action;
    }
    if (refused)
      MIN_GLOBAL(p.stats[S_FIRST_REFUSED], game);
  }
}

// Draws the actions of the seats that random players play, a thread a game.
KERNEL choose_random(Params p, u32 players, u16 *actions) {
  FOR_THREADS(game, p.games) {
    u32 count = p.counts[game];
    if (BYTE(players, p.players[game]) != NOBODY)
      actions[game] = count ? p.legal[game * ROOM + random_below(p.records[game].random, count)] : 0;
  }
}

// Lets players choose the actions of the seats they play.
KERNEL choose(Params p, u32 players, u16 *actions) {
  SAVED_GAME(saved)
  FOR_GAMES(game, w, p.games) {
    const u16 *legal = p.legal + (u64)game * ROOM;
    u32 player = BYTE(players, p.players[game]), count = p.counts[game];
    if (player != NOBODY) {
      u32 action = 0;
      if (count) {
        load(p, w, game);
        action = choose_action(w, saved, legal, player);
        ONE { p.records[game].random = w.g.random; }
      }
      ONE { actions[game] = action; }
    }
    SYNC();
  }
}

// Plays plies of a game with built-in players, with room to save it for the greedy one if any is.
FN void play_game(const Params &p, Work &w, Game *saved, u32 game, u32 players, u32 plies) {
  u16 *legal = p.legal + (u64)game * ROOM;
  bool changed = false;
  load(p, w, game);
  EACH(i, w.count < NEAR ? w.count : NEAR) { w.list[i] = legal[i]; }
  SYNC();
  for (u32 ply = 0; ply < plies; ply++) {
    u32 action = 0, player = BYTE(players, w.g.turn);
    i32 count = w.count;
    if (count && saved && player == GREEDY) {
      // The list goes to memory. A byte mask can then be cleared only as a whole, which is what
      // a long list asks for.
      EACH(i, count < NEAR ? count : NEAR) { legal[i] = w.list[i]; }
      ONE {
        w.before = count > w.before ? count : w.before;
        if (O_BYTES)
          p.counts[game] = NEAR + 1;
      }
      SYNC();
      action = choose_greedy(w, *saved, legal, count);
    } else if (count) {
      SYNC();
      ONE { w.flipped = random_below(w.g.random, count); }
      SYNC();
      action = entry_at(w, legal, w.flipped);
    }
    SYNC();
    changed |= step_game(p, w, game, action, true);
    SYNC();
    if (ply + 1 < plies)
      start_over(p, w, game);
  }
  if (changed)
    show_step(p, w, game);
  store(p, w, game);
}

// Plays plies with built-in players; the same as choosing and stepping so often.
KERNEL play(Params p, u32 players, u32 plies) {
  SAVED_GAME(saved)
  FOR_GAMES(game, w, p.games) { play_game(p, w, &saved, game, players, plies); }
}

// The same with random players only, which needs fewer registers.
KERNEL play_random(Params p, u32 players, u32 plies) {
  FOR_GAMES(game, w, p.games) { play_game(p, w, 0, game, players, plies); }
}

// Starts games anew: those of `index`, or all; with the seeds given, or of each game's number.
KERNEL reset(Params p, const u64 *index, const u64 *seeds, u64 seed, u64 count) {
  FOR_GAMES(at, w, count) {
    u32 game = index ? index[at] : at;
    load(p, w, game);
    begin_step(w);
    ONE {
      if (seeds) {
        w.g.random = seeds[at];
      } else {
        w.g.random = game;
        w.g.random = seed ^ next_random(w.g.random);
        w.g.random = next_random(w.g.random);
      }
    }
    SYNC();
    restart(p, w, game);
    ONE { w.terminated = w.truncated = 0; }
    SYNC();
    show(p, w, game);
    store(p, w, game);
  }
}

// Starts the games anew whose byte is not 0. Random numbers go on, or begin with the seeds given.
KERNEL reset_where(Params p, const u8 *mask, const u64 *seeds) {
  FOR_GAMES(game, w, p.games) {
    if (mask[game]) {
      load(p, w, game);
      begin_step(w);
      ONE {
        if (seeds)
          w.g.random = seeds[game];
      }
      SYNC();
      restart(p, w, game);
      ONE { w.terminated = w.truncated = 0; }
      SYNC();
      show(p, w, game);
      store(p, w, game);
    }
    SYNC();
  }
}

KERNEL save(Params p, const u64 *index, u64 count, u32 fingerprint, u8 *states) {
  FOR_GAMES(at, w, count) {
    u32 game = index ? index[at] : at;
    load(p, w, game);
    write_state(w.g, history_of(p, game), w.count == 0 && !w.g.ending, fingerprint, states + (u64)at * STATE_BYTES);
    SYNC();
  }
}

// Puts saved games in place of others. As a reset, what was kept of the last game that ended
// stays.
KERNEL load_states(Params p, const u64 *index, u64 count, const u8 *states, u32 as_reset) {
  FOR_GAMES(at, w, count) {
    u32 game = index ? index[at] : at;
    const u8 *bytes = states + (u64)at * STATE_BYTES;
    load(p, w, game);
    begin_step(w);
    read_state(w, history_of(p, game), bytes);
    bool over = w.g.ending || bytes[16];
    if (over) {
      ONE { w.count = 0; }
    } else {
      generate(w, (Entry *)(p.legal + (u64)game * ROOM), false);
    }
    SYNC();
    ONE {
      w.truncated = w.g.ending == PLY_LIMIT;
      w.terminated = over && !w.truncated;
      if (!as_reset) {
        p.endings[game] = w.g.ending ? w.g.ending : over ? ILLEGAL_CODE : 0;
        for (i32 seat = 0; seat < 4; seat++)
          p.final_points[4 * (u64)game + seat] = over ? w.g.points[seat] : 0;
      }
    }
    SYNC();
    show(p, w, game);
    store(p, w, game);
  }
}

// Lets seats resign. A game may be named once.
KERNEL resign(Params p, const u64 *index, const u8 *seats, u64 count) {
  FOR_GAMES(at, w, count) {
    u32 game = index[at];
    i32 seat = seats[at];
    load(p, w, game);
    begin_step(w);
    Game &g = w.g;
    if (w.count && g.status[seat] == ACTIVE) {
      SYNC();
      ONE { w.terminated = w.truncated = 0; }
      if (R_DEPARTURE == 2) {
        ONE {
          g.ending = DEPARTURE;
          g.loser = seat;
        }
      } else {
        kill_pieces(w, seat, R_DEPARTURE == 0 ? WALKING : OUT);
      }
      SYNC();
      ONE {
        g.quiet = 0;
        if (g.turn == seat && g.status[seat] == OUT)
          pass_turn(g);
      }
      SYNC();
      settle(w, history_of(p, game), (Entry *)(p.legal + (u64)game * ROOM), false);
      ONE { judge(p, w, game); }
      SYNC();
      show_step(p, w, game);
    }
    store(p, w, game);
  }
}
