/* Memory of hosts: buffers between unreadable pages, states that cannot be written, limits on
   memory: memory CASE
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 5, WIDTH = 7, CLASSES = 13, PAGE = 4096 };
static float x[BATCH * WIDTH];
static int32_t word[BATCH], kind[BATCH];

static void expect(int holds, const char *what) {
  if (holds)
    return;
  printf("not so: %s\n", what);
  exit(1);
}

static void makeData(void) {
  for (int i = 0; i < BATCH * WIDTH; ++i)
    x[i] = (float)(i * 37 % 101) / 101 - 0.5f;
  for (int i = 0; i < BATCH; ++i)
    word[i] = i * 3 % 11, kind[i] = i * 5 % CLASSES;
}

/* `bytes` between two unreadable pages. At the end of their pages: the byte behind the last one is
   unreadable; else that before the first one. `align` moves the first byte down. */
static void *between(size_t bytes, size_t align, int at_end) {
  size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
  char *all = mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(all != MAP_FAILED && !mprotect(all + PAGE, pages, PROT_READ | PROT_WRITE), "pages");
  size_t offset = at_end ? (pages - bytes) / align * align : 0;
  return all + PAGE + offset;
}

static void *pageOf(const void *place) { return (void *)((uintptr_t)place / PAGE * PAGE); }

/* A copy that the model can read only. */
static const void *readOnly(const void *data, size_t bytes, int at_end) {
  void *copy = between(bytes, 4, at_end);
  memcpy(copy, data, bytes);
  expect(!mprotect(pageOf(copy), PAGE, PROT_READ), "a page becomes read-only");
  return copy;
}

static memory_state *createIn(void *memory, size_t bytes, int threads) {
  char error[512] = "";
  ampc_options options = {.size = sizeof options,
                          .seed = 7,
                          .threads = threads,
                          .memory = memory,
                          .memory_bytes = bytes,
                          .error = error,
                          .error_bytes = sizeof error};
  memory_state *state = NULL;
  if (memory_create(&options, &state))
    expect(error[0] != 0, "a refusal has words");
  return state;
}

/* Results of three steps with `rows` rows, an evaluation and a prediction. */
typedef struct {
  float losses[3], loss, scores[BATCH * CLASSES];
} Results;

typedef struct {
  const float *x;
  const int32_t *word, *kind;
  float *loss, *scores;
  void *workspace;
} Buffers;

static void look(const memory_state *state, const Buffers *b, uint32_t rows) {
  memory_eval_in in = {.size = sizeof in,
                       .valid = rows,
                       .workspace = b->workspace,
                       .x = b->x,
                       .word = b->word,
                       .kind = b->kind};
  memory_eval_out out = {.size = sizeof out, .loss = b->loss};
  expect(memory_eval(state, &in, &out) == AMPC_OK, "an evaluation runs");
  memory_predict_in of = {
      .size = sizeof of, .valid = rows, .workspace = b->workspace, .x = b->x, .word = b->word};
  memory_predict_out to = {.size = sizeof to, .out = b->scores};
  expect(memory_predict(state, &of, &to) == AMPC_OK, "a prediction runs");
}

static Results run(memory_state *state, const Buffers *b, uint32_t rows) {
  Results results;
  memset(&results, 0, sizeof results);
  for (int i = 0; i < 3; ++i) {
    memory_train_step_in in = {
        .size = sizeof in, .valid = rows, .x = b->x, .word = b->word, .kind = b->kind};
    ampc_train_out out = {.size = sizeof out};
    ampc_status status = memory_train_step(state, &in, &out);
    expect(status == AMPC_OK || status == AMPC_W_STEP_SKIPPED, "a step runs");
    results.losses[i] = out.loss;
  }
  look(state, b, rows);
  results.loss = *b->loss;
  memcpy(results.scores, b->scores, (rows ? rows : BATCH) * CLASSES * sizeof(float));
  return results;
}

