// The C interface of a model as data, the single source of the header, the bindings and the
// library's functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_INTERFACE_H
#define LIB_PACKAGE_INTERFACE_H

#include "lib/Package/ModelInfo.h"

namespace ampc {
/// Types of parameters, results and fields.
enum class CType {
  Void,
  Int32,
  UInt8,
  UInt16,
  UInt32,
  Int64,
  UInt64,
  Float,
  Double,
  Size,
  Status,
  Text,      ///< const char *
  Room,      ///< char *, written to
  Data,      ///< void *
  ConstData, ///< const void *
  Dims,      ///< const int64_t *
  Numbers,   ///< const double *
  Elements,  ///< of a tensor, written to
  ConstElements,
  Function, ///< a pointer to one
  Hooks,    ///< the struct itself
  ConstHooks,
  Options, ///< const ampc_options *
  TrainOut,
  Tensor, ///< const ampc_tensor *
  State,
  ConstState,
  NewState, ///< written to
  View,     ///< struct DLManagedTensor **
  In,       ///< pointers to the structs of a call
  Out
};

/// What a type is called. In C, @ stands for the model's name, that of the call, or the type of an
/// element.
struct TypeInfo {
  CType type;
  const char *c, *python, *fortran;
  int64_t bytes; ///< of a field; 0: never one
};
const TypeInfo &infoOf(CType type);

struct ParameterInfo {
  CType type;
  llvm::StringLiteral name;
};
/// A function that every library has.
struct FunctionInfo {
  llvm::StringLiteral name; ///< without the model's prefix
  bool ofModel;             ///< the runtime's function has the model ahead of the parameters
  CType result;
  llvm::SmallVector<ParameterInfo, 4> parameters;
  llvm::StringLiteral doc; ///< empty: none, or that of the function before
};
/// In the order of the header, where the calls stand between `workspace_bytes` and `tensor_count`.
llvm::ArrayRef<FunctionInfo> stateFunctions();
llvm::ArrayRef<FunctionInfo> tensorFunctions();
/// The only function of a library without a counterpart in the runtime.
constexpr llvm::StringLiteral versionFunction = "abi_version";

struct FieldInfo {
  CType type;
  std::string name, doc;
  const TensorInfo *tensor = nullptr; ///< of elements
};
/// A program as a function (state, in, out), with its structs.
struct CallInfo {
  const ProgramInfo *program;
  bool trains;                           ///< writes the state; `out` is an ampc_train_out
  bool draws;                            ///< random numbers, of a seed of the call
  std::vector<FieldInfo> in, out;        ///< of the structs
  std::vector<ParameterInfo> parameters; ///< of the function
  std::string doc;
};
std::vector<CallInfo> callsOf(const ModelInfo &model);
/// The tensors of the state that callers see.
std::vector<const SlotInfo *> shownSlots(const ModelInfo &model);

/// "f32 [8, 10]", and what else the caller has to know. `batch`: that of its program.
/// `asBits`: in a language without 16-bit floats.
std::string describe(const TensorInfo &tensor, int64_t batch = 0, bool asBits = true);
/// Rows of a batched tensor for each of the batch.
inline int64_t rowsPerBatch(const TensorInfo &tensor, const ProgramInfo &program) {
  return tensor.dims[0] / program.batch;
}

/// A struct of ampc/Runtime/Common.h.
struct CommonField {
  const char *name;
  CType type;
};
struct CommonStruct {
  const char *name;
  llvm::ArrayRef<CommonField> fields;
};
/// Structs in order of dependence: a struct follows the structs of its fields.
llvm::ArrayRef<CommonStruct> commonStructs();
struct CommonConstant {
  const char *name;
  int32_t value;
};
/// Statuses, types of elements, roles, and flags.
llvm::ArrayRef<CommonConstant> commonConstants();
} // namespace ampc
#endif
