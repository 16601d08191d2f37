// Legal moves, in the order of the crate `fourchess`.
//
// Moves are found in units: a slider's line, a knight, a pawn, the king, castling, pawns taken in
// passing. A lane takes a unit, finds its moves as bits, learns from a scan where they belong in
// the list, and writes them there.

// Whether a move may not leave the own king in check. Only perft counts other moves, too.
#ifdef PSEUDO
#define MUST_BE_SAFE false
#else
#define MUST_BE_SAFE true
#endif

// Units: a square, and in the upper byte what to do from there. Up to 3 it is the kind of a line.
enum { U_PAWN = 4, U_KNIGHT, U_NOTHING, U_EN_PASSANT, U_CASTLING, U_KING, U_PINNED_PAWN };

// What a unit must know of the position.
struct View {
  i32 seat, edge;
  u32 king, foes, takable, open;
  bool in_check; // by one piece; `answers` are the squares that help
};

FN bool answers(const Work &w, u32 square) { return w.answers[square >> 5] >> (square & 31) & 1; }

// What is to be seen from the king: 255 is a check, a square is pinned, 254 is neither.
FN u32 look_from_king(const Game &g, const View &v, u32 index) {
  if (index >= 8)
    return knight_threat(g, v.king, index - 8, v.foes) ? 255 : 254;
  u32 kind = index >> 1, line = line_of(v.king, kind), bit = bit_of(v.king, kind);
  u32 word = g.lines[line];
  u32 end = index & 1 ? next_below(word, bit) : next_above(word, bit);
  u32 square = LINE_SQUARES[line][end], cell = g.cells[square];
  u32 near = end + 1 == bit || bit + 1 == end;
  if (IS(v.foes & THREATS[index][near], cell))
    return 255;
  if (!IS(OWN_CODES(v.seat), cell))
    return 254;
  u32 behind = index & 1 ? next_below(word, end) : next_above(word, end);
  return IS(v.foes & THREATS[index][0], g.cells[LINE_SQUARES[line][behind]]) ? square : 254;
}

// The squares that answer the check found at this index.
FN void find_answers(Work &w, const View &v, u32 index) {
  EACH(i, 5) { w.answers[i] = 0; }
  SYNC();
  if (index >= 8) {
    ONE {
      u32 knight = KNIGHT_WAYS[v.king][index - 8];
      w.answers[knight >> 5] |= 1u << (knight & 31);
    }
  } else {
    u32 kind = index >> 1, line = line_of(v.king, kind), bit = bit_of(v.king, kind);
    u32 word = w.g.lines[line];
    u32 end = index & 1 ? next_below(word, bit) : next_above(word, bit);
    u32 low = end < bit ? end : bit + 1, high = end < bit ? bit : end + 1;
    EACH(i, 16) {
      if ((u32)i >= low && (u32)i < high) {
        u32 square = LINE_SQUARES[line][i];
        OR_SHARED(w.answers[square >> 5], 1u << (square & 31));
      }
    }
  }
  SYNC();
}

// Whether the king is safe after a pawn is taken in passing, tried on the board.
COLD bool is_safe_after(Work &w, i32 seat, u32 from, u32 passed, u32 pawn) {
  u32 king = w.g.kings[seat];
  if (king >= NOWHERE || !MUST_BE_SAFE)
    return true;
  Game &g = w.g;
  u32 mover = g.cells[from], occupant = g.cells[passed], taken = g.cells[pawn];
  SYNC();
  ONE {
    g.cells[from] = 0;
    g.cells[passed] = mover;
    g.cells[pawn] = 0;
    w.flips[0] = from;
    w.flips[1] = pawn;
    w.flips[2] = passed;
    w.flipped = occupant ? 2 : 3;
  }
  SYNC();
  flip_lines(w);
  bool attacked = is_attacked(g, king, seat);
  SYNC();
  ONE {
    g.cells[passed] = occupant;
    g.cells[pawn] = taken;
    g.cells[from] = mover;
  }
  flip_lines(w);
  return !attacked;
}

#define PUSHER(seat, index) (((seat) + 1 & 3) ^ 2 * (index))
#define PROMOTION_BITS (R_PROMOTION_ANY ? 15u : 1u)

