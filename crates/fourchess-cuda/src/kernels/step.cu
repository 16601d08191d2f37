// A step of a game, and the players.

FN void load(const Params &p, Work &w, u32 game) {
  copy_record(&w.g, p.records + game);
  ONE {
    w.count = w.before = p.counts[game];
    w.terminated = p.terminated[game];
    w.truncated = p.truncated[game];
  }
  SYNC();
}

FN void store(const Params &p, Work &w, u32 game) {
  SYNC();
  copy_record(p.records + game, &w.g);
  EACH(seat, 4) { p.rewards[4 * (u64)game + seat] = w.rewards[seat]; }
  ONE {
    p.terminated[game] = w.terminated;
    p.truncated[game] = w.truncated;
    p.valid[game] = w.valid;
  }
  SYNC();
}

FN u64 *history_of(const Params &p, u32 game) { return p.history + (u64)game * 256; }

// Puts the start in place of a game. Its random numbers go on.
FN void restart(const Params &p, Work &w, u32 game) {
  u64 random = w.g.random;
  SYNC();
  copy_record(&w.g, p.start);
  SYNC();
  ONE {
    w.g.random = random;
    // The first position counts for repetitions.
    w.g.history = 1;
    history_of(p, game)[0] = w.g.key;
    w.count = p.start_count;
  }
  EACH(i, p.start_count) { w.list[i] = p.start_legal[i]; }
  SYNC();
}

// What is counted of a game that has ended.
FN void count_ending(const Params &p, const Game &g, u32 code) {
  ADD_GLOBAL(p.stats[S_ENDINGS + (code == ILLEGAL_CODE ? S_ILLEGAL_ENDING : code)], 1);
  ADD_GLOBAL(p.stats[S_PLIES], g.plies);
  for (i32 seat = 0; seat < 4; seat++)
    ADD_GLOBAL(p.stats[S_POINTS + seat], (i32)g.points[seat]);
}

FN void keep_final(const Params &p, const Game &g, u32 game, u32 code) {
  for (i32 seat = 0; seat < 4; seat++)
    p.final_points[4 * (u64)game + seat] = g.points[seat];
  p.endings[game] = code;
  count_ending(p, g, code);
}

// Rewards by place: from 1 for the first to -1 for the last, the mean for equals.
FN void reward_places(Work &w) {
  const Game &g = w.g;
  i32 worth[4];
  for (i32 seat = 0; seat < 4; seat++)
    worth[seat] = !R_PAIRS ? g.points[seat] : g.loser < 4 ? are_opponents(seat, g.loser) : 0;
  for (i32 seat = 0; seat < 4; seat++) {
    i32 place = 1, equals = 0;
    for (i32 other = 0; other < 4; other++) {
      place += worth[other] > worth[seat];
      equals += worth[other] == worth[seat];
    }
    if (R_PAIRS)
      w.rewards[seat] = equals > 2 ? 0.0f : place == 1 ? 1.0f : -1.0f;
    else
      w.rewards[seat] = (float)(5 - 2 * place - (equals - 1)) / 3.0f;
  }
}

// Rewards and flags after a change of the position; one lane does it.
FN void judge(const Params &p, Work &w, u32 game) {
  const Game &g = w.g;
  if (O_POINTS)
    for (i32 seat = 0; seat < 4; seat++)
      w.rewards[seat] = (float)(i16)(g.points[seat] - w.points[seat]);
  if (!g.ending)
    return;
  w.terminated = g.ending != PLY_LIMIT;
  w.truncated = g.ending == PLY_LIMIT;
  keep_final(p, g, game, g.ending);
  if (!O_POINTS && g.ending != PLY_LIMIT)
    reward_places(w);
}

FN void lose(const Params &p, Work &w, u32 game) {
  w.rewards[w.g.turn] = -1.0f;
  w.terminated = 1;
  w.count = 0;
  keep_final(p, w.g, game, ILLEGAL_CODE);
}

// Writes what is to be seen after a step. A game that has ended is shown for the last time and
// started anew first, where that happens in the same step. One loop rather than two calls, because
// the text of an observation is long.
FN void show_step(const Params &p, Work &w, u32 game) {
  bool over = O_AUTORESET == SAME_STEP && w.count == 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (i32 pass = over ? 0 : 1; pass < 2; pass++) {
    if (pass)
      show_lists(p, w, game);
    if (O_PLANES)
      observe(w, (pass ? p.planes : p.final_planes) + (u64)game * 150,
              (pass ? p.scalars : p.final_scalars) + (u64)game * 10);
    if (!pass)
      restart(p, w, game);
  }
}

// Starts a game that has ended anew, between plies whose outputs nobody sees.
FN void start_over(const Params &p, Work &w, u32 game) {
  if (w.count || O_AUTORESET != SAME_STEP)
    return;
  if (O_PLANES)
    observe(w, p.final_planes + (u64)game * 150, p.final_scalars + (u64)game * 10);
  restart(p, w, game);
}

FN void begin_step(Work &w) {
  SYNC();
  EACH(seat, 4) {
    w.rewards[seat] = 0.0f;
    w.points[seat] = w.g.points[seat];
  }
  ONE { w.valid = 1; }
  SYNC();
}

// Steps a game; false if there is nothing new to see. An action that was `chosen` from the list
// is legal.
FN bool step_game(const Params &p, Work &w, u32 game, u32 action, bool chosen) {
  u16 *legal = p.legal + (u64)game * ROOM;
  begin_step(w);
  if (w.count == 0) {
    if (O_AUTORESET != NEXT_STEP) {
      ONE { w.valid = 0; }
      return false;
    }
    restart(p, w, game);
    ONE { w.terminated = w.truncated = 0; }
    SYNC();
    return true;
  }
  i32 found = 1;
  if (O_ILLEGAL != ERROR && !chosen)
    COUNT_IF(found, w.count, i, legal[i] == action);
  SYNC();
  ONE {
    // After a reset in the same step, the flags still belong to the game that ended.
    w.terminated = w.truncated = 0;
    w.valid = found;
    if (!found) {
      ADD_GLOBAL(p.stats[S_ILLEGAL], 1);
      if (O_ILLEGAL == LOSE)
        lose(p, w, game);
    }
  }
  SYNC();
  if (!found && O_ILLEGAL == NOOP)
    return false;
  if (found) {
    advance(w, action, history_of(p, game), (Entry *)legal, false);
    ONE { judge(p, w, game); }
    SYNC();
  }
  return true;
}

FN u32 random_below(u64 &state, u32 bound) { return high_product(next_random(state), bound); }
