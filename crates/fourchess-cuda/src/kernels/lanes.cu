// Lanes: the text that follows is compiled twice, for a device and for the processor.
//
// A game belongs to a group of LANES threads of one warp. EACH shares out the numbers below n
// among the lanes; on the processor it is a plain loop. What a lane writes to the game's record
// is seen by the others after SYNC. ONE is done by the first lane. Between two SYNCs no lane may
// read what another writes: the tests run the loops of the processor in both directions.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;
typedef int i32;

#ifdef __CUDACC__

#define FN static __device__ __forceinline__
#define COLD static __device__ __noinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)

#define GROUPS (THREADS / LANES)
#define LANE ((i32)(threadIdx.x & (LANES - 1)))
#define GROUP_SHIFT (threadIdx.x & 31 & ~(LANES - 1))
#define GROUP_FULL (LANES == 32 ? 0xffffffffu : (1u << (LANES & 31)) - 1)
#define GROUP_MASK (GROUP_FULL << GROUP_SHIFT)

#define SYNC() __syncwarp(GROUP_MASK)
#define ONE if (LANE == 0)
#define EACH(i, n) for (i32 i = LANE; i < (i32)(n); i += LANES)
// A value a lane keeps from one FOR_LANES to the next is an array, read with OF.
#define FOR_LANES(lane) for (i32 lane = LANE, go_ = 1; go_; go_ = 0)
#define PER_LANE(type, name) type name[1]
#define OF(name) name[0]
// The bits for which the condition on i holds, for i below n, which is 32 at most.
#define BALLOT(word, n, i, condition)                                          \
  do {                                                                         \
    word = 0;                                                                  \
    _Pragma("unroll") for (i32 b_ = 0; b_ < (n); b_ += LANES) {                \
      i32 i = b_ + LANE;                                                       \
      bool is_ = i < (n) && (condition);                                       \
      word |= (__ballot_sync(GROUP_MASK, is_) >> GROUP_SHIFT & GROUP_FULL)     \
              << (b_ & 31);                                                    \
    }                                                                          \
  } while (0)
// How often the condition holds, for any n.
#define COUNT_IF(total, n, i, condition)                                       \
  do {                                                                         \
    total = 0;                                                                 \
    for (i32 b_ = 0; b_ < (i32)(n); b_ += LANES) {                             \
      i32 i = b_ + LANE;                                                       \
      bool is_ = i < (i32)(n) && (condition);                                  \
      total += __popc(__ballot_sync(GROUP_MASK, is_) & GROUP_MASK);            \
    }                                                                          \
  } while (0)
// `before` becomes the sum of the counts of the lanes before, `total` that of all.
#define SCAN(before, counts, total)                                            \
  do {                                                                         \
    i32 sum_ = counts[0];                                                      \
    _Pragma("unroll") for (i32 d_ = 1; d_ < LANES; d_ *= 2) {                  \
      i32 other_ = __shfl_up_sync(GROUP_MASK, sum_, d_, LANES);                \
      sum_ += LANE >= d_ ? other_ : 0;                                         \
    }                                                                          \
    before[0] = sum_ - counts[0];                                              \
    total = __shfl_sync(GROUP_MASK, sum_, LANES - 1, LANES);                   \
  } while (0)
#define XOR_LANES(result, values)                                              \
  do {                                                                         \
    u64 x_ = values[0];                                                        \
    _Pragma("unroll") for (i32 d_ = 1; d_ < LANES; d_ *= 2)                    \
        x_ ^= __shfl_xor_sync(GROUP_MASK, x_, d_, LANES);                      \
    result = x_;                                                               \
  } while (0)
#define ADD_LANES(result, values)                                              \
  do {                                                                         \
    u64 x_ = values[0];                                                        \
    _Pragma("unroll") for (i32 d_ = 1; d_ < LANES; d_ *= 2)                    \
        x_ += __shfl_xor_sync(GROUP_MASK, x_, d_, LANES);                      \
    result = x_;                                                               \
  } while (0)
