// Counting lines of moves, level by level: the records of positions, and those that follow.
//
// Compiled with MOVES, so that two moves with one action stay apart.

// Records of saved positions.
KERNEL read_positions(const u8 *positions, u64 count, Game *records) {
  FOR_GAMES(at, w, count) {
    const u8 *bytes = positions + (u64)at * 192;
    SYNC();
    EACH(i, 160) { w.g.cells[i] = bytes[i]; }
    ONE {
      w.g.cells[160] = 8;
      w.g.random = 0;
      w.g.history = 0;
      read_fields(w.g, bytes + 160);
    }
    SYNC();
    rebuild(w);
    copy_record(records + at, &w.g);
    SYNC();
  }
}

// How many legal moves each position has. `spill` has ROOM entries a position.
KERNEL count_moves(const Game *records, u64 count, u32 *counts, Entry *spill) {
  FOR_GAMES(at, w, count) {
    copy_record(&w.g, records + at);
    SYNC();
    generate(w, spill ? spill + (u64)at * ROOM : 0, false);
    ONE { counts[at] = w.count; }
    SYNC();
  }
}

// The positions after every legal move; those of a position begin at its offset.
KERNEL list_children(const Game *records, u64 count, const u64 *offsets, Game *children, Entry *spill) {
  SAVED_GAME(saved)
  FOR_GAMES(at, w, count) {
    Entry *own = spill + (u64)at * ROOM;
    copy_record(&saved, records + at);
    SYNC();
    copy_record(&w.g, &saved);
    SYNC();
    generate(w, own, false);
    for (i32 i = 0, n = w.count; i < n; i++) {
      u32 entry = i < NEAR ? w.list[i] : own[i];
      SYNC();
      copy_record(&w.g, &saved);
      ONE {
        w.move.from = entry;
        w.move.to = entry >> 8;
        w.move.role = entry >> 16 & 15;
        w.move.manner = entry >> 20;
      }
      make(w);
      copy_record(children + offsets[at] + i, &w.g);
      SYNC();
    }
  }
}
