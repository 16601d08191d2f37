// Games as values: bytes to bytes, for callers whose arrays never change.
//
// The bytes are those of `fourchess_env::Stepper`, the checksum included, so that a value may go
// from the processor to a device and back. Nobody waits for these kernels, so they cannot refuse
// bytes that are no game. Such a value becomes a broken one: zeros and an empty list, with rewards
// that are no numbers. It stays broken, and what is saved of it is refused by everybody.

#define VALUE_BYTES 4048
#define VALUE_COUNT 12
#define VALUE_KEYS 592
#define VALUE_LEGAL 2640
// The words between the checksum and the keys.
#define VALUE_WORDS 73

// What these words hold.
enum {
  V_COUNT, // the fingerprint of the rules, and how many legal actions there are
  V_RANDOM,
  V_ADDED,
  V_KEY,
  V_SETS, // of four seats and four ways to move, three words each
  V_LINES = V_SETS + 24,
  V_CELLS = V_LINES + 21,
  V_SQUARES = V_CELLS + 20,
  V_POINTS,
  V_CLOCKS,
  V_SEATS,
  V_SUMS = 80,
};
static_assert(V_SEATS + 1 == VALUE_WORDS, "the words end where the keys begin");

// Addresses of everything but what a kernel reads.
struct Values {
  u64 games;
  u8 *values;
  i32 *players;
  float *rewards; // 4 a game
  u8 *terminated;
  u8 *truncated;
  u8 *valid;
  i32 *plies;
  const Game *start;
  const u16 *start_legal;
  u64 start_count;
  u64 *stats;
  u64 fingerprint;
};

FN u64 mix(u64 sum, u64 word) {
  u64 x = (sum ^ word) * 0x9e3779b97f4a7c15ull;
  return x << 29 | x >> 35;
}

// The checksum of the words in `w.value`, and of the keys and the list in memory.
FN u64 value_sum(Work &w, const u8 *value) {
  const u64 *keys = (const u64 *)(value + VALUE_KEYS), *legal = (const u64 *)(value + VALUE_LEGAL);
  u64 added = w.value[V_ADDED];
  i32 known = (i32)(added < 256 ? added : 256);
  i32 actions = ((u32)(w.value[V_COUNT] >> 32) + 3) / 4;
  EACH(part, 8) {
    u64 sum = part + 1;
#ifdef __CUDACC__
#pragma unroll
#endif
    for (i32 i = 0; i < VALUE_WORDS; i += 8)
      if (i + 8 <= VALUE_WORDS || part < VALUE_WORDS - i)
        sum = mix(sum, w.value[i + part]);
    // Words go on where the last round of eight ended.
    for (i32 i = (part - VALUE_WORDS) & 7; i < known; i += 8)
      sum = mix(sum, keys[i]);
    for (i32 i = part; i < actions; i += 8)
      sum = mix(sum, legal[i]);
    w.value[V_SUMS + part] = sum;
  }
  SYNC();
  u64 all = 0;
  for (i32 part = 0; part < 8; part++)
    all = mix(all, w.value[V_SUMS + part]);
  return all;
}

FN bool is_seat_or_none(u32 seat) { return seat < 4 || seat == NO_SEAT; }

// The cells as words.
FN u64 *cell_words(Game &g) { return (u64 *)g.cells; }

// Whether a byte of the last words means nothing: squares, status, seats and the ending.
FN bool is_wrong_field(const Work &w, u32 i) {
  if (i < 8)
    return BYTE(w.value[V_SQUARES], i) > NOWHERE;
  if (i < 12)
    return BYTE(w.value[V_CLOCKS], i - 4) > OUT;
  u32 byte = BYTE(w.value[V_SEATS], i - 12);
  return i == 13   ? byte > 3
         : i == 15 ? (byte + 1 & 255) > CLAIM
                   : (i == 14 || i == 16) && !is_seat_or_none(byte);
}

