// Making a move, and what follows from it: awards, eliminations, draws, the end.

// What stands in `ending`, in the order of the crate `fourchess`.
enum { LAST_PLAYER = 1, MATE, KING_TAKEN, DEPARTURE, STALEMATE, REPETITION, QUIET_LIMIT, INSUFFICIENT, PLY_LIMIT, CLAIM };

// Takes a piece off a square, but not off its cell and lines. Returns whose king it was, or 4.
FN i32 take(Game &g, u32 square, u32 taken) {
  g.quiet = 0;
  g.key ^= piece_key(square, taken);
  u32 role = taken & 7;
  if (role == DEAD)
    return 4;
  i32 owner = taken >> 3 & 3;
  if (g.status[g.turn] == ACTIVE)
    earn(g, g.turn, taken & 32 ? R_PROMOTED_VALUE : R_VALUE(role - 1));
  if (role == PAWN) {
    u32 passed = g.passed[owner];
    if (passed < NOWHERE && BYTE(PAWNS[EDGE(owner)][passed], 0) == square)
      set_passed(g, owner, NOWHERE);
  } else if (role == KING) {
    g.kings[owner] = NOWHERE;
    set_rights(g, g.rights & ~(3u << 2 * EDGE(owner)));
    return owner;
  }
  return 4;
}

FN void carry_castling_rook(Work &w, u32 edge, u32 from, u32 to) {
  Game &g = w.g;
  i32 first = castles_of(edge, from);
  u32 castle = CASTLES[BYTE(CASTLES[first], 0) == to ? first : first + 1];
  u32 rook_from = BYTE(castle, 1), rook_to = BYTE(castle, 2), rook = g.cells[rook_from];
  g.key ^= piece_key(rook_from, rook) ^ piece_key(rook_to, rook);
  g.cells[rook_from] = 0;
  g.cells[rook_to] = rook;
  w.flips[w.flipped++] = rook_from;
  w.flips[w.flipped++] = rook_to;
  w.extra = rook_to;
}

FN void take_passing_pawn(Work &w, u32 to) {
  Game &g = w.g;
  i32 pusher = PUSHER(g.turn, g.passed[PUSHER(g.turn, 0)] == to ? 0 : 1);
  u32 pawn = BYTE(PAWNS[EDGE(pusher)][to], 0);
  take(g, pawn, g.cells[pawn]);
  g.cells[pawn] = 0;
  w.flips[w.flipped++] = pawn;
  w.extra = pawn;
}

// Moves and takes pieces, the lines aside; one lane does it.
FN void carry(Work &w) {
  Game &g = w.g;
  Move m = w.move;
  i32 seat = g.turn, edge = EDGE(seat);
  u32 cell = g.cells[m.from], taken = g.cells[m.to];
  g.quiet += g.quiet < 65535;
  set_passed(g, seat, NOWHERE);
  set_rights(g, g.rights & ~RIGHTS_OF[m.from] & ~RIGHTS_OF[m.to]);
  w.flips[0] = m.from;
  w.flips[1] = m.to;
  w.flipped = taken ? 1 : 2;
  w.victim = taken ? take(g, m.to, taken) : 4;
  u32 promoted = m.role == QUEEN && R_MARKS_PROMOTED ? 32 : 0;
  u32 arrives = m.role ? m.role | seat << 3 | promoted : cell;
  g.key ^= piece_key(m.from, cell) ^ piece_key(m.to, arrives);
  g.cells[m.from] = 0;
  g.cells[m.to] = arrives;
  u32 role = cell & 7;
  if (role == PAWN) {
    g.quiet = 0;
    if (m.manner == DOUBLE_STEP && R_EN_PASSANT)
      set_passed(g, seat, BYTE(PAWNS[edge][m.from], 0));
    else if (m.manner == EN_PASSANT)
      take_passing_pawn(w, m.to);
  } else if (role == KING) {
    g.kings[seat] = m.to;
    set_rights(g, g.rights & ~(3u << 2 * edge));
    if (m.manner == CASTLING)
      carry_castling_rook(w, edge, m.from, m.to);
  }
  g.plies += g.plies < 65535;
  g.last_mover = seat;
}

