// Times a product in all configurations, and compares the results.
// gpu-tune FILE IMAGE REPEATS REVISION | gpu-tune chip
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FILE and IMAGE are the output of `ampc-kernel-run --trials` before and behind "code", the latter
// perhaps assembled. For every configuration: the median of REPEATS measurements, each of launches
// that take a millisecond together, and whether the first and last bytes of the result are close to
// the result of the first configuration. The last line has the number of configurations and a hash
// of all lines before, for `tune`. "chip" prints the newest chip of the kit with code for this GPU.
#include "bench/gpu/Device.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_BUFFERS = 8,
  MOST_LAUNCHES = 4,
  MOST_MAPS = 2,
  MAP_BYTES = 128,
  RANK = 5,
  MOST_REPEATS = 100,
  WINDOW = 1 << 20,  /* bytes compared at the start and end of the result */
  PATTERN = 32 << 20 /* random bytes, which operands repeat */
};

typedef struct {
  char type[8];
  uint64_t bytes;
  ampc_cuda_address place;
} Buffer;

typedef struct {
  int operand, type, rank;
  int64_t offset;
  unsigned swizzle;
  uint64_t sizes[RANK], strides[RANK];
  uint32_t box[RANK];
} Map;

typedef struct {
  char function[128];
  unsigned grid[3], block[3], cluster[3], shared;
  Map maps[MOST_MAPS];
  int map_count;
  void *handle;
} Launch;

typedef struct {
  char way[128]; /* form, tile, parts, cluster_split_k, tiles_in_progress, multicast, cycles of the
                    model */
  uint64_t workspace;
  Launch launches[MOST_LAUNCHES];
  int launch_count;
} Trial;

static Buffer buffers[MOST_BUFFERS];
static int buffer_count;
static char product[256], chip[16];
static int multiprocessors;                   /* that the model counts with */
static uint64_t hash = 14695981039346656037u; /* FNV-1a of the printed text */
static void *module;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  for (const char *at = line; *at; ++at)
    hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  fputs(line, stdout);
}

//===--- Reading ------------------------------------------------------------------------------===//

static char *word(void) {
  char *found = strtok(NULL, " ");
  if (!found)
    end("failed: a line of the trials ends early");
  return found;
}
static int64_t number(void) { return strtoll(word(), NULL, 10); }

static int mapType(const char *type) {
  return !strcmp(type, "f16")    ? AMPC_CUDA_MAP_F16
         : !strcmp(type, "bf16") ? AMPC_CUDA_MAP_BF16
                                 : AMPC_CUDA_MAP_F32;
}

static void readMap(Launch *launch) {
  if (launch->map_count == MOST_MAPS)
    end("failed: expected at most %d tensor maps", MOST_MAPS);
  Map *map = &launch->maps[launch->map_count++];
  map->operand = (int)number();
  map->offset = number();
  map->type = mapType(word());
  map->swizzle = (unsigned)number();
  map->rank = (int)number();
  if (map->rank < 2 || map->rank > RANK || map->operand < 0 || map->operand >= buffer_count)
    end("failed: expected a tensor map of rank 2 to %d of an operand", RANK);
  for (int d = 0; d < map->rank; ++d)
    map->sizes[d] = (uint64_t)number();
  for (int d = 0; d + 1 < map->rank; ++d)
    map->strides[d] = (uint64_t)number();
  for (int d = 0; d < map->rank; ++d)
    map->box[d] = (uint32_t)number();
}

static void readLaunch(Trial *trial) {
  if (trial->launch_count == MOST_LAUNCHES)
    end("failed: expected at most %d launches", MOST_LAUNCHES);
  Launch *launch = &trial->launches[trial->launch_count++];
  snprintf(launch->function, sizeof launch->function, "%s", word());
  unsigned *shapes[] = {launch->grid, launch->block, launch->cluster};
  for (int s = 0; s < 3; ++s)
    for (int d = 0; d < 3; ++d)
      shapes[s][d] = (unsigned)number();
  launch->shared = (unsigned)number();
}

static void readTrial(Trial *trial) {
  memset(trial, 0, sizeof *trial);
  for (int i = 0; i < 8; ++i) {
    size_t length = strlen(trial->way);
    snprintf(trial->way + length, sizeof trial->way - length, i ? " %s" : "%s", word());
  }
  trial->workspace = (uint64_t)number();
}

static void readBuffer(void) {
  if (buffer_count == MOST_BUFFERS)
    end("failed: expected at most %d operands and results", MOST_BUFFERS);
  Buffer *buffer = &buffers[buffer_count++];
  snprintf(buffer->type, sizeof buffer->type, "%s", word());
  buffer->bytes = (uint64_t)number();
}

//===--- Running ------------------------------------------------------------------------------===//

