// Cache of compiled models: commands that run a model skip the compilation if the same model was
// compiled before with the same options, by the same compiler, for the same tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_MODELCACHE_H
#define TOOLS_AMPC_MODELCACHE_H

#include "ampc/Package/Package.h"
#include "ampc/Pipelines/Compiler.h"
#include "tools/ampc/IgnoredLabels.h"

namespace ampc {
/// A compiled model as a session loads it, and the messages of its compilation.
struct CompiledModel {
  std::string name, tables; ///< as in PackagedModel
  std::unique_ptr<llvm::MemoryBuffer> archive;
  std::vector<NamedArray> values;
  std::vector<uint32_t> tiers; ///< masks of the targets, of which `picked` chose
  PickedTier picked;
  std::vector<std::string> sizes; ///< as of Compiler::getSizes()
  IgnoredLabels::Labels ignored;
  std::string said;
};

class ModelCache {
public:
  using Pick = llvm::function_ref<std::optional<PickedTier>(llvm::StringRef model,
                                                            llvm::ArrayRef<uint32_t> tiers)>;

  /// The key has everything that decides about code: the content of the model, the policy and the
  /// profile, all options, and the build of this program with its libraries. Requests that read
  /// other files (ONNX), standard input, or that are observed, have no key.
  ModelCache(const CompileRequest &request, DeviceImages images, const char *device);
  /// The cached model if files of first values have the same content and if this machine would
  /// choose the same tier, which may depend on drivers.
  std::optional<CompiledModel> find(Pick pick) const;
  /// `files`: files of first values. Does nothing if a file has changed since the constructor.
  void store(const CompiledModel &model, llvm::ArrayRef<std::string> files) const;

private:
  std::string findName() const;

  const CompileRequest &request;
  DeviceImages images;
  const char *device;
  std::string entry; ///< name in the cache; empty: no key
};
} // namespace ampc
#endif
