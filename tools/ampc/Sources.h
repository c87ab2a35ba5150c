// Data sources of the command line: INPUT=FILE, with a scale and an offset, e.g. `--data
// image=x.npy --scale image=0.5`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_SOURCES_H
#define TOOLS_AMPC_SOURCES_H

#include "ampc/Data/Convert.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Where an input's rows are.
struct Source {
  std::string input, path; ///< path in the form of readArray
  Affine affine;
};
using Sources = std::vector<Source>;

/// From words INPUT=FILE of the option `--OPTION`.
llvm::Expected<Sources> readSources(llvm::ArrayRef<std::string> words,
                                    llvm::StringRef option = "data");
/// Error if an output is also an input: of the data, or in `others`.
llvm::Error checkOutputs(llvm::ArrayRef<std::string> outputs, const Sources &data,
                         std::vector<std::string> others);

/// Options, an instance per command.
struct DataOptions {
  llvm::cl::list<std::string> data, scale, offset;
  llvm::cl::opt<bool> allowNonFinite;

  explicit DataOptions(llvm::cl::SubCommand &command);
  llvm::Expected<Sources> read() const;
  /// Words of another option, whose inputs have the same scales and offsets.
  llvm::Expected<Sources> read(llvm::ArrayRef<std::string> words, llvm::StringRef option) const;
};
} // namespace ampc
#endif
