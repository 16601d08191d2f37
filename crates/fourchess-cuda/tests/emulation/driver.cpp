// A driver whose device is the processor: memory is the heap, and launches call the kernels above.
// The variable FAKE_DRIVER makes it fail in one of the ways in which drivers fail.

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *way() {
  const char *found = getenv("FAKE_DRIVER");
  return found ? found : "";
}
static bool is(const char *name) { return strcmp(way(), name) == 0; }

static u64 used;
static bool lost;

#define API extern "C" int

API cuDriverGetVersion(int *version) { return *version = is("old driver") ? 11040 : 13000, 0; }
API cuInit(unsigned) { return is("no device") ? 100 : 0; }
API cuDeviceGetCount(int *count) { return *count = 1, 0; }
API cuDeviceGet(int *device, int) { return *device = 0, 0; }
API cuDeviceGetName(char *name, int length, int) { return snprintf(name, length, "Fake"), 0; }
API cuDeviceGetAttribute(int *value, int attribute, int) {
  // Compute capability, and multiprocessors.
  *value = attribute == 75 ? (is("old device") ? 6 : 9) : attribute == 76 ? 0 : 4;
  return 0;
}
API cuDevicePrimaryCtxRetain(void **context, int) { return *context = &used, 0; }
API cuDevicePrimaryCtxRelease_v2(int) { return 0; }
API cuCtxSetCurrent(void *) { return 0; }
API cuMemGetInfo_v2(size_t *available, size_t *total) { return *available = *total = 1 << 30, 0; }
API cuMemAlloc_v2(u64 *address, size_t bytes) {
  // Room for less than it says that there is.
  if (is("little memory") && (used += bytes) > 10 << 20)
    return 2;
  void *place = 0;
  *address = posix_memalign(&place, 256, bytes) ? 0 : (u64)place;
  return *address ? 0 : 2;
}
API cuMemFree_v2(u64 address) { return free((void *)address), 0; }
API cuMemsetD8_v2(u64 address, u8 byte, size_t count) { return memset((void *)address, byte, count), 0; }
API cuMemsetD8Async(u64 address, u8 byte, size_t count, void *) { return memset((void *)address, byte, count), 0; }
API cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t bytes, void *) { return memcpy((void *)to, from, bytes), 0; }
API cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, void *) { return memcpy(to, (void *)from, bytes), 0; }
API cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t bytes, void *) { return memcpy((void *)to, (void *)from, bytes), 0; }
API cuStreamCreate(void **stream, unsigned) { return *stream = &used, 0; }
API cuStreamGetCtx(void *, void **context) { return *context = &used, 0; }
API cuCtxGetDevice(int *device) { return *device = 0, 0; }
API cuStreamDestroy_v2(void *) { return 0; }
API cuStreamSynchronize(void *) { return lost ? 700 : 0; }
// Work is done when it is asked for, so nobody has to wait.
API cuEventCreate(void **event, unsigned) { return *event = &used, 0; }
API cuEventRecord(void *, void *) { return 0; }
API cuEventDestroy_v2(void *) { return 0; }
API cuStreamWaitEvent(void *, void *, unsigned) { return 0; }
// Memory of the device 0, low addresses aside.
API cuPointerGetAttribute(void *value, int attribute, u64 address) {
  if (address < 4096)
    return 1;
  *(int *)value = attribute == 2 ? 2 : 0;
  return 0;
}
API cuGetErrorName(int, const char **name) { return *name = "an error", 0; }
API cuGetErrorString(int, const char **text) { return *text = "an error", 0; }

// Kernels have the settings of their module, because the text for the processor has one place for
// those of all.
struct Module {
  long long settings[64];
};
struct Kernel {
  const Module *module;
  char name[24];
};

// The image is the text of the kernels, whose settings are read from its definitions.
API cuModuleLoadData(Module **module, const void *image) {
  const char *text = (const char *)image;
  Module *made = *module = new Module();
  for (u32 i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
    char define[64];
    snprintf(define, sizeof(define), "#define %s (", NAMES[i]);
    const char *found = strstr(text, define);
    if (!found)
      return 218;
    made->settings[6 + i] = atoll(found + strlen(define));
  }
  const char *values = strstr(text, "VALUES[6] = {");
  for (u32 i = 0; values && i < 6; i++) {
    values = strpbrk(values + 1, i ? "," : "{");
    made->settings[i] = atoll(values + 1);
  }
  return 0;
}
API cuModuleUnload(Module *module) { return delete module, 0; }
API cuModuleGetFunction(Kernel **kernel, const Module *module, const char *name) {
  *kernel = new Kernel{module, ""};
  return snprintf((*kernel)->name, sizeof((*kernel)->name), "%s", name), 0;
}

