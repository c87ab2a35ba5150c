// Exchanges between the ranks of a training: agreement before a call, starts and waits inside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchange 0 is the agreement; exchange k + 1 is number k of the model. All addresses are fixed
// when the state is created, so an engine may keep requests.
#include "lib/Runtime/Exchange.h"
#include <sched.h>
#include <string.h>

/* Message of a rank before a call. All words but the status and the flag AMPC_RUN_NO_ROWS have to
   be equal on all ranks. */
typedef struct {
  uint64_t plan;    /* hash of the plan */
  uint64_t setting; /* tier, and whether denormals are flushed */
  uint64_t place;   /* number of the program plus one, or 0 for create */
  uint64_t runs;    /* seed of a create, or number of runs of the program */
  uint64_t factor;  /* bits of lr_factor */
  int64_t status;   /* of the checks of this rank */
  uint64_t flags;   /* in->flags */
  uint64_t knobs;   /* hash of the values of knobs */
} Message;

struct ampc_rt_exchange {
  ampc_comm comm;
  uint64_t limit_ns; /* 0: none */
  int32_t failed;    /* number of the exchange that failed plus one; 0: none */
  int32_t count;     /* of transfers, the agreement included */
  ampc_transfer *transfers;
  ampc_segment *segments;
  Message *sent, *received;
};

enum { AGREEMENT = 0, DEFAULT_SECONDS = 600, POLLS_BEFORE_YIELD = 256 };

static const ampc_entry *nextStart(const ampc_program *program, const ampc_entry *entry) {
  for (; entry < program->entries + program->entry_count; ++entry)
    if (entry->kind == AMPC_ENTRY_START)
      return entry;
  return NULL;
}

/* Number of exchanges, the agreement included; 0 without exchanges. */
static int32_t countExchanges(const ampc_model *model) {
  int32_t count = 0;
  for (const ampc_program *p = model->programs; p < model->programs + model->program_count; ++p)
    for (const ampc_entry *e = p->entries; (e = nextStart(p, e)); ++e)
      ++count;
  return count ? count + 1 : 0;
}

static int32_t ranksOf(const ampc_model *model) {
  for (const ampc_program *p = model->programs; p < model->programs + model->program_count; ++p) {
    const ampc_entry *start = nextStart(p, p->entries);
    if (start)
      return start->times;
  }
  return 1;
}

size_t ampc_rt_exchange_bytes(const ampc_model *model) {
  size_t count = (size_t)countExchanges(model);
  return count ? ampc_rt_align(sizeof(struct ampc_rt_exchange)) +
                     count * (sizeof(ampc_transfer) + sizeof(ampc_segment)) +
                     sizeof(Message) * (1 + (size_t)ranksOf(model)) + AMPC_ALIGN
               : 0;
}

static struct ampc_rt_exchange *exchangeOf(const ampc_state *state) {
  return state->layout.exchange_bytes
             ? (struct ampc_rt_exchange *)ampc_rt_at(state, state->layout.exchange)
             : NULL;
}

static bool isComplete(const ampc_comm *comm) {
  return comm->size >= sizeof *comm && comm->prepare && comm->start && comm->poll && comm->abandon;
}

static ampc_status checkComm(const ampc_model *model, const ampc_comm *comm, char *error) {
  int32_t ranks = ranksOf(model);
  if (!comm && ranks > 1)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected comm, since the model was compiled with --ranks=%d, but "
                        "got none",
                        (int64_t)ranks);
  if (!comm)
    return AMPC_OK;
  if (comm->size < offsetof(ampc_comm, flags) || comm->ranks != ranks)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected comm of %d ranks, as the model was compiled, but got %d",
                        (int64_t)ranks, (int64_t)comm->ranks);
  if (ranks > 1 && (!isComplete(comm) || comm->rank < 0 || comm->rank >= ranks))
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected comm with all functions and a rank in [0, %d), but got "
                        "rank %d",
                        (int64_t)ranks, (int64_t)comm->rank);
  return AMPC_OK;
}

/* Memory of an operand of an exchange, which is in the arena or in the state. */
static unsigned char *addressOf(const ampc_state *state, const ampc_operand *operand) {
  size_t base = operand->space == AMPC_SPACE_ARENA ? state->layout.arena : state->layout.slots;
  return ampc_rt_at(state, base) + operand->offset;
}

