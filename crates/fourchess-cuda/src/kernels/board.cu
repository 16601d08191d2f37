// The record of a game, and who attacks what on it.
//
// Squares, lines, seats, edges and the bytes of pieces are those of the crate `fourchess`.

#define NOWHERE 160
#define NO_SEAT 255
#define DEAD 7
#define PAWN 1
#define KNIGHT 2
#define BISHOP 3
#define ROOK 4
#define QUEEN 5
#define KING 6
#define ACTIVE 0
#define WALKING 1
#define OUT 2

// A game on the device. `bytes.cu` converts it to the documented bytes and back.
struct alignas(16) Game {
  u64 key;
  u64 random;
  i16 points[4];
  u16 plies;
  u16 quiet;
  u8 status[4];
  u8 passed[4];
  u8 kings[4];
  u8 rights;
  u8 turn;
  u8 last_mover;
  u8 ending; // 0, or one more than the ending's number
  u8 loser;
  u8 spare[3];
  u32 history; // how many keys were added since the last progress
  u16 lines[82];
  u8 cells[161]; // the last is the wall
  u8 tail[7];
};
static_assert(sizeof(Game) == 384, "the record is 24 pieces of 16 bytes");

#ifdef MOVES
typedef u32 Entry; // from | to << 8 | role << 16 | manner << 20
#else
typedef u16 Entry; // an action
#endif

// Entries of the list that are kept near. No game from the start has as many.
#define NEAR 256
#define ROOM 704
#define NO_ACTION 65535

enum { PLAIN, DOUBLE_STEP, CASTLING, EN_PASSANT };

struct Move {
  u8 from, to, role, manner; // the role a pawn becomes, or 0
};

// The work space of a group.
struct alignas(16) Work {
  Game g;
  union {
    u32 bits[228]; // the mask of legal actions
    u32 planes[152];
    u64 value[88]; // the words of a game that is a value
  };
  Entry list[NEAR];
  u16 units[72];
  u16 own[16];
  u8 look[16];
  u32 pinned[5];
  u32 answers[5];
  u32 en_passant; // moves of the units that are computed together
  u32 castling;
  u32 king;
  i32 count;
  i32 before; // entries of the list in memory that may not be NO_ACTION
  Move move;
  u8 extra; // the castling rook's new square, or that of a pawn taken in passing
  u8 victim;
  u8 both[2]; // occupied squares on which pawns are taken in passing
  u8 flips[8]; // squares whose lines change
  i32 flipped;
  float rewards[4];
  i16 points[4];
  i16 scalars[10];
  u8 terminated, truncated, valid;
};

#define EDGE(seat) (R_COUNTERCLOCKWISE ? (4 - (seat)) & 3 : (seat))
#define BYTE(word, index) ((word) >> 8 * (index) & 255)
#define CODE(cell) ((cell) & 31)
#define IS(codes, cell) ((codes) >> CODE(cell) & 1)
#define OWN_CODES(seat) (0x7eu << 8 * (seat))

FN bool are_opponents(i32 one, i32 other) {
  return R_PAIRS ? (one ^ other) & 1 : one != other;
}

FN u32 foes_of(i32 seat) {
  u32 own = OWN_CODES(seat) | (R_PAIRS ? OWN_CODES(seat ^ 2) : 0);
  return 0x7e7e7e7e & ~own;
}

// The four lines through a square are in the lower half of a word, its bits in them in the upper.
FN u32 line_of(u32 square, u32 kind) { return BYTE((u32)THROUGH[square], kind); }
FN u32 bit_of(u32 square, u32 kind) { return BYTE((u32)(THROUGH[square] >> 32), kind); }

// The set bit nearest above or below; walls are set.
FN u32 next_above(u32 word, u32 bit) { return bit + 1 + lowest_bit(word >> (bit + 1) | 1u << 16); }
FN u32 next_below(u32 word, u32 bit) { return highest_bit((word & ((1u << bit) - 1)) | 1); }

// The kind of line that two different squares share, or 4.
FN u32 shared_kind(u32 one, u32 other) {
  u32 apart = (u32)(THROUGH[one] ^ THROUGH[other]);
  u32 same = (apart - 0x01010101) & ~apart & 0x80808080;
  return same ? lowest_bit(same) >> 3 : 4;
}

// Conditions are joined by | rather than ||: a branch costs more than what it spares.

// Whether a piece of `foes` attacks the square along a king's way. `lifted` is taken off first.
FN bool ray_threat(const Game &g, u32 square, u32 way, u32 foes, u32 lifted) {
  u32 kind = way >> 1;
  u32 line = line_of(square, kind), bit = bit_of(square, kind);
  u32 word = g.lines[line];
  if (lifted < NOWHERE)
    word &= ~((u32)(line_of(lifted, kind) == line) << bit_of(lifted, kind));
  u32 end = way & 1 ? next_below(word, bit) : next_above(word, bit);
  u32 near = end + 1 == bit || bit + 1 == end;
  return IS(foes & THREATS[way][near], g.cells[LINE_SQUARES[line][end]]);
}

FN bool knight_threat(const Game &g, u32 square, u32 way, u32 foes) {
  return IS(foes & 0x04040404, g.cells[KNIGHT_WAYS[square][way]]);
}

FN bool is_attacked(const Game &g, u32 square, i32 seat) {
  u32 foes = foes_of(seat), found;
  BALLOT(found, 8, way, ray_threat(g, square, way, foes, NOWHERE) | knight_threat(g, square, way, foes));
  return found != 0;
}

FN bool in_check(const Game &g, i32 seat) {
  u32 king = g.kings[seat];
  return king < NOWHERE && is_attacked(g, king, seat);
}

FN u64 piece_key(u32 square, u32 cell) {
  u64 product = SQUARE_KEYS[square] * CODE_KEYS[CODE(cell)];
  return product ^ product >> 32;
}

FN void set_passed(Game &g, i32 seat, u32 square) {
  u32 old = g.passed[seat];
  if (old != square) {
    g.key ^= piece_key(old, 0) ^ piece_key(square, 0);
    g.passed[seat] = square;
  }
}

FN void set_rights(Game &g, u32 rights) {
  if (g.rights != rights) {
    g.key ^= g.rights * RIGHTS_KEY ^ rights * RIGHTS_KEY;
    g.rights = rights;
  }
}

FN void set_turn(Game &g, i32 seat) {
  g.key ^= TURN_KEYS[g.turn] ^ TURN_KEYS[seat];
  g.turn = seat;
}

FN void earn(Game &g, i32 seat, i32 points) {
  i32 sum = g.points[seat] + points;
  g.points[seat] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
}

FN void award_active(Game &g, i32 points) {
  for (i32 seat = 0; seat < 4; seat++)
    if (g.status[seat] == ACTIVE)
      earn(g, seat, points);
}

// Flips the squares of `flips` in their lines. A lane has one kind of line, so no two share a word.
FN void flip_lines(Work &w) {
  EACH(kind, 4) {
    for (i32 i = 0; i < w.flipped; i++)
      w.g.lines[line_of(w.flips[i], kind)] ^= 1u << bit_of(w.flips[i], kind);
  }
  SYNC();
}

FN u64 next_random(u64 &state) {
  u64 x = state += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

FN void copy_record(Game *to, const Game *from) {
  EACH(i, sizeof(Game) / 16) { ((Quad *)to)[i] = ((const Quad *)from)[i]; }
}