// The first 52 bytes of the record are seven words, in which only kings and passed squares have
// changed places, and the ending is one more.
FN void unpack_fields(Work &w) {
  u64 *words = (u64 *)&w.g;
  u64 squares = w.value[V_SQUARES], seats = w.value[V_SEATS];
  words[0] = w.value[V_KEY];
  words[1] = w.value[V_RANDOM];
  words[2] = w.value[V_POINTS];
  words[3] = w.value[V_CLOCKS];
  words[4] = squares << 32 | squares >> 32;
  words[5] = (seats & 0xff00ffffffull) | ((seats >> 24) + 1 & 255) << 24;
  w.g.history = (u32)w.value[V_ADDED];
  for (i32 i = 0; i < 7; i++)
    w.g.tail[i] = 0;
  w.g.cells[NOWHERE] = 8;
}

// Takes a value up into the work space; false if it is no game of these rules.
FN bool take_up(Work &w, const u8 *value, u32 fingerprint) {
  const u64 *words = (const u64 *)value;
  SYNC();
  EACH(i, VALUE_WORDS) { w.value[i] = words[1 + i]; }
  SYNC();
  u32 rules = (u32)w.value[V_COUNT], count = (u32)(w.value[V_COUNT] >> 32);
  if (rules != fingerprint || count > ROOM || value_sum(w, value) != words[0])
    return false;
  u32 wrong;
  BALLOT(wrong, 32, i, i < 20 && is_wrong_field(w, i));
  SYNC();
  EACH(i, 21) {
    u64 four = w.value[V_LINES + i];
    for (i32 k = 0; k < 4; k++)
      if (4 * i + k < 82)
        w.g.lines[4 * i + k] = four >> 16 * k;
  }
  EACH(i, 20) { cell_words(w.g)[i] = w.value[V_CELLS + i]; }
  ONE {
    unpack_fields(w);
    w.count = w.before = count;
    w.truncated = w.g.ending == PLY_LIMIT;
    w.terminated = count == 0 && !w.truncated;
  }
  SYNC();
  return !wrong;
}

// The living pieces of a seat, or those that move in a way.
FN u32 codes_of_set(i32 set) {
  return set < 4    ? OWN_CODES(set)
         : set == 4 ? 0x02020202
         : set == 5 ? 0x04040404
         : set == 6 ? 0x28282828
                    : 0x30303030;
}

// Changes the sets where the cells have changed since `w.value` was written. A lane has a set.
FN void update_sets(Work &w) {
  const Game &g = w.g;
  for (i32 part = 0; part < 5; part++) {
    u32 changed;
    BALLOT(changed, 32, i, ((const u8 *)(w.value + V_CELLS))[32 * part + i] != g.cells[32 * part + i]);
    for (; changed; changed &= changed - 1) {
      u32 square = 32 * part + lowest_bit(changed);
      u32 before = ((const u8 *)(w.value + V_CELLS))[square], now = g.cells[square];
      EACH(set, 8) {
        u32 codes = codes_of_set(set);
        u64 flips = IS(codes, before) ^ IS(codes, now);
        w.value[V_SETS + 3 * set + (square >> 6)] ^= flips << (square & 63);
      }
    }
  }
}

// The words of the game in the work space, over those of the same game before.
FN void pack(Work &w, u32 fingerprint) {
  Game &g = w.g;
  SYNC();
  update_sets(w);
  SYNC();
  EACH(i, 21) {
    u64 word = 0;
    for (i32 k = 0; k < 4; k++)
      word |= (u64)(4 * i + k < 82 ? g.lines[4 * i + k] : 0) << 16 * k;
    w.value[V_LINES + i] = word;
  }
  EACH(i, 20) { w.value[V_CELLS + i] = cell_words(g)[i]; }
  ONE {
    const u64 *words = (const u64 *)&g;
    u64 squares = words[4], seats = words[5];
    w.value[V_COUNT] = fingerprint | (u64)w.count << 32;
    w.value[V_RANDOM] = words[1];
    w.value[V_ADDED] = g.history;
    w.value[V_KEY] = words[0];
    w.value[V_SQUARES] = squares << 32 | squares >> 32;
    w.value[V_POINTS] = words[2];
    w.value[V_CLOCKS] = words[3];
    w.value[V_SEATS] = (seats & 0xff00ffffffull) | ((seats >> 24) - 1 & 255) << 24;
  }
  SYNC();
}

