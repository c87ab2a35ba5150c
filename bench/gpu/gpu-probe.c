// Runs a probe: a kernel with inputs and the expected output.
// gpu-probe [--record=LABEL] FOLDER NAME [RESULT]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one line: "ok", "differs", "agrees with LABELS", "skipped" or "failed". An output has a
// file with the answer, or labels: NAME.LABEL.bin has the output recorded under the label. RESULT
// gets the bytes of the last output. A probe that should fail has the driver's code as answer.
#include "bench/gpu/Device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 8, MOST_LABELS = 4, PATH_BYTES = 1024, LINE_BYTES = 256 };

typedef struct {
  char target[16];
  int point;
  unsigned block, shared;
  int argument_count;
  ampc_cuda_address buffers[MOST_ARGUMENTS];
  unsigned char maps[MOST_ARGUMENTS][128] __attribute__((aligned(64)));
  void *arguments[MOST_ARGUMENTS];
  int output; /* number of the argument */
  size_t output_bytes;
  char labels[MOST_LABELS][64]; /* or the single file with the answer */
  int label_count;
  bool has_answer;
  int fails; /* expected code of the driver; 0: success */
} Probe;

static const char *folder, *name;

static void *readIn(const char *file, size_t *bytes) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  void *data = readWhole(path, bytes);
  if (!data)
    end("failed %s: cannot read %s", name, path);
  return data;
}

static ampc_cuda_address upload(const char *file) {
  size_t bytes;
  void *data = readIn(file, &bytes);
  ampc_cuda_address place = allocate(bytes);
  check(driver.to_device(place, data, bytes, NULL), "copy");
  check(driver.synchronize(NULL), "copy");
  free(data);
  return place;
}

typedef int (*Encode)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                      const uint32_t *, const uint32_t *, int, int, int, int);

/* "TYPE FILE rank sizes box" */
static void encodeMap(Probe *probe, int number, char *words) {
  enum { FLOAT32 = 7, BFLOAT16 = 9 };
  bool is_wide = !strcmp(strtok(words, " "), "f32");
  char *file = strtok(NULL, " ");
  uint32_t rank = (uint32_t)atoi(strtok(NULL, " ")), box[5], steps[5] = {1, 1, 1, 1, 1};
  uint64_t sizes[5], strides[5], bytes = is_wide ? 4 : 2;
  for (uint32_t d = 0; d < rank; ++d)
    sizes[d] = strtoull(strtok(NULL, " "), NULL, 10);
  for (uint32_t d = 0; d < rank; ++d)
    box[d] = (uint32_t)atoi(strtok(NULL, " "));
  for (uint32_t d = 0; d + 1 < rank; ++d)
    strides[d] = bytes *= sizes[d];
  Encode encode;
  void *found = dlsym(driver.library, "cuTensorMapEncodeTiled");
  memcpy(&encode, &found, sizeof encode);
  if (!found)
    end("failed %s: the driver has no tensor maps", name);
  probe->buffers[number] = upload(file);
  check(encode(probe->maps[number], is_wide ? FLOAT32 : BFLOAT16, rank,
               (void *)(uintptr_t)probe->buffers[number], sizes, strides, box, steps, 0, 0, 0, 0),
        "tensor map");
  probe->arguments[number] = probe->maps[number];
}

static void readOutput(Probe *probe, int number, char *words) {
  probe->output = number;
  probe->output_bytes = strtoull(strtok(words, " "), NULL, 10);
  probe->buffers[number] = allocate(probe->output_bytes);
  check(driver.fill(probe->buffers[number], 0, probe->output_bytes, NULL), "fill");
  for (char *label = strtok(NULL, " "); label; label = strtok(NULL, " "))
    snprintf(probe->labels[probe->label_count++], sizeof *probe->labels, "%s", label);
  probe->has_answer = strstr(probe->labels[0], ".bin") != NULL;
}

static void readLine(Probe *probe, char *line) {
  int number = probe->argument_count;
  char *rest = strchr(line, ' ');
  *rest++ = 0;
  if (!strcmp(line, "target"))
    snprintf(probe->target, sizeof probe->target, "%s", rest);
  else if (!strcmp(line, "point"))
    probe->point = atoi(rest);
  else if (!strcmp(line, "block"))
    probe->block = (unsigned)atoi(rest);
  else if (!strcmp(line, "shared"))
    probe->shared = (unsigned)atoi(rest);
  else if (!strcmp(line, "fails"))
    probe->fails = atoi(rest);
  else {
    probe->arguments[number] = &probe->buffers[number];
    ++probe->argument_count;
    if (!strcmp(line, "in"))
      probe->buffers[number] = upload(rest);
    else if (!strcmp(line, "map"))
      encodeMap(probe, number, rest);
    else
      readOutput(probe, number, rest);
  }
}

