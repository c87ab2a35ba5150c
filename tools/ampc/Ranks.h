// The ranks of a training: processes of a launcher, or this process alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_RANKS_H
#define TOOLS_AMPC_RANKS_H

#include "tools/ampc/Launcher.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <chrono>
#include <optional>
#include <vector>

namespace ampc {
/// Message of a rank to all ranks. Messages are gathered between training calls.
struct RankMessage {
  uint64_t number = 0;  ///< of the exchange, set by Ranks
  uint64_t digest = 0;  ///< hash of values that ranks compare
  int32_t failed = 0;   ///< 1: this rank ends, and has said why
  int32_t signal = 0;   ///< signal that asks this rank to stop; 0: none
  int32_t finished = 0; ///< 1: the validations of rank 0 end the training
  int32_t reserved = 0;
};

/// Engine of the ranks. Without a launcher a single rank, whose functions return at once.
class Ranks {
public:
  Ranks() = default;
  Ranks(const Ranks &) = delete;
  /// Ends MPI: of all processes of the launcher, if a rank is lost.
  ~Ranks();
  /// Opens MPI if a launcher has started several processes. `seconds`: limit of a wait for other
  /// ranks; 0: none. A call of all ranks. False after a message.
  bool open(unsigned seconds);

  int getCount() const { return launch.ranks; }
  int getRank() const { return launch.rank; }
  /// Rank 0 prints, logs, validates and saves.
  bool isFirst() const { return launch.rank == 0; }
  /// Engine for the state; null for a single rank.
  const ampc_comm *getEngine() const { return watched.engine.context ? &comm : nullptr; }
  /// Whether an exchange failed, which leaves the state changed in part.
  bool isLost() const { return lost; }
  /// Threads for this rank if the user names no number; 0: all processors. Ranks of a machine with
  /// equal affinity masks share the processors.
  int getThreads() const { return threads; }

  /// Messages of all ranks, by rank: a call of all ranks. Empty after a message if a rank does not
  /// answer.
  enum class Limit { None, Seconds };
  std::vector<RankMessage> gather(RankMessage own, const llvm::Twine &where,
                                  Limit limit = Limit::Seconds);
  /// Whether no rank has failed. Without a limit.
  bool agree(bool isGood, const llvm::Twine &where);
  /// Runs `work` on rank 0, then on the others: errors that all ranks would report are reported
  /// once, and files that rank 0 writes, such as a compiled model, are there for the others.
  bool inTurn(llvm::function_ref<bool()> work, const llvm::Twine &where);
  /// Whether all ranks have the same digest. Reports the first difference with `what`.
  bool compare(uint64_t digest, const llvm::Twine &what);

private:
  /// The engine of the state. `abandon` of the runtime is noted.
  struct Watched {
    ampc_comm engine = {};
    bool *lost = nullptr;
  };
  bool begin();
  bool failed(const llvm::Twine &message);
  bool createEngines();
  void findThreads();
  bool waitForAll(Limit limit);
  void reportLost(const llvm::Twine &where);

  Launch launch;
  const ampc_processes *processes = nullptr; ///< null: a single rank
  Watched watched;
  ampc_comm comm = {};    ///< of the state, forwards to `watched`
  ampc_comm meeting = {}; ///< of gather()
  ampc_segment segment = {};
  ampc_transfer transfer = {};
  RankMessage sent;
  std::vector<RankMessage> received;
  uint64_t exchanges = 0;
  std::chrono::seconds limit{0}; ///< 0: none
  int threads = 0;
  bool lost = false;
};

/// Number of the first rank with `isSuch`, or -1.
int findRank(const std::vector<RankMessage> &all,
             llvm::function_ref<bool(const RankMessage &)> isSuch);
} // namespace ampc
#endif