// Puts the game in the work space away, over a value whose history had so many keys. Its list is
// in place already.
FN void put_away(Work &w, u8 *value, u32 fingerprint, i32 keys_before) {
  u64 *words = (u64 *)value, *keys = (u64 *)(value + VALUE_KEYS);
  i32 known = w.g.history < 256 ? w.g.history : 256;
  pack(w, fingerprint);
  EACH(i, VALUE_WORDS) { words[1 + i] = w.value[i]; }
  EACH(i, keys_before - known) { keys[known + i] = 0; }
  SYNC();
  u64 sum = value_sum(w, value);
  ONE { words[0] = sum; }
  SYNC();
}

// The arrays of one game, as the functions of a batch take them. What a value does not have goes to
// a place that nobody reads.
FN Params params_of(const Values &v, Work &w, u8 *value) {
  Params p = {};
  p.history = (u64 *)(value + VALUE_KEYS);
  p.legal = (u16 *)(value + VALUE_LEGAL);
  p.counts = (u16 *)(value + VALUE_COUNT);
  p.final_points = w.scalars;
  p.endings = (u8 *)(w.scalars + 4);
  p.players = (u8 *)(w.scalars + 5);
  p.start = v.start;
  p.start_legal = v.start_legal;
  p.start_count = v.start_count;
  p.stats = v.stats;
  return p;
}

FN void show_value(const Values &v, const Work &w, u32 game) {
  EACH(seat, 4) { v.rewards[4 * (u64)game + seat] = w.rewards[seat]; }
  ONE {
    v.players[game] = w.g.turn;
    v.terminated[game] = w.terminated;
    v.truncated[game] = w.truncated;
    v.valid[game] = w.valid;
    v.plies[game] = w.g.plies;
  }
}

FN void clear_value(u8 *value) {
  EACH(i, VALUE_BYTES / 8) { ((u64 *)value)[i] = i < VALUE_LEGAL / 8 ? 0 : ~0ull; }
  SYNC();
}

FN void show_broken(const Values &v, u32 game, u8 *value) {
  SYNC();
  clear_value(value);
  EACH(seat, 4) { ((u32 *)v.rewards)[4 * (u64)game + seat] = 0x7fc00000; }
  ONE {
    v.players[game] = 0;
    v.terminated[game] = 1;
    v.truncated[game] = 0;
    v.valid[game] = 0;
    v.plies[game] = 0;
  }
  SYNC();
}

// The record of a value, which the other kernels start games from.
KERNEL value_record(u64 games, const u8 *values, Game *records, u64 fingerprint) {
  FOR_GAMES(game, w, games) {
    if (take_up(w, values + (u64)game * VALUE_BYTES, (u32)fingerprint))
      copy_record(records + game, &w.g);
    SYNC();
  }
}

// Plays an action in every game.
KERNEL value_step(Values v, const i32 *actions) {
  FOR_GAMES(game, w, v.games) {
    u8 *value = v.values + (u64)game * VALUE_BYTES;
    if (take_up(w, value, (u32)v.fingerprint)) {
      Params p = params_of(v, w, value);
      // A game that ends and starts anew has added one more key in between.
      i32 keys = w.g.history < 256 ? w.g.history + 1 : 256;
      u32 action = (u32)actions[game] < NO_ACTION ? actions[game] : NO_ACTION;
      bool changed = step_game(p, w, 0, action, false);
      SYNC();
      if (changed)
        show_step(p, w, 0);
      if (changed)
        put_away(w, value, (u32)v.fingerprint, keys);
      show_value(v, w, game);
      SYNC();
    } else {
      show_broken(v, game, value);
    }
  }
}