/* Random numbers on [-1, 1): zeros would run faster. */
static void fillRandomly(const Buffer *buffer) {
  size_t size = strcmp(buffer->type, "f32") ? 2 : 4;
  uint64_t bytes = buffer->bytes < PATTERN ? buffer->bytes : PATTERN, seed = 1;
  unsigned char *data = malloc(bytes);
  for (uint64_t at = 0; at + size <= bytes; at += size) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    float x = (float)(seed >> 40) / (1 << 23) - 1.0f;
    _Float16 half = (_Float16)x;
    memcpy(data + at,
           size == 4                      ? (char *)&x
           : !strcmp(buffer->type, "f16") ? (char *)&half
                                          : (char *)&x + 2,
           size);
  }
  check(driver.to_device(buffer->place, data, bytes, NULL), "copy");
  check(driver.synchronize(NULL), "copy");
  free(data);
  for (uint64_t at = bytes; at < buffer->bytes; at += bytes) {
    uint64_t part = buffer->bytes - at < bytes ? buffer->bytes - at : bytes;
    check(driver.copy(buffer->place + at, buffer->place, part, NULL), "copy");
  }
}

static void prepareLaunch(Launch *launch) {
  check(driver.function(&launch->handle, module, launch->function), launch->function);
  if (launch->shared > 48 * 1024)
    check(driver.set_function(launch->handle, AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES,
                              (int)launch->shared),
          "shared memory");
}

static void encodeMap(const Map *map, void *to) {
  static const uint32_t steps[RANK] = {1, 1, 1, 1, 1};
  int swizzle = 0; /* 32, 64 and 128 bytes have the numbers 1, 2 and 3 */
  while (map->swizzle >> swizzle > 16)
    ++swizzle;
  ampc_cuda_address start = buffers[map->operand].place + (uint64_t)map->offset;
  check(driver.encode_map(to, map->type, (uint32_t)map->rank, (void *)(uintptr_t)start, map->sizes,
                          map->strides, map->box, steps, 0, swizzle, AMPC_CUDA_MAP_LINE, 0),
        "tensor map");
}

static void start(Launch *launch, ampc_cuda_address workspace) {
  static ampc_cuda_address nothing; /* no flag holds the launch back */
  _Alignas(64) unsigned char maps[MOST_MAPS][MAP_BYTES];
  void *parameters[MOST_BUFFERS + MOST_MAPS + 2];
  int count = 0;
  for (int i = 0; i < buffer_count; ++i)
    parameters[count++] = &buffers[i].place;
  if (workspace)
    parameters[count++] = &workspace;
  parameters[count++] = &nothing;
  for (int i = 0; i < launch->map_count; ++i) {
    encodeMap(&launch->maps[i], maps[i]);
    parameters[count++] = maps[i];
  }
  ampc_cuda_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = AMPC_CUDA_LAUNCH_CLUSTER;
  memcpy(attribute.value.cluster, launch->cluster, sizeof launch->cluster);
  ampc_cuda_config config = {.shared_bytes = launch->shared, .attributes = &attribute};
  memcpy(config.grid, launch->grid, sizeof config.grid);
  memcpy(config.block, launch->block, sizeof config.block);
  config.attribute_count = launch->cluster[0] > 1;
  check(driver.launch(&config, launch->handle, parameters, NULL), "launch");
}

static void runTrial(Trial *trial, ampc_cuda_address workspace) {
  for (int l = 0; l < trial->launch_count; ++l)
    start(&trial->launches[l], workspace);
}

static float millisecondsOf(Trial *trial, ampc_cuda_address workspace, int runs, void **events) {
  float milliseconds;
  check(driver.record(events[0], NULL), "event");
  for (int i = 0; i < runs; ++i)
    runTrial(trial, workspace);
  check(driver.record(events[1], NULL), "event");
  check(driver.wait_event(events[1]), "product");
  check(driver.elapsed(&milliseconds, events[0], events[1]), "time");
  return milliseconds / (float)runs;
}