// Pawns that have passed one of ours: bits 4 * (2 * pusher + taker), and the role.
FN void find_en_passant(Work &w, const View &v) {
  const Game &g = w.g;
  u32 found = 0, both[2] = {NOWHERE, NOWHERE};
  for (i32 index = 0; index < 2; index++) {
    i32 pusher = PUSHER(v.seat, index);
    u32 passed = g.passed[pusher];
    if (passed >= NOWHERE || !IS(v.open, g.cells[passed]))
      continue;
    if (g.cells[passed] && R_EN_PASSANT == 1)
      both[index] = passed;
    u32 pawn = BYTE(PAWNS[EDGE(pusher)][passed], 0);
    for (i32 taker = 0; taker < 2; taker++) {
      u32 from = BYTE(PAWNS[v.edge ^ 2][passed], 2 + taker);
      if (g.cells[from] != (PAWN | v.seat << 3) || !is_safe_after(w, v.seat, from, passed, pawn))
        continue;
      u32 roles = OWN_RANKS[v.edge][passed] == R_PROMOTION_RANK ? PROMOTION_BITS : 1;
      found |= roles << 4 * (2 * index + taker);
    }
  }
  SYNC();
  ONE {
    w.en_passant = found;
    w.both[0] = both[0];
    w.both[1] = both[1];
  }
}

// Whether a king's way is closed or attacked along one kind of line or by two of the knights.
FN bool is_way_shut(const Game &g, const View &v, u32 way, u32 kind) {
  u32 to = KING_WAYS[v.king][way];
  if (!IS(v.open, g.cells[to]))
    return true;
  if (!MUST_BE_SAFE)
    return false;
  return ray_threat(g, to, 2 * kind, v.foes, v.king) | ray_threat(g, to, 2 * kind + 1, v.foes, v.king) |
         knight_threat(g, to, 2 * kind, v.foes) | knight_threat(g, to, 2 * kind + 1, v.foes);
}

FN void find_king_moves(Work &w, const View &v) {
  u32 shut;
  BALLOT(shut, 32, i, is_way_shut(w.g, v, i >> 2, i & 3));
  shut |= shut >> 1;
  shut |= shut >> 2;
  ONE { w.king = ~shut & 0x11111111; }
}

// The place of the king's way to castle in CASTLES, or -1 if the king is not at home.
FN i32 castles_of(i32 edge, u32 king) {
  return king == HOMES[edge][0] ? 4 * edge : king == HOMES[edge][1] ? 4 * edge + 2 : -1;
}

FN void find_castling(Work &w, const View &v) {
  const Game &g = w.g;
  u32 rights = g.rights >> 2 * v.edge & 3, found = 0;
  i32 first = castles_of(v.edge, v.king);
  if (rights && first >= 0) {
    u32 free = 0;
    for (i32 side = 0; side < 2; side++)
      if (rights >> side & 1 && !(g.lines[BYTE(CASTLES[first + side], 3)] & CASTLE_GAPS[first + side]))
        free |= 1u << side;
    if (free) {
      u32 attacked;
      BALLOT(attacked, 32, i, free >> (i >> 4) & 1 && (MUST_BE_SAFE || !(i & 8)) &&
        (ray_threat(g, BYTE(CASTLES[first + (i >> 4)], i & 8 ? 0 : 2), i & 7, v.foes, NOWHERE) |
         knight_threat(g, BYTE(CASTLES[first + (i >> 4)], i & 8 ? 0 : 2), i & 7, v.foes)));
      found = free & ~(attacked & 0xffff ? 1u : 0) & ~(attacked >> 16 ? 2u : 0);
    }
  }
  ONE { w.castling = found; }
}