FN bool is_cell(u32 byte) {
  u32 role = byte & 7;
  if (role == 0 || role == DEAD)
    return role ? byte >> 3 < 30 : byte == 0;
  return byte < 32 || (R_MARKS_PROMOTED && byte < 64 && role == QUEEN);
}

// Whether a byte of a saved game can stand where it stands, whatever the others are.
FN bool is_state_byte(const u8 *bytes, u32 i, u32 fingerprint, u32 keys_end) {
  u32 byte = bytes[i];
  if (i < 4)
    return byte == BYTE('E' | '4' << 8 | 'S' << 16 | (u32)STATE_VERSION << 24, i);
  if (i < 8)
    return byte == BYTE(fingerprint, i - 4);
  if (i < 32)
    return i < 16 || byte <= (i == 16 && !bytes[215]);
  if (i < 192)
    return is_cell(byte);
  if (i < 217)
    return i < 204 || i == 212 ? true
           : i < 208           ? byte <= OUT
           : i < 212           ? byte <= NOWHERE
           : i == 213          ? byte < 4
           : i == 215          ? byte <= CLAIM
                               : is_seat_or_none(byte);
  return byte == 0 || (i >= 224 && i < 228) || (i >= 232 && i < keys_end);
}

// Whether the pieces, the passed square and the rights of a seat go together.
FN bool is_seat(const u8 *bytes, i32 seat) {
  const u8 *cells = bytes + 32;
  u32 pieces = 0, kings = 0, king = NOWHERE, edge = EDGE(seat);
  for (i32 part = 0; part < 5; part++) {
    u32 own, crowned;
    BALLOT(own, 32, i, IS(OWN_CODES(seat), cells[32 * part + i]));
    BALLOT(crowned, 32, i, cells[32 * part + i] == (KING | seat << 3));
    pieces += count_ones(own);
    kings += count_ones(crowned);
    if (crowned)
      king = 32 * part + lowest_bit(crowned);
  }
  u32 status = bytes[204 + seat], passed = bytes[208 + seat], rights = bytes[212] >> 2 * edge & 3;
  if (kings > 1)
    return false;
  if (status == ACTIVE && (pieces > 16 || (!kings && !bytes[215] && R_KING_CAPTURE != 2)))
    return false;
  if (status != ACTIVE && (pieces != kings || kings != (status == WALKING)))
    return false;
  if (passed < NOWHERE) {
    u32 pawn = BYTE(PAWNS[edge][passed], 0);
    if (!R_EN_PASSANT || OWN_RANKS[edge][passed] != 3 || status != ACTIVE || pawn >= NOWHERE ||
        cells[pawn] != (PAWN | seat << 3))
      return false;
  }
  bool at_home = king == NOWHERE || castles_of(edge, king) >= 0;
  if (rights && (!R_CASTLING || status != ACTIVE || !at_home))
    return false;
  for (i32 side = 0; side < 2; side++)
    if (rights >> side & 1 && cells[ROOKS[2 * edge + side]] != (ROOK | seat << 3))
      return false;
  return true;
}

// Whether bytes are a saved game of these rules: all that the processor asks of them, except that a
// game that goes on has a legal move.
FN bool is_state(const u8 *bytes, u32 fingerprint) {
  u32 added = (u32)read_number(bytes + 224, 4);
  u32 keys_end = 232 + 8 * (added < 256 ? added : 256);
  i32 wrong;
  COUNT_IF(wrong, STATE_BYTES, i, !is_state_byte(bytes, i, fingerprint, keys_end));
  if (wrong || added > 1 << 20)
    return false;
  for (i32 seat = 0; seat < 4; seat++)
    if (!is_seat(bytes, seat))
      return false;
  return bytes[215] || bytes[204 + bytes[213]] != OUT;
}