static Results plain(uint32_t rows) {
  float loss, scores[BATCH * CLASSES];
  Buffers b = {x, word, kind, &loss, scores, NULL};
  memory_state *state = createIn(NULL, 0, 1);
  expect(state != NULL, "a state");
  Results results = run(state, &b, rows);
  memory_destroy(state);
  return results;
}

/* No byte beside the rows that count, the outputs, the workspace and the state is touched; inputs
   are not written. */
static void edges(void) {
  for (uint32_t rows = 1; rows <= BATCH; ++rows)
    for (int at_end = 0; at_end < 2; ++at_end)
      for (int threads = 1; threads <= 3; threads += 2) {
        ampc_options options = {.size = sizeof options, .threads = threads};
        size_t bytes = memory_state_bytes(&options), work = memory_workspace_bytes();
        Buffers b = {readOnly(x, rows * WIDTH * sizeof *x, at_end),
                     readOnly(word, rows * sizeof *word, at_end),
                     readOnly(kind, rows * sizeof *kind, at_end),
                     between(sizeof(float), 4, at_end),
                     between(rows * CLASSES * sizeof(float), 4, at_end),
                     threads == 1 ? between(work, 64, at_end) : NULL};
        memory_state *state = createIn(between(bytes, 64, at_end), bytes, threads);
        expect(state != NULL, "a state in the host's memory");
        Results results = run(state, &b, rows), expected = plain(rows);
        expect(!memcmp(&results, &expected, sizeof results), "the place of buffers changes no bit");
        memory_destroy(state);
      }
  puts("no byte beside the buffers");
}

/* Evaluations and exports with a workspace write nothing of the state. */
static void constant(void) {
  float loss, scores[BATCH * CLASSES];
  Buffers b = {x, word, kind, &loss, scores, between(memory_workspace_bytes(), 64, 1)};
  for (int threads = 1; threads <= 3; threads += 2) {
    ampc_options options = {.size = sizeof options, .threads = threads};
    size_t bytes = memory_state_bytes(&options);
    char *memory = between(bytes, PAGE, 1);
    memory_state *state = createIn(memory, bytes, threads);
    Results before = run(state, &b, 0);
    expect(!mprotect(memory, bytes, PROT_READ), "a state becomes read-only");
    for (uint32_t rows = 0; rows <= BATCH; ++rows)
      look(state, &b, rows);
    expect(!memcmp(&before.scores, scores, sizeof scores), "predictions stay the same");
    expect(!mprotect(memory, bytes, PROT_READ | PROT_WRITE), "a state can be written again");
    memory_destroy(state);
  }
  puts("states are constant");
}

static size_t sizeOfProcess(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  expect(file && fscanf(file, "%lu", &pages) == 1, "a size of the process");
  fclose(file);
  return pages * PAGE;
}

/* Under every limit on the address space a state is refused in words, or trains as ever. */
static void limits(void) {
  Results expected = plain(0);
  size_t now = sizeOfProcess();
  int refused = 0, trained = 0;
  for (size_t more = 0; more <= (40u << 20) && trained < 50;
       more += more < (1u << 20) ? PAGE : 1u << 18) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      struct rlimit limit = {now + more, now + more};
      if (setrlimit(RLIMIT_AS, &limit))
        _exit(3);
      memory_state *state = createIn(NULL, 0, 4);
      if (!state)
        _exit(2);
      float loss, scores[BATCH * CLASSES];
      Buffers b = {x, word, kind, &loss, scores, NULL};
      Results results = run(state, &b, 0);
      memory_destroy(state);
      _exit(memcmp(&results, &expected, sizeof results) != 0);
    }
    int status;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status), "a child ends by itself");
    expect(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2, "a child trains, or is refused");
    refused += WEXITSTATUS(status) == 2;
    trained += WEXITSTATUS(status) == 0;
  }
  printf("%d limits refused, %d sufficed\n", refused, trained);
}

int main(int argc, char **argv) {
  expect(argc == 2, "memory CASE");
  makeData();
  if (!strcmp(argv[1], "edges"))
    edges();
  if (!strcmp(argv[1], "constant"))
    constant();
  if (!strcmp(argv[1], "limits"))
    limits();
  return 0;
}
