// A compiler that returns the text it is given, or refuses it.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define API extern "C" int

static bool refuses() {
  const char *found = getenv("FAKE_DRIVER");
  return found && !strcmp(found, "bad text");
}
static const char *LOG = "fourchess.cu(7): error: refused";

API nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
API nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
API nvrtcGetSupportedArchs(int *list) { return list[0] = 90, 0; }
API nvrtcCreateProgram(char **program, const char *text, const char *, int, void *, void *) { return *program = strdup(text), 0; }
API nvrtcCompileProgram(char *, int, const char **) { return refuses() ? 6 : 0; }
API nvrtcGetCUBINSize(char *program, size_t *size) { return *size = strlen(program) + 1, 0; }
API nvrtcGetCUBIN(char *program, char *image) { return strcpy(image, program), 0; }
API nvrtcGetPTXSize(char *program, size_t *size) { return nvrtcGetCUBINSize(program, size); }
API nvrtcGetPTX(char *program, char *image) { return nvrtcGetCUBIN(program, image); }
API nvrtcGetProgramLogSize(char *, size_t *size) { return *size = strlen(LOG) + 1, 0; }
API nvrtcGetProgramLog(char *, char *log) { return strcpy(log, LOG), 0; }
API nvrtcDestroyProgram(char **program) { return free(*program), 0; }