static int byValue(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static float measure(Trial *trial, ampc_cuda_address workspace, int repeats) {
  static void *events[2];
  for (int i = 0; i < 2 && !events[i]; ++i)
    check(driver.create_event(&events[i], 0), "event");
  runTrial(trial, workspace);
  float once = millisecondsOf(trial, workspace, 1, events), times[MOST_REPEATS];
  int runs = once >= 1 ? 1 : once < 0.02f ? 50 : (int)(1 / once) + 1;
  if (repeats == 1) /* as on the interpreter, where a run takes seconds */
    return once;
  for (int i = 0; i < repeats; ++i)
    times[i] = millisecondsOf(trial, workspace, runs, events);
  qsort(times, (size_t)repeats, sizeof *times, byValue);
  return times[repeats / 2];
}

//===--- Comparing ----------------------------------------------------------------------------===//

/* First and last bytes of the result. */
static uint64_t readWindows(unsigned char *to) {
  const Buffer *result = &buffers[buffer_count - 1];
  uint64_t part = result->bytes < WINDOW ? result->bytes : WINDOW;
  check(driver.to_host(to, result->place, part, NULL), "copy");
  check(driver.to_host(to + part, result->place + result->bytes - part, part, NULL), "copy");
  check(driver.synchronize(NULL), "copy");
  return 2 * part;
}

static float realAt(const unsigned char *data, uint64_t at) {
  const char *type = buffers[buffer_count - 1].type;
  uint32_t bits = 0;
  float real;
  _Float16 half;
  if (!strcmp(type, "f16"))
    return memcpy(&half, data + at, sizeof half), (float)half;
  memcpy(strcmp(type, "f32") ? (char *)&bits + 2 : (char *)&bits, data + at,
         strcmp(type, "f32") ? 2 : 4);
  return memcpy(&real, &bits, sizeof real), real;
}

/* Sums in another order, perhaps rounded to 16 bits: one part in 64 of the largest number. */
static int isClose(const unsigned char *data, const unsigned char *first, uint64_t bytes) {
  uint64_t size = strcmp(buffers[buffer_count - 1].type, "f32") ? 2 : 4;
  float most = 0, apart = 0;
  for (uint64_t at = 0; at < bytes; at += size) {
    float x = realAt(data, at), y = realAt(first, at), distance = fabsf(x - y);
    if (!(distance <= apart))
      apart = isnan(distance) ? INFINITY : distance;
    most = fmaxf(most, fabsf(y));
  }
  return most > 0 && apart <= most / 64;
}

//===--- A file -------------------------------------------------------------------------------===//

static void finishTrial(Trial *trial, int count, int repeats) {
  static unsigned char first[2 * WINDOW], now[2 * WINDOW];
  const Buffer *result = &buffers[buffer_count - 1];
  ampc_cuda_address workspace = trial->workspace ? allocate(trial->workspace) : 0;
  for (int l = 0; l < trial->launch_count; ++l)
    prepareLaunch(&trial->launches[l]);
  check(driver.fill(result->place, 0xff, result->bytes, NULL), "fill"); /* not numbers */
  float milliseconds = measure(trial, workspace, repeats);
  uint64_t bytes = readWindows(count ? now : first);
  int close = isClose(count ? now : first, first, bytes);
  say("trial %s %.6f %s\n", trial->way, milliseconds, close ? "same" : "differs");
  if (workspace)
    check(driver.free(workspace), "free");
}

static void beginProduct(const char *revision) {
  char name[256] = "";
  int device, clock = 0;
  int (*name_of)(char *, int, int);
  void *found = dlsym(driver.library, "cuDeviceGetName");
  memcpy(&name_of, &found, sizeof found);
  check(driver.device(&device, 0), "device");
  check(driver.device_attribute(&clock, /*CLOCK_RATE*/ 13, device), "clock");
  if (found)
    check(name_of(name, sizeof name, device), "name");
  say("product %s on %s %d revision %s kilohertz %d gpu %s\n", product, chip, multiprocessors,
      revision, clock, name);
  for (int i = 0; i < buffer_count; ++i) {
    buffers[i].place = allocate(buffers[i].bytes);
    fillRandomly(&buffers[i]);
  }
}

static void runFile(char *text, int repeats, const char *revision) {
  static Trial trial;
  int count = 0, isOpen = 0;
  for (char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    char *kind = strtok(line, " ");
    bool endsTrial = isOpen && (!strcmp(kind, "trial") || !strcmp(kind, "product"));
    if (endsTrial) {
      finishTrial(&trial, count++, repeats);
      isOpen = 0;
    }
    if (!strcmp(kind, "chip")) {
      snprintf(chip, sizeof chip, "%s", word());
      multiprocessors = (int)number();
    } else if (!strcmp(kind, "product"))
      snprintf(product, sizeof product, "%s", kind + strlen(kind) + 1);
    else if (!strcmp(kind, "buffer"))
      readBuffer();
    else if (!strcmp(kind, "trial")) {
      if (count == 0)
        beginProduct(revision);
      readTrial(&trial);
      isOpen = 1;
    } else if (!strcmp(kind, "launch"))
      readLaunch(&trial);
    else if (!strcmp(kind, "map") && trial.launch_count)
      readMap(&trial.launches[trial.launch_count - 1]);
    else
      end("failed: expected a line of trials, but got %s", kind);
  }
  if (isOpen)
    finishTrial(&trial, count++, repeats);
  printf("end %d %016llx\n", count, (unsigned long long)hash);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "chip")) {
    int capability = openDevice();
    printf("%s\n", capability == 90 ? "sm_90a" : capability == 80 ? "sm_80" : "none");
    return 0;
  }
  if (argc != 5)
    end("usage: gpu-tune FILE IMAGE REPEATS REVISION | gpu-tune chip");
  int repeats = atoi(argv[3]);
  if (repeats < 1 || repeats > MOST_REPEATS)
    end("failed: expected 1 to %d repeats, but got %s", MOST_REPEATS, argv[3]);
  size_t bytes;
  char *text = readWhole(argv[1], &bytes), *image = readWhole(argv[2], &bytes);
  if (!text || !image)
    end("failed: cannot read %s", text ? argv[2] : argv[1]);
  openDevice();
  loadModule(&module, image, argv[2]);
  runFile(text, repeats, argv[4]);
  return 0;
}