// Lists the units of the pieces that are neither king nor taken in passing. Returns their number.
FN i32 list_units(Work &w, const View &v, bool pins) {
  i32 own = 0;
  for (i32 base = 0; base < 160; base += 32) {
    u32 found;
    BALLOT(found, 32, i, IS(OWN_CODES(v.seat), w.g.cells[base + i]));
    EACH(i, 32) {
      if (found >> i & 1) {
        u32 square = base + i;
        u32 pinned = pins ? w.pinned[square >> 5] >> (square & 31) & 1 : 0;
        u32 role = w.g.cells[square] & 7;
        w.own[(own + count_ones(found & ((1u << i) - 1))) & 15] = square | role << 8 | pinned << 12;
      }
    }
    own += count_ones(found);
  }
  SYNC();
  u32 pawns, knights, straights, diagonals, pinned;
  BALLOT(pawns, 16, i, i < own && w.own[i] >> 8 == PAWN);
  BALLOT(knights, 16, i, i < own && w.own[i] >> 8 == KNIGHT);
  BALLOT(straights, 16, i, i < own && (w.own[i] >> 8 == ROOK || w.own[i] >> 8 == QUEEN));
  BALLOT(diagonals, 16, i, i < own && (w.own[i] >> 8 == BISHOP || w.own[i] >> 8 == QUEEN));
  BALLOT(pinned, 16, i, i < own && w.own[i] >> 12);
  i32 knights_at = 1 + count_ones(pawns), straights_at = knights_at + count_ones(knights);
  i32 diagonals_at = straights_at + 2 * count_ones(straights);
  i32 pinned_at = diagonals_at + 2 * count_ones(diagonals);
  EACH(i, 16) {
    u32 below = (1u << i) - 1, square = w.own[i] & 255;
    if (pawns >> i & 1)
      w.units[1 + count_ones(pawns & below)] = square | U_PAWN << 8;
    if (knights >> i & 1)
      w.units[knights_at + count_ones(knights & below)] = square | U_KNIGHT << 8;
    if (straights >> i & 1) {
      i32 at = straights_at + 2 * count_ones(straights & below);
      w.units[at] = square;
      w.units[at + 1] = square | 1 << 8;
    }
    if (diagonals >> i & 1) {
      i32 at = diagonals_at + 2 * count_ones(diagonals & below);
      w.units[at] = square | 2 << 8;
      w.units[at + 1] = square | 3 << 8;
    }
    if (pinned >> i & 1) {
      u32 kind = shared_kind(square, v.king), role = w.own[i] >> 8 & 7;
      bool slides = role == QUEEN || role == (kind < 2 ? ROOK : BISHOP);
      u32 unit = role == PAWN ? U_PINNED_PAWN + kind : slides ? kind : U_NOTHING;
      w.units[pinned_at + count_ones(pinned & below)] = square | unit << 8;
    }
  }
  return pinned_at + count_ones(pinned);
}

FN u32 pawn_moves(const Work &w, const View &v, u32 from, u32 kinds) {
  const Game &g = w.g;
  u32 pawn = PAWNS[v.edge][from];
  u32 push = BYTE(pawn, 0), jump = BYTE(pawn, 1), one = BYTE(pawn, 2), other = BYTE(pawn, 3);
  u32 roles = OWN_RANKS[v.edge][from] + 1 == R_PROMOTION_RANK ? PROMOTION_BITS : 1;
  u32 walks = kinds >> (v.edge & 1 ? 0 : 1) & (u32)(g.cells[push] == 0) & 1;
  u32 jumps = walks & (u32)(g.cells[jump] == 0);
  u32 takes_one = IS(v.takable, g.cells[one]) & kinds >> 2 & (u32)(one != w.both[0]) & (u32)(one != w.both[1]);
  u32 takes_other = IS(v.takable, g.cells[other]) & kinds >> 3 & (u32)(other != w.both[0]) & (u32)(other != w.both[1]);
  if (v.in_check) {
    walks = walks && answers(w, push);
    jumps = jumps && answers(w, jump);
    takes_one = takes_one && answers(w, one);
    takes_other = takes_other && answers(w, other);
  }
  return walks * roles | jumps << 4 | takes_one * roles << 5 | takes_other * roles << 9;
}

FN u32 knight_moves(const Work &w, const View &v, u32 from) {
  u32 moves = 0;
#ifdef __CUDACC__
#pragma unroll
#endif
  for (i32 way = 0; way < 8; way++)
    moves |= IS(v.open, w.g.cells[KNIGHT_WAYS[from][way]]) << way;
  if (v.in_check)
    for (u32 left = moves; left; left &= left - 1)
      if (!answers(w, KNIGHT_WAYS[from][lowest_bit(left)]))
        moves &= ~(left & -left);
  return moves;
}

// The bits of a line that a slider reaches.
FN u32 slides(const Work &w, const View &v, u32 from, u32 kind) {
  const Game &g = w.g;
  u32 line = line_of(from, kind), bit = bit_of(from, kind), word = g.lines[line];
  u32 above = next_above(word, bit), below = next_below(word, bit);
  u32 end = above + IS(v.takable, g.cells[LINE_SQUARES[line][above]]);
  u32 start = below + 1 - IS(v.takable, g.cells[LINE_SQUARES[line][below]]);
  u32 moves = ((1u << end) - (1u << start)) & ~(1u << bit);
  if (v.in_check)
    for (u32 left = moves; left; left &= left - 1)
      if (!answers(w, LINE_SQUARES[line][lowest_bit(left)]))
        moves &= ~(left & -left);
  return moves;
}

