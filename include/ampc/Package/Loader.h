// Loader of a packaged model into the compiler's own process; the object code is the code that
// `ampc compile` writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_LOADER_H
#define AMPC_PACKAGE_LOADER_H

#include "ampc/Package/Package.h"
#include "ampc/Runtime/Model.h"
#include "llvm/Support/Error.h"

namespace llvm::orc {
class LLJIT;
}

namespace ampc {
class LoadedModel {
public:
  ~LoadedModel();
  static llvm::Expected<std::unique_ptr<LoadedModel>> load(const PackagedModel &package) {
    return load(package.tables, *package.archive, package.values);
  }
  /// `tables`: the symbol of the ampc_model.
  static llvm::Expected<std::unique_ptr<LoadedModel>> load(llvm::StringRef tables,
                                                           const llvm::MemoryBuffer &archive,
                                                           llvm::ArrayRef<NamedArray> values);
  /// Tables of the model in the archive, for the functions of ampc/Runtime/Runtime.h. Valid as long
  /// as this object.
  const ampc_model &model() const { return *tables; }
  /// Address of a function of the C header, such as NAME_train_step.
  llvm::Expected<void *> lookup(llvm::StringRef symbol) const;

private:
  explicit LoadedModel(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const ampc_model *tables = nullptr;
  std::vector<NamedArray> values; ///< initial values that the tables point to
};
} // namespace ampc
#endif
