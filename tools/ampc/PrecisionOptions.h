// Options on compilation that several commands share: most of them on precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PRECISIONOPTIONS_H
#define TOOLS_AMPC_PRECISIONOPTIONS_H

#include "ampc/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// The options of CompileOptions on the command line, with presets for them. One instance per
/// command, beside its definition.
class PrecisionOptions {
public:
  explicit PrecisionOptions(llvm::cl::SubCommand &command);
  /// What was asked for; an error in words if it makes no sense.
  llvm::Expected<CompileOptions> get() const;
  /// Whether the command line has any of the options.
  bool areGiven() const;

  /// One option.
  struct Entry {
    explicit Entry(const OptionDefinition &definition);
    virtual ~Entry();
    virtual const llvm::cl::Option &option() const = 0;
    virtual void read(CompileOptions &options) const = 0;
    bool isGiven() const { return option().getNumOccurrences() > 0; }

    const OptionDefinition &definition;
    const std::string help; ///< the option refers to it
  };

private:
  llvm::Error checkTogether(const CompileOptions &options) const;
  const Entry &entryOf(OptionMember member) const;

  llvm::cl::opt<std::string> level;
  std::vector<std::unique_ptr<Entry>> entries;
};

/// The same compilation without any rounding that the options ask for.
CompileOptions inF32(CompileOptions options);
} // namespace ampc
#endif