static void listTransfers(const ampc_state *state, struct ampc_rt_exchange *exchange) {
  const ampc_model *model = state->model;
  exchange->segments[AGREEMENT] =
      (ampc_segment){exchange->sent, exchange->received, sizeof(Message)};
  for (const ampc_program *p = model->programs; p < model->programs + model->program_count; ++p)
    for (const ampc_entry *e = p->entries; (e = nextStart(p, e)); ++e) {
      const ampc_operand *operands = p->operands + e->first_operand;
      exchange->segments[e->number + 1] = (ampc_segment){
          addressOf(state, operands), addressOf(state, operands + 1), (size_t)operands->stride};
      exchange->transfers[e->number + 1].kind = e->carried ? AMPC_ALL_TO_ALL : AMPC_ALL_GATHER;
    }
  for (int32_t i = 0; i < exchange->count; ++i) {
    exchange->transfers[i].segment_count = 1;
    exchange->transfers[i].segments = &exchange->segments[i];
  }
}

/* Lays out the exchange's memory, which is zero. */
static void layOut(const ampc_state *state, struct ampc_rt_exchange *exchange) {
  unsigned char *place = (unsigned char *)exchange + ampc_rt_align(sizeof *exchange);
  exchange->count = countExchanges(state->model);
  exchange->sent = (Message *)place;
  exchange->received = exchange->sent + 1;
  exchange->transfers = (ampc_transfer *)(exchange->received + ranksOf(state->model));
  exchange->segments = (ampc_segment *)(exchange->transfers + exchange->count);
}

/* Text of the engine on its last error. */
static const char *reasonOf(const struct ampc_rt_exchange *exchange) {
  const char *text = exchange->comm.error ? exchange->comm.error(exchange->comm.context) : NULL;
  return text ? text : "the engine gives no reason";
}

static int fail(struct ampc_rt_exchange *exchange, int32_t number) {
  exchange->failed = number + 1;
  exchange->comm.abandon(exchange->comm.context);
  return AMPC_E_PEER;
}

static int startExchange(struct ampc_rt_exchange *exchange, int32_t number) {
  return exchange->comm.start(exchange->comm.context, number) ? fail(exchange, number) : 0;
}

/* Polls up to the deadline. Yields the processor after some polls: ranks may share processors. */
static int waitExchange(struct ampc_rt_exchange *exchange, int32_t number) {
  uint64_t begin = ampc_rt_now_ns();
  for (int64_t polls = 0;; ++polls) {
    int done = exchange->comm.poll(exchange->comm.context, number);
    if (done > 0)
      return 0;
    if (done < 0 || (exchange->limit_ns && ampc_rt_now_ns() - begin > exchange->limit_ns))
      return fail(exchange, number);
    if (polls > POLLS_BEFORE_YIELD)
      sched_yield();
  }
}

ampc_status ampc_rt_exchange_error(const ampc_state *state, const char *where, char *error) {
  const struct ampc_rt_exchange *exchange = exchangeOf(state);
  return ampc_rt_fail(error, AMPC_E_PEER,
                      "%s: exchange %d of rank %d failed or took longer than %u seconds: %s; "
                      "create the state again and load a checkpoint",
                      where, (int64_t)exchange->failed - 1, (int64_t)exchange->comm.rank,
                      exchange->limit_ns / 1000000000u, reasonOf(exchange));
}

int ampc_rt_run_exchange(const ampc_rt_call *call, const ampc_entry *entry) {
  struct ampc_rt_exchange *exchange = exchangeOf(call->state);
  if (entry->kind == AMPC_ENTRY_START)
    return startExchange(exchange, entry->number + 1);
  if (entry->kind == AMPC_ENTRY_WAIT)
    return waitExchange(exchange, entry->number + 1);
  const ampc_operand *operand = call->program->operands + entry->first_operand;
  int32_t rank = exchange ? exchange->comm.rank : 0;
  memcpy(addressOf(call->state, operand), &rank, sizeof rank);
  return 0;
}

int ampc_rt_drain(const ampc_rt_call *call, int32_t begin) {
  const ampc_program *program = call->program;
  int result = 0;
  for (int32_t s = 0; s < begin && !result; ++s) {
    const ampc_entry *start = &program->entries[s];
    if (start->kind != AMPC_ENTRY_START)
      continue;
    for (int32_t w = begin; w < program->entry_count; ++w)
      if (program->entries[w].kind == AMPC_ENTRY_WAIT &&
          program->entries[w].number == start->number)
        result = ampc_rt_run_exchange(call, &program->entries[w]);
  }
  return result;
}

/* Bits that differ between flags which have to be equal on all ranks. */
static uint64_t flagsApart(const Message *a, const Message *b) {
  return (a->flags ^ b->flags) & ~(uint64_t)AMPC_RUN_NO_ROWS;
}

/* Whether all words are equal that have to be. */
static bool isEqual(const Message *a, const Message *b) {
  uint64_t difference = (a->plan ^ b->plan) | (a->setting ^ b->setting) | (a->place ^ b->place) |
                        (a->runs ^ b->runs) | (a->factor ^ b->factor) | (a->knobs ^ b->knobs) |
                        flagsApart(a, b);
  return difference == 0;
}