// Makes values of saved games. False if a game that should go on has no legal move.
FN bool load_value(const Values &v, Work &w, u8 *value, const u8 *bytes) {
  Params p = params_of(v, w, value);
  clear_value(value);
  EACH(i, VALUE_WORDS) { w.value[i] = 0; }
  read_state(w, p.history, bytes);
  begin_step(w);
  bool over = w.g.ending || bytes[16];
  ONE { w.count = w.before = 0; }
  SYNC();
  if (!over)
    generate(w, (Entry *)p.legal, false);
  SYNC();
  if (!over && !w.count)
    return false;
  ONE {
    w.truncated = w.g.ending == PLY_LIMIT;
    w.terminated = over && !w.truncated;
  }
  show_lists(p, w, 0);
  put_away(w, value, (u32)v.fingerprint, 0);
  return true;
}

KERNEL value_load(Values v, const u8 *states) {
  FOR_GAMES(game, w, v.games) {
    u8 *value = v.values + (u64)game * VALUE_BYTES;
    const u8 *bytes = states + (u64)game * STATE_BYTES;
    if (is_state(bytes, (u32)v.fingerprint) && load_value(v, w, value, bytes))
      show_value(v, w, game);
    else
      show_broken(v, game, value);
    SYNC();
  }
}

KERNEL value_save(u64 games, const u8 *values, u8 *states, u64 fingerprint) {
  FOR_GAMES(game, w, games) {
    const u8 *value = values + (u64)game * VALUE_BYTES;
    u8 *bytes = states + (u64)game * STATE_BYTES;
    if (take_up(w, value, (u32)fingerprint)) {
      const u64 *history = (const u64 *)(value + VALUE_KEYS);
      write_state(w.g, history, w.count == 0 && !w.g.ending, (u32)fingerprint, bytes);
    } else {
      EACH(i, STATE_BYTES) { bytes[i] = 0; }
    }
    SYNC();
  }
}

KERNEL value_observe(u64 games, const u8 *values, u32 *planes, i16 *scalars, u64 fingerprint) {
  FOR_GAMES(game, w, games) {
    u32 *own_planes = planes + (u64)game * 150;
    i16 *own_scalars = scalars + (u64)game * 10;
    if (take_up(w, values + (u64)game * VALUE_BYTES, (u32)fingerprint)) {
      observe(w, own_planes, own_scalars);
    } else {
      EACH(i, 150) { own_planes[i] = 0; }
      EACH(i, 10) { own_scalars[i] = 0; }
    }
    SYNC();
  }
}

// The legal actions as bytes, from the list alone.
KERNEL value_mask(u64 games, const u8 *values, u64 *masks) {
  FOR_GAMES(game, w, games) {
    const u8 *value = values + (u64)game * VALUE_BYTES;
    const u16 *legal = (const u16 *)(value + VALUE_LEGAL);
    u32 count = (u32)read_number(value + VALUE_COUNT, 4);
    SYNC();
    EACH(i, 228) { w.bits[i] = O_ENDED_ONES && count == 0 ? 0xffffffffu : 0; }
    SYNC();
    EACH(i, count < ROOM ? count : ROOM) {
      u32 action = legal[i];
      if (action < 7192)
        OR_SHARED(w.bits[action >> 5], 1u << (action & 31));
    }
    SYNC();
    EACH(i, 899) {
      u32 eight = w.bits[i >> 2] >> 8 * (i & 3);
      u32 low = (eight & 15) * 0x00204081 & 0x01010101, high = (eight >> 4 & 15) * 0x00204081 & 0x01010101;
      masks[899 * (u64)game + i] = low | (u64)high << 32;
    }
    SYNC();
  }
}