FN void pass_turn(Game &g) {
  i32 next = g.turn + 1 & 3;
  while (g.status[next] == OUT && next != g.turn)
    next = next + 1 & 3;
  set_turn(g, next);
}

// Kills a seat's pieces. The king is spared if it walks on.
COLD void kill_pieces(Work &w, i32 seat, u32 left) {
  Game &g = w.g;
  u32 king = left == WALKING ? g.kings[seat] : NOWHERE;
  PER_LANE(u64, changes);
  FOR_LANES(lane) {
    u64 change = 0;
    for (u32 square = lane; square < 160; square += LANES) {
      u32 cell = g.cells[square];
      if (IS(OWN_CODES(seat), cell) && square != king) {
        u32 dead = DEAD | (((cell & 7) - 1) * 5 + seat) << 3;
        change ^= piece_key(square, cell) ^ piece_key(square, dead);
        g.cells[square] = dead;
      }
    }
    OF(changes) = change;
  }
  u64 change;
  XOR_LANES(change, changes);
  SYNC();
  ONE {
    g.key ^= change;
    if (left == OUT)
      g.kings[seat] = NOWHERE;
    g.status[seat] = left;
    set_rights(g, g.rights & ~(3u << 2 * EDGE(seat)));
    set_passed(g, seat, NOWHERE);
  }
  SYNC();
}

// Makes the move of the work space and passes the turn.
FN void make(Work &w) {
  Game &g = w.g;
  SYNC();
  ONE { carry(w); }
  SYNC();
  flip_lines(w);
  i32 victim = w.victim;
  if (victim < 4) {
    if (R_KING_CAPTURE == 0)
      kill_pieces(w, victim, OUT);
    else if (R_KING_CAPTURE == 1)
      ONE {
        g.ending = KING_TAKEN;
        g.loser = victim;
      }
  }
  ONE { pass_turn(g); }
  SYNC();
}

// Whether two squares share a line of one of these kinds with nothing between.
FN bool sees(const Game &g, u32 from, u32 to, u32 kinds) {
  u32 kind = shared_kind(from, to);
  if (!(kinds >> kind & 1))
    return false;
  u32 one = bit_of(from, kind), other = bit_of(to, kind);
  u32 low = one < other ? one : other, high = one < other ? other : one;
  return !(g.lines[line_of(from, kind)] & ((1u << high) - (2u << low)));
}

FN bool has_byte(const u8 *bytes, i32 count, u32 byte) {
  bool found = false;
  for (i32 i = 0; i < count; i++)
    found |= bytes[i] == byte;
  return found;
}

FN bool piece_attacks(const Game &g, u32 from, u32 to, i32 owner) {
  u32 role = g.cells[from] & 7;
  if (role == PAWN) {
    u32 pawn = PAWNS[EDGE(owner)][from];
    return BYTE(pawn, 2) == to || BYTE(pawn, 3) == to;
  }
  if (role == KNIGHT)
    return has_byte(KNIGHT_WAYS[from], 8, to);
  return sees(g, from, to, role == BISHOP ? 12 : role == ROOK ? 3 : role == QUEEN ? 15 : 0);
}

// Whether a slider of `mover` attacks the king through the square that was left.
FN bool opens_line(const Game &g, u32 left, u32 king, i32 mover) {
  u32 kind = shared_kind(left, king);
  if (kind == 4)
    return false;
  u32 line = line_of(left, kind), gap = bit_of(left, kind), at = bit_of(king, kind);
  u32 word = g.lines[line];
  u32 low = gap < at ? gap : at, high = gap < at ? at : gap;
  if (word & ((1u << high) - (1u << low)) & ~(1u << at))
    return false;
  u32 behind = gap > at ? next_above(word, gap) : next_below(word, gap);
  u32 sliders = (kind < 2 ? 1u << ROOK : 1u << BISHOP) | 1u << QUEEN;
  return IS(sliders << 8 * mover, g.cells[LINE_SQUARES[line][behind]]);
}

