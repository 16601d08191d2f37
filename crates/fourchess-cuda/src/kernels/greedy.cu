// The greedy player: the move that gains the most points at once.
//
// Playing every move and settling what follows would be exact and slow. Most moves take something
// or nothing, and nothing else follows. So a survey first finds the moves of which that is certain:
// they check no king, and the next seat has a move whatever is played. Only the others are tried.

// Stands for a gain that must be found by playing the move.
#define UNKNOWN (-32768)

// A square that a piece of a seat may go to in one step, or NOWHERE. Only of a piece that cannot be
// pinned, because it shares no line with its king.
FN u32 free_step(const Game &g, i32 seat, u32 from) {
  u32 cell = g.cells[from], role = cell & 7, king = g.kings[seat];
  if (!IS(OWN_CODES(seat), cell) || role == KING || shared_kind(from, king) != 4)
    return NOWHERE;
  if (role == PAWN) {
    u32 push = BYTE(PAWNS[EDGE(seat)][from], 0);
    return g.cells[push] ? NOWHERE : push;
  }
  u32 open = foes_of(seat) | 0x80808081;
  u32 first = role == BISHOP ? 4 : 0, end = role == ROOK ? 4 : 8;
  for (u32 way = first; way < end; way++) {
    u32 to = role == KNIGHT ? KNIGHT_WAYS[from][way] : KING_WAYS[from][way];
    if (IS(open, g.cells[to]))
      return to;
  }
  return NOWHERE;
}

// Whether a seat has two such steps with four different squares. A move of somebody else takes or
// blocks one of them at most.
FN bool has_free_steps(const Game &g, i32 seat) {
  u32 one = NOWHERE, step = NOWHERE;
  for (i32 base = 0; base < 160; base += 32) {
    u32 found;
    BALLOT(found, 32, i, free_step(g, seat, base + i) != NOWHERE);
    if (!found)
      continue;
    if (one == NOWHERE) {
      one = base + lowest_bit(found);
      step = free_step(g, seat, one);
    }
    BALLOT(found, 32, i, free_step(g, seat, base + i) != NOWHERE && (u32)(base + i) != one && (u32)(base + i) != step &&
      free_step(g, seat, base + i) != one && free_step(g, seat, base + i) != step);
    if (found)
      return true;
  }
  return false;
}

FN bool has_two_heavy_pieces(const Game &g) {
  i32 heavy = 0;
  for (i32 base = 0; base < 160 && heavy < 2; base += 32) {
    u32 found;
    BALLOT(found, 32, i, is_living(g.cells[base + i], 1 << PAWN | 1 << ROOK | 1 << QUEEN));
    heavy += count_ones(found);
  }
  return heavy >= 2;
}

// Whether nothing but captures and checks can matter to a gain.
FN bool is_calm(const Game &g) {
  i32 seat = g.turn, next = seat + 1 & 3;
  while (g.status[next] == OUT && next != seat)
    next = next + 1 & 3;
  i32 points = g.points[seat];
  if (R_CLAIM_LEAD > 0 || R_REPETITIONS == 1 || next == seat || points > 30000 || points < -30000)
    return false;
  if (R_QUIET_LIMIT && g.quiet + 1 >= R_QUIET_LIMIT)
    return false;
  if (R_INSUFFICIENT_MATERIAL && !has_two_heavy_pieces(g))
    return false;
  return g.kings[next] < NOWHERE && !is_attacked(g, g.kings[next], next) && has_free_steps(g, next);
}

// The square of the mover whose leaving would let a slider of anybody check a king, or NOWHERE.
FN u32 opener(const Game &g, i32 mover, i32 owner, u32 way) {
  u32 king = g.kings[owner];
  if (owner == mover || king >= NOWHERE)
    return NOWHERE;
  u32 kind = way >> 1, line = line_of(king, kind), bit = bit_of(king, kind), word = g.lines[line];
  u32 end = way & 1 ? next_below(word, bit) : next_above(word, bit);
  u32 square = LINE_SQUARES[line][end];
  if (!IS(OWN_CODES(mover), g.cells[square]))
    return NOWHERE;
  u32 behind = way & 1 ? next_below(word, end) : next_above(word, end);
  return IS(foes_of(owner) & THREATS[way][0], g.cells[LINE_SQUARES[line][behind]]) ? square : NOWHERE;
}