// The moves of a unit as bits.
FN u32 moves_of(const Work &w, const View &v, u32 unit) {
  u32 from = unit & 255, what = unit >> 8;
  if (what < 4)
    return slides(w, v, from, what);
  if (what == U_PAWN || what >= U_PINNED_PAWN)
    return pawn_moves(w, v, from, what == U_PAWN ? 15 : 1u << (what - U_PINNED_PAWN));
  if (what == U_KNIGHT)
    return knight_moves(w, v, from);
  return what == U_EN_PASSANT ? w.en_passant : what == U_CASTLING ? w.castling : what == U_KING ? w.king : 0;
}

// The action of a step along a line.
FN u32 line_action(i32 edge, u32 from, u32 kind, i32 steps) {
  i32 down = steps < 0, first = RUNS[edge][from][kind];
  return RISES[edge] >> kind & 1 ? first + steps + down : first - steps - down;
}

// The roles a pawn may become, in their order.
FN u32 role_of(u32 index) { return R_PROMOTION_ANY ? KNIGHT + index : QUEEN; }

// The entry of a pawn's move: part 0 is a push, 1 and 2 are captures, 3 is a double step, whose
// action is the next after that of the push.
FN Entry pawn_entry(const View &v, u32 from, u32 part, u32 index, bool promotes, u32 manner) {
#ifdef MOVES
  u32 pawn = PAWNS[v.edge][from];
  u32 to = part == 3 ? BYTE(pawn, 1) : BYTE(pawn, part ? part + 1 : 0);
  return from | to << 8 | (promotes ? role_of(index) : 0) << 16 | manner << 20;
#else
  (void)manner;
  if (promotes && role_of(index) != QUEEN)
    return UNDERPROMOTIONS[v.edge][from][part] + index;
  return STEP_ACTIONS[v.edge][from][BYTE(PAWN_WAYS[v.edge], part == 3 ? 0 : part)] + (part == 3);
#endif
}

FN Entry plain_entry(u32 action, u32 from, u32 to, u32 manner) {
#ifdef MOVES
  return from | to << 8 | manner << 20;
#else
  return action;
#endif
}

FN Entry en_passant_entry(const Work &w, const View &v, u32 bit) {
  u32 passed = w.g.passed[PUSHER(v.seat, bit >> 3)];
  u32 from = BYTE(PAWNS[v.edge ^ 2][passed], 2 + (bit >> 2 & 1));
  u32 part = BYTE(PAWNS[v.edge][from], 2) == passed ? 1 : 2;
  return pawn_entry(v, from, part, bit & 3, OWN_RANKS[v.edge][passed] == R_PROMOTION_RANK, EN_PASSANT);
}

FN Entry castling_entry(const View &v, u32 bit) {
  u32 action = line_action(v.edge, v.king, v.edge & 1, bit ? 2 : -2);
  return plain_entry(action, v.king, BYTE(CASTLES[castles_of(v.edge, v.king) + bit], 0), CASTLING);
}

// The entry of a move of a pawn, a knight or a king: mostly one look into one table.
FN Entry entry_of(const Work &w, const View &v, u32 unit, u32 bit) {
  u32 from = unit & 255, what = unit >> 8;
  if (what == U_PAWN || what >= U_PINNED_PAWN) {
    bool promotes = bit != 4 && OWN_RANKS[v.edge][from] + 1 == R_PROMOTION_RANK;
    u32 part = bit < 4 ? 0 : bit == 4 ? 3 : bit < 9 ? 1 : 2;
    u32 index = bit < 4 ? bit : bit - 1 & 3;
    return pawn_entry(v, from, part, index, promotes, part == 3 ? DOUBLE_STEP : PLAIN);
  }
  if (what == U_EN_PASSANT)
    return en_passant_entry(w, v, bit);
  if (what == U_CASTLING)
    return castling_entry(v, bit);
  u32 step = what == U_KING ? bit >> 2 : 8 + bit;
  return plain_entry(STEP_ACTIONS[v.edge][from][step], from,
                     what == U_KING ? KING_WAYS[from][step] : KNIGHT_WAYS[from][bit], PLAIN);
}

FN void put_entry(Work &w, Entry *spill, i32 at, Entry entry) {
  if (at < NEAR)
    w.list[at] = entry;
  else if (spill)
    spill[at] = entry;
}