// One of four ways in which the move may check the king of a seat.
FN bool gives_check(const Work &w, i32 seat, i32 mover, u32 how) {
  u32 king = w.g.kings[seat];
  if (!are_opponents(seat, mover) || king >= NOWHERE)
    return false;
  if (how == 0)
    return piece_attacks(w.g, w.move.to, king, mover);
  if (how == 1)
    return opens_line(w.g, w.move.from, king, mover);
  if (how == 2)
    return w.move.manner == CASTLING && sees(w.g, w.extra, king, 3);
  return w.move.manner == EN_PASSANT && opens_line(w.g, w.extra, king, mover);
}

// The award for checking several kings with the move just made.
FN void award_checks(Work &w, i32 mover) {
  if (w.g.status[mover] != ACTIVE)
    return;
  u32 found;
  BALLOT(found, 16, i, gives_check(w, i & 3, mover, i >> 2));
  found |= found >> 8;
  i32 checked = count_ones((found | found >> 4) & 15);
  if (checked < 2)
    return;
  bool queen = (w.g.cells[w.move.to] & 7) == QUEEN;
  SYNC();
  ONE {
    earn(w.g, mover, checked == 2 ? (queen ? R_TWO_KINGS_QUEEN : R_TWO_KINGS)
                                  : (queen ? R_THREE_KINGS_QUEEN : R_THREE_KINGS));
  }
  SYNC();
}

FN void end_if_alone(Game &g) {
  if (R_PAIRS || g.ending)
    return;
  i32 active = 0, walking = 0;
  for (i32 seat = 0; seat < 4; seat++) {
    active += g.status[seat] == ACTIVE;
    walking += g.status[seat] == WALKING;
  }
  if (active <= 1) {
    g.ending = LAST_PLAYER;
    award_active(g, R_WALKING_LEFT * walking);
  }
}

// One of the last two players claims the game; one lane does it.
FN void end_if_claimed(Work &w) {
  Game &g = w.g;
  i32 active = 0, walking = 0, players[2] = {0, 0};
  for (i32 seat = 0; seat < 4; seat++) {
    walking += g.status[seat] == WALKING;
    if (g.status[seat] == ACTIVE)
      players[active++ & 1] = seat;
  }
  if (active != 2)
    return;
  i32 award = R_WALKING_LEFT * (walking + 1);
  award = award > 32767 ? 32767 : award < -32768 ? -32768 : award;
  for (i32 i = 0; i < 2 && !g.ending; i++) {
    i32 leader = players[i], other = players[1 - i], behind = 0;
    for (i32 seat = 0; seat < 4; seat++)
      behind += g.points[leader] > g.points[seat];
    i32 lead = g.points[leader] - g.points[other];
    if (behind == 3 && lead >= R_CLAIM_LEAD && lead > award) {
      g.ending = CLAIM;
      w.count = 0;
      earn(g, other, award);
    }
  }
}

// The seat to move cannot: it is mated or stalemated.
COLD void put_out(Work &w) {
  Game &g = w.g;
  i32 victim = g.turn;
  bool mated = in_check(g, victim);
  u32 was = g.status[victim];
  SYNC();
  if (R_PAIRS) {
    ONE {
      g.ending = mated ? MATE : STALEMATE;
      if (mated)
        g.loser = victim;
      else
        award_active(g, R_DRAW);
    }
    SYNC();
    return;
  }
  kill_pieces(w, victim, OUT);
  ONE {
    g.quiet = 0;
    i32 mover = g.last_mover;
    if (mated) {
      if (mover < 4 && mover != victim && g.status[mover] == ACTIVE)
        earn(g, mover, R_MATE);
    } else if (was == WALKING) {
      award_active(g, R_WALKING_STALEMATE);
    } else {
      earn(g, victim, R_STALEMATE_VICTIM);
      award_active(g, R_STALEMATE_OTHERS);
    }
    pass_turn(g);
    end_if_alone(g);
  }
  SYNC();
}

FN bool is_living(u32 cell, u32 roles) { return roles >> (cell & 7) & 1; }