// Whether a piece of this role on `to` attacks the king once it has left `from`.
FN bool would_attack(const Game &g, u32 role, u32 from, u32 to, u32 king, i32 owner) {
  if (role == PAWN) {
    u32 pawn = PAWNS[EDGE(owner)][to];
    return BYTE(pawn, 2) == king || BYTE(pawn, 3) == king;
  }
  if (role == KNIGHT)
    return has_byte(KNIGHT_WAYS[to], 8, king);
  u32 kind = shared_kind(to, king), kinds = role == BISHOP ? 12 : role == ROOK ? 3 : role == QUEEN ? 15 : 0;
  if (!(kinds >> kind & 1))
    return false;
  u32 one = bit_of(to, kind), other = bit_of(king, kind), line = line_of(to, kind);
  u32 low = one < other ? one : other, high = one < other ? other : one;
  u32 word = g.lines[line] & ~((u32)(line_of(from, kind) == line) << bit_of(from, kind));
  return !(word & ((1u << high) - (2u << low)));
}

// The worth of what is taken, in points or for pairs.
FN i32 worth_of(const Game &g, u32 taken) {
  u32 role = taken & 7;
  if (role == 0 || role == DEAD)
    return 0;
  if (R_PAIRS)
    return role == KING ? 0 : GREEDY_VALUES[taken & 32 ? 0 : role - 1];
  return g.status[g.turn] != ACTIVE ? 0 : taken & 32 ? R_PROMOTED_VALUE : R_VALUE(role - 1);
}

// The gain of an action if it is certain.
FN i32 certain_gain(const Work &w, u32 action) {
  const Game &g = w.g;
  Move m = move_of(g, action);
  u32 role = g.cells[m.from] & 7, taken = g.cells[m.to];
  if (m.manner > DOUBLE_STEP || m.role || IS(0x40404040, taken))
    return UNKNOWN;
  if (w.pinned[m.from >> 5] >> (m.from & 31) & 1)
    return UNKNOWN;
  for (i32 seat = 0; seat < 4; seat++)
    if (seat != g.turn && g.kings[seat] < NOWHERE && would_attack(g, role, m.from, m.to, g.kings[seat], g.turn))
      return UNKNOWN;
  return worth_of(g, taken);
}

// Puts the gains that are certain into the list, which nobody needs now.
FN void survey(Work &w, const u16 *legal, i32 count) {
  bool calm = is_calm(w.g);
  EACH(i, 5) { w.pinned[i] = 0; }
  SYNC();
  EACH(i, 32) {
    u32 square = opener(w.g, w.g.turn, i >> 3, i & 7);
    if (square < NOWHERE)
      OR_SHARED(w.pinned[square >> 5], 1u << (square & 31));
  }
  SYNC();
  EACH(i, count < NEAR ? count : NEAR) { w.list[i] = (Entry)(calm ? certain_gain(w, legal[i]) : UNKNOWN); }
  SYNC();
}

// The gain of an action, found by playing it on the board of the work space.
FN i32 played_gain(Work &w, const Game &saved, u32 action) {
  i32 own = saved.turn;
  u32 taken = saved.cells[move_of(saved, action).to];
  SYNC();
  copy_record(&w.g, &saved);
  SYNC();
  advance(w, action, 0, 0, true);
  i32 gain;
  if (!R_PAIRS)
    gain = w.g.points[own] - saved.points[own];
  else
    gain = w.g.ending == MATE || w.g.ending == KING_TAKEN ? 0x7fffffff : worth_of(saved, taken);
  SYNC();
  return gain;
}

// Takes the best action of a list in memory; equals are drawn by lot.
COLD u32 choose_greedy(Work &w, Game &saved, const u16 *legal, i32 count) {
  SYNC();
  copy_record(&saved, &w.g);
  survey(w, legal, count);
  u64 random = saved.random;
  u32 best = legal[0];
  i32 best_gain = -0x7fffffff - 1, equals = 0;
  for (i32 i = 0; i < count; i++) {
    i32 gain = i < NEAR ? (i16)w.list[i] : UNKNOWN;
    if (gain == UNKNOWN)
      gain = played_gain(w, saved, legal[i]);
    if (gain > best_gain) {
      best_gain = gain;
      equals = 0;
    }
    if (gain == best_gain && random_below(random, ++equals) == 0)
      best = legal[i];
  }
  SYNC();
  copy_record(&w.g, &saved);
  SYNC();
  ONE {
    w.g.random = random;
    w.count = count;
  }
  SYNC();
  return best;
}

// Players of the seats: a byte each, Red's the lowest.
enum { NOBODY, RANDOM, GREEDY };

// Chooses an action of a list in memory.
FN u32 choose_action(Work &w, Game &saved, const u16 *legal, u32 player) {
  i32 count = w.count;
  if (player == GREEDY)
    return choose_greedy(w, saved, legal, count);
  SYNC();
  ONE { w.flipped = random_below(w.g.random, count); }
  SYNC();
  return legal[w.flipped];
}
