// Compilation options that several commands share, mostly on precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PRECISIONOPTIONS_H
#define TOOLS_AMPC_PRECISIONOPTIONS_H

#include "ampc/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// CompileOptions on the command line, with presets. An instance per command, beside the definition
/// of the command.
class PrecisionOptions {
public:
  explicit PrecisionOptions(llvm::cl::SubCommand &command);
  /// Options as given; an error for a combination without sense.
  llvm::Expected<CompileOptions> get() const;
  /// Whether the command line has any option that may change numbers.
  bool areGiven() const;

  /// One option.
  struct Entry {
    explicit Entry(const OptionDefinition &definition);
    virtual ~Entry();
    virtual const llvm::cl::Option &option() const = 0;
    virtual void read(CompileOptions &options) const = 0;
    bool isGiven() const { return option().getNumOccurrences() > 0; }

    const OptionDefinition &definition;
    const std::string help; ///< storage of the option
  };

private:
  llvm::Error checkTogether(const CompileOptions &options) const;
  const Entry &entryOf(OptionMember member) const;

  llvm::cl::opt<std::string> level;
  std::vector<std::unique_ptr<Entry>> entries;
};

/// Options of the same compilation in f32: precision bf16 -> f32, without profile, overrides and
/// policy file.
CompileOptions inF32(CompileOptions options);
} // namespace ampc
#endif
