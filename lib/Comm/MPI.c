// Engine for ranks that are processes of an MPI program: persistent sends and receives of MPI-1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Point-to-point messages: persistent collectives differ between versions and are not faster
// (measured: MPICH 4.0.2, Open MPI 4.1.4), and sums are computed by compiled kernels, not by MPI.
#include "ampc/Comm/MPI.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  MPI_Request *requests;
  int count;
} Requests;

typedef struct {
  MPI_Comm comm;
  int rank, ranks;
  const ampc_transfer *list;
  Requests *requests; /* per transfer */
  int32_t count;
  const char *error;
  char text[MPI_MAX_ERROR_STRING];
} Engine;

/* Every MPI has tags 0 to 32767 (standard, MPI_TAG_UB). */
enum { LEAST_TAGS = 32768 };

/* Returns 0, or -1 with the text of MPI's error. */
static int check(Engine *engine, int code) {
  int length;
  if (code == MPI_SUCCESS)
    return 0;
  engine->error = MPI_Error_string(code, engine->text, &length) == MPI_SUCCESS
                      ? engine->text
                      : "MPI failed without a text";
  return -1;
}

static int fail(Engine *engine, const char *error) {
  engine->error = error;
  return -1;
}

static char *pieceToSend(const ampc_transfer *transfer, const ampc_segment *segment, int peer) {
  size_t piece = transfer->kind == AMPC_ALL_TO_ALL ? (size_t)peer : 0;
  return (char *)(uintptr_t)segment->send + segment->bytes * piece;
}

/* Two requests per peer and segment, a send and a receive. Example: 3 peers, 2 segments -> 12. */
static int addRequests(Engine *engine, int32_t number, int peer) {
  const ampc_transfer *transfer = &engine->list[number];
  Requests *all = &engine->requests[number];
  int tag = number % LEAST_TAGS;
  for (int32_t s = 0; s < transfer->segment_count; ++s) {
    const ampc_segment *segment = &transfer->segments[s];
    if (segment->bytes > INT_MAX)
      return fail(engine, "expected pieces of at most 2 GiB");
    char *receive = (char *)segment->receive + segment->bytes * (size_t)peer;
    int bytes = (int)segment->bytes;
    if (check(engine, MPI_Recv_init(receive, bytes, MPI_BYTE, peer, tag, engine->comm,
                                    &all->requests[all->count++])) ||
        check(engine, MPI_Send_init(pieceToSend(transfer, segment, peer), bytes, MPI_BYTE, peer,
                                    tag, engine->comm, &all->requests[all->count++])))
      return -1;
  }
  return 0;
}

static int prepareOne(Engine *engine, int32_t number) {
  size_t most = 2 * (size_t)engine->list[number].segment_count * (size_t)engine->ranks;
  if (most > INT_MAX || !(engine->requests[number].requests = calloc(most, sizeof(MPI_Request))))
    return fail(engine, "out of memory");
  /* Rank r begins with rank r + 1, so that rank 0 is not the first target of all ranks. */
  for (int i = 1; i < engine->ranks; ++i)
    if (addRequests(engine, number, (engine->rank + i) % engine->ranks))
      return -1;
  return 0;
}

static int prepare(void *context, const ampc_transfer *list, int32_t count, void *stream) {
  Engine *engine = context;
  (void)stream;
  if (engine->list)
    return fail(engine, "expected one state per engine");
  engine->requests = calloc((size_t)count, sizeof *engine->requests);
  if (!engine->requests)
    return fail(engine, "out of memory");
  engine->list = list;
  engine->count = count;
  for (int32_t i = 0; i < count; ++i)
    if (prepareOne(engine, i))
      return -1;
  return 0;
}

static int start(void *context, int32_t number) {
  Engine *engine = context;
  const ampc_transfer *transfer = &engine->list[number];
  for (int32_t s = 0; s < transfer->segment_count; ++s) {
    const ampc_segment *segment = &transfer->segments[s];
    memcpy((char *)segment->receive + segment->bytes * (size_t)engine->rank,
           pieceToSend(transfer, segment, engine->rank), segment->bytes);
  }
  Requests *all = &engine->requests[number];
  return all->count ? check(engine, MPI_Startall(all->count, all->requests)) : 0;
}

static int poll(void *context, int32_t number) {
  Engine *engine = context;
  Requests *all = &engine->requests[number];
  int done = 1;
  if (all->count &&
      check(engine, MPI_Testall(all->count, all->requests, &done, MPI_STATUSES_IGNORE)))
    return -1;
  return done != 0;
}

/* MPI cannot take back requests that a lost peer never answers. */
static void abandon(void *context) { ((Engine *)context)->count = 0; }

static const char *errorOf(void *context) { return ((Engine *)context)->error; }

ampc_status ampc_mpi_create(MPI_Comm comm, ampc_comm *result) {
  memset(result, 0, sizeof *result);
  Engine *engine = calloc(1, sizeof *engine);
  if (!engine)
    return AMPC_E_MEMORY;
  if (MPI_Comm_dup(comm, &engine->comm) != MPI_SUCCESS) {
    free(engine);
    return AMPC_E_PEER;
  }
  MPI_Comm_set_errhandler(engine->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(engine->comm, &engine->rank);
  MPI_Comm_size(engine->comm, &engine->ranks);
  result->size = sizeof *result;
  result->rank = engine->rank;
  result->ranks = engine->ranks;
  result->context = engine;
  result->prepare = prepare;
  result->start = start;
  result->poll = poll;
  result->abandon = abandon;
  result->error = errorOf;
  return AMPC_OK;
}

void ampc_mpi_destroy(ampc_comm *result) {
  Engine *engine = result->context;
  if (!engine)
    return;
  for (int32_t i = 0; i < engine->count; ++i) {
    for (int r = 0; r < engine->requests[i].count; ++r)
      MPI_Request_free(&engine->requests[i].requests[r]);
    free(engine->requests[i].requests);
  }
  free(engine->requests);
  MPI_Comm_free(&engine->comm);
  free(engine);
  memset(result, 0, sizeof *result);
}
