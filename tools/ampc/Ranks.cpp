// The ranks of a training, and their messages between training calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Ranks.h"
#include "ampc/Runtime/Runtime.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace ampc;

Ranks::~Ranks() {
  if (!processes)
    return;
  llvm::outs().flush();
  llvm::errs().flush();
  if (lost) // a rank that does not answer would not end MPI either
    processes->abort(1);
  if (watched.engine.context)
    processes->destroy(&watched.engine);
  if (meeting.context)
    processes->destroy(&meeting);
  processes->end();
}

/// Reports an error that all processes of a machine have.
bool Ranks::failed(const llvm::Twine &message) {
  if (launch.isFirstOfHost)
    fail(message);
  return false;
}

/// Starts MPI, which has to count as many processes as the launcher.
bool Ranks::begin() {
  auto found = openProcesses();
  if (!found)
    return failed(llvm::toString(found.takeError()));
  if ((*found)->begin() != AMPC_OK)
    return failed("MPI cannot start");
  processes = *found;
  if (!createEngines())
    return failed(llvm::Twine(processes->library()) + " cannot create an engine");
  if (meeting.ranks == launch.ranks && meeting.rank == launch.rank)
    return true;
  lost = true;
  return failed("expected the MPI of the launcher, which counts " + llvm::Twine(launch.ranks) +
                " processes, but got " + processes->library() + ", which counts " +
                llvm::Twine(meeting.ranks));
}

/// Two engines: the runtime gives the first one the exchanges of the model.
bool Ranks::createEngines() {
  if (processes->create(&watched.engine) != AMPC_OK || processes->create(&meeting) != AMPC_OK)
    return false;
  watched.lost = &lost;
  comm = watched.engine;
  comm.context = &watched;
  comm.prepare = [](void *context, const ampc_transfer *list, int32_t count, void *stream) {
    const ampc_comm &engine = static_cast<Watched *>(context)->engine;
    return engine.prepare(engine.context, list, count, stream);
  };
  comm.start = [](void *context, int32_t number) {
    const ampc_comm &engine = static_cast<Watched *>(context)->engine;
    return engine.start(engine.context, number);
  };
  comm.poll = [](void *context, int32_t number) {
    const ampc_comm &engine = static_cast<Watched *>(context)->engine;
    return engine.poll(engine.context, number);
  };
  comm.abandon = [](void *context) {
    auto *watched = static_cast<Watched *>(context);
    *watched->lost = true;
    watched->engine.abandon(watched->engine.context);
  };
  comm.error = [](void *context) {
    const ampc_comm &engine = static_cast<Watched *>(context)->engine;
    return engine.error(engine.context);
  };
  return true;
}

bool Ranks::open(unsigned seconds) {
  auto found = findLaunch();
  if (!found)
    return failed(llvm::toString(found.takeError()));
  launch = *found;
  limit = std::chrono::seconds(seconds);
  if (launch.ranks == 1)
    return true;
  if (!begin())
    return false;
  received.resize(launch.ranks);
  segment = {&sent, received.data(), sizeof sent};
  transfer = {AMPC_ALL_GATHER, 1, &segment};
  if (meeting.prepare(meeting.context, &transfer, 1, nullptr))
    return lost = true, failed("MPI cannot prepare an exchange");
  findThreads();
  return !lost;
}

void Ranks::findThreads() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  llvm::StringRef bits(reinterpret_cast<const char *>(&mask), sizeof mask);
  RankMessage own;
  own.digest = llvm::xxh3_64bits(bits) * 31 + llvm::xxh3_64bits(host);
  std::vector<RankMessage> all = gather(own, "start", Limit::None);
  auto sharing = llvm::count_if(all, [&](const RankMessage &m) { return m.digest == own.digest; });
  threads = std::max(1, CPU_COUNT(&mask) / std::max(1, int(sharing)));
}

/// Polls; sleeps between polls after some milliseconds, since a validation of rank 0 may take
/// minutes.
bool Ranks::waitForAll(Limit which) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  for (;;) {
    int done = meeting.poll(meeting.context, 0);
    Clock::duration waited = Clock::now() - begin;
    if (done > 0)
      return true;
    if (done < 0 || (which == Limit::Seconds && limit.count() && waited > limit))
      return false;
    if (waited > std::chrono::milliseconds(5))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    else
      sched_yield();
  }
}

/// Names the first rank whose message has not arrived.
void Ranks::reportLost(const llvm::Twine &where) {
  int missing = findRank(received, [&](const RankMessage &m) { return m.number != exchanges; });
  const char *reason = meeting.error(meeting.context);
  std::string instead = reason ? std::string(", but got: ") + reason
                               : " within " + std::to_string(limit.count()) + " seconds";
  lost = true;
  fail(where + ": " + ampc_rt_status_string(AMPC_E_PEER) + ": rank " + llvm::Twine(launch.rank) +
       " expected a message of rank " + llvm::Twine(missing) + instead);
}

std::vector<RankMessage> Ranks::gather(RankMessage own, const llvm::Twine &where, Limit which) {
  if (!processes)
    return {own};
  if (lost)
    return {};
  own.number = ++exchanges;
  sent = own;
  if (meeting.start(meeting.context, 0) || !waitForAll(which)) {
    reportLost(where);
    return {};
  }
  return received;
}

int ampc::findRank(const std::vector<RankMessage> &all,
                   llvm::function_ref<bool(const RankMessage &)> isSuch) {
  auto found = llvm::find_if(all, isSuch);
  return found == all.end() ? -1 : int(found - all.begin());
}

bool Ranks::agree(bool isGood, const llvm::Twine &where) {
  RankMessage own;
  own.failed = !isGood;
  std::vector<RankMessage> all = gather(own, where, Limit::None);
  int failed = findRank(all, [](const RankMessage &m) { return m.failed; });
  if (failed > 0 && isFirst())
    fail(where + ": rank " + llvm::Twine(failed) + " failed; see the error of that rank");
  return !all.empty() && failed < 0;
}

bool Ranks::inTurn(llvm::function_ref<bool()> work, const llvm::Twine &where) {
  if (!processes)
    return work();
  return agree(!isFirst() || work(), where) && agree(isFirst() || work(), where);
}

bool Ranks::compare(uint64_t digest, const llvm::Twine &what) {
  RankMessage own;
  own.digest = digest;
  std::vector<RankMessage> all = gather(own, what, Limit::None);
  int other = findRank(all, [&](const RankMessage &m) { return m.digest != all.front().digest; });
  if (other > 0 && isFirst())
    fail("expected " + what + " to be equal on all ranks, but rank " + llvm::Twine(other) +
         " differs");
  return !all.empty() && other < 0;
}