// Writes the moves along a line. Their actions ascend one by one; the answers to a check, of which
// some are missing, go up the line.
FN void list_slides(Work &w, const View &v, Entry *spill, u32 unit, u32 left, i32 at) {
  u32 from = unit & 255, kind = unit >> 8;
  i32 own = bit_of(from, kind);
#ifndef MOVES
  if (!v.in_check) {
    i32 count = count_ones(left);
    u32 first = RISES[v.edge] >> kind & 1 ? lowest_bit(left) : highest_bit(left);
    u32 action = line_action(v.edge, from, kind, (i32)first - own);
    for (i32 i = 0; i < count; i++)
      put_entry(w, spill, at + i, action + i);
    return;
  }
#endif
  for (; left; at++) {
    i32 bit = lowest_bit(left);
    left &= left - 1;
    u32 to = LINE_SQUARES[line_of(from, kind)][bit];
    put_entry(w, spill, at, plain_entry(line_action(v.edge, from, kind, bit - own), from, to, PLAIN));
  }
}

// Whether any unit has a move; `count` becomes 1 or 0.
FN void find_any_move(Work &w, const View &v, i32 units) {
  u32 found = 0;
  for (i32 first = 0; first < units && !found; first += 32)
    BALLOT(found, 32, i, first + i < units && moves_of(w, v, w.units[first + i]));
  ONE { w.count = found != 0; }
  SYNC();
}

// Writes the moves of all units to the list.
FN void list_moves(Work &w, const View &v, i32 units, Entry *spill) {
  i32 count = 0;
  for (i32 first = 0; first < units; first += LANES) {
    PER_LANE(u32, moves);
    PER_LANE(i32, size);
    PER_LANE(i32, place);
    i32 total;
    FOR_LANES(lane) {
      OF(moves) = first + lane < units ? moves_of(w, v, w.units[first + lane]) : 0;
      OF(size) = count_ones(OF(moves));
    }
    SCAN(place, size, total);
    FOR_LANES(lane) {
      u32 left = OF(moves), unit = left ? w.units[first + lane] : U_NOTHING << 8;
      i32 at = count + OF(place);
      if (unit >> 8 < 4) {
        list_slides(w, v, spill, unit, left, at);
      } else {
        for (; left; left &= left - 1)
          put_entry(w, spill, at++, entry_of(w, v, unit, lowest_bit(left)));
      }
    }
    count += total;
  }
  ONE {
    w.count = count;
    if (count > NEAR && count > w.before)
      w.before = count;
  }
  SYNC();
}

// Fills the list with the legal moves of the seat to move: none once the game has ended. What the
// list has no room for goes to `spill`. If only `any` move is asked for, nothing is listed.
FN void generate(Work &w, Entry *spill, bool any) {
  const Game &g = w.g;
  if (g.ending) {
    SYNC();
    ONE { w.count = 0; }
    SYNC();
    return;
  }
  View v;
  v.seat = g.turn;
  v.edge = EDGE(v.seat);
  v.king = g.kings[v.seat];
  v.foes = foes_of(v.seat);
  v.takable = v.foes | 0x80808080;
  v.open = v.takable | 1;
  u32 checks = 0, pins = 0;
  if (v.king < NOWHERE) {
    EACH(i, 16) { w.look[i] = look_from_king(g, v, i); }
    SYNC();
    BALLOT(checks, 16, i, w.look[i] == 255);
    BALLOT(pins, 8, i, MUST_BE_SAFE && w.look[i] < NOWHERE);
    if (pins) {
      EACH(i, 5) { w.pinned[i] = 0; }
      SYNC();
      EACH(i, 8) {
        if (pins >> i & 1)
          OR_SHARED(w.pinned[w.look[i] >> 5], 1u << (w.look[i] & 31));
      }
      SYNC();
    }
    find_king_moves(w, v);
    SYNC();
    if (any && w.king) {
      SYNC();
      ONE { w.count = 1; }
      SYNC();
      return;
    }
  }
  i32 checkers = count_ones(checks);
  v.in_check = MUST_BE_SAFE && checkers == 1;
  if (v.in_check)
    find_answers(w, v, lowest_bit(checks));
  if (R_EN_PASSANT)
    find_en_passant(w, v);
  else
    ONE {
      w.en_passant = 0;
      w.both[0] = w.both[1] = NOWHERE;
    }
  i32 units = !MUST_BE_SAFE || checkers <= 1 ? list_units(w, v, pins != 0) : 1;
  if (R_CASTLING && checkers == 0) {
    find_castling(w, v);
    ONE { w.units[units] = v.king | U_CASTLING << 8; }
    units++;
  }
  ONE {
    w.units[0] = U_EN_PASSANT << 8;
    if (v.king < NOWHERE)
      w.units[units] = v.king | U_KING << 8;
  }
  SYNC();
  units += v.king < NOWHERE;
  if (any)
    find_any_move(w, v, units);
  else
    list_moves(w, v, units, spill);
}
