// From a module after `emit` to a library, a header and a manifest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_PACKAGE_H
#define AMPC_PACKAGE_PACKAGE_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
enum class Sanitizer { None, Address, Thread };

/// What a library carries of code for GPUs: text that the driver assembles, machine code, or
/// machine code and, of sm_80, text for later chips.
enum class DeviceImages { PTX, Cubin, Both };

/// Where states find first values that the model names in files: in the library, or in a file that
/// is written beside it.
enum class InitialValues { Embedded, Beside };

/// A tier (AMPC_TIER_...) of one of a model's targets.
struct PickedTier {
  size_t target;
  int32_t tier;
};

/// Object code by the symbols of its kernels, which have hashes of the kernels' LLVM IR.
using KernelObjects = std::map<std::string, std::shared_ptr<const std::string>>;

struct PackageOptions {
  Sanitizer sanitizer = Sanitizer::None; ///< instruments all code of the model
  /// For a model that only this process runs: picks a target and one of the tiers in its mask. Only
  /// that tier's code is compiled, and there are no C functions. The hash of the plan is that of
  /// the whole library.
  std::function<std::optional<PickedTier>(llvm::StringRef model, llvm::ArrayRef<uint32_t> tiers)>
      pickTier = nullptr;
  /// With `pickTier`: kernels that it has are not compiled again, and new ones are added. Not null
  /// where one process compiles a model in several ways.
  KernelObjects *kernels = nullptr;
  DeviceImages images = DeviceImages::Both;
  /// A model that only this process runs reads them where they lie.
  InitialValues values = InitialValues::Embedded;
  std::string name = {}; ///< what files and functions are called; empty: as the model
  std::vector<std::string> bindings = {}; ///< languages of bindingNames()
};

/// Languages other than C that a model can have an interface for.
std::vector<std::string> bindingNames();

/// Bytes by what they are for, in the order of a table; without what the model has none of.
using MemoryTable = llvm::SmallVector<std::pair<llvm::StringRef, int64_t>>;
/// Of a module behind `plan`; of several targets the first.
MemoryTable memoryOf(mlir::ModuleOp module);

struct PackagedBinding {
  std::string file; ///< NAME.hpp, ...
  std::string text;
  bool loadsLibrary; ///< libNAME.so, at run time
};

/// What `ampc compile` writes: libNAME.a, NAME.h, NAME.json, bindings, and NAME.data.safetensors
/// for values that are beside the library.
struct PackagedModel {
  std::string name;
  std::string tables; ///< symbol of the ampc_model
  std::unique_ptr<llvm::MemoryBuffer> archive;
  std::string header;
  std::string manifest;
  MemoryTable memory;
  std::vector<PackagedBinding> bindings = {};
  std::vector<NamedArray> values = {}; ///< first ones that the archive lacks
};

/// Translations to LLVM IR that packaging needs.
void registerPackageDialects(mlir::DialectRegistry &registry);

/// What a name for files and functions should have been, or nothing if it can be one.
std::string expectedName(llvm::StringRef name);

/// The module holds a train.model with planned state, kernel.programs, and one nested module of
/// LLVM dialect per tier; or one such module per target, in order of preference.
llvm::FailureOr<PackagedModel> packageModel(mlir::ModuleOp module, const PackageOptions &options);

/// Writes the files into `folder`, which is made if missing, but none over one of `inputs`, and
/// has the system's compiler link libNAME.so if a binding loads it; reports errors on `module`.
llvm::LogicalResult writePackage(mlir::ModuleOp module, const PackagedModel &model,
                                 llvm::StringRef folder, llvm::ArrayRef<std::string> inputs = {});
} // namespace ampc
#endif
