// Bit planes and scalars as numbers: 40 planes of 14 x 14 cells a game, 16 bytes a store.
//
// The cells of all planes are first one string of 7,840 bits. A plane is 49 times four bits, so
// four bits belong to one plane, whose value they switch on or off.

#ifdef __CUDACC__
#define FOR_BLOCKS(game, n) for (u64 game = blockIdx.x; game < (n); game += gridDim.x)
#define EACH_THREAD(i, n) for (u32 i = threadIdx.x; i < (n); i += blockDim.x)
#define SYNC_BLOCK() __syncthreads()
#define BLOCK_SHARED __shared__
#define FLOAT_BITS(x) __float_as_uint(x)
#else
#define FOR_BLOCKS(game, n) for (u64 game = 0; game < (n); game++)
#define EACH_THREAD(i, n) for (u32 i = 0; i < (n); i++)
#define SYNC_BLOCK() ((void)0)
#define BLOCK_SHARED static
static inline u32 FLOAT_BITS(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
#endif

enum { F32, BF16, F16, U8 };

// The nearest number with a short fraction, ties to even.
FN u32 to_bf16(u32 bits) { return bits + 0x7fff + (bits >> 16 & 1) >> 16; }

// Scaled scalars are 0 or lie between 2^-10 and 330, where halves have their full precision.
FN u32 to_f16(u32 bits) {
  u32 sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  return rest ? sign | (rest + 0xfff + (rest >> 13 & 1) - (112u << 23) >> 13) : sign;
}

FN u32 scalar_value(i32 scalar, u32 index, u32 type) {
  if (type == U8)
    return scalar < 0 ? 0 : scalar > 255 ? 255 : scalar;
  u32 bits = FLOAT_BITS((float)scalar / SCALES[index]);
  return type == BF16 ? to_bf16(bits) : type == F16 ? to_f16(bits) : bits;
}

FN u32 one_value(u32 type) { return type == F32 ? 0x3f800000 : type == BF16 ? 0x3f80 : type == F16 ? 0x3c00 : 1; }

// Puts a rank of a plane into the string of bits.
FN void put_rank(u32 *bits, const u32 *planes, u32 plane, u32 rank) {
  u32 first = RANK_STARTS[rank], at = 196 * plane + 14 * rank + RANK_FILES[rank];
  u32 row = (1u << RANK_SIZES[rank]) - 1;
  if (plane < 30) {
    u64 words = planes[5 * plane + (first >> 5)];
    if (first >> 5 < 4)
      words |= (u64)planes[5 * plane + (first >> 5) + 1] << 32;
    row &= (u32)(words >> (first & 31));
  }
  u64 placed = (u64)row << (at & 31);
  OR_SHARED(bits[at >> 5], (u32)placed);
  if (placed >> 32)
    OR_SHARED(bits[(at >> 5) + 1], (u32)(placed >> 32));
}

// Four cells of four bytes, eight of two, or sixteen of one.
FN Quad expand_quad(const u32 *bits, const u32 *values, u32 at, u32 type) {
  u32 out[4];
  for (u32 i = 0; i < 4; i++) {
    u32 cell = type == F32 ? 4 * at + i : type == U8 ? 16 * at + 4 * i : 8 * at + 2 * i;
    u32 left = bits[cell >> 5] >> (cell & 31), value = values[cell / 196];
    if (type == F32)
      out[i] = left & 1 ? value : 0;
    else if (type == U8)
      out[i] = ((left & 15) * 0x00204081 & 0x01010101) * value;
    else
      out[i] = (left & 1 ? value : 0) | (left & 2 ? value << 16 : 0);
  }
  Quad quad;
  quad.x = out[0];
  quad.y = out[1];
  quad.z = out[2];
  quad.w = out[3];
  return quad;
}

FN void expand_games(u64 games, const u32 *planes, const i16 *scalars, Quad *out, u32 type) {
  BLOCK_SHARED u32 words[150];
  BLOCK_SHARED u32 bits[246];
  BLOCK_SHARED u32 values[40];
  u32 quads = type == F32 ? 1960 : type == U8 ? 490 : 980;
  FOR_BLOCKS(game, games) {
    EACH_THREAD(i, 246) { bits[i] = 0; }
    EACH_THREAD(i, 150) { words[i] = planes[game * 150 + i]; }
    EACH_THREAD(i, 40) {
      values[i] = i < 30 ? one_value(type) : scalar_value(scalars[game * 10 + i - 30], i - 30, type);
    }
    SYNC_BLOCK();
    EACH_THREAD(i, 560) { put_rank(bits, words, i / 14, i % 14); }
    SYNC_BLOCK();
    EACH_THREAD(i, quads) { out[game * quads + i] = expand_quad(bits, values, i, type); }
    SYNC_BLOCK();
  }
}

KERNEL expand_f32(u64 games, const u32 *planes, const i16 *scalars, Quad *out) { expand_games(games, planes, scalars, out, F32); }
KERNEL expand_bf16(u64 games, const u32 *planes, const i16 *scalars, Quad *out) { expand_games(games, planes, scalars, out, BF16); }
KERNEL expand_f16(u64 games, const u32 *planes, const i16 *scalars, Quad *out) { expand_games(games, planes, scalars, out, F16); }
KERNEL expand_u8(u64 games, const u32 *planes, const i16 *scalars, Quad *out) { expand_games(games, planes, scalars, out, U8); }
