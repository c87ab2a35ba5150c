// Packaging: a module after the phase `emit` becomes a library, a header and a manifest.
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

/// GPU code in a library: PTX for the driver's compiler, machine code, or both: machine code, and
/// PTX of sm_80 for later chips.
enum class DeviceImages { PTX, Cubin, Both };

/// Storage of initial values that the model names in files: in the library, or in a file beside the
/// library.
enum class InitialValues { Embedded, Beside };

/// Tier (AMPC_TIER_...) of one target of a model.
struct PickedTier {
  size_t target;
  int32_t tier;
};

/// Cache of object code, keyed by kernel symbols; a symbol contains a hash of the kernel's LLVM IR.
using KernelObjects = std::map<std::string, std::shared_ptr<const std::string>>;

/// LLVM's work on kernels. Quick takes a third of the time, for tests with many small models: code
/// generation without optimization after few passes. Results have the same bits.
enum class CodeLevel { Optimized, Quick };

struct PackageOptions {
  Sanitizer sanitizer = Sanitizer::None; ///< instruments all code of the model
  /// For in-process models: picks a target and a tier of its mask. Only code of that tier is
  /// compiled, without C functions. The plan hash equals that of the whole library.
  std::function<std::optional<PickedTier>(llvm::StringRef model, llvm::ArrayRef<uint32_t> tiers)>
      pickTier = nullptr;
  /// With `pickTier`: cache that supplies kernels already compiled and receives new kernels. Not
  /// null if one process compiles variants of a model.
  KernelObjects *kernels = nullptr;
  CodeLevel level = CodeLevel::Optimized; ///< of new kernels in `kernels`
  DeviceImages images = DeviceImages::Both;
  bool noCache = false; ///< assembles device code anew, and keeps nothing of it
  /// An in-process model reads initial values from the original files.
  InitialValues values = InitialValues::Embedded;
  std::string name = {}; ///< base name of files and functions; empty: name of the model
  std::vector<std::string> bindings = {}; ///< languages of bindingNames()
};

/// Languages besides C with generated bindings.
std::vector<std::string> bindingNames();

/// Rows of the memory table: purpose and bytes, in display order; purposes without bytes are left
/// out.
using MemoryTable = llvm::SmallVector<std::pair<llvm::StringRef, int64_t>>;
/// Memory table of a module after the phase `plan`; the first target if there are several.
MemoryTable memoryOf(mlir::ModuleOp module);

struct PackagedBinding {
  std::string file; ///< NAME.hpp, ...
  std::string text;
  bool loadsLibrary; ///< libNAME.so, at run time
};

/// Output of `ampc compile`: libNAME.a, NAME.h, NAME.json, bindings, and NAME.data.safetensors for
/// initial values beside the library.
struct PackagedModel {
  std::string name;
  std::string tables; ///< symbol of the ampc_model
  std::unique_ptr<llvm::MemoryBuffer> archive;
  std::string header;
  std::string manifest;
  MemoryTable memory;
  std::vector<PackagedBinding> bindings = {};
  std::vector<NamedArray> values = {}; ///< initial values that are not in the archive
};

/// Registers translations to LLVM IR that packaging needs.
void registerPackageDialects(mlir::DialectRegistry &registry);

/// Expected form of a base name for files and functions, for an error message; nothing if `name` is
/// valid.
std::string expectedName(llvm::StringRef name);

/// Packages a module that holds a train.model with planned state, kernel.programs, and a nested
/// LLVM dialect module per tier; or one such module per target, in order of preference.
llvm::FailureOr<PackagedModel> packageModel(mlir::ModuleOp module, const PackageOptions &options);

/// Writes the files into `folder`, which is created if missing, and links libNAME.so with the
/// system's compiler if a binding loads the library. No file of `inputs` is overwritten; errors are
/// reported on `module`.
llvm::LogicalResult writePackage(mlir::ModuleOp module, const PackagedModel &model,
                                 llvm::StringRef folder, llvm::ArrayRef<std::string> inputs = {});
} // namespace ampc
#endif
