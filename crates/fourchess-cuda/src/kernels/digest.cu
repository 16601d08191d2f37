// A number for what is to be seen of a game, so that two batches can be compared without copying.

// What a digest covers.
enum { D_STATE = 1, D_LIST = 2, D_BITS = 4, D_PLANES = 8, D_FINALS = 16, D_BYTES = 32 };

// A word in its place. The sum of these does not depend on the order.
FN u64 digest_word(u32 tag, u32 index, u32 word) {
  u64 x = word | (u64)(tag << 16 | index) << 32;
  x = (x + 0x9e3779b97f4a7c15ull) * 0xd6e8feb86659fd93ull;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
  return x ^ x >> 32;
}

#define ADD_WORDS(tag, n, i, word)                                             \
  EACH(i, n) { sum += digest_word(tag, i, word); }

#ifdef __CUDACC__
#define DIGEST_SUM(total)                                                      \
  do {                                                                         \
    u64 sums_[1] = {sum};                                                      \
    ADD_LANES(total, sums_);                                                   \
  } while (0)
#else
#define DIGEST_SUM(total) (total = sum)
#endif

KERNEL digest(Params p, u32 what, u64 *digests) {
  FOR_GAMES(game, w, p.games) {
    const Game &g = p.records[game];
    u64 sum = 0, total;
    u32 count = p.counts[game];
    SYNC();
    ONE { write_fields(g, (u8 *)w.bits); }
    SYNC();
    if (what & D_STATE) {
      ADD_WORDS(0, 40, i, ((const u32 *)g.cells)[i])
      ADD_WORDS(1, 8, i, w.bits[i])
      ADD_WORDS(2, 2, i, (u32)(g.key >> 32 * i))
    }
    if (what & D_LIST) {
      const u16 *legal = p.legal + (u64)game * ROOM;
      ADD_WORDS(3, count, i, legal[i])
      ADD_WORDS(4, 1, i, count)
      ADD_WORDS(5, 1, i, p.players[game])
      ADD_WORDS(6, 4, i, ((const u32 *)p.rewards)[4 * (u64)game + i])
      ADD_WORDS(7, 4, i, (u16)p.final_points[4 * (u64)game + i])
      ADD_WORDS(8, 1, i, p.terminated[game] | p.truncated[game] << 8 | p.valid[game] << 16 | (u32)p.endings[game] << 24)
    }
    if (what & D_BITS && O_BITS)
      ADD_WORDS(9, 226, i, ((const u32 *)p.bits)[226 * (u64)game + i])
    if (what & D_PLANES && O_PLANES) {
      ADD_WORDS(10, 150, i, p.planes[150 * (u64)game + i])
      ADD_WORDS(11, 10, i, (u16)p.scalars[10 * (u64)game + i])
    }
    if (what & D_FINALS && O_PLANES && O_AUTORESET == SAME_STEP) {
      ADD_WORDS(12, 150, i, p.final_planes[150 * (u64)game + i])
      ADD_WORDS(13, 10, i, (u16)p.final_scalars[10 * (u64)game + i])
    }
    if (what & D_BYTES && O_BYTES)
      ADD_WORDS(14, 1798, i, ((const u32 *)p.bytes)[1798 * (u64)game + i])
    DIGEST_SUM(total);
    ONE { digests[game] = total; }
    SYNC();
  }
}