/* The first rank whose message differs from this rank's, or that refuses; -1 if all agree. */
static int32_t findOther(const struct ampc_rt_exchange *exchange) {
  for (int32_t rank = 0; rank < exchange->comm.ranks; ++rank) {
    const Message *other = &exchange->received[rank];
    if (rank != exchange->comm.rank && (other->status || !isEqual(other, exchange->sent)))
      return rank;
  }
  return -1;
}

static const char *differenceOf(const Message *own, const Message *other) {
  if (other->status)
    return "an invalid argument";
  if (own->plan != other->plan)
    return "another library";
  if (own->setting != other->setting)
    return "another tier or treatment of denormals";
  if (own->place != other->place)
    return "another call";
  if (own->runs != other->runs)
    return own->place ? "another number of runs" : "another seed";
  if (own->factor != other->factor)
    return "another lr_factor";
  return own->knobs != other->knobs ? "another value of a knob" : "other flags";
}

/* Whether no rank has rows, so that no mean exists. */
static bool lacksRows(const struct ampc_rt_exchange *exchange) {
  for (int32_t rank = 0; rank < exchange->comm.ranks; ++rank)
    if (!(exchange->received[rank].flags & AMPC_RUN_NO_ROWS))
      return false;
  return true;
}

static ampc_status agree(struct ampc_rt_exchange *exchange, const Message *message,
                         const char *where, char *error) {
  ampc_status own = (ampc_status)message->status;
  *exchange->sent = *message;
  int failed = startExchange(exchange, AGREEMENT);
  if (failed || (failed = waitExchange(exchange, AGREEMENT)) || own)
    return own ? own : (ampc_status)failed;
  int32_t other = findOther(exchange);
  if (other >= 0)
    return ampc_rt_fail(error, AMPC_E_PEER,
                        "%s: expected the same call on all ranks, but rank %d has %s; nothing was "
                        "changed",
                        where, (int64_t)other,
                        differenceOf(exchange->sent, &exchange->received[other]));
  return lacksRows(exchange) ? ampc_rt_fail(error, AMPC_E_ARG,
                                            "%s: expected rows on one rank at least, but all ranks "
                                            "have AMPC_RUN_NO_ROWS",
                                            where)
                             : AMPC_OK;
}

static Message messageOf(const ampc_state *state) {
  Message message;
  memset(&message, 0, sizeof message);
  message.plan = state->model->plan_hash;
  message.setting = (uint64_t)state->tier << 1 | state->flushes;
  message.knobs = ampc_rt_hash_knobs(state);
  return message;
}

bool ampc_rt_may_lack_rows(const ampc_state *state, const ampc_program *program) {
  return exchangeOf(state) && ampc_rt_takes_data(program) && program->short_batch;
}

ampc_status ampc_rt_agree(const ampc_state *state, const ampc_program *program,
                          const ampc_run_in *in, ampc_status status, char *error) {
  struct ampc_rt_exchange *exchange = exchangeOf(state);
  if (!exchange || !ampc_rt_is_training(program))
    return status;
  if (exchange->failed)
    return status ? status : ampc_rt_exchange_error(state, program->name, error);
  int32_t number = (int32_t)(program - state->model->programs);
  uint32_t bits = 0;
  Message message = messageOf(state);
  message.place = (uint64_t)number + 1;
  message.runs = ampc_rt_runs_data(state)[number];
  if (!status) {
    memcpy(&bits, &in->lr_factor, sizeof bits);
    message.flags = in->flags;
  }
  message.factor = bits;
  message.status = status;
  status = agree(exchange, &message, program->name, error);
  return exchange->failed ? ampc_rt_exchange_error(state, program->name, error) : status;
}

ampc_status ampc_rt_exchange_create(ampc_state *state, const ampc_options *options, char *error) {
  struct ampc_rt_exchange *exchange = exchangeOf(state);
  ampc_status status = checkComm(state->model, options->comm, error);
  if (status || !exchange)
    return status;
  memset(exchange, 0, state->layout.exchange_bytes);
  memcpy(&exchange->comm, options->comm, sizeof exchange->comm);
  int64_t seconds = options->comm_seconds ? options->comm_seconds : DEFAULT_SECONDS;
  exchange->limit_ns = seconds > 0 ? (uint64_t)seconds * 1000000000u : 0;
  layOut(state, exchange);
  listTransfers(state, exchange);
  if (exchange->comm.prepare(exchange->comm.context, exchange->transfers, exchange->count, NULL))
    return ampc_rt_fail(error, AMPC_E_PEER, "comm: %s", reasonOf(exchange));
  Message message = messageOf(state);
  message.runs = options->seed;
  status = agree(exchange, &message, "create", error);
  return exchange->failed ? ampc_rt_exchange_error(state, "create", error) : status;
}
