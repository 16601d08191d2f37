// What is to be seen of a game: lists, masks, observations. The arrays are those of
// `fourchess_env::Batch`.

struct Params {
  u64 games;
  Game *records;
  u64 *history;       // 256 keys a game
  u16 *legal;         // 704 a game
  u16 *counts;
  u64 *bits;          // 113 a game
  u8 *bytes;          // 7,192 a game
  u32 *planes;        // 150 a game
  i16 *scalars;       // 10 a game
  u32 *final_planes;
  i16 *final_scalars;
  i16 *final_points;  // 4 a game
  u8 *endings;
  u8 *players;
  float *rewards;     // 4 a game
  u8 *terminated;
  u8 *truncated;
  u8 *valid;
  const Game *start;
  const u16 *start_legal;
  u64 start_count;
  u64 *stats;
};

// Places in `stats`.
enum { S_ENDINGS = 0, S_ILLEGAL_ENDING = 16, S_PLIES = 17, S_POINTS = 18, S_ILLEGAL = 22, S_FIRST_REFUSED = 31 };

enum { NEXT_STEP, SAME_STEP, DISABLED };
enum { ERROR, NOOP, LOSE };
#define ILLEGAL_CODE 255

FN void clear_quads(Quad *quads, i32 count) {
  Quad zero = {0, 0, 0, 0};
  EACH(i, count) { quads[i] = zero; }
}

FN void set_plane(Work &w, i32 edge, u32 plane, u32 square) {
  u32 seen = SEEN[edge][square];
  OR_SHARED(w.planes[5 * plane + (seen >> 5)], 1u << (seen & 31));
}

// Writes the observation of the player to move.
FN void observe(Work &w, u32 *planes, i16 *scalars) {
  const Game &g = w.g;
  i32 turn = g.turn, edge = EDGE(turn);
  SYNC();
  clear_quads((Quad *)w.planes, 38);
  SYNC();
  EACH(i, 5) { w.planes[130 + i] = 0xffffffffu; }
  EACH(square, 160) {
    u32 cell = g.cells[square], role = cell & 7;
    if (cell) {
      set_plane(w, edge, role == DEAD ? 24 : 6 * ((cell >> 3) - turn & 3) + role - 1, square);
      if (cell & 32 && role != DEAD)
        set_plane(w, edge, 25, square);
    }
  }
  EACH(bit, 8) {
    if (g.rights >> bit & 1)
      set_plane(w, edge, 27, ROOKS[bit]);
  }
  u32 checks;
  BALLOT(checks, 32, i, g.kings[i >> 3] < NOWHERE &&
    (ray_threat(g, g.kings[i >> 3], i & 7, foes_of(i >> 3), NOWHERE) |
     knight_threat(g, g.kings[i >> 3], i & 7, foes_of(i >> 3))));
  EACH(seat, 4) {
    u32 passed = g.passed[seat];
    if (passed < NOWHERE && g.cells[BYTE(PAWNS[EDGE(seat)][passed], 0)] == (PAWN | seat << 3))
      set_plane(w, edge, 28, passed);
    if (BYTE(checks, seat))
      set_plane(w, edge, 29, g.kings[seat]);
    i32 place = seat - turn & 3;
    w.scalars[place] = g.points[seat];
    w.scalars[4 + place] = g.status[seat];
  }
  ONE {
    w.scalars[8] = g.quiet < 32767 ? g.quiet : 32767;
    w.scalars[9] = g.plies < 32767 ? g.plies : 32767;
  }
  SYNC();
  EACH(i, 75) { ((u64 *)planes)[i] = ((const u64 *)w.planes)[i]; }
  EACH(i, 10) { scalars[i] = w.scalars[i]; }
}

FN u32 entry_at(const Work &w, const u16 *legal, i32 i) { return i < NEAR ? w.list[i] : legal[i]; }

FN void show_bits(Work &w, const u16 *legal, u64 *bits) {
  if (O_ENDED_ONES && w.count == 0) {
    EACH(i, 226) { w.bits[i] = i < 224 ? 0xffffffffu : i == 224 ? 0x00ffffffu : 0; }
  } else {
    clear_quads((Quad *)w.bits, 57);
  }
  SYNC();
  EACH(i, w.count) {
    u32 action = entry_at(w, legal, i);
    OR_SHARED(w.bits[action >> 5], 1u << (action & 31));
  }
  SYNC();
  EACH(i, 113) { bits[i] = ((const u64 *)w.bits)[i]; }
}

// Clears the byte mask by the list that stands in memory, or whole where that is not its list.
FN void clear_bytes(const u16 *legal, i32 before, u64 *bytes) {
  if (before > NEAR || (O_ENDED_ONES && before == 0)) {
    EACH(i, 899) { bytes[i] = 0; }
  } else {
    EACH(i, before) { ((u8 *)bytes)[legal[i]] = 0; }
  }
  SYNC();
}

FN void show_bytes(const Work &w, const u16 *legal, u64 *bytes) {
  if (O_ENDED_ONES && w.count == 0)
    EACH(i, 899) { bytes[i] = 0x0101010101010101ull; }
  EACH(i, w.count) { ((u8 *)bytes)[entry_at(w, legal, i)] = 1; }
}

// Writes list and masks of a position and its legal actions.
FN void show_lists(const Params &p, Work &w, u32 game) {
  u16 *legal = p.legal + (u64)game * ROOM;
  i32 before = p.counts[game], count = w.count;
  i32 end = w.before > before ? w.before : before;
  SYNC();
  if (O_BYTES)
    clear_bytes(legal, before, (u64 *)(p.bytes + (u64)game * 7192));
  EACH(i, end > count ? end : count) {
    if (i < NEAR || i >= count)
      legal[i] = i < count ? w.list[i] : NO_ACTION;
  }
  if (O_BYTES)
    show_bytes(w, legal, (u64 *)(p.bytes + (u64)game * 7192));
  if (O_BITS)
    show_bits(w, legal, p.bits + (u64)game * 113);
  ONE {
    p.counts[game] = count;
    p.players[game] = w.g.turn;
  }
}

// Writes list, masks and observation.
FN void show(const Params &p, Work &w, u32 game) {
  show_lists(p, w, game);
  if (O_PLANES)
    observe(w, p.planes + (u64)game * 150, p.scalars + (u64)game * 10);
}
