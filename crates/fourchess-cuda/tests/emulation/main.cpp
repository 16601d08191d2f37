// Plays games with the kernels on the processor and prints a digest of each.

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void *room(u64 bytes) {
  void *place = 0;
  if (posix_memalign(&place, 16, bytes))
    abort();
  return memset(place, 0, bytes);
}

// The same games as values, which play on with the first legal action. Then some are damaged.
static void run_values(u64 games, u8 *saved, const Params &p, u64 seed) {
  Values v = {};
  v.games = games;
  v.values = (u8 *)room(games * VALUE_BYTES);
  v.players = (i32 *)room(games * 4);
  v.rewards = (float *)room(games * 16);
  v.terminated = (u8 *)room(games);
  v.truncated = (u8 *)room(games);
  v.valid = (u8 *)room(games);
  v.plies = (i32 *)room(games * 4);
  v.start = p.start;
  v.start_legal = p.start_legal;
  v.start_count = p.start_count;
  v.stats = p.stats;
  i32 *actions = (i32 *)room(games * 4);
  u32 *planes = (u32 *)room(games * 600);
  i16 *scalars = (i16 *)room(games * 20);
  u64 *masks = (u64 *)room(games * 7192);
  value_load(v, saved);
  for (u32 ply = 0; ply < 300; ply++) {
    for (u64 game = 0; game < games; game++)
      actions[game] = *(u16 *)(v.values + game * VALUE_BYTES + VALUE_LEGAL);
    if (ply % 40 == 39)
      actions[ply % games] = -1;
    if (ply > 200)
      v.values[ply * 7919 % (games * VALUE_BYTES)] ^= 1;
    value_step(v, actions);
  }
  value_observe(games, v.values, planes, scalars, 0);
  value_mask(games, v.values, masks);
  value_save(games, v.values, saved, 0);
  // Bytes that are no game, wherever they stand.
  for (u32 round = 0; round < 300; round++) {
    u64 place = (round * 7919 + seed) % (games * 2288);
    saved[place] ^= 1 << round % 8;
    value_load(v, saved);
  }
  void *all[] = {v.values, v.players, v.rewards, v.terminated, v.truncated, v.valid,
                 v.plies, actions, planes, scalars, masks};
  for (void *place : all)
    free(place);
}

static void run(const long long *settings, const long long *bare, u64 count, const u8 *state, const u16 *legal, u64 start_count,
                u64 games, u32 plies, u64 seed) {
  memcpy(setting, settings, count * sizeof(*settings));
  Params p;
  p.games = games;
  p.records = (Game *)room(games * sizeof(Game));
  p.history = (u64 *)room(games * 256 * 8);
  p.legal = (u16 *)room(games * ROOM * 2);
  memset(p.legal, 255, games * ROOM * 2);
  p.counts = (u16 *)room(games * 2);
  p.bits = (u64 *)room(games * 904);
  p.bytes = (u8 *)room(games * 7192);
  p.planes = (u32 *)room(games * 600);
  p.scalars = (i16 *)room(games * 20);
  p.final_planes = (u32 *)room(games * 600);
  p.final_scalars = (i16 *)room(games * 20);
  p.final_points = (i16 *)room(games * 8);
  p.endings = (u8 *)room(games);
  p.players = (u8 *)room(games);
  p.rewards = (float *)room(games * 16);
  p.terminated = (u8 *)room(games);
  p.truncated = (u8 *)room(games);
  p.valid = (u8 *)room(games);
  Game *start = (Game *)room(sizeof(Game));
  p.start = start;
  p.start_legal = legal;
  p.start_count = start_count;
  p.stats = (u64 *)room(32 * 8);
  u64 first = 0;
  load_states(p, &first, 1, state, 0);
  *start = p.records[0];
  reset(p, 0, 0, seed, games);
  u16 *actions = (u16 *)room(games * 2);
  for (u32 ply = 0; ply < plies; ply++) {
    choose(p, ply % 50 == 49 ? 0x02020202 : 0x01010101, actions);
    if (ply % 40 == 39)
      actions[ply % games] = 7191;
    step(p, actions, 2);
  }
  u64 *digests = (u64 *)room(games * 8);
  digest(p, 63, digests);
  for (u64 game = 0; game < games; game++)
    printf("%016llx\n", digests[game]);
  u8 *saved = (u8 *)room(games * 2288);
  save(p, 0, games, 0, saved);
  memcpy(setting, bare, count * sizeof(*bare));
  run_values(games, saved, p, seed);
  memcpy(setting, settings, count * sizeof(*settings));
  Quad *out = (Quad *)room(games * 7840 * 4);
  expand_f32(games, p.planes, p.scalars, out);
  expand_bf16(games, p.planes, p.scalars, out);
  expand_u8(games, p.planes, p.scalars, out);
  void *all[] = {p.records, p.history, p.legal, p.counts, p.bits, p.bytes, p.planes, p.scalars, p.final_planes,
                 p.final_scalars, p.final_points, p.endings, p.players, p.rewards, p.terminated, p.truncated,
                 p.valid, start, p.stats, actions, digests, saved, out};
  for (void *place : all)
    free(place);
}
