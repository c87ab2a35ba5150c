// Knobs that change when validations stop to improve.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PLATEAU_H
#define TOOLS_AMPC_PLATEAU_H

#include "tools/ampc/Session.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// --at-plateau NAME=FACTOR,... and --plateau N: multiplies knobs, such as a learning rate, after N
/// validations in a row without a better score. Knobs stay within their ranges.
class Plateau {
public:
  explicit Plateau(llvm::cl::SubCommand &command);
  bool isGiven() const { return factors.getNumOccurrences() > 0; }
  /// Checks --plateau against --at-plateau, and names against the model. Error text, or empty.
  std::string open(const ampc_model &model);
  /// Takes the result of a validation. Text of the change, empty without a change; an error in
  /// `error`.
  std::string see(bool isBetter, Session &session, std::string &error);

private:
  struct Change {
    std::string name;
    double factor;
    const double *range; ///< least and greatest value
  };
  llvm::cl::list<std::string> factors;
  llvm::cl::opt<unsigned> count;
  std::vector<Change> changes;
  unsigned worse = 0; ///< validations since the best score, or since the last change
};
} // namespace ampc
#endif