/* Whether the device runs code for `target`, such as sm_90a. */
static bool runsHere(const char *target, int capability) {
  int wanted = atoi(target + 3);
  return target[strlen(target) - 1] == 'a' ? capability == wanted : capability >= wanted;
}

/* Launches and waits; returns the driver's code. */
static int launchProbe(Probe *probe) {
  char file[PATH_BYTES];
  size_t bytes;
  snprintf(file, sizeof file, "%s.ptx", name);
  void *text = readIn(file, &bytes), *module, *function;
  loadModule(&module, text, name);
  free(text);
  check(driver.function(&function, module, "k"), "function");
  if (probe->shared > 48 * 1024)
    check(driver.set_function(function, AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES, (int)probe->shared),
          "shared memory");
  ampc_cuda_config config = {{1, 1, 1}, {probe->block, 1, 1}, probe->shared, NULL, NULL, 0};
  int result = driver.launch(&config, function, probe->arguments, NULL);
  return result ? result : driver.synchronize(NULL);
}

/* Number of words that differ; `first`: index of the first such word. */
static size_t compare(const Probe *probe, const uint32_t *got, const char *file, size_t *first) {
  size_t bytes, count = 0;
  uint32_t *wanted = readIn(file, &bytes);
  if (bytes != probe->output_bytes)
    end("failed %s: %s has %zu bytes", name, file, bytes);
  for (size_t i = 0; i < bytes / 4; ++i)
    if (got[i] != wanted[i] && count++ == 0)
      *first = i;
  free(wanted);
  return count;
}

static void reportAnswer(const Probe *probe, const uint32_t *got) {
  size_t first = 0, count = compare(probe, got, probe->labels[0], &first);
  if (count == 0)
    printf("ok point %d: %s\n", probe->point, name);
  else
    printf("differs point %d: %s: %zu of %zu words, the first is %zu: %08x\n", probe->point, name,
           count, probe->output_bytes / 4, first, got[first]);
}

static void reportCode(const Probe *probe, int code) {
  if (code == probe->fails)
    printf("ok point %d: %s\n", probe->point, name);
  else
    printf("differs point %d: %s: code %d\n", probe->point, name, code);
}

static void reportLabels(const Probe *probe, const uint32_t *got) {
  int agree = 0;
  for (int i = 0; i < probe->label_count; ++i) {
    char file[PATH_BYTES];
    size_t first;
    snprintf(file, sizeof file, "%s.%s.bin", name, probe->labels[i]);
    size_t count = compare(probe, got, file, &first);
    if (count == 0)
      printf("%s %s", agree++ ? "," : "agrees with", probe->labels[i]);
  }
  if (!agree)
    printf("differs");
  printf(" point %d: %s\n", probe->point, name);
}

static void writeWhole(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
    end("failed %s: cannot write %s", name, path);
}

int main(int argc, char **argv) {
  const char *label = NULL;
  if (argc > 1 && !strncmp(argv[1], "--record=", 9)) {
    label = argv[1] + 9;
    --argc, ++argv;
  }
  if (argc != 3 && argc != 4)
    end("usage: gpu-probe [--record=LABEL] FOLDER NAME [RESULT]");
  folder = argv[1];
  name = argv[2];
  int capability = openDevice();
  static Probe probe;
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s.probe", name);
  size_t bytes;
  char *text = readIn(path, &bytes);
  for (char *line = text, *next; line && *line; line = next) {
    char copy[LINE_BYTES];
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    snprintf(copy, sizeof copy, "%s", line);
    readLine(&probe, copy);
    if (probe.target[0] && !runsHere(probe.target, capability)) {
      printf("skipped point %d: %s is for %s\n", probe.point, name, probe.target);
      return 0;
    }
  }
  int code = launchProbe(&probe);
  if (probe.fails) {
    reportCode(&probe, code);
    return 0;
  }
  check(code, name);
  uint32_t *got = malloc(probe.output_bytes);
  check(driver.to_host(got, probe.buffers[probe.output], probe.output_bytes, NULL), "copy");
  check(driver.synchronize(NULL), "copy");
  if (label) {
    snprintf(path, sizeof path, "%s/%s.%s.bin", folder, name, label);
    if (!probe.has_answer)
      writeWhole(path, got, probe.output_bytes);
    return 0;
  }
  if (argc == 4)
    writeWhole(argv[3], got, probe.output_bytes);
  if (probe.has_answer)
    reportAnswer(&probe, got);
  else
    reportLabels(&probe, got);
  return 0;
}
