// Engine for ranks that are threads of one process: each rank copies from the senders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Comm/Threads.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Progress of one transfer on one rank: number of starts, and of starts whose pieces are copied. */
typedef struct {
  _Atomic uint64_t started, copied;
  uint32_t delay; /* polls that still report "not yet" */
} Progress;

typedef struct {
  ampc_threads *group;
  int32_t rank, count;
  const ampc_transfer *list;
  _Atomic(Progress *) progress; /* null before prepare */
  uint64_t random;
  const char *error;
} Rank;

struct ampc_threads {
  int32_t count;
  uint32_t most_delay;
  _Atomic bool abandoned;
  Rank ranks[];
};

ampc_threads *ampc_threads_create(int32_t ranks) {
  if (ranks < 1)
    return NULL;
  ampc_threads *group = calloc(1, sizeof *group + sizeof(Rank) * (size_t)ranks);
  if (!group)
    return NULL;
  group->count = ranks;
  for (int32_t i = 0; i < ranks; ++i) {
    group->ranks[i].group = group;
    group->ranks[i].rank = i;
  }
  return group;
}

void ampc_threads_destroy(ampc_threads *group) {
  for (int32_t i = 0; group && i < group->count; ++i)
    free(atomic_load(&group->ranks[i].progress));
  free(group);
}

void ampc_threads_delay(ampc_threads *group, uint64_t seed, uint32_t most) {
  group->most_delay = most;
  for (int32_t i = 0; i < group->count; ++i)
    group->ranks[i].random = seed * 0x9E3779B97F4A7C15u + (uint64_t)i;
}

static int fail(Rank *own, const char *error) {
  own->error = error;
  return -1;
}

static int prepare(void *context, const ampc_transfer *list, int32_t count, void *stream) {
  Rank *own = context;
  (void)stream;
  if (atomic_load(&own->progress))
    return fail(own, "expected one state per rank of the group");
  Progress *progress = calloc((size_t)count, sizeof *progress);
  if (!progress)
    return fail(own, "out of memory");
  own->list = list;
  own->count = count;
  atomic_store(&own->progress, progress);
  return 0;
}

/* Linear congruential generator (Knuth, MMIX). */
static uint32_t draw(Rank *own) {
  own->random = own->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(own->random >> 33);
}

static int start(void *context, int32_t transfer) {
  Rank *own = context;
  Progress *progress = &atomic_load(&own->progress)[transfer];
  progress->delay = own->group->most_delay ? draw(own) % own->group->most_delay : 0;
  atomic_fetch_add(&progress->started, 1);
  return 0;
}

static bool isLikeOwn(const Rank *own, const Rank *other, int32_t transfer) {
  const ampc_transfer *a = &own->list[transfer], *b = &other->list[transfer];
  if (own->count != other->count || a->kind != b->kind || a->segment_count != b->segment_count)
    return false;
  for (int32_t s = 0; s < a->segment_count; ++s)
    if (a->segments[s].bytes != b->segments[s].bytes)
      return false;
  return true;
}

static void copyFrom(const Rank *own, const Rank *other, int32_t transfer) {
  const ampc_transfer *to = &own->list[transfer], *from = &other->list[transfer];
  for (int32_t s = 0; s < to->segment_count; ++s) {
    size_t bytes = to->segments[s].bytes;
    size_t piece = to->kind == AMPC_ALL_TO_ALL ? (size_t)own->rank : 0;
    memcpy((char *)to->segments[s].receive + bytes * (size_t)other->rank,
           (const char *)from->segments[s].send + bytes * piece, bytes);
  }
}

/* Whether all ranks have counted up to `number`. */
static bool haveAll(const ampc_threads *group, int32_t transfer, uint64_t number, bool copied) {
  for (int32_t i = 0; i < group->count; ++i) {
    Progress *other = atomic_load(&group->ranks[i].progress);
    if (!other || atomic_load(copied ? &other[transfer].copied : &other[transfer].started) < number)
      return false;
  }
  return true;
}

/* Copies after the start of all ranks; complete after the copies of all ranks, because each rank
   reads the memory of this rank. */
static int poll(void *context, int32_t transfer) {
  Rank *own = context;
  const ampc_threads *group = own->group;
  Progress *progress = &atomic_load(&own->progress)[transfer];
  uint64_t number = atomic_load(&progress->started);
  if (atomic_load(&progress->copied) < number) {
    if (!haveAll(group, transfer, number, false))
      return atomic_load(&group->abandoned) ? fail(own, "another rank has aborted") : 0;
    for (int32_t i = 0; i < group->count; ++i) {
      if (!isLikeOwn(own, &group->ranks[i], transfer))
        return fail(own, "expected the same exchanges on all ranks");
      copyFrom(own, &group->ranks[i], transfer);
    }
    atomic_store(&progress->copied, number);
  }
  if (!haveAll(group, transfer, number, true))
    return atomic_load(&group->abandoned) ? fail(own, "another rank has aborted") : 0;
  if (progress->delay == 0)
    return 1;
  --progress->delay;
  return 0;
}

static void abandon(void *context) { atomic_store(&((Rank *)context)->group->abandoned, true); }

static const char *errorOf(void *context) { return ((Rank *)context)->error; }

ampc_comm ampc_threads_comm(ampc_threads *group, int32_t rank) {
  ampc_comm comm;
  memset(&comm, 0, sizeof comm);
  comm.size = sizeof comm;
  comm.rank = rank;
  comm.ranks = group->count;
  comm.context = &group->ranks[rank];
  comm.prepare = prepare;
  comm.start = start;
  comm.poll = poll;
  comm.abandon = abandon;
  comm.error = errorOf;
  return comm;
}