template <typename T> static T at(void **arguments, int index) { return *(T *)arguments[index]; }

static int launch_value(const char *kernel, void **a) {
  if (!strcmp(kernel, "value_record"))
    value_record(at<u64>(a, 0), at<u8 *>(a, 1), at<Game *>(a, 2), at<u64>(a, 3));
  else if (!strcmp(kernel, "value_step"))
    value_step(at<Values>(a, 0), at<i32 *>(a, 1));
  else if (!strcmp(kernel, "value_load"))
    value_load(at<Values>(a, 0), at<u8 *>(a, 1));
  else if (!strcmp(kernel, "value_save"))
    value_save(at<u64>(a, 0), at<u8 *>(a, 1), at<u8 *>(a, 2), at<u64>(a, 3));
  else if (!strcmp(kernel, "value_observe"))
    value_observe(at<u64>(a, 0), at<u8 *>(a, 1), at<u32 *>(a, 2), at<i16 *>(a, 3), at<u64>(a, 4));
  else if (!strcmp(kernel, "value_mask"))
    value_mask(at<u64>(a, 0), at<u8 *>(a, 1), at<u64 *>(a, 2));
  else
    return 98;
  return 0;
}

API cuLaunchKernel(const Kernel *launched, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                   void **a, void **) {
  const char *kernel = launched->name;
  memcpy(setting, launched->module->settings, sizeof(launched->module->settings));
  lost |= is("lost") && !strcmp(kernel, "step");
  if (lost)
    return 0; // Told at the next occasion, as drivers do.
  if (!strncmp(kernel, "value_", 6))
    return launch_value(kernel, a);
  Params p = at<Params>(a, 0);
  void *one = *(void **)a[1];
  if (!strcmp(kernel, "step"))
    step(p, one, at<u32>(a, 2));
  else if (!strcmp(kernel, "find_refused"))
    find_refused(p, one, at<u32>(a, 2));
  else if (!strcmp(kernel, "choose_random"))
    choose_random(p, at<u32>(a, 1), at<u16 *>(a, 2));
  else if (!strcmp(kernel, "choose"))
    choose(p, at<u32>(a, 1), at<u16 *>(a, 2));
  else if (!strcmp(kernel, "play_random"))
    play_random(p, at<u32>(a, 1), at<u32>(a, 2));
  else if (!strcmp(kernel, "play"))
    play(p, at<u32>(a, 1), at<u32>(a, 2));
  else if (!strcmp(kernel, "reset"))
    reset(p, (u64 *)one, at<u64 *>(a, 2), at<u64>(a, 3), at<u64>(a, 4));
  else if (!strcmp(kernel, "reset_where"))
    reset_where(p, (u8 *)one, at<u64 *>(a, 2));
  else if (!strcmp(kernel, "save"))
    save(p, (u64 *)one, at<u64>(a, 2), at<u32>(a, 3), at<u8 *>(a, 4));
  else if (!strcmp(kernel, "load_states"))
    load_states(p, (u64 *)one, at<u64>(a, 2), at<u8 *>(a, 3), at<u32>(a, 4));
  else if (!strcmp(kernel, "resign"))
    resign(p, (u64 *)one, at<u8 *>(a, 2), at<u64>(a, 3));
  else if (!strcmp(kernel, "digest"))
    digest(p, at<u32>(a, 1), at<u64 *>(a, 2));
  else if (!strcmp(kernel, "expand_f32"))
    expand_f32(at<u64>(a, 0), at<u32 *>(a, 1), at<i16 *>(a, 2), at<Quad *>(a, 3));
  else if (!strcmp(kernel, "expand_bf16"))
    expand_bf16(at<u64>(a, 0), at<u32 *>(a, 1), at<i16 *>(a, 2), at<Quad *>(a, 3));
  else if (!strcmp(kernel, "expand_f16"))
    expand_f16(at<u64>(a, 0), at<u32 *>(a, 1), at<i16 *>(a, 2), at<Quad *>(a, 3));
  else if (!strcmp(kernel, "expand_u8"))
    expand_u8(at<u64>(a, 0), at<u32 *>(a, 1), at<i16 *>(a, 2), at<Quad *>(a, 3));
  else
    return 98;
  return 0;
}