#define OR_SHARED(place, value) atomicOr(&(place), (value))
#define ADD_GLOBAL(place, value) atomicAdd(&(place), (u64)(value))
#define MIN_GLOBAL(place, value) atomicMin(&(place), (u64)(value))

// Games of a launch, each with the work space of its group.
#define FOR_GAMES(game, work, n)                                               \
  __shared__ Work works_[GROUPS];                                              \
  Work &work = works_[threadIdx.x / LANES];                                    \
  for (u32 game = blockIdx.x * GROUPS + threadIdx.x / LANES, go_ = 1;          \
       go_ && game < (n); go_ = 0)
// One more record for each group.
#define SAVED_GAME(saved)                                                      \
  __shared__ Game saves_[GROUPS];                                              \
  Game &saved = saves_[threadIdx.x / LANES];
// Numbers of a launch without groups, a thread each.
#define FOR_THREADS(i, n)                                                      \
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n);            \
       i += (u64)gridDim.x * blockDim.x)

#define count_ones __popc
#define lowest_bit(x) (__ffs(x) - 1)
#define highest_bit(x) (31 - __clz(x))
#define high_product __umul64hi

typedef uint4 Quad;

#else

#define FN static inline
#define COLD static
#define KERNEL extern "C" void

#define SYNC() ((void)0)
#define ONE
#ifdef DESCENDING
#define EACH(i, n) for (i32 i = (i32)(n) - 1; i >= 0; i--)
#define FOR_LANES(lane) for (i32 lane = LANES - 1; lane >= 0; lane--)
#else
#define EACH(i, n) for (i32 i = 0; i < (i32)(n); i++)
#define FOR_LANES(lane) for (i32 lane = 0; lane < LANES; lane++)
#endif
#define PER_LANE(type, name) type name[LANES]
#define OF(name) name[lane]
#define BALLOT(word, n, i, condition)                                          \
  do {                                                                         \
    word = 0;                                                                  \
    for (i32 i = 0; i < (n); i++)                                              \
      word |= (u32)((condition) ? 1 : 0) << i;                                 \
  } while (0)
#define COUNT_IF(total, n, i, condition)                                       \
  do {                                                                         \
    total = 0;                                                                 \
    for (i32 i = 0; i < (i32)(n); i++)                                         \
      total += (condition) ? 1 : 0;                                            \
  } while (0)
#define SCAN(before, counts, total)                                            \
  do {                                                                         \
    total = 0;                                                                 \
    for (i32 lane_ = 0; lane_ < LANES; lane_++) {                              \
      before[lane_] = total;                                                   \
      total += counts[lane_];                                                  \
    }                                                                          \
  } while (0)
#define XOR_LANES(result, values)                                              \
  do {                                                                         \
    result = 0;                                                                \
    for (i32 lane_ = 0; lane_ < LANES; lane_++)                                \
      result ^= values[lane_];                                                 \
  } while (0)
#define ADD_LANES(result, values)                                              \
  do {                                                                         \
    result = 0;                                                                \
    for (i32 lane_ = 0; lane_ < LANES; lane_++)                                \
      result += values[lane_];                                                 \
  } while (0)
#define OR_SHARED(place, value) ((place) |= (value))
#define ADD_GLOBAL(place, value) ((place) += (u64)(value))
#define MIN_GLOBAL(place, value)                                               \
  ((place) = (u64)(value) < (place) ? (u64)(value) : (place))

#define FOR_GAMES(game, work, n)                                               \
  static Work work_;                                                           \
  Work &work = work_;                                                          \
  for (u32 game = 0; game < (n); game++)
#define SAVED_GAME(saved) Game saved;
#define FOR_THREADS(i, n) for (u64 i = 0; i < (n); i++)

#define count_ones __builtin_popcount
#define lowest_bit(x) __builtin_ctz(x)
#define highest_bit(x) (31 - __builtin_clz(x))
#define high_product(a, b) ((u64)((unsigned __int128)(a) * (b) >> 64))

struct alignas(16) Quad {
  u32 x, y, z, w;
};

#endif
