// Games as the documented bytes of a saved game, and back.

#define STATE_BYTES 2288

FN void write_number(u8 *bytes, u64 number, i32 count) {
  for (i32 i = 0; i < count; i++)
    bytes[i] = number >> 8 * i;
}

FN u64 read_number(const u8 *bytes, i32 count) {
  u64 number = 0;
  for (i32 i = 0; i < count; i++)
    number |= (u64)bytes[i] << 8 * i;
  return number;
}

// The 32 bytes after the cells.
FN void write_fields(const Game &g, u8 *bytes) {
  for (i32 seat = 0; seat < 4; seat++) {
    write_number(bytes + 2 * seat, (u16)g.points[seat], 2);
    bytes[12 + seat] = g.status[seat];
    bytes[16 + seat] = g.passed[seat];
  }
  write_number(bytes + 8, g.plies, 2);
  write_number(bytes + 10, g.quiet, 2);
  bytes[20] = g.rights;
  bytes[21] = g.turn;
  bytes[22] = g.last_mover;
  bytes[23] = g.ending;
  bytes[24] = g.loser;
  for (i32 i = 25; i < 32; i++)
    bytes[i] = 0;
}

FN void read_fields(Game &g, const u8 *bytes) {
  for (i32 seat = 0; seat < 4; seat++) {
    g.points[seat] = (i16)read_number(bytes + 2 * seat, 2);
    g.status[seat] = bytes[12 + seat];
    g.passed[seat] = bytes[16 + seat];
    g.kings[seat] = NOWHERE;
  }
  g.plies = read_number(bytes + 8, 2);
  g.quiet = read_number(bytes + 10, 2);
  g.rights = bytes[20];
  g.turn = bytes[21];
  g.last_mover = bytes[22];
  g.ending = bytes[23];
  g.loser = bytes[24];
  for (i32 i = 0; i < 3; i++)
    g.spare[i] = 0;
  for (i32 i = 0; i < 7; i++)
    g.tail[i] = 0;
}

FN void write_state(const Game &g, const u64 *history, bool forfeited, u32 fingerprint, u8 *bytes) {
  i32 known = g.history < 256 ? g.history : 256;
  ONE {
    write_number(bytes, 'E' | '4' << 8 | 'S' << 16 | STATE_VERSION << 24, 4);
    write_number(bytes + 4, fingerprint, 4);
    write_number(bytes + 8, g.random, 8);
    bytes[16] = forfeited;
    write_fields(g, bytes + 192);
    write_number(bytes + 224, g.history, 8);
    write_number(bytes + 2280, 0, 8);
  }
  EACH(i, 15) { bytes[17 + i] = 0; }
  EACH(i, 160) { bytes[32 + i] = g.cells[i]; }
  EACH(i, 256) { write_number(bytes + 232 + 8 * i, i < known ? history[i] : 0, 8); }
}

// What moves keep up to date, computed from the cells.
FN void rebuild(Work &w) {
  Game &g = w.g;
  EACH(line, 82) {
    u32 word = WALLS[line];
    for (i32 bit = 0; bit < 16; bit++)
      word |= (u32)(g.cells[LINE_SQUARES[line][bit]] != 0) << bit;
    g.lines[line] = word;
  }
  PER_LANE(u64, keys);
  FOR_LANES(lane) {
    OF(keys) = 0;
    for (u32 square = lane; square < 160; square += LANES) {
      u32 cell = g.cells[square];
      if (cell)
        OF(keys) ^= piece_key(square, cell);
      if ((cell & 7) == KING)
        g.kings[cell >> 3 & 3] = square;
    }
  }
  u64 key;
  XOR_LANES(key, keys);
  ONE {
    key ^= TURN_KEYS[g.turn] ^ g.rights * RIGHTS_KEY;
    for (i32 seat = 0; seat < 4; seat++)
      if (g.passed[seat] != NOWHERE)
        key ^= piece_key(NOWHERE, 0) ^ piece_key(g.passed[seat], 0);
    g.key = key;
  }
  SYNC();
}

FN void read_state(Work &w, u64 *history, const u8 *bytes) {
  Game &g = w.g;
  SYNC();
  EACH(i, 160) { g.cells[i] = bytes[32 + i]; }
  ONE {
    g.cells[160] = 8;
    g.random = read_number(bytes + 8, 8);
    read_fields(g, bytes + 192);
    g.history = read_number(bytes + 224, 4);
  }
  SYNC();
  if (history)
    EACH(i, g.history < 256 ? g.history : 256) { history[i] = read_number(bytes + 232 + 8 * i, 8); }
  rebuild(w);
}