// Only kings are left, or two kings with one knight or bishop and no dead pieces.
FN bool nobody_can_mate(const Game &g) {
  i32 minor = 0, standing = 0;
  for (i32 base = 0; base < 160; base += 32) {
    u32 heavy, found;
    BALLOT(heavy, 32, i, is_living(g.cells[base + i], 1 << PAWN | 1 << ROOK | 1 << QUEEN));
    if (heavy)
      return false;
    BALLOT(found, 32, i, is_living(g.cells[base + i], 1 << KNIGHT | 1 << BISHOP));
    minor += count_ones(found);
    BALLOT(found, 32, i, g.cells[base + i] != 0);
    standing += count_ones(found);
  }
  i32 kings = 0;
  for (i32 seat = 0; seat < 4; seat++)
    kings += g.kings[seat] < NOWHERE;
  return minor == 0 || (minor == 1 && kings == 2 && standing == 3);
}

// Adds the position to the history, and says how often it has occurred. Without a history it is
// the first.
FN i32 add_to_history(Work &w, u64 *history) {
  u64 key = w.g.key;
  u32 length = w.g.history;
  if (!history)
    return 1;
  i32 known = length < 256 ? length : 256, before;
  COUNT_IF(before, known, i, history[i] == key);
  SYNC();
  ONE {
    history[length & 255] = key;
    w.g.history = length + 1;
  }
  return before + 1;
}

FN void end_if_drawn(Work &w, u64 *history) {
  Game &g = w.g;
  u32 ending = 0;
  if (R_REPETITIONS && add_to_history(w, history) >= R_REPETITIONS)
    ending = REPETITION;
  else if (R_INSUFFICIENT_MATERIAL && g.quiet == 0 && nobody_can_mate(g))
    ending = INSUFFICIENT;
  else if (R_QUIET_LIMIT && g.quiet >= R_QUIET_LIMIT)
    ending = QUIET_LIMIT;
  else if (R_MAX_PLIES && g.plies >= R_MAX_PLIES)
    ending = PLY_LIMIT;
  if (!ending)
    return;
  SYNC();
  ONE {
    g.ending = ending;
    if (ending != PLY_LIMIT)
      award_active(g, R_DRAW);
    w.count = 0;
  }
}

// Puts out seats that cannot move until one can, and ends the game where it must end. Then the
// list holds the legal moves, or only their number tells whether there is `any`.
FN void settle(Work &w, u64 *history, Entry *spill, bool any) {
  Game &g = w.g;
  ONE { end_if_alone(g); }
  SYNC();
  for (;;) {
    generate(w, spill, any);
    if (g.ending || w.count)
      break;
    put_out(w);
  }
  SYNC();
  ONE {
    if (g.quiet == 0)
      g.history = 0;
    if (R_CLAIM_LEAD > 0 && !R_PAIRS && !g.ending)
      end_if_claimed(w);
  }
  SYNC();
  if (!g.ending)
    end_if_drawn(w, history);
  SYNC();
}

// The move that an action stands for.
FN Move move_of(const Game &g, u32 action) {
  i32 edge = EDGE(g.turn);
  u32 squares = ACTION_SQUARES[action];
  Move m;
  m.from = SHOWN[edge][squares & 255];
  m.to = SHOWN[edge][squares >> 8];
  m.role = 0;
  m.manner = PLAIN;
  u32 role = g.cells[m.from] & 7;
  if (role == PAWN) {
    u32 pawn = PAWNS[edge][m.from];
    if (m.to == BYTE(pawn, 1))
      m.manner = DOUBLE_STEP;
    else if (m.to != BYTE(pawn, 0) && (g.passed[PUSHER(g.turn, 0)] == m.to || g.passed[PUSHER(g.turn, 1)] == m.to))
      m.manner = EN_PASSANT;
    if (OWN_RANKS[edge][m.to] == R_PROMOTION_RANK)
      m.role = action >= PAIRS ? KNIGHT + (action - PAIRS) % 3 : QUEEN;
  } else if (role == KING && !has_byte(KING_WAYS[m.from], 8, m.to)) {
    m.manner = CASTLING;
  }
  return m;
}

// Plays a legal action and settles what follows.
FN void advance(Work &w, u32 action, u64 *history, Entry *spill, bool any) {
  i32 mover = w.g.turn;
  Move m = move_of(w.g, action);
  SYNC();
  ONE { w.move = m; }
  make(w);
  if (R_TWO_KINGS | R_TWO_KINGS_QUEEN | R_THREE_KINGS | R_THREE_KINGS_QUEEN)
    award_checks(w, mover);
  settle(w, history, spill, any);
}
